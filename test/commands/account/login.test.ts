import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { configurationError } from "../../../src/errors.js";
import {
  type AuthorizationServer,
  hostName,
  startAuthorizationServer,
} from "../../support/authorization-server.js";
import { failed } from "../../support/outcomes.js";
import { createMachine, type Machine, type MachineRun, type StartedRun } from "./login-run.js";

let server: AuthorizationServer;
let machine: Machine;

beforeEach(async () => {
  server = await startAuthorizationServer();
  machine = createMachine();
});

function flags(): readonly string[] {
  return ["--base-url", server.baseUrl, "--auth-url", server.authUrl, "--client-id", server.clientId];
}

function start(...more: readonly string[]): StartedRun {
  return startWith({}, ...more);
}

function startWith(options: MachineRun, ...more: readonly string[]): StartedRun {
  const env = { CALCTL_CLIENT_SECRET: server.clientSecret, ...options.env };
  return machine.start({ ...options, env }, "login", ...flags(), "--no-browser", ...more);
}

/** Acts as the browser. Resolves with status and text of the last page. */
async function comeBack(address: string): Promise<{ readonly status: number; readonly page: string }> {
  const answer = await fetch(address);
  return { status: answer.status, page: await answer.text() };
}

function config(): Record<string, unknown> & { readonly profiles: Record<string, Record<string, string>> } {
  return JSON.parse(readFileSync(join(machine.directory, "config.json"), "utf8"));
}

function hasConfig(): boolean {
  return existsSync(join(machine.directory, "config.json"));
}

function expectNothingKept(): void {
  expect(hasConfig()).toBe(false);
  expect(machine.keychain.entries.size).toBe(0);
}

describe("login", () => {
  test("requests a code with PKCE and state, redeems it, and reports who signed in, also in the browser", async () => {
    const login = start();
    const address = await login.address();
    const { status, page } = await comeBack(server.consent(address));
    expect(await login.ended).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringContaining("signed in as Ana Maria; profile in use: 127.0.0.1-"),
    });
    expect({ status, page }).toEqual({
      status: 200,
      page: expect.stringContaining("Signed in as Ana Maria"),
    });
    const query = new URL(address).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      response_type: "code",
      client_id: server.clientId,
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
    expect(server.tokenRequests).toEqual([
      {
        contentType: "application/json",
        body: {
          client_id: server.clientId,
          client_secret: server.clientSecret,
          redirect_uri: query.get("redirect_uri"),
          code: expect.any(String),
          grant_type: "authorization_code",
          code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        },
      },
    ]);
    expect(await machine.run({}, "whoami", "--fields", "name")).toMatchObject({ stdout: "Ana Maria\n" });
  });

  test("stores the token in the keychain, and in the configuration only where it is", async () => {
    const login = start();
    await comeBack(server.consent(await login.address()));
    await login.ended;
    const [token] = server.tokens;
    expect([...machine.keychain.entries]).toEqual([[`${hostName(server)} ${server.origin}`, token]]);
    expect(config()).toEqual({
      profile: hostName(server),
      profiles: {
        [hostName(server)]: {
          base_url: server.baseUrl,
          auth_url: server.authUrl,
          client_id: server.clientId,
          token_store: "keychain",
          token_origin: server.origin,
        },
      },
    });
    expect(statSync(join(machine.directory, "config.json")).mode & 0o777).toBe(0o600);
  });

  test("creates a new state and verifier for every attempt", async () => {
    const drawn = new Set<string | null>();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const login = start();
      const address = await login.address();
      drawn.add(new URL(address).searchParams.get("state"));
      drawn.add(new URL(address).searchParams.get("code_challenge"));
      await comeBack(server.consent(address));
      await login.ended;
    }
    for (const { body } of server.tokenRequests) drawn.add(body["code_verifier"] ?? null);
    expect(drawn.size).toBe(6);
  });

  test("a second login renews the profile without flags, and replaces the token", async () => {
    const first = start("-p", "work");
    await comeBack(server.consent(await first.address()));
    await first.ended;
    const env = { CALCTL_CLIENT_SECRET: server.clientSecret };
    const second = machine.start({ env }, "login", "--no-browser");
    await comeBack(server.consent(await second.address()));
    expect((await second.ended).exitCode).toBe(0);
    expect(Object.keys(config().profiles)).toEqual(["work"]);
    expect([...machine.keychain.entries.values()]).toEqual([[...server.tokens][1]]);
  });

  test("a response of another issuer is reported in the terminal and the browser, and the login continues", async () => {
    const login = start();
    const good = server.consent(await login.address());
    const wrong = await comeBack(`${good}&iss=https://login.example`);
    expect(wrong).toEqual({ status: 400, page: expect.stringContaining("the issuer https://login.example") });
    expect(await login.stderrWith("still waiting")).toContain("the issuer https://login.example");
    expect((await comeBack(good)).status).toBe(200);
    expect((await login.ended).exitCode).toBe(0);
  });

  test("ends even if the browser holds an unused connection open", async () => {
    const login = start();
    const address = await login.address();
    const port = Number(new URL(new URL(address).searchParams.get("redirect_uri") ?? "").port);
    const idle = connect(port, "127.0.0.1");
    onTestFinished(() => void idle.destroy());
    await new Promise((resolve) => idle.once("connect", resolve));
    await comeBack(server.consent(address));
    expect((await login.ended).exitCode).toBe(0);
    await new Promise((resolve) => idle.once("close", resolve));
  });
});

