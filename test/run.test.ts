import { expect, test } from "vitest";
import { CliError } from "../src/errors.js";
import type { Host } from "../src/host/parts.js";
import { run } from "../src/run.js";

/** A run that fails, and then fails to tell so: there is a line and an exit code all the same. */

function createFailingHost(error: unknown, changes: Partial<Host> = {}) {
  let text = "";
  const sink = { isTerminal: false, columns: undefined, isStuck: false };
  const host: Host = {
    env: {},
    stdout: { ...sink, write: async () => undefined },
    stderr: {
      ...sink,
      write: async (more) => {
        text += more;
      },
    },
    loadContexts: () => Promise.reject(error),
    explain: async (known) => known,
    close: async () => undefined,
    ...changes,
  };
  return { host, stderr: () => text };
}

const REFUSED = new CliError("rejected", "the service\u001b[2J refused it", { hint: "ask it" });
const LINE = "error: the service\\x1b[2J refused it\n";

test("an error that cannot be explained is told as it is", async () => {
  const { host, stderr } = createFailingHost(REFUSED, {
    explain: () => Promise.reject(new Error("no explanation")),
  });
  expect(await run(["whoami"], host)).toBe(11);
  expect(stderr()).toBe(`${LINE}hint: ask it\n`);
});

test("an error that cannot be rendered is a line at least", async () => {
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
  ["an error whose message is none", Object.assign(new Error(), { message: 5 }), "5"],
])("%s that is thrown is a bug with a line of its own", async (_, thrown, text) => {
  const { host, stderr } = createFailingHost(thrown);
  expect(await run(["whoami"], host)).toBe(1);
  expect(stderr()).toContain(`error: something went wrong that should not: ${text}\n`);
});

test("nobody there to be told: the exit code remains", async () => {
  const { host } = createFailingHost(REFUSED, {
    stderr: {
      isTerminal: false,
      columns: undefined,
      isStuck: false,
      write: () => Promise.reject(new Error("gone")),
    },
  });
  expect(await run(["whoami"], host)).toBe(11);
});
