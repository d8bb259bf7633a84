import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { exitCodeRows } from "../src/cli/help/reference.js";
import { CliError, type ErrorCode, EXIT_CODES, EXIT_EMPTY } from "../src/errors.js";
import { renderError } from "../src/output/error-report.js";
import { createHarness } from "./support/harness.js";

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

test("no row refers to another one, since calctl schema prints each on its own", () => {
  const words = exitCodeRows().map(({ when, repeat }) => `${when} | ${repeat}`);
  expect(words.filter((text) => /the same|the next|above|like 9/.test(text))).toEqual([]);
});

test("the rows of what an editor and a prompt may end in say so", () => {
  const whenOf = (code: ErrorCode) =>
    exitCodeRows().find(({ exitCode }) => exitCode === EXIT_CODES[code])?.when;
  expect(whenOf("changed")).toContain("--edit");
  expect(whenOf("outcome_unknown")).toContain("--edit");
  expect(whenOf("interrupted")).toMatch(/Escape.*editor/);
});

test("the page and the topic name the commands that print something even if they fail", async () => {
  const { run } = await createHarness();
  const { stdout } = await run("help", "exit-codes");
  for (const text of [page.replaceAll("`", ""), stdout]) {
    const words = text.replace(/\s+/g, " ");
    expect(words).toContain(
      "status, doctor and service check print their report and api the body of the response even if they fail.",
    );
  }
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
