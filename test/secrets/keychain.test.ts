import { readFileSync } from "node:fs";
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

/** A keychain whose helper is a shell script that is run in the test's folder. */
function keychain(script: string) {
  return createKeychain({
    self: ["/bin/sh", "-c", `cd "${directory}"; ${script}`],
    env: { ...process.env, CALCTL_TOKEN: "hidden-token", CALCTL_CLIENT_SECRET: "hidden-secret" },
    purpose: "token",
    interactive: () => false,
    warn: () => undefined,
    signal: () => new AbortController().signal,
  });
}

/** Prints a line as it is. */
const printing = (line: string) => `cat <<'END'\n${line}\nEND\n`;

/** A helper that always sends this response, and keeps the requests in a file. */
function answering(answer: unknown): string {
  return `cat >> requests; echo >> requests; ${printing(`calctl-keychain-response ${JSON.stringify(answer)}`)}`;
}

/** The requests that were sent to a helper. */
function requests(): unknown[] {
  const lines = readFileSync(join(directory, "requests"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
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
    const script = `echo "$0 $*" > arguments; env > environment; ${answering({ kind: "value", value: TOKEN })}`;
    expect(await keychain(script).load(KEY)).toBe(TOKEN);
    expect(requests()).toEqual([{ action: "get", account: "work https://work.example" }]);
    const read = (name: string) => readFileSync(join(directory, name), "utf8");
    expect(read("arguments")).toBe("--keychain-helper \n");
    expect(read("environment")).toContain(`PATH=${process.env["PATH"]}\n`);
    expect(read("environment")).not.toContain("hidden-");
  });

  test("works although something else prints to the helper's stdout", async () => {
    const script = `echo hello; ${answering({ kind: "value", value: TOKEN })}echo bye`;
    expect(await keychain(script).load(KEY)).toBe(TOKEN);
  });

  test.each([
    ["says nothing", ""],
    ["says something else", `echo ${TOKEN}`],
    ["sends an incomplete response", printing(`calctl-keychain-response {"kind":"value","value":"${TOKEN}`)],
    ["sends an invalid response", answering({ value: TOKEN })],
    ["sends a value of the wrong type", answering({ kind: "value", value: 1 })],
    ["crashes", "kill -SEGV $$"],
    ["fails", "exit 3"],
    ["says too much", "head -c 2000000 /dev/zero"],
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
  test("of tokens have the account PROFILE ORIGIN since the first version, those of another kind another one", async () => {
    const store = keychain(answering({ kind: "value", value: TOKEN }));
    for (const [key, account] of [
      [KEY, "work https://work.example"],
      [WEBHOOK, "webhook_url:team slack"],
    ] as const) {
      await store.save(key, TOKEN);
      expect(await store.load(key)).toBe(TOKEN);
      await keychain(answering({ kind: "removed", existed: true, gone: true })).remove(key);
      expect(requests().slice(-3)).toEqual([
        { action: "set", account, secret: TOKEN },
        { action: "get", account },
        { action: "remove", account },
      ]);
    }
  });

  test("of two kinds never have the same account", () => {
    const profileName = fc.oneof(
      fc.constantFrom("webhook_url", "webhook_url.", "webhook_url-team"),
      fc.string({ unit: fc.constantFrom(..."aZ9é日._@-"), minLength: 1 }),
    );
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
