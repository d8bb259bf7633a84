import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../service/listen.js";
import { createBrowser } from "../../../service/test/oauth/support/browser.js";
import { createOAuthStage, PASSWORD } from "../../../service/test/oauth/support/stage.js";
import { sendOverSocket } from "../../../service/test/support/send.js";
import type { WorldOptions } from "../../../service/test/support/world.js";
import { configurationError } from "../../../src/errors.js";
import { failed } from "../../support/outcomes.js";
import { createMachine, type Machine, type StartedRun } from "./login-run.js";

const WELL_KNOWN = "/.well-known/oauth-authorization-server";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});

function profile(name: string): unknown {
  return JSON.parse(readFileSync(join(machine.directory, "config.json"), "utf8")).profiles[name];
}

async function startService(options: WorldOptions = {}): Promise<string> {
  const stage = await createOAuthStage(options);
  const { baseUrl, close } = await listen(stage.world.service, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await close();
    await stage.close();
  });
  return baseUrl;
}

/** Signs in as the member, allows access, and returns to the program. */
async function signIn(login: StartedRun, baseUrl: string): Promise<void> {
  const browser = createBrowser(sendOverSocket(baseUrl));
  const address = await login.address();
  const page = await browser.open(address.slice(baseUrl.length));
  const signedIn = await browser.submit(page, "sign-in", { login: "member", password: PASSWORD });
  const allowed = await browser.submit(await browser.follow(signedIn), "allow");
  await fetch(allowed.headers["location"] ?? "");
}

describe("a service that says where to sign in", () => {
  test("needs its address alone, now and at the next login", async () => {
    const baseUrl = await startService();
    const login = machine.start({}, "login", "--base-url", baseUrl, "--no-browser", "-p", "team");
    await signIn(login, baseUrl);
    expect(await login.ended).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("signed in as member; profile in use: team"),
    });
    const { token_store, token_origin, ...known } = profile("team") as Record<string, string>;
    expect(known).toEqual({ base_url: baseUrl });
    const again = machine.start({}, "login", "--no-browser");
    await signIn(again, baseUrl);
    expect((await again.ended).exitCode).toBe(0);
  });

  test("asks nobody for the client secret on a terminal", async () => {
    const baseUrl = await startService();
    const login = machine.start({ terminal: new PassThrough() }, "login", "--base-url", baseUrl);
    await signIn(login, baseUrl);
    const { exitCode, stderr } = await login.ended;
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain("Client");
  });

  test("without a public client still wants the one that its operator registered", async () => {
    const baseUrl = await startService({ publicClient: false });
    const result = await machine.run({}, "login", "--base-url", baseUrl, "--no-browser");
    expect(result).toMatchObject(failed(2, "missing --client-id, "));
    const known = ["--base-url", baseUrl, "--client-id", "some-client"];
    const env = { CALCTL_CLIENT_SECRET: "a-secret-of-it" };
    const login = machine.start({ env }, "login", ...known, "--no-browser");
    expect(await login.address()).toMatch(
      `${baseUrl}/oauth/authorize?response_type=code&client_id=some-client&`,
    );
    login.signal("SIGINT");
    await login.ended;
  });

  test("is not asked by someone with the secret of a client for the public one", async () => {
    const baseUrl = await startService();
    const secret = join(machine.directory, "secret");
    writeFileSync(secret, "a-secret\n");
    const known = ["--base-url", baseUrl, "--client-secret-file", secret];
    const result = await machine.run({}, "login", ...known, "--no-browser");
    expect(result).toMatchObject(failed(2, "missing --client-id\n"));
  });

  test("is not asked where everything is known, nor for a personal access token", async () => {
    const { asked, baseUrl } = await startFake(() => ({ status: 500 }));
    const known = ["--base-url", baseUrl, "--auth-url", baseUrl, "--client-id", "c"];
    const login = machine.start(
      { env: { CALCTL_CLIENT_SECRET: "s-e-c" } },
      "login",
      ...known,
      "--no-browser",
    );
    await login.address();
    login.signal("SIGINT");
    await login.ended;
    await machine.run({ stdin: "token" }, "login", "--with-token", "--base-url", baseUrl);
    expect(asked.filter((path) => path.includes("well-known"))).toEqual([]);
  });
});

