import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CliError, type ErrorCode, EXIT_CODES, EXIT_EMPTY } from "../src/errors.js";
import { renderError } from "../src/output/error-report.js";

/** docs/exit-codes.md is an interface: scripts are written against it. */

const page = readFileSync(fileURLToPath(new URL("../docs/exit-codes.md", import.meta.url)), "utf8");

interface Row {
  readonly exitCode: number;
  /** Null where there is no error. */
  readonly code: string | null;
}

/** The rows of the table of exit codes, from the top. */
function rowsOf(text: string): readonly Row[] {
  return text.split("\n").flatMap((line) => {
    const [, exitCode, code] = /^\| (\d+) \| (?:`(\w+)`)? ?\| .+ \|.* \|$/.exec(line) ?? [];
    return exitCode === undefined ? [] : [{ exitCode: Number(exitCode), code: code ?? null }];
  });
}

test("the table has every exit code with its name, in the order of the program", () => {
  const rows = rowsOf(page);
  const errors = rows.filter(({ code }) => code !== null);
  const signals: readonly Row[] = [129, 143].map((exitCode) => ({ exitCode, code: "interrupted" }));
  const named = Object.entries(EXIT_CODES).map(([code, exitCode]) => ({ exitCode, code }));
  expect(errors).toEqual([...named, ...signals].sort((one, other) => one.exitCode - other.exitCode));
  expect(rows.filter(({ code }) => code === null)).toEqual([
    { exitCode: 0, code: null },
    { exitCode: EXIT_EMPTY, code: null },
  ]);
  const numbers = rows.map(({ exitCode }) => exitCode);
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("the names and numbers are those that scripts have relied on from the beginning", () => {
  const words = "failed usage not_signed_in not_found forbidden rate_limited unavailable outcome_unknown";
  const names = `${words} configuration rejected partial changed interrupted`.split(" ");
  expect(Object.keys(EXIT_CODES)).toEqual(names);
  expect(Object.values(EXIT_CODES)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 130]);
});

test("every member of an error in JSON is in the example and explained", () => {
  const codes = Object.keys(EXIT_CODES) as readonly ErrorCode[];
  const printed = codes.map((code) => renderError(new CliError(code, "m"), { json: true }));
  const example = /^\{"error":.*\}$/m.exec(page)?.[0] ?? "";
  const members = Object.keys(JSON.parse(example).error);
  for (const line of printed) {
    expect(Object.keys(JSON.parse(line))).toEqual(["error"]);
    expect(Object.keys(JSON.parse(line).error)).toEqual(members);
  }
  const explained = [...page.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name);
  expect(explained).toEqual(members);
});