describe("a login that fails leaves no profile and no token", () => {
  test.each([
    ["access_denied", "", 4, "declined"],
    ["invalid_request", "\u001b[31mred\u202e", 4, "\\x1b[31mred\\u{202e}"],
    ["temporarily_unavailable", "", 8, "temporarily_unavailable"],
  ])("the redirect has the error %s (%j)", async (error, description, exitCode, words) => {
    const login = start();
    const good = new URL(server.consent(await login.address()));
    const state = good.searchParams.get("state") ?? "";
    good.search = String(new URLSearchParams({ error, error_description: description, state }));
    const { status, page } = await comeBack(good.href);
    const result = await login.ended;
    expect(result).toMatchObject(failed(exitCode, words));
    expect(status).toBe(400);
    expect(page).toContain("Not signed in");
    expect(server.tokenRequests).toEqual([]);
    expectNothingKept();
  });

  // test/auth/browser/token-client.test.ts has its other responses.
  test("the token endpoint refuses the code: exit 4, and nothing is stored", async () => {
    const body = '{"error":"invalid_grant","error_description":"too old"}';
    server.onToken((response) => response.writeHead(400).end(body));
    const login = start();
    const shown = await comeBack(server.consent(await login.address()));
    expect(await login.ended).toMatchObject(failed(4, "too old"));
    expect(shown).toEqual({ status: 400, page: expect.stringContaining("Not signed in") });
    expect(server.tokenRequests).toHaveLength(1);
    expectNothingKept();
  });

  test("the token endpoint hangs up: exit 8, and the code is not sent again", async () => {
    server.onToken((response) => response.destroy());
    const login = start();
    await comeBack(server.consent(await login.address()));
    expect(await login.ended).toMatchObject(failed(8, "redeemed"));
    expect(server.tokenRequests).toHaveLength(1);
    expectNothingKept();
  });

  test("the token endpoint sends single bytes forever: exit 8 after --timeout", async () => {
    server.onToken((response) => {
      const timer = setInterval(() => response.write(" "), 50);
      response.once("close", () => clearInterval(timer));
    });
    const login = start("--timeout", "0.5");
    await comeBack(server.consent(await login.address()));
    expect(await login.ended).toMatchObject(failed(8, "0.5 seconds"));
    expectNothingKept();
  });

  test.each([
    [401, 4, "the service refused the new token of its authorization server"],
    [403, 6, "nothing was stored"],
    [503, 8, "nothing was stored"],
  ])(
    "the service responds with %i to the new token: exit %i, in the browser too",
    async (status, exitCode, words) => {
      server.onUser((response) => response.writeHead(status).end());
      const login = start();
      const { page } = await comeBack(server.consent(await login.address()));
      expect(await login.ended).toMatchObject(failed(exitCode, words));
      expect(page).toContain("Not signed in");
      expectNothingKept();
    },
  );

  test("the check of the new token is retried after a failure: the code is redeemed", async () => {
    let asked = 0;
    server.onUser((response, decide) => {
      asked += 1;
      if (asked === 1) response.writeHead(503).end();
      else decide();
    });
    const login = start();
    await comeBack(server.consent(await login.address()));
    expect((await login.ended).exitCode).toBe(0);
    expect({ asked, redeemed: server.tokenRequests.length }).toEqual({ asked: 2, redeemed: 1 });
  });

  test("the login times out: exit 4, and the port is free again", async () => {
    const login = start("--login-timeout", "1");
    const address = await login.address();
    expect(await login.ended).toMatchObject(failed(4, "after 1 second\n"));
    expect((await login.ended).stderr).not.toContain("paste");
    const port = Number(new URL(new URL(address).searchParams.get("redirect_uri") ?? "").port);
    const again = createServer();
    await new Promise<void>((resolve) => again.listen(port, "127.0.0.1", resolve));
    again.close();
    expectNothingKept();
  });

  test("a --redirect-port in use is exit 10 before a URL is shown", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as { port: number };
    const { exitCode, stderr } = await start("--redirect-port", String(port)).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining(String(port)) });
    expect(stderr).not.toContain("http://");
  });

  test("a failing keychain is reported before the sign-in", async () => {
    machine.keychain.breakWith(configurationError("the keychain is locked"));
    const { exitCode, stderr } = await start().ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("locked") });
    expect(stderr).not.toContain("code_challenge");
  });

  test("a keychain that fails at the end leaves nothing, and the browser shows the error", async () => {
    const login = start();
    const address = server.consent(await login.address());
    machine.keychain.onSave(() => {
      throw configurationError("the keychain has no room");
    });
    const { page } = await comeBack(address);
    expect((await login.ended).exitCode).toBe(10);
    expect(page).toContain("The keychain has no room.");
    expectNothingKept();
  });
});

