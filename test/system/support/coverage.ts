import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { PROGRAM } from "../../support/spawned.js";

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

/** Paths of the program's parts; the folder may also hold those of earlier builds. */
export function partsOfProgram(program = PROGRAM): readonly string[] {
  const names = readFileSync(program, "utf8").match(/calctl-[\w-]+\.js/g) ?? [];
  return names.map((name) => join(dirname(program), name));
}

/** How often the innermost function around the text ran, from V8's coverage of one run; 0 if its part was not loaded. */
export function timesRun(folder: string, text: string): number | undefined {
  const [file = ""] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Coverage;
  const part = partsOfProgram().find((path) => readFileSync(path, "latin1").includes(text)) ?? "";
  const offset = readFileSync(part, "latin1").indexOf(text);
  expect(offset).toBeGreaterThan(0);
  const { functions } = result.find(({ url }) => url === pathToFileURL(part).href) ?? {};
  if (functions === undefined) return 0;
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const size = ({ startOffset, endOffset }: Range) => endOffset - startOffset;
  return around.sort((one, other) => size(one) - size(other))[0]?.count;
}
