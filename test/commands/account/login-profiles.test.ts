import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type AuthorizationServer,
  hostName,
  startAuthorizationServer,
} from "../../support/authorization-server.js";
import { failed } from "../../support/outcomes.js";
import { words } from "../../support/words.js";
import { createMachine, type Machine, type MachineRun } from "./login-run.js";

let server: AuthorizationServer;
let machine: Machine;

beforeEach(async () => {
  server = await startAuthorizationServer();
  machine = createMachine();
  server.tokens.add("pat-1").add("pat-2");
});

function run(...argv: readonly string[]) {
  return machine.run({}, ...argv);
}

/** Signs in with a personal access token. */
function signIn(options: MachineRun, ...argv: readonly string[]) {
  return machine.run({ stdin: "pat-1\n", ...options }, "login", "--with-token", ...argv);
}

function profiles(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return JSON.parse(readFileSync(join(machine.directory, "config.json"), "utf8")).profiles;
}

async function profileInUse(): Promise<string | undefined> {
  const { stdout } = await run("profiles", "list", "-o", "json");
  return (JSON.parse(stdout) as { name: string; in_use: boolean }[]).find((profile) => profile.in_use)?.name;
}

describe("the profile of a login", () => {
  test("is named after the host if local is in use, and is then in use", async () => {
    expect((await signIn({}, "--base-url", server.baseUrl)).exitCode).toBe(0);
    expect(await profileInUse()).toBe(hostName(server));
    expect((await run("whoami", "--fields", "name")).stdout).toBe("Ana Maria\n");
  });

  test("of another service on the same host gets its own name, that of the same service is renewed", async () => {
    const other = await startAuthorizationServer();
    other.tokens.add("pat-1");
    await signIn({}, "--base-url", server.baseUrl);
    await run("profiles", "use", "local");
    await signIn({}, "--base-url", other.baseUrl);
    await run("profiles", "use", "local");
    await signIn({}, "--base-url", `${server.baseUrl}/`);
    expect(Object.keys(profiles())).toEqual([hostName(server), hostName(other)]);
  });

  test("is that of -p, created or renewed, or the one in use", async () => {
    await signIn({}, "--base-url", server.baseUrl, "-p", "work");
    await run("config", "set", "timezone", "Asia/Tokyo", "-p", "work");
    await signIn({ stdin: "pat-2" });
    expect(profiles()).toEqual({
      work: {
        base_url: server.baseUrl,
        timezone: "Asia/Tokyo",
        token_store: "keychain",
        token_origin: server.origin,
      },
    });
    expect([...machine.keychain.entries]).toEqual([[`work ${server.origin}`, "pat-2"]]);
  });

  test("keeps redirect URI and media type for the next login", async () => {
    const env = { CALCTL_CLIENT_SECRET: server.clientSecret };
    const login = machine.start(
      { env },
      ...words`login --base-url ${server.baseUrl} --auth-url ${server.authUrl}
        --client-id ${server.clientId} --redirect-uri http://127.0.0.1/back
        --media-type application/vnd.x.v1+json --no-browser`,
    );
    const address = await login.address();
    expect(new URL(address).searchParams.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/back$/);
    await fetch(server.consent(address));
    expect((await login.ended).exitCode).toBe(0);
    expect(profiles()[hostName(server)]).toMatchObject({
      redirect_uri: "http://127.0.0.1/back",
      media_type: "application/vnd.x.v1+json",
    });
  });

  test.each([
    ["redirect_uri", "http:/127.0.0.1/callback"],
    ["media_type", "text/plain\nx: y"],
    ["auth_url", "http://calendar.example"],
  ])("with a wrong %s in the file is exit 10", async (key, value) => {
    const work = { base_url: server.baseUrl, auth_url: server.authUrl, client_id: "c", [key]: value };
    const path = join(machine.directory, "config.json");
    writeFileSync(path, JSON.stringify({ profile: "work", profiles: { work } }));
    const env = { CALCTL_CLIENT_SECRET: "s" };
    const result = await machine.run({ env }, "login", "--no-browser");
    expect(result).toMatchObject(failed(10, key));
  });

  test("with a media type that is invalid in a header sends nothing: exit 10", async () => {
    await signIn({}, "--base-url", server.baseUrl, "-p", "work");
    const path = join(machine.directory, "config.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"work": {', '"work": { "media_type": "a\\nb",'));
    server.userRequests.length = 0;
    expect(await run("whoami")).toMatchObject(failed(10, "media_type"));
    expect(server.userRequests).toEqual([]);
  });

  test("local cannot be logged into: exit 2", async () => {
    expect(await signIn({}, "--base-url", server.baseUrl, "-p", "local")).toMatchObject(failed(2, "local"));
  });

  test("moved to another service keeps nothing of the old one, least of all its token", async () => {
    const other = await startAuthorizationServer();
    other.tokens.add("pat-2");
    await signIn({}, "--base-url", server.baseUrl, "--auth-url", server.authUrl, "-p", "work");
    await run("config", "set", "calendar", "Team");
    await run("config", "set", "timezone", "Asia/Tokyo");
    const code = ["login", "--base-url", other.baseUrl, "--client-id", "x", "--no-browser"];
    const replacing = ["-p", "work", "--replace"];
    const { exitCode, stderr } = await machine.run(
      { env: { CALCTL_CLIENT_SECRET: "s" } },
      ...[...code, ...replacing],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("--auth-url") });
    expect((await signIn({ stdin: "pat-2" }, "--base-url", other.baseUrl, ...replacing)).stderr).toContain(
      server.baseUrl,
    );
    expect(profiles()).toEqual({
      work: {
        base_url: other.baseUrl,
        timezone: "Asia/Tokyo",
        token_store: "keychain",
        token_origin: other.origin,
      },
    });
    expect([...machine.keychain.entries]).toEqual([[`work ${other.origin}`, "pat-2"]]);
    expect(other.userRequests).toEqual(["pat-2"]);
  });

  test.each([
    ["-p", ["-p", "work"], {}],
    ["CALCTL_PROFILE", [], { CALCTL_PROFILE: "work" }],
  ])("of another service named by %s is exit 2 and stays as it is", async (_, flags, env) => {
    const other = await startAuthorizationServer();
    other.tokens.add("pat-1");
    await signIn({}, "--base-url", server.baseUrl, "-p", "work");
    const before = profiles();
    const { exitCode, stderr } = await signIn({ env }, "--base-url", other.baseUrl, ...flags);
    expect(exitCode).toBe(2);
    for (const part of [server.origin, other.origin, "-p OTHER", "--replace"]) expect(stderr).toContain(part);
    expect(profiles()).toEqual(before);
    expect(other.userRequests).toEqual([]);
    await run("config", "set", "base_url", `${server.origin}/old`, "-p", "work");
    const renewed = await signIn({ env, stdin: "pat-2" }, "--base-url", server.baseUrl, ...flags);
    expect(renewed.exitCode).toBe(0);
    expect(profiles()).toEqual(before);
  });

  test("of another service that appeared during the login is not written over", async () => {
    const mine = { profiles: { work: { base_url: "https://calendar.example" } } };
    const path = join(machine.directory, "config.json");
    machine.keychain.onSave(() => writeFileSync(path, JSON.stringify(mine)));
    expect(await signIn({}, "--base-url", server.baseUrl, "-p", "work")).toMatchObject(
      failed(2, "--replace"),
    );
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(mine);
    expect(machine.keychain.entries.size).toBe(0);
  });

  test("without -p is the only one of that service, otherwise one named after the host", async () => {
    const other = await startAuthorizationServer();
    other.tokens.add("pat-1");
    await signIn({}, "--base-url", server.baseUrl, "-p", "work");
    await signIn({}, "--base-url", other.baseUrl, "-p", "team");
    await signIn({}, "--base-url", server.baseUrl);
    expect(await profileInUse()).toBe("work");
    await run("profiles", "remove", "work");
    await run("config", "set", "base_url", "https://calendar.example", "-p", hostName(server));
    await signIn({}, "--base-url", server.baseUrl);
    expect(await profileInUse()).toBe(`${hostName(server)}-2`);
    await signIn({}, "--base-url", server.baseUrl, "-p", "second");
    await run("profiles", "use", "team");
    await signIn({}, "--base-url", server.baseUrl);
    expect(await profileInUse()).toBe(`${hostName(server)}-2`);
    expect(profiles()).toMatchObject({
      team: { base_url: other.baseUrl },
      [hostName(server)]: { base_url: "https://calendar.example" },
    });
  });

  test("with --replace must be named: exit 2", async () => {
    expect(await signIn({}, "--base-url", server.baseUrl, "--replace")).toMatchObject(failed(2, "--profile"));
  });

  test("an empty variable that a flag makes needless is not used", async () => {
    const env = { CALCTL_BASE_URL: "", CALCTL_PROFILE: "", CALCTL_TOKEN: "" };
    expect(await signIn({ env }, "--base-url", server.baseUrl, "-p", "work")).toMatchObject({
      exitCode: 0,
      stderr: "signed in as Ana Maria; profile in use: work\n",
    });
    await run("profiles", "remove", "work");
    expect((await signIn({}, "--base-url", server.baseUrl)).exitCode).toBe(0);
  });

  test("is removed with its token; if the keychain fails, both stay", async () => {
    await signIn({}, "--base-url", server.baseUrl, "-p", "work");
    machine.keychain.breakWith(new Error("locked"));
    expect((await run("profiles", "remove", "work")).exitCode).not.toBe(0);
    expect(Object.keys(profiles())).toEqual(["work"]);
    machine.keychain.breakWith(null);
    expect((await run("profiles", "remove", "work")).exitCode).toBe(0);
    expect(machine.keychain.entries.size).toBe(0);
  });
});

