import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { configurationError } from "../../../src/errors.js";
import { type AuthorizationServer, startAuthorizationServer } from "../../support/authorization-server.js";
import { createMachine, type Machine } from "./login-run.js";

let server: AuthorizationServer;
let machine: Machine;

beforeEach(async () => {
  server = await startAuthorizationServer();
  machine = createMachine();
  for (const token of ["stored", "variable", "credential", "file", "command"]) server.tokens.add(token);
  const login = ["login", "--with-token", "--base-url", server.baseUrl, "-p", "work"];
  await machine.run({ stdin: "stored" }, ...login);
  server.userRequests.length = 0;
});

function run(...argv: readonly string[]) {
  return machine.run({}, ...argv);
}

function file(name: string, content: string): string {
  const path = join(machine.directory, name);
  writeFileSync(path, content);
  return path;
}

describe("the token that is sent", () => {
  test("is the first of variable, systemd credential, file, command, keychain; later ones are not read", async () => {
    file("calctl-token", "credential\n");
    const env = {
      CALCTL_TOKEN: "variable",
      CREDENTIALS_DIRECTORY: machine.directory,
      CALCTL_TOKEN_FILE: file("token", "file\n"),
    };
    await run("config", "set", "token_command", JSON.stringify(["sh", "-c", "echo command"]));
    const { CALCTL_TOKEN: _1, ...withoutVariable } = env;
    const { CREDENTIALS_DIRECTORY: _2, ...withoutCredential } = withoutVariable;
    const before = machine.keychain.calls();
    const sources: unknown[] = [];
    for (const variables of [env, withoutVariable, withoutCredential, {}]) {
      const { stdout } = await machine.run(
        { env: { PATH: process.env["PATH"] ?? "", ...variables } },
        "status",
        "-o",
        "json",
      );
      sources.push(JSON.parse(stdout).token_source);
    }
    expect(machine.keychain.calls()).toBe(before);
    await run("config", "unset", "token_command");
    sources.push(JSON.parse((await run("status", "-o", "json")).stdout).token_source);
    expect(sources).toEqual([
      "CALCTL_TOKEN",
      "CREDENTIALS_DIRECTORY",
      "CALCTL_TOKEN_FILE",
      "token_command",
      "keychain",
    ]);
    expect(server.userRequests).toEqual(["variable", "credential", "file", "command", "stored"]);
  });

  test.each([
    ["a variable", { CALCTL_TOKEN: "two words" }],
    ["a file", { CALCTL_TOKEN_FILE: "/nowhere/at/all" }],
  ])("is not read from a later source when %s is broken: exit 10", async (_, env) => {
    const before = machine.keychain.calls();
    expect((await machine.run({ env }, "whoami")).exitCode).toBe(10);
    expect(machine.keychain.calls()).toBe(before);
    expect(server.userRequests).toEqual([]);
  });

  test("is not read from a later source when the command fails: exit 10", async () => {
    await run("config", "set", "token_command", '["calctl-no-such-program"]');
    const { exitCode, stderr } = await run("whoami");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 10,
      stderr: expect.stringContaining("token_command of profile"),
    });
    expect(server.userRequests).toEqual([]);
  });

  test("is printed by `token` for other programs", async () => {
    expect(await run("token")).toEqual({ exitCode: 0, stdout: "stored\n", stderr: "" });
    expect(JSON.parse((await run("token", "-o", "json")).stdout)).toEqual({ token: "stored" });
    expect((await run("token", "-p", "local")).exitCode).toBe(4);
  });
});