interface FakeAnswer {
  readonly status?: number;
  readonly json?: object;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service whose base URL has the path `/api`. */
async function startFake(answer: (path: string, origin: string) => FakeAnswer) {
  const asked: string[] = [];
  const respond = ({ url = "" }: IncomingMessage, response: ServerResponse) => {
    asked.push(url);
    const { status = 200, json, text = JSON.stringify(json), headers = {} } = answer(url, origin);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, origin, baseUrl: `${origin}/api` };
}

const metadata = (origin: string, changes: object = {}) => ({
  issuer: `${origin}/api`,
  authorization_endpoint: `${origin}/login/authorize`,
  token_endpoint: `${origin}/login/token`,
  calctl_client_id: "open",
  ...changes,
});

const login = (baseUrl: string, ...more: readonly string[]) =>
  machine.start({}, "login", "--base-url", baseUrl, "--no-browser", ...more);

describe("metadata", () => {
  test.each([`${WELL_KNOWN}/api`, `/api${WELL_KNOWN}`])("is found at %s", async (place) => {
    const { origin, baseUrl } = await startFake((path, own) =>
      path === place ? { json: metadata(own) } : { status: 404, json: { status: 404 } },
    );
    const started = login(`${baseUrl}/`);
    expect(await started.address()).toMatch(`${origin}/login/authorize?response_type=code&client_id=open&`);
    started.signal("SIGINT");
    await started.ended;
  });

  test("may name endpoints at any paths of the service", async () => {
    const places = (origin: string) => ({
      authorization_endpoint: `${origin}/door/enter?theme=dark`,
      token_endpoint: `${origin}/keys/change`,
    });
    const { asked, baseUrl } = await startFake((_path, own) => ({ json: metadata(own, places(own)) }));
    const started = login(baseUrl);
    const address = new URL(await started.address());
    expect(address.pathname).toBe("/door/enter");
    expect(Object.fromEntries(address.searchParams)).toMatchObject({ theme: "dark", client_id: "open" });
    const { redirect_uri = "", state = "" } = Object.fromEntries(address.searchParams);
    await fetch(`${redirect_uri}?${new URLSearchParams({ code: "c", state })}`);
    await started.ended;
    expect(asked.at(-1)).toBe("/keys/change");
  });

  test("of another issuer is refused: exit 11", async () => {
    const issuer = "https://evil.example";
    const { baseUrl, origin } = await startFake((_path, own) => ({ json: metadata(own, { issuer }) }));
    const { exitCode, stderr } = await login(baseUrl).ended;
    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining("the service's sign-in metadata cannot be used"),
    });
    expect(stderr).not.toContain(`${origin}/login/authorize?`);
  });

  test.each<readonly [string, FakeAnswer]>([
    ["404", { status: 404, json: { title: "Not Found" } }],
    ["a redirect", { status: 302, text: "", headers: { location: "/login" } }],
    ["a very long page", { text: "x".repeat(3_000_000) }],
  ])("is not there, but %s: says so, and which flags are missing", async (_, answer) => {
    const { baseUrl } = await startFake(() => answer);
    const { exitCode, stderr } = await login(baseUrl).ended;
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${baseUrl} does not say where to sign in: is --base-url right?`);
    expect(stderr).toContain("missing --auth-url, --client-id, --client-secret-file");
  });

  test("is not there: said before a person is asked for the rest, but not to one who gave it", async () => {
    machine.keychain.breakWith(configurationError("there is no keychain in this session"));
    const { baseUrl } = await startFake(() => ({ status: 404, json: {} }));
    const terminal = new PassThrough();
    const asked = await machine.run({ terminal }, "login", "--base-url", baseUrl);
    expect(asked).toMatchObject(failed(10, "does not say where to sign in"));
    const { stderr } = await login(baseUrl, "--auth-url", baseUrl).ended;
    expect(stderr).not.toContain("does not say where");
  });

  test("of another authorization server than the given one offers no client", async () => {
    const { origin, baseUrl } = await startFake((_, own) => ({ json: metadata(own) }));
    expect(await login(baseUrl, "--auth-url", `${origin}/other`).ended).toMatchObject(
      failed(2, "missing --client-id, --client-secret-file"),
    );
  });
});

test("a token for an address where nothing answers: asks if it is the right one, exit 8", async () => {
  const known = ["--with-token", "--base-url", "http://127.0.0.1:1"];
  expect(await machine.run({ stdin: "token" }, "login", ...known)).toMatchObject(
    failed(8, "hint: is --base-url right? Otherwise try again later"),
  );
});

test("a login asks no questions where the keychain is missing: exit 10", async () => {
  machine.keychain.breakWith(configurationError("there is no keychain in this session"));
  const { exitCode, stderr } = await machine.run({ terminal: new PassThrough() }, "login");
  expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("no keychain") });
  expect(stderr).not.toContain("URL of the service");
});