describe("login --with-token", () => {
  test("verifies the token before anything is stored", async () => {
    const { exitCode, stderr } = await signIn({ stdin: "wrong\n" }, "--base-url", server.baseUrl);
    expect(exitCode).toBe(4);
    expect(stderr).toContain("the service refused the token from --with-token");
    expect(stderr).toContain(`a token of ${server.origin}?`);
    expect(server.userRequests).toEqual(["wrong"]);
    expect(machine.keychain.entries.size).toBe(0);
    expect(existsSync(join(machine.directory, "config.json"))).toBe(false);
  });

  test("that fails leaves the previous token", async () => {
    await signIn({}, "--base-url", server.baseUrl);
    expect((await signIn({ stdin: "wrong" })).exitCode).toBe(4);
    expect((await run("whoami")).exitCode).toBe(0);
  });

  test.each(["", "two words"])("%j on stdin is exit 2, and is not shown", async (stdin) => {
    const { exitCode, stderr } = await signIn({ stdin }, "--base-url", server.baseUrl);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain("two words");
    expect(server.userRequests).toEqual([]);
  });

  test("accepts a long token", async () => {
    const token = "t".repeat(5000);
    server.tokens.add(token);
    expect((await signIn({ stdin: token }, "--base-url", server.baseUrl)).exitCode).toBe(0);
    expect((await run("token")).stdout).toBe(`${token}\n`);
  });
});

