declare module "parse-prometheus-text-format" {
  export interface MetricFamily {
    readonly name: string;
    readonly help: string;
    readonly type: "COUNTER" | "GAUGE" | "HISTOGRAM" | "SUMMARY" | "UNTYPED";
    readonly metrics: readonly MetricSample[];
  }

  /** A value, or the counts of a histogram by upper bound. Numbers are texts. */
  export interface MetricSample {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value?: string;
    readonly buckets?: Readonly<Record<string, string>>;
    readonly count?: string;
    readonly sum?: string;
  }

  export default function parse(text: string): readonly MetricFamily[];
}
