import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKeychain } from "../../../src/auth/stores/keychain.js";
import { runKeychainHelper } from "../../../src/auth/stores/keychain-helper.js";
import { CliError } from "../../../src/errors.js";

const KEY = { profile: "work", origin: "https://work.example" };
const TOKEN = "secret-token";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "calctl-keychain-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** A keychain whose helper is a script. */
function keychain(script: string, signal = new AbortController().signal) {
  const path = join(directory, "helper.cjs");
  writeFileSync(path, script);
  return createKeychain({
    self: [process.execPath, path],
    env: { ...process.env, CALCTL_TOKEN: "hidden-token", CALCTL_CLIENT_SECRET: "hidden-secret" },
    interactive: false,
    tell: () => undefined,
    signal: () => signal,
  });
}

/** A helper that always gives this answer. */
function answering(answer: unknown): string {
  return `console.log(${JSON.stringify(`calctl-keychain-answer ${JSON.stringify(answer)}`)});`;
}

async function failureOf(promise: Promise<unknown>): Promise<CliError> {
  const error = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CliError);
  return error as CliError;
}

describe("the keychain", () => {
  test("hands the request over by stdin, and none of our secrets by the environment", async () => {
    const script = `
      let input = "";
      process.stdin.on("data", (chunk) => { input += chunk; }).on("end", () => {
        const value = JSON.stringify({ input, argv: process.argv.slice(2), env: process.env });
        console.log("calctl-keychain-answer " + JSON.stringify({ kind: "value", value }));
      });`;
    const { input, argv, env } = JSON.parse((await keychain(script).load(KEY)) ?? "");
    expect(JSON.parse(input)).toEqual({ action: "get", account: "work https://work.example" });
    expect(argv).toEqual(["--keychain-helper"]);
    expect(env["PATH"]).toBe(process.env["PATH"]);
    expect(JSON.stringify(env)).not.toMatch(/hidden-/);
  });

  test("is understood though something else prints into the helper's output", async () => {
    const script = `console.log("hello"); ${answering({ kind: "value", value: TOKEN })} console.log("bye");`;
    expect(await keychain(script).load(KEY)).toBe(TOKEN);
  });

  test.each([
    ["says nothing", ""],
    ["says something else", `console.log("${TOKEN}")`],
    [
      "answers with half an answer",
      `console.log('calctl-keychain-answer {"kind":"value","value":"${TOKEN}')`,
    ],
    ["answers what is none", answering({ value: TOKEN })],
    ["answers with another value", answering({ kind: "value", value: 1 })],
    ["crashes", 'process.kill(process.pid, "SIGSEGV")'],
    ["fails", "process.exitCode = 3"],
    ["says too much", 'console.log("x".repeat(2_000_000))'],
  ])("whose helper %s is exit 10, and the library is not blamed", async (_, script) => {
    const { exitCode, message, hint } = await failureOf(keychain(script).load(KEY));
    expect({ exitCode, message }).toEqual({
      exitCode: 10,
      message: expect.stringContaining("gave no answer"),
    });
    expect(hint).toContain("--insecure-storage");
    expect(message).not.toContain(TOKEN);
  });

  test("whose helper cannot be started is exit 10", async () => {
    const store = createKeychain({
      self: [join(directory, "nowhere")],
      env: {},
      interactive: false,
      tell: () => undefined,
      signal: () => new AbortController().signal,
    });
    expect(await failureOf(store.probe())).toMatchObject({
      exitCode: 10,
      message: expect.stringContaining("ENOENT"),
    });
  });

  test("without its library is exit 10, with the loader's reason as the cause", async () => {
    const error = await failureOf(
      keychain(answering({ kind: "no_library", reason: "no libsecret" })).probe(),
    );
    expect(error).toMatchObject({ exitCode: 10, message: "the keychain's library cannot be loaded" });
    expect(error.cause).toMatchObject({ message: "no libsecret" });
  });

  test("that gives back another token than it took is exit 10", async () => {
    for (const value of ["other", null]) {
      const error = await failureOf(keychain(answering({ kind: "value", value })).save(KEY, TOKEN));
      expect(error).toMatchObject({
        exitCode: 10,
        message: expect.stringContaining("does not give it back"),
      });
    }
    await keychain(answering({ kind: "value", value: TOKEN })).save(KEY, TOKEN);
  });

  test("tells whether there was a token to remove, and fails when it is still there", async () => {
    const removing = (existed: boolean, gone: boolean) =>
      keychain(answering({ kind: "removed", existed, gone })).remove(KEY);
    expect(await removing(true, true)).toBe(true);
    expect(await removing(false, true)).toBe(false);
    expect(await failureOf(removing(true, false))).toMatchObject({ exitCode: 10 });
  });
});

test.each(["", "nonsense", "{}", "null"])(
  "the helper asked %j by hand says that it was asked nothing",
  async (text) => {
    let printed = "";
    const stdout = {
      write(chunk: string) {
        printed += chunk;
      },
    };
    const stdin = (async function* () {
      yield text;
    })();
    await runKeychainHelper({ stdin, stdout });
    expect(printed).toMatch(/^\ncalctl-keychain-answer \{"kind":"failed","reason":"it was asked [^"]+"\}\n$/);
  },
);
