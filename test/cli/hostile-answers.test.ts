import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { harmfulCodes, hostileText } from "../support/harmful-text.js";
import { createHarness } from "../support/harness.js";
import { numberOfRuns } from "../support/shared.js";
import { startWireRecorder } from "../support/wire-recorder.js";
import { words } from "../support/words.js";

const TOKEN = "token-0123456789";

/** Hostile text from a service or from arguments on a terminal's stderr. */

async function startService() {
  const harness = await createHarness();
  const recorder = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: recorder.baseUrl, CALCTL_TOKEN: TOKEN, NO_COLOR: "1" };
  return { recorder, run: (...argv: readonly string[]) => harness.runWith({ env, columns: 80 }, ...argv) };
}

/** No control characters but line feeds; colors are switched off. */
function harmfulBesidesLines(text: string): readonly number[] {
  return harmfulCodes(text.replaceAll("\n", ""));
}

const COMMANDS: readonly ((text: string) => readonly string[])[] = [
  (text) => [text],
  (text) => ["events", text],
  (text) => [`--${text}`],
  (text) => ["events", "list", "-c", text],
  (text) => ["events", "list", "--label", text],
  (text) => ["events", "list", "--fields", text],
  (text) => ["events", "list", "--timezone", text],
  (text) => ["events", "list", "-o", text],
  (text) => ["events", "get", text],
  (text) => ["events", "delete", "--yes", text, `${text}2`],
  (text) => ["config", "get", text],
  (text) => ["profiles", "use", text],
  (text) => ["whoami", "-p", text],
];

test("arguments are sanitized in errors, also with -v and --debug", async () => {
  const { run } = await startService();
  const flags = fc.constantFrom([], ["-v"], ["--debug"], ["-o", "json"]);
  await fc.assert(
    fc.asyncProperty(hostileText, fc.constantFrom(...COMMANDS), flags, async (text, command, more) => {
      const { stderr } = await run(...command(text.replaceAll("\0", "")), ...more);
      expect(harmfulBesidesLines(stderr)).toEqual([]);
    }),
    { numRuns: numberOfRuns(40) },
  );
});

test("C13 responses are sanitized in errors, notes and traces", async () => {
  const { recorder, run } = await startService();
  const shapes: readonly ((text: string) => unknown)[] = [
    (text) => ({ errors: { title: [text], [text]: text } }),
    (text) => ({ errors: [{ detail: text, source: { pointer: text } }] }),
    (text) => ({ errors: text }),
    // The harness fails a run that tells it.
    (text) => ({ errors: { [TOKEN]: `${text} ${TOKEN}` } }),
    (text) => ({ data: [{ id: text, type: "calendar", attributes: { name: text } }] }),
    (text) => ({ data: [text], included: text }),
  ];
  const flags = fc.constantFrom([], ["--debug"], ["-o", "json"], ["-o", "json", "--debug"]);
  const status = fc.constantFrom(200, 400, 404, 500);
  await fc.assert(
    fc.asyncProperty(
      hostileText,
      fc.constantFrom(...shapes),
      status,
      flags,
      async (text, shape, code, more) => {
        recorder.answer("GET /calendars", { status: code, body: JSON.stringify(shape(text)) });
        const { stdout, stderr } = await run(
          ...words`events list -c nothing-like-this`,
          ...more,
          ...words`--color never`,
        );
        expect(harmfulBesidesLines(stdout)).toEqual([]);
        expect(harmfulBesidesLines(stderr)).toEqual([]);
      },
    ),
    { numRuns: numberOfRuns(30) },
  );
});

describe("oversized details", () => {
  const deep = `${'{"a":['.repeat(10_000)}${"]}".repeat(10_000)}`;
  test.each([
    ["nested 10,000 deep", `{"errors":${deep}}`],
    ["nested 10,000 deep below a field", `{"errors":{"title":${deep}}}`],
    ["of 1 MB", `{"errors":{"title":["${"x".repeat(1_000_000)}"]}}`],
    // test/long/large-output.test.ts has more than a function call takes arguments.
    [
      "of 5,000 fields",
      `{"errors":{${Array.from({ length: 5_000 }, (_, i) => `"f${i}":["no"]`).join(",")}}}`,
    ],
    [
      "called __proto__",
      `{"errors":{"__proto__":{"toString":1},"constructor":"c"},"__proto__":{"errors":2}}`,
    ],
  ])("%s: the error is the last line of stderr", async (_, body) => {
    const { recorder, run } = await startService();
    recorder.answer("GET /user", { status: 400, body });
    for (const flags of [
      ["-o", "json"],
      ["-o", "json", "--debug"],
    ]) {
      const { exitCode, stdout, stderr } = await run("whoami", ...flags);
      expect({ exitCode, stdout }).toEqual({ exitCode: 11, stdout: "" });
      const last = stderr.trimEnd().split("\n").at(-1) ?? "";
      expect(JSON.parse(last)).toMatchObject({ error: { code: "rejected", status: 400 } });
    }
    const { exitCode, stderr } = await run("whoami");
    expect(exitCode).toBe(11);
    expect(stderr).toMatch(/^error: the current user: the service refused the request \(400\)\n/);
    expect(stderr.length).toBeLessThan(30_000);
  });
});