describe("a token is only sent to the service that issued it", () => {
  test.each([
    ["stored", undefined],
    ["of a command", JSON.stringify(["sh", "-c", "echo command"])],
  ])("%s, not to that of CALCTL_BASE_URL: exit 4", async (_, command) => {
    const other = await startAuthorizationServer();
    if (command !== undefined) await run("config", "set", "token_command", command);
    const env = { CALCTL_BASE_URL: other.baseUrl, CALCTL_PROFILE: "work" };
    const { exitCode, stderr } = await machine.run({ env }, "whoami");
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: expect.stringContaining(other.origin) });
    expect((await machine.run({ env }, "token")).stdout).toBe("");
    const status = await machine.run({ env }, "status", "-o", "json");
    expect(status.exitCode).toBe(4);
    expect(JSON.parse(status.stdout)).toMatchObject({ token_source: null, signed_in: false });
    expect(other.userRequests).toEqual([]);
  });

  test("not to the new base_url of a profile: exit 4, and logout still finds it", async () => {
    const other = await startAuthorizationServer();
    await run("config", "set", "base_url", other.baseUrl);
    expect((await run("whoami")).exitCode).toBe(4);
    expect(other.userRequests).toEqual([]);
    expect((await run("logout")).exitCode).toBe(0);
    expect(machine.keychain.entries.size).toBe(0);
  });

  test("also if only the path of the URL changes", async () => {
    await run("config", "set", "base_url", `${server.origin}/api/`);
    expect((await run("whoami")).exitCode).toBe(0);
  });
});

describe("a URL that nothing must be sent to", () => {
  test.each([
    ["garbage", "not a URL"],
    ["http://calendar.example", "https"],
  ])("%s is exit 10, and no token source is read", async (address, words) => {
    const env = { CALCTL_BASE_URL: address, CALCTL_PROFILE: "work" };
    const before = machine.keychain.calls();
    for (const argv of [["whoami"], ["token"], ["status"]]) {
      const { exitCode, stderr } = await machine.run({ env }, ...argv);
      expect({ argv, exitCode, stderr }).toEqual({
        argv,
        exitCode: 10,
        stderr: expect.stringContaining(words),
      });
    }
    expect(machine.keychain.calls()).toBe(before);
  });
});

test("a token from a pipe is read once per run", async () => {
  const path = join(machine.directory, "pipe");
  execFileSync("mkfifo", [path]);
  const running = machine.run({ env: { CALCTL_TOKEN_FILE: path } }, "status", "-o", "json");
  const writer = await open(path, "w");
  await writer.write("file\n");
  await writer.close();
  const { exitCode, stdout } = await running;
  expect({ exitCode, source: JSON.parse(stdout).token_source }).toEqual({
    exitCode: 0,
    source: "CALCTL_TOKEN_FILE",
  });
});

describe("status", () => {
  const NOW = Date.parse("2026-11-21T14:30:00.000Z");

  test("shows the rate limit of a remote service, and the clock skew", async () => {
    server.onUser((response, decide) => {
      response.setHeader("X-RateLimit-Limit", "600");
      response.setHeader("X-RateLimit-Remaining", "599");
      response.setHeader("X-RateLimit-Reset", String(NOW / 1000 - 3600 + 60));
      response.setHeader("Date", new Date(NOW - 3_600_000).toUTCString());
      decide();
    });
    const { exitCode, stdout } = await machine.run({ now: NOW }, "status", "-o", "json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      profile: "work",
      base_url: server.baseUrl,
      token_source: "keychain",
      signed_in: true,
      user: expect.objectContaining({ name: "Ana Maria" }),
      rate_limit: { limit: 600, remaining: 599, reset_at: "2026-11-21T13:31:00.000Z" },
      clock_skew_seconds: 3600,
    });
  });

  test("is also reported if the profile is unknown or the configuration broken: exit 10", async () => {
    const nothing = { profile: null, base_url: null, token_source: null, signed_in: null, user: null };
    const unknown = await run("status", "-p", "nowhere", "-o", "json");
    expect(unknown).toMatchObject({ exitCode: 10, stderr: expect.stringContaining("nowhere") });
    expect(JSON.parse(unknown.stdout)).toMatchObject(nothing);
    file("config.json", "{");
    const broken = await run("status", "--offline", "-o", "json");
    expect(broken).toMatchObject({ exitCode: 10, stderr: expect.stringContaining("not JSON") });
    expect(JSON.parse(broken.stdout)).toMatchObject(nothing);
  });

  test("of a service without rate-limit and Date headers shows null", async () => {
    server.onUser((response, decide) => {
      response.sendDate = false;
      decide();
    });
    const { stdout } = await machine.run({ now: NOW }, "status", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ rate_limit: null, clock_skew_seconds: null });
  });
});