describe("login in a script", () => {
  test("reports every missing flag at once: exit 2", async () => {
    const { exitCode, stderr } = await run("login");
    expect(exitCode).toBe(2);
    for (const flag of ["--base-url", "--auth-url", "--client-id", "--client-secret-file", "--no-browser"]) {
      expect(stderr).toContain(flag);
    }
    expect((await run("login", "--with-token")).stderr).toContain("--base-url");
  });

  test.each([
    [["--base-url", "http://calendar.example"], "https"],
    [["--base-url", ""], "empty"],
    [["--auth-url", "http://calendar.example"], "https"],
    [["--redirect-port", "70000"], "1 to 65535"],
    [["--redirect-port", "x"], "1 to 65535"],
    [["--redirect-port", "5000", "--redirect-uri", "http://127.0.0.1/callback"], "--redirect-uri"],
    [["--redirect-uri", "http://calendar.example/callback"], "https"],
    [["--media-type", "json"], "media type"],
    [["--login-timeout", "0"], "seconds"],
    [["--login-timeout", "99999999999"], "seconds"],
    [["--client-secret-file", "/nowhere/at/all"], "cannot be read (no such file or directory)"],
    [["-p", "a b"], "name"],
    [["-p", ""], "empty"],
  ])("%j is exit 2, and nothing is sent", async (argv, words) => {
    const env = { CALCTL_CLIENT_SECRET: "s" };
    const urls = { "--base-url": server.baseUrl, "--auth-url": server.authUrl, "--client-id": "c" };
    const others = Object.entries(urls).filter(([flag]) => !argv.includes(flag));
    const result = await machine.run({ env }, "login", ...others.flat(), "--no-browser", ...argv);
    expect(result).toMatchObject(failed(2, words));
    expect(server.tokenRequests).toEqual([]);
  });

  test("an insecure URL from the environment is exit 10", async () => {
    const env = { CALCTL_BASE_URL: "http://calendar.example" };
    expect((await signIn({ env })).exitCode).toBe(10);
  });

  test.each([
    ["the environment", {}],
    ["a file", { file: true }],
  ])("reads the client secret from %s", async (_, { file = false }: { readonly file?: boolean }) => {
    const path = join(machine.directory, "client-secret");
    writeFileSync(path, `${server.clientSecret}\n`);
    const env = {
      CALCTL_BASE_URL: server.baseUrl,
      CALCTL_AUTH_URL: server.authUrl,
      CALCTL_CLIENT_ID: server.clientId,
      CALCTL_CLIENT_SECRET: file ? "wrong" : server.clientSecret,
    };
    const more = file ? ["--client-secret-file", path] : [];
    const login = machine.start({ env }, "login", "--no-browser", ...more);
    await fetch(server.consent(await login.address()));
    expect((await login.ended).exitCode).toBe(0);
    expect(JSON.stringify(profiles())).not.toContain(server.clientSecret);
  });

  test("on a terminal without prompts still needs --no-browser", async () => {
    const env = { CI: "1", CALCTL_CLIENT_SECRET: "s" };
    const known = ["--base-url", server.baseUrl, "--auth-url", server.authUrl, "--client-id", "c"];
    const result = await machine.run({ env, terminal: new PassThrough() }, "login", ...known);
    expect(result).toMatchObject(failed(2, "--no-browser"));
  });
});