describe("an interruption", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("by %s while waiting ends it with %i", async (name, exitCode) => {
    const login = start();
    await login.address();
    login.signal(name);
    expect((await login.ended).exitCode).toBe(exitCode);
    expectNothingKept();
  });

  test.each([
    ["while the code is redeemed", (signal: () => void) => server.onToken(signal)],
    ["while the new token is checked", (signal: () => void) => server.onUser(signal)],
    [
      "while the token is stored, which is removed again",
      (signal: () => void) => machine.keychain.onSave(signal),
    ],
  ])("%s ends it with 130", async (_, arrange) => {
    const login = start();
    const address = server.consent(await login.address());
    arrange(() => login.signal("SIGINT"));
    await comeBack(address).catch(() => undefined);
    expect((await login.ended).exitCode).toBe(130);
    expectNothingKept();
  });
});

describe("a renewal that fails at the end leaves the previous token", () => {
  const renew = () => {
    const env = { CALCTL_CLIENT_SECRET: server.clientSecret };
    return machine.start({ env }, "login", "--no-browser");
  };

  beforeEach(async () => {
    const first = start("-p", "work");
    await comeBack(server.consent(await first.address()));
    await first.ended;
  });

  test.each([
    ["it is interrupted while the token is stored", 130, (login: StartedRun) => login.signal("SIGINT")],
    [
      "the keychain fails half-way",
      10,
      () => {
        machine.keychain.onSave(() => undefined);
        throw configurationError("the keychain has no room");
      },
    ],
    [
      "the configuration cannot be written",
      10,
      () => {
        rmSync(join(machine.directory, "config.json"));
        mkdirSync(join(machine.directory, "config.json"));
      },
    ],
  ])("when %s", async (_, exitCode, act) => {
    const before = [...machine.keychain.entries];
    const login = renew();
    const address = server.consent(await login.address());
    let saved = 0;
    machine.keychain.onSave(() => {
      saved += 1;
      if (saved === 1) act(login);
    });
    await comeBack(address).catch(() => undefined);
    expect((await login.ended).exitCode).toBe(exitCode);
    expect([...machine.keychain.entries]).toEqual(before);
  });

  test("a token that can no longer be read is still replaced", async () => {
    machine.keychain.breakLoading(configurationError("others may read it"));
    const login = renew();
    await comeBack(server.consent(await login.address()));
    expect((await login.ended).exitCode).toBe(0);
    expect([...machine.keychain.entries.values()]).toEqual([[...server.tokens][1]]);
  });
});

describe("an interruption while stdin is read", () => {
  test.each([
    ["the token", ["--with-token"]],
    ["the client secret", ["--client-secret-file", "-"]],
  ])("of %s ends it with 130, and releases stdin", async (_, more) => {
    const stdin = new Readable({ read: () => login.signal("SIGINT") });
    const login = startWith({ stdin, env: { CALCTL_CLIENT_SECRET: "" } }, ...more);
    expect(await login.ended).toMatchObject({ exitCode: 130, stderr: "error: interrupted\n" });
    expect(stdin.destroyed).toBe(true);
    expect(server.userRequests).toEqual([]);
    expectNothingKept();
  });
});

describe("a pasted URL", () => {
  test("signs in if the browser cannot return; after invalid ones the login continues", async () => {
    const terminal = new PassThrough();
    const login = startWith({ terminal });
    const good = server.consent(await login.address());
    terminal.write("\n  \n");
    terminal.write(`${good.replace(/state=[^&]*/, "state=older")}\n`);
    await login.stderrWith("earlier attempt");
    terminal.write("the code is 1234\n");
    await login.stderrWith("paste the whole address");
    terminal.write(`   ${good}  \n`);
    expect(await login.ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("Ana Maria") });
  });

  test("is not waited for after the end of stdin: the browser can still sign in", async () => {
    const terminal = new PassThrough();
    const login = startWith({ terminal });
    const good = server.consent(await login.address());
    terminal.end();
    await comeBack(good);
    expect((await login.ended).exitCode).toBe(0);
  });

  test("is required for a redirect URI on another host, which needs a terminal", async () => {
    const uri = "https://app.example/callback";
    expect((await start("--redirect-uri", uri).ended).exitCode).toBe(2);
    const terminal = new PassThrough();
    const login = startWith({ terminal }, "--redirect-uri", uri);
    const good = server.consent(await login.address());
    expect(good).toContain("https://app.example/callback?code=");
    terminal.write(`${good}\n`);
    expect((await login.ended).exitCode).toBe(0);
    expect(server.tokenRequests[0]?.body["redirect_uri"]).toBe(uri);
  });
});