describe("logout", () => {
  test("removes the token and signs out; the profile stays", async () => {
    expect(await run("logout")).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringContaining("work"),
    });
    expect(machine.keychain.entries.size).toBe(0);
    expect((await run("whoami")).exitCode).toBe(4);
    expect((await run("config", "get", "base_url")).stdout).toBe(`${server.baseUrl}\n`);
  });

  test("without a token is exit 0 and does not use the keychain", async () => {
    await run("logout");
    const before = machine.keychain.calls();
    expect((await run("logout")).exitCode).toBe(0);
    expect((await run("logout", "-p", "local")).exitCode).toBe(0);
    expect(machine.keychain.calls()).toBe(before);
    expect((await run("logout", "-p", "nowhere")).exitCode).toBe(10);
  });

  test("with a failing keychain is exit 10, and the token counts as stored", async () => {
    machine.keychain.breakWith(configurationError("the keychain is locked"));
    const { exitCode, stderr } = await run("logout");
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("locked") });
    expect(stderr).not.toContain("logged out");
    machine.keychain.breakWith(null);
    expect((await run("whoami")).exitCode).toBe(0);
  });

  test("reports another source that still provides a token", async () => {
    const { stderr } = await machine.run({ env: { CALCTL_TOKEN: "variable" } }, "logout");
    expect(stderr).toContain("CALCTL_TOKEN");
    file("calctl-token", "credential");
    const unit = { CREDENTIALS_DIRECTORY: machine.directory };
    expect((await machine.run({ env: unit }, "logout")).stderr).toContain("CREDENTIALS_DIRECTORY is set");
  });
});

describe("a token store unknown to this version", () => {
  beforeEach(() => {
    const work = { base_url: server.baseUrl, token_store: "vault", token_origin: server.origin };
    file("config.json", JSON.stringify({ profile: "work", profiles: { work } }));
  });

  test.each([["whoami"], ["logout"], ["token"]])("is exit 10 for %s, with a hint", async (command) => {
    const { exitCode, stderr } = await run(command);
    expect(exitCode).toBe(10);
    expect(stderr).toContain("calctl login --profile work; or remove it: calctl profiles remove work");
  });

  test("is replaced by login, which warns about what may remain", async () => {
    const { exitCode, stderr } = await machine.run({ stdin: "stored" }, "login", "--with-token");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('still be in "vault"'),
    });
    expect((await run("whoami")).exitCode).toBe(0);
  });

  test("is removed with its profile", async () => {
    const { exitCode, stderr } = await run("profiles", "remove", "work");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('still be in "vault"'),
    });
    expect((await run("profiles", "list", "--fields", "name")).stdout).toBe("local\n");
  });
});

describe("a stored token that cannot be read", () => {
  test("is exit 10, not 4, and status reports where it should be", async () => {
    machine.keychain.breakWith(configurationError("the keychain is locked"));
    expect((await run("whoami")).exitCode).toBe(10);
    const { exitCode, stdout, stderr } = await run("status", "-o", "json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("locked") });
    expect(JSON.parse(stdout)).toMatchObject({
      profile: "work",
      base_url: server.baseUrl,
      token_source: "keychain",
      signed_in: null,
      user: null,
    });
    expect((await run("status", "--offline")).exitCode).toBe(0);
  });

  test("because it was removed from the keychain is exit 10 as well", async () => {
    machine.keychain.entries.clear();
    const { exitCode, stderr } = await run("whoami");
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("calctl login") });
    expect((await run("logout")).exitCode).toBe(0);
  });

  test("because the service rejects it is exit 4", async () => {
    server.tokens.clear();
    const { exitCode, stdout } = await run("status", "-o", "json");
    expect({ exitCode, signedIn: JSON.parse(stdout).signed_in }).toEqual({ exitCode: 4, signedIn: false });
  });
});

test("a login that fails does not remove the token that another one has stored meanwhile", async () => {
  machine.keychain.onSave(() => {
    for (const name of machine.keychain.entries.keys()) {
      if (name.startsWith("new ")) machine.keychain.entries.set(name, "token of the other login");
    }
    throw configurationError("the keychain took the token, but does not give it back");
  });
  const login = ["login", "--with-token", "--base-url", server.baseUrl, "-p", "new"];
  expect((await machine.run({ stdin: "stored" }, ...login)).exitCode).toBe(10);
  expect([...machine.keychain.entries.values()]).toContain("token of the other login");
});
