import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaitProcess, handlesInterrupt, interrupt } from "../support/processes.js";
import { createInstallation, PROGRAM } from "../support/spawned.js";
import { timesRun } from "./support/coverage.js";

/** Formats of the built program: when they are loaded, and jq as the package that it is. */

/** A text in each part that is loaded, or run, only where it is used. */
const PARTS = {
  csv: '[",\\r\\n]',
  markdown: "(?<=www)",
  ics: "-//calctl//calctl//EN",
  colors: "mediumseagreen",
  template: "parseLimit:1e6",
  jq: "--compact-output",
} as const;

test.each<[readonly string[], readonly (keyof typeof PARTS)[]]>([
  [["--help"], []],
  [["-o", "table"], []],
  [["-o", "tsv"], []],
  [["-o", "json"], []],
  [["-o", "ndjson"], []],
  [["-o", "text"], []],
  [["-o", "csv"], ["csv"]],
  [["-o", "markdown"], ["markdown"]],
  [
    ["-o", "ics"],
    ["ics", "colors"],
  ],
  [["--template", "x"], ["template"]],
  [["--jq", "."], ["jq"]],
])("events list with %j loads %j", async (flags, parts) => {
  const { home, runWith } = createInstallation();
  const folder = join(home, "coverage");
  mkdirSync(folder);
  const env = { NODE_V8_COVERAGE: folder };
  expect(await runWith({ env }, "events", "list", ...flags)).toMatchObject({ exitCode: 0 });
  const loaded = Object.entries(PARTS).filter(([, text]) => (timesRun(folder, text) ?? 0) > 0);
  expect(loaded.map(([name]) => name)).toEqual(parts);
});

test("Ctrl-C ends a jq program that does not end by itself", async () => {
  const { home, run, start } = createInstallation();
  expect(await run("whoami", "--jq", ".type")).toMatchObject({ exitCode: 0, stdout: "user\n" });
  const running = start("whoami", "--verbose", "--jq", "last(range(infinite))");
  await running.stderrWith("200");
  // The program runs once the response has come; while it runs, only the system can handle the signal.
  const { pid } = await awaitProcess(
    home,
    (process) => process.pid === running.child.pid && !handlesInterrupt(process),
  );
  interrupt(pid);
  const { exitCode, stdout, stderr } = await running.ended;
  expect({ exitCode, stdout, lines: stderr.split("\n").length }).toEqual({
    exitCode: 130,
    stdout: "",
    lines: 2,
  });
});

test("a jq program without an end ends with its pipe", async () => {
  const { shell } = createInstallation();
  const line = `{ "${process.execPath}" "${PROGRAM}" whoami --jq 'range(1e9)'; echo "exit $?" >&2; } | head -n 2`;
  expect(await shell(line)).toMatchObject({ stdout: "0\n1\n", stderr: expect.stringMatching(/^exit 0$/m) });
});

test("V8 compiles jq, and never optimizes it", async () => {
  const { shell } = createInstallation();
  const program = `"${process.execPath}" --trace-wasm-compilation-times "${PROGRAM}"`;
  const { exitCode, stdout } = await shell(`${program} whoami --jq '[range(100000)] | length'`);
  expect({ exitCode, result: stdout.match(/^100000$/m)?.[0] }).toEqual({ exitCode: 0, result: "100000" });
  expect(stdout).toContain("using Liftoff");
  expect(stdout).not.toContain("using TurboFan");
});

test("the built program knows the letters beyond ASCII that a filter names", async () => {
  const { run } = createInstallation();
  const result = await run("whoami", "--template", '{{ "über ça" | slugify: "latin" }}');
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^uber-ca\n?$/) });
});
