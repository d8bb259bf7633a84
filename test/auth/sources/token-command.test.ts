import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { runTokenCommand } from "../../../src/auth/sources/token-provider.js";
import { parseTokenCommand } from "../../../src/config/profile-values.js";
import { CliError } from "../../../src/errors.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

let directory: string;

beforeEach(() => {
  directory = temporaryFolder();
});

async function run(
  command: string,
  changes: { readonly timeout?: number; readonly signal?: AbortSignal } = {},
) {
  return runTokenCommand({
    command: parseTokenCommand(command, "token_command"),
    source: "token_command",
    env: { PATH: process.env["PATH"], CALCTL_CLIENT_SECRET: "hidden", SHOWN: "shown" },
    signal: changes.signal ?? new AbortController().signal,
    ...(changes.timeout === undefined ? {} : { timeout: changes.timeout }),
  });
}

function shell(script: string): string {
  return JSON.stringify(["sh", "-c", script]);
}

describe("a token command", () => {
  test("prints the token as text or in JSON", async () => {
    expect(await run(shell("echo token-1"))).toBe("token-1");
    expect(await run(shell("printf 'token-2\\r\\n'"))).toBe("token-2");
    expect(await run(shell(`echo '{"version": 1, "token": "token-3"}'`))).toBe("token-3");
  });

  test("is the path of a program, which may contain spaces; there is no shell", async () => {
    const path = join(directory, "my $(touch x) program");
    writeFileSync(path, "#!/bin/sh\necho from-program\n");
    chmodSync(path, 0o700);
    expect(await run(path)).toBe("from-program");
  });

  test("has no stdin, and no secrets in its environment", async () => {
    expect(await run(shell("cat; echo a-$CALCTL_CLIENT_SECRET-$SHOWN"))).toBe("a--shown");
  });

  test.each([
    ["fails", shell("echo secret-x; exit 3"), "ended with 3"],
    ["is killed", shell("kill -9 $$"), "a signal"],
    ["prints nothing", shell("true"), "is empty"],
    ["prints two lines", shell("echo secret-x; echo two"), "line breaks"],
    ["prints blanks", shell("echo ' secret-x'"), "spaces"],
    ["prints JSON without a token", shell(`echo '{"secret-x":1}'`), "is empty"],
    ["prints half JSON", shell(`echo '{"token":"secret-x'`), "is empty"],
    ["prints a megabyte", shell("head -c 1000000 /dev/zero | tr '\\0' a 2>/dev/null"), "64 KiB"],
    ["is not there", '["calctl-no-such-program"]', "no such file or directory"],
    ["is below a file", "/dev/null/program", "not a directory"],
    ["has a name that is too long", `/${"x".repeat(300)}`, "ENAMETOOLONG"],
    ["has an argument that is too long", JSON.stringify(["sh", "x".repeat(200_000)]), "E2BIG"],
    ["has a NUL in it", JSON.stringify(["sh\0x"]), "ERR_INVALID_ARG_VALUE"],
    ["depends on the folder", "./program", "absolute"],
    ["is half JSON", '["sh"', "JSON array"],
    ["is an object", '{"a":1}', "JSON array"],
    ["is an empty name", '[""]', "no program"],
    ["is no list of texts", "[1]", "JSON array"],
    ["is an empty list", "[]", "no program"],
  ])("that %s is exit 10, and its output is not repeated", async (_, command, words) => {
    const failure = await run(command).catch((error: unknown) => error);
    expect(failure).toMatchObject({ exitCode: 10 });
    expect(failure).toBeInstanceOf(CliError);
    const { message, hint } = failure as CliError;
    expect(`${message} ${hint}`).toContain(words);
    expect(message).not.toContain("secret-x");
  });

  test("whose output a grandchild holds open still returns the token", async () => {
    const pidFile = join(directory, "pid");
    const command = shell(`echo token-4; sleep 60 2>/dev/null & echo $! > "${pidFile}"`);
    expect(await run(command, { timeout: 10_000 })).toBe("token-4");
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
  });

  test("that hangs is killed: exit 10", async () => {
    await expect(run(shell("echo early; exec sleep 60"), { timeout: 200 })).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("in 0.2 seconds"),
    });
  });

  test("ends when interrupted", async () => {
    const controller = new AbortController();
    const running = run(shell("exec sleep 60"), { signal: controller.signal });
    controller.abort(new CliError("interrupted", "interrupted"));
    await expect(running).rejects.toMatchObject({ exitCode: 130 });
  });
});