describe("login warns that another source takes precedence", () => {
  test.each(["CALCTL_TOKEN", "CALCTL_TOKEN_FILE"])("%s", async (name) => {
    expect(await signIn({ env: { [name]: "x" } }, "--base-url", server.baseUrl, "-q")).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(name),
    });
  });

  test("the systemd credential of a unit, if there is one", async () => {
    const env = { CREDENTIALS_DIRECTORY: machine.directory };
    expect((await signIn({ env }, "--base-url", server.baseUrl)).stderr).not.toContain(
      "CREDENTIALS_DIRECTORY",
    );
    writeFileSync(join(machine.directory, "calctl-token"), "x");
    expect((await signIn({ env })).stderr).toContain("CREDENTIALS_DIRECTORY is set and takes precedence");
  });

  test("a token_command of the profile, and another profile in CALCTL_PROFILE", async () => {
    await signIn({}, "--base-url", server.baseUrl, "-p", "work");
    await run("config", "set", "token_command", '["pass"]');
    const { stderr } = await signIn({ env: { CALCTL_PROFILE: "local" } }, "-p", "work");
    expect(stderr).toContain("token_command is set");
    expect(stderr).toContain("CALCTL_PROFILE");
  });
});

describe("login --insecure-storage", () => {
  const files = () => readdirSync(join(machine.directory, "tokens"));

  test("stores the token in a private file and never uses the keychain", async () => {
    const { exitCode, stderr } = await signIn({}, "--base-url", server.baseUrl, "--insecure-storage");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("unencrypted") });
    const [file = ""] = files();
    expect(statSync(join(machine.directory, "tokens", file)).mode & 0o777).toBe(0o600);
    expect((await run("whoami")).exitCode).toBe(0);
    expect(JSON.parse((await run("status", "-o", "json")).stdout)).toMatchObject({ token_source: "file" });
    expect((await run("logout")).exitCode).toBe(0);
    expect(files()).toEqual([]);
    expect(machine.keychain.calls()).toBe(0);
  });

  test("is not remembered: the next login uses the keychain and deletes the file", async () => {
    await signIn({}, "--base-url", server.baseUrl, "--insecure-storage");
    await signIn({});
    expect(files()).toEqual([]);
    expect(machine.keychain.entries.size).toBe(1);
  });
});
