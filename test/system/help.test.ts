import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";
import { timesRun } from "./support/coverage.js";

/** A text in each part of the built program that help loads, or calls, only where it is shown. */
const PARTS = {
  luxon: "Before Christ",
  topics: "A flag overrides its variable, which overrides the profile",
  examples: "All events that mention a word, for a script",
  schema: "HTTP status of the response that caused it",
} as const;

test.each<[readonly string[], readonly (keyof typeof PARTS)[]]>([
  [["--help"], []],
  [["help"], []],
  [["help", "flags"], []],
  [["help", "environment"], ["topics"]],
  [["events", "list", "--help"], ["examples"]],
  [["events", "list"], ["luxon"]],
  [["schema", "event"], ["schema"]],
])("%j loads %j", async (argv, parts) => {
  const { home, runWith } = createInstallation();
  const folder = join(home, "coverage");
  mkdirSync(folder);
  expect(await runWith({ env: { NODE_V8_COVERAGE: folder } }, ...argv)).toMatchObject({ exitCode: 0 });
  const loaded = Object.entries(PARTS).filter(([, text]) => (timesRun(folder, text) ?? 0) > 0);
  expect(loaded.map(([name]) => name)).toEqual(parts);
});
