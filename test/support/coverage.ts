import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

/** How often the innermost function around the text ran, from V8's coverage of one run. */
export function timesRun(folder: string, text: string): number | undefined {
  const [file = ""] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Coverage;
  const bundle = result.find(({ url }) => /dist\/calctl-\w+\.js$/.test(url));
  const source = readFileSync(fileURLToPath(bundle?.url ?? ""), "latin1");
  const offset = source.indexOf(text);
  expect(offset).toBeGreaterThan(0);
  const around = (bundle?.functions ?? [])
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const size = ({ startOffset, endOffset }: Range) => endOffset - startOffset;
  return around.sort((one, other) => size(one) - size(other))[0]?.count;
}
