import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProgramRunner } from "../../src/cli/run-program.js";
import { CliError } from "../../src/errors.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** What a program of the user is given, beyond what `remind` can be made to give. */

const SILENT = { warn: () => undefined, again: "nothing starts it again" };

/** Runs a shell script with variables, and returns what it wrote to the file `$OUT`, and the warnings. */
async function runScript(script: string, variables: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const env = {
    PATH: process.env["PATH"] ?? "",
    CALCTL_TOKEN: "s3cret",
    CALCTL_WEBHOOK_URL: "https://s3cret",
    OUT: join(folder, "out"),
  };
  const warnings: string[] = [];
  const signal = () => new AbortController().signal;
  const run = createProgramRunner(
    { env, signal, process },
    { ...SILENT, warn: (text) => warnings.push(text) },
  );
  await run({ program: "sh", args: ["-c", script], input: "", variables });
  return { written: readFileSync(env.OUT, "utf8"), warnings };
}

test("a variable has no NUL, and one that is too large for the system is said and left out", async () => {
  const variables = {
    SMALL: "a\0b",
    LARGE: "d".repeat(128 * 1024),
    LARGEST: "d".repeat(128 * 1024 - "LARGEST=\0".length),
  };
  const script =
    'printf "%s %s %s" "$SMALL" "$(printenv LARGE | wc -c)" "$(printenv LARGEST | wc -c)" > "$OUT"';
  expect(await runScript(script, variables)).toEqual({
    written: "ab 0 131064",
    warnings: ["LARGE is larger than 128 KiB, which a variable cannot be: it is only on stdin"],
  });
});

test("no secret of this program is in its environment", async () => {
  const { written } = await runScript('env > "$OUT"', {});
  expect(written).toContain("OUT=");
  expect(written).not.toContain("s3cret");
});

test("an interruption before the program starts says that nothing was done", async () => {
  const stopped = new AbortController();
  const run = createProgramRunner({ env: process.env, process, signal: () => stopped.signal }, SILENT);
  stopped.abort(new CliError("interrupted", "interrupted"));
  await expect(run({ program: "true", args: [], input: "", variables: {} })).rejects.toMatchObject({
    code: "interrupted",
    mayHaveSucceeded: false,
  });
});

test.each([
  ["nosuchprogram", "not found in PATH: use its full path"],
  ["/nosuchfolder/program", "check the path"],
  ["C:\\nosuchfolder\\program.exe", "check the path"],
])("a program %s that does not exist has the hint %j", async (program, hint) => {
  const run = createProgramRunner(
    { env: process.env, process, signal: () => new AbortController().signal },
    SILENT,
  );
  await expect(run({ program, args: [], input: "", variables: {} })).rejects.toMatchObject({ hint });
});
