import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { loadCommandTree } from "../../src/program.js";
import { createHarness } from "../support/harness.js";

/** Names of every command and group from the top, such as `["events", "list"]`; `[]` is the program itself. */
function pathsOf(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  return [path, ...command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]))];
}

const PATHS = pathsOf(await loadCommandTree());

describe.each([40, 60, 80, 120])("at %i columns", (columns) => {
  test("the help of every command fits", async () => {
    const { runWith } = await createHarness();
    for (const path of PATHS) {
      const { exitCode, stdout } = await runWith({ columns }, ...path, "--help");
      expect(exitCode).toBe(0);
      const tooLong = stdout.split("\n").filter((line) => line.length > columns);
      expect(tooLong, path.join(" ")).toEqual([]);
    }
  });

  test("no word of it is broken", async () => {
    const { run, runWith } = await createHarness();
    // A line that is broken gets a backslash or, in a comment, another #.
    const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "\\" && word !== "#");
    for (const path of PATHS) {
      const [wide, narrow] = [await run(...path, "--help"), await runWith({ columns }, ...path, "--help")];
      expect(wordsOf(narrow.stdout), path.join(" ")).toEqual(wordsOf(wide.stdout));
    }
  });
});

test("the help of a command has its own flags, and one line about the global ones", async () => {
  const { run } = await createHarness();
  const { stdout } = await run("events", "list", "--help");
  expect(stdout).toContain("--remaining");
  expect(stdout).not.toContain("--max-wait");
  expect(stdout.match(/calctl help flags/g)).toHaveLength(1);
});
