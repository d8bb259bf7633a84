import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { CliError } from "../../src/errors.js";
import { createKeychain } from "../../src/secrets/keychain.js";
import { probeAccountOf, runKeychainHelper } from "../../src/secrets/keychain-helper.js";
import { accountOf } from "../../src/secrets/store.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const KEY = { kind: "token", profile: "work", origin: "https://work.example" } as const;
const WEBHOOK = { kind: "webhook_url", name: "team", as: "slack" } as const;
const TOKEN = "secret-token";

let directory: string;

beforeEach(() => {
  directory = temporaryFolder();
});

/** A keychain whose helper is a script. */
function keychain(script: string, signal = new AbortController().signal) {
  const path = join(directory, "helper.cjs");
  writeFileSync(path, script);
  return createKeychain({
    self: [process.execPath, path],
    env: { ...process.env, CALCTL_TOKEN: "hidden-token", CALCTL_CLIENT_SECRET: "hidden-secret" },
    purpose: "token",
    interactive: () => false,
    warn: () => undefined,
    signal: () => signal,
  });
}

/** A helper that always sends this response. */
function answering(answer: unknown): string {
  return `console.log(${JSON.stringify(`calctl-keychain-response ${JSON.stringify(answer)}`)});`;
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
  test("gets the request on stdin, and no secrets in the environment", async () => {
    const script = `
      let input = "";
      process.stdin.on("data", (chunk) => { input += chunk; }).on("end", () => {
        const value = JSON.stringify({ input, argv: process.argv.slice(2), env: process.env });
        console.log("calctl-keychain-response " + JSON.stringify({ kind: "value", value }));
      });`;
    const { input, argv, env } = JSON.parse((await keychain(script).load(KEY)) ?? "");
    expect(JSON.parse(input)).toEqual({ action: "get", account: "work https://work.example" });
    expect(argv).toEqual(["--keychain-helper"]);
    expect(env["PATH"]).toBe(process.env["PATH"]);
    expect(JSON.stringify(env)).not.toMatch(/hidden-/);
  });

  test("works although something else prints to the helper's stdout", async () => {
    const script = `console.log("hello"); ${answering({ kind: "value", value: TOKEN })} console.log("bye");`;
    expect(await keychain(script).load(KEY)).toBe(TOKEN);
  });

  test.each([
    ["says nothing", ""],
    ["says something else", `console.log("${TOKEN}")`],
    [
      "sends an incomplete response",
      `console.log('calctl-keychain-response {"kind":"value","value":"${TOKEN}')`,
    ],
    ["sends an invalid response", answering({ value: TOKEN })],
    ["sends a value of the wrong type", answering({ kind: "value", value: 1 })],
    ["crashes", 'process.kill(process.pid, "SIGSEGV")'],
    ["fails", "process.exitCode = 3"],
    ["says too much", 'console.log("x".repeat(2_000_000))'],
  ])("whose helper %s is exit 10 with an error of the helper", async (_, script) => {
    const { exitCode, message, hint } = await failureOf(keychain(script).load(KEY));
    expect({ exitCode, message }).toEqual({
      exitCode: 10,
      message: expect.stringContaining("the keychain helper failed"),
    });
    expect(hint).toContain("--insecure-storage");
    expect(message).not.toContain(TOKEN);
  });

  test("whose helper cannot be started is exit 10", async () => {
    const store = createKeychain({
      self: [join(directory, "nowhere")],
      env: {},
      purpose: "token",
      interactive: () => false,
      warn: () => undefined,
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

  test("that returns another token than it stored is exit 10", async () => {
    for (const value of ["other", null]) {
      const error = await failureOf(keychain(answering({ kind: "value", value })).save(KEY, TOKEN));
      expect(error).toMatchObject({
        exitCode: 10,
        message: expect.stringContaining("reads it back differently"),
      });
    }
    await keychain(answering({ kind: "value", value: TOKEN })).save(KEY, TOKEN);
  });

  test("reports whether there was a token to remove, and fails when it is not removed", async () => {
    const removing = (existed: boolean, gone: boolean) =>
      keychain(answering({ kind: "removed", existed, gone })).remove(KEY);
    expect(await removing(true, true)).toBe(true);
    expect(await removing(false, true)).toBe(false);
    expect(await failureOf(removing(true, false))).toMatchObject({ exitCode: 10 });
  });
});

describe("entries", () => {
  /** A helper that keeps its entries in a file. */
  const remembering = `
    const { existsSync, readFileSync, writeFileSync } = require("node:fs");
    const path = __dirname + "/entries.json";
    const entries = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const { action, account, secret } = JSON.parse(readFileSync(0, "utf8"));
    const existed = account in entries;
    if (action === "set") entries[account] = secret;
    if (action === "remove") delete entries[account];
    writeFileSync(path, JSON.stringify(entries));
    const value = entries[account] ?? null;
    const answer = action === "remove" ? { kind: "removed", existed, gone: true } : { kind: "value", value };
    console.log("calctl-keychain-response " + JSON.stringify(answer));`;
  const entries = () => JSON.parse(readFileSync(join(directory, "entries.json"), "utf8"));

  test("of tokens have the account PROFILE ORIGIN since the first version", async () => {
    writeFileSync(join(directory, "entries.json"), JSON.stringify({ "work https://work.example": TOKEN }));
    expect(await keychain(remembering).load(KEY)).toBe(TOKEN);
    await keychain(remembering).save(KEY, "renewed");
    expect(entries()).toEqual({ "work https://work.example": "renewed" });
  });

  test("of another kind are saved, loaded and removed, and leave tokens as they are", async () => {
    const store = keychain(remembering);
    await store.save(KEY, TOKEN);
    await store.save(WEBHOOK, "https://hooks.example/secret");
    expect(entries()).toEqual({
      "work https://work.example": TOKEN,
      "webhook_url:team slack": "https://hooks.example/secret",
    });
    expect(await store.load(WEBHOOK)).toBe("https://hooks.example/secret");
    expect([await store.remove(WEBHOOK), await store.remove(WEBHOOK)]).toEqual([true, false]);
    expect([await store.load(WEBHOOK), await store.load(KEY)]).toEqual([null, TOKEN]);
  });

  test("of two kinds never have the same account", () => {
    const profileName = fc.stringMatching(/^[\p{L}\p{N}][\p{L}\p{N}._@-]*$/u);
    fc.assert(
      fc.property(profileName, fc.string(), (profile, origin) => {
        expect(accountOf({ kind: "token", profile, origin })).not.toMatch(/^webhook_url:/);
      }),
    );
    expect(accountOf({ kind: "webhook_url", name: "work", as: "slack" })).toMatch(/^webhook_url:/);
  });
});

test("probes at once have accounts of their own, and those of killed ones are few and used again", () => {
  const accounts = (pids: number, first: number) =>
    new Set(Array.from({ length: pids }, (_, index) => probeAccountOf(first + index)));
  expect(accounts(50, 32_700).size).toBe(50);
  expect(accounts(40_000, 1).size).toBeLessThanOrEqual(100);
});

test.each(["", "nonsense", "{}", "null"])("the helper refuses the request %j", async (text) => {
  let printed = "";
  const stdout = {
    write(chunk: string) {
      printed += chunk;
    },
  };
  const stdin = (async function* () {
    yield text;
  })();
  await runKeychainHelper({ stdin, stdout, pid: 1, platform: "linux" });
  expect(printed).toMatch(
    /^\ncalctl-keychain-response \{"kind":"failed","reason":"the request is not valid"\}\n$/,
  );
});
