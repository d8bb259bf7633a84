import { sanitizeLine } from "../../output/sanitize.js";
import { inCharset } from "../../output/style.js";
import { truncateText } from "../../output/table/text-width.js";
import type { DrawOptions, View } from "../../output/view.js";

/** What cannot become an event of the calendar. */
interface RejectedItem {
  /** Of the file, from 1. */
  readonly line: number;
  readonly reason: string;
  readonly title: string | null;
}

/** What an import did, or with `--dry-run` would do: numbers of events. */
export interface ImportReport {
  readonly source: string;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly conflicts: number;
  readonly rejected: readonly RejectedItem[];
}

const rejectedView: View<RejectedItem> = {
  noun: "rejected item",
  shape: "rejected",
  keys: {
    line: { type: "integer", about: "of the file, from 1" },
    reason: { type: "string" },
    title: { type: "string?" },
  },
  tsv: ["line", "reason", "title"],
};

/** The kinds of events with their meaning. */
const COUNTS = {
  created: "events of the file that were created",
  updated: "events that the file changed",
  unchanged: "events that are as they were",
  deleted: "events that were deleted: cancelled, or with --prune not in the file any more",
  conflicts: "events that the file changed and somebody changed or deleted in the calendar: left alone",
} as const;

type CountedKind = keyof typeof COUNTS;

const KINDS = Object.keys(COUNTS) as readonly CountedKind[];

/** Titles of some events of each kind. */
export type ImportExamples = Partial<Record<CountedKind, readonly string[]>>;

export const importView: View<ImportReport> = createImportView({});

/** The view of a report that names some events of each kind to a person. */
export function createImportView(examples: ImportExamples): View<ImportReport> {
  const count = (kind: CountedKind) => ({ type: "integer", about: COUNTS[kind] }) as const;
  return {
    noun: "import",
    shape: "import",
    keys: {
      source: { type: "string", about: "the name by which its events are known" },
      created: count("created"),
      updated: count("updated"),
      unchanged: count("unchanged"),
      deleted: count("deleted"),
      conflicts: count("conflicts"),
      rejected: {
        type: { list: rejectedView },
        about: "what cannot become an event",
        text: ({ rejected }) => String(rejected.length),
      },
    },
    tsv: ["source", ...KINDS, "rejected"],
    draw({ values, fields }, drawing) {
      if (fields !== null) return null;
      const lines = values.flatMap((report) => describeImport(report, { ...drawing, examples }));
      return `${lines.join("\n")}\n`;
    },
  };
}

/** A line for each kind of which there are events, none wider than `width`; `0 created` where there are none. */
export function describeImport(
  report: ImportReport,
  {
    examples,
    width,
    unicode,
  }: Pick<DrawOptions, "width" | "unicode"> & { readonly examples: ImportExamples },
): readonly string[] {
  const kinds = [
    ...KINDS.map((kind) => ({ kind, count: report[kind], titles: examples[kind] ?? [] })),
    { kind: "rejected", count: report.rejected.length, titles: [] },
  ];
  const found = kinds.filter(({ count }) => count > 0);
  const lines = found.length > 0 ? found : kinds.slice(0, 1);
  const numbers = Math.max(...lines.map(({ count }) => String(count).length));
  return lines.map(({ kind, count, titles }) => {
    const more = count > titles.length ? ["…"] : [];
    const named = titles.length === 0 ? "" : [...titles.map(sanitizeLine), ...more].join(", ");
    const noun = kind === "conflicts" && count === 1 ? "conflict" : kind;
    const text = `${String(count).padStart(numbers + 2)} ${noun.padEnd(9)}  ${named}`;
    return inCharset(truncateText(text.trimEnd(), width), { unicode });
  });
}
