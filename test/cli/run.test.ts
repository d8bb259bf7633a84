import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import { CliError } from "../../src/errors.js";
import type { Host } from "../../src/run/run.js";
import { createHarness } from "../support/harness.js";
import { share } from "../support/shared.js";

/** A host whose commands fail with the error. */
function createFailingHost(error: unknown, changes: Partial<Host> = {}) {
  let text = "";
  const sink = { isTerminal: false, columns: undefined, isStuck: false, isClosed: false };
  const host: Host = {
    env: {},
    stdout: { ...sink, write: async () => undefined },
    stderr: {
      ...sink,
      write: async (more) => {
        text += more;
      },
    },
    page: async () => undefined,
    isStuck: () => false,
    loadRuns: () => Promise.reject(error),
    close: async () => undefined,
    ...changes,
  };
  return { host, stderr: () => text };
}

const REFUSED = new CliError("rejected", "the service\u001b[2J refused it", { hint: "ask it" });
const LINE = "error: the service\\x1b[2J refused it\n";

test("an error that cannot be rendered is reported in one line", async () => {
  const details = {
    get broken(): never {
      throw new Error("no details");
    },
  };
  const error = new CliError("rejected", REFUSED.message, { details });
  const { host, stderr } = createFailingHost(error);
  expect(await run(["whoami", "-o", "json"], host)).toBe(11);
  expect(stderr()).toBe(LINE);
});

test.each([
  ["nothing", undefined, "undefined"],
  ["an object without a text", Object.create(null), "unknown"],
  ["an error whose message is not a string", Object.assign(new Error(), { message: 5 }), "5"],
])("%s that is thrown is reported as a bug", async (_, thrown, text) => {
  const { host, stderr } = createFailingHost(thrown);
  expect(await run(["whoami"], host)).toBe(1);
  expect(stderr()).toContain(`error: unexpected error: ${text}\n`);
});

test("a closed stderr does not change the exit code", async () => {
  const { host } = createFailingHost(REFUSED, {
    stderr: {
      isTerminal: false,
      columns: undefined,
      isStuck: false,
      isClosed: false,
      write: () => Promise.reject(new Error("gone")),
    },
  });
  expect(await run(["whoami"], host)).toBe(11);
});

describe("a command line that cannot be parsed", () => {
  const harness = share(() => createHarness());
  const BAD = ["events", "create", "--nonsense"];

  test.each([
    ["events", "create", "--title", "-ojson", "--nonsense"],
    ["events", "create", "--title", "-o", "--location", "json", "--nonsense"],
    ["events", "create", "--nonsense", "--title=-ojson"],
    ["events", "create", "--title", "--debug", "--nonsense"],
    ["events", "create", "--nonsense", "--title", "--debug"],
    [...BAD, "--", "-o", "json", "--debug"],
  ])("is reported as text where other flags have the value of a global one: %j", async (...argv) => {
    const { exitCode, stderr } = await harness().run(...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: calctl .*has no flag --nonsense\n/);
    expect(stderr).not.toContain("CliError");
  });

  test.each([
    ["-o", "json", ...BAD],
    [...BAD, "-o", "json"],
    [...BAD, "-ojson"],
    ["events", "-o=json", "create", "--nonsense"],
    ["events", "create", "-o", "json", "--title"],
  ])("is reported as JSON with -o json before or after the bad flag: %j", async (...argv) => {
    const { exitCode, stderr } = await harness().run(...argv);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "usage" } });
  });

  test.each([[["--debug", ...BAD]], [[...BAD, "--debug"]]])(
    "shows a stack trace with --debug: %j",
    async (argv) => {
      expect((await harness().run(...argv)).stderr).toContain("CliError");
    },
  );
});
