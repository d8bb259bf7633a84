import { createServer } from "node:net";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "../../support/authorization-server.js";
import { startConnectProxy } from "../../support/connect-proxy.js";
import { failed } from "../../support/outcomes.js";
import { createMachine, type Machine } from "./login-run.js";

/** Token endpoints that cannot be reached or are something else. */

let server: AuthorizationServer;
let machine: Machine;

beforeEach(async () => {
  server = await startAuthorizationServer();
  machine = createMachine();
});

interface Ended {
  readonly exitCode: number;
  readonly stderr: string;
  /** The page in the browser. */
  readonly page: string;
}

/** Signs in at this authorization server; the browser comes back with a code. */
async function signIn(authUrl: string, more: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { CALCTL_CLIENT_SECRET: server.clientSecret, ...more };
  const argv = ["--base-url", server.baseUrl, "--auth-url", authUrl, "--client-id", "client-1"];
  const login = machine.start({ env }, "login", ...argv, "--no-browser");
  const asked = new URL(await login.address()).searchParams;
  const query = new URLSearchParams({ code: "the-authorization-code", state: asked.get("state") ?? "" });
  const answer = await fetch(`${asked.get("redirect_uri")}?${query}`);
  const page = await answer.text();
  return { ...(await login.ended), page };
}

/** A server that sends these bytes in response to anything, and the bytes it received. */
async function startRawServer(answer: string) {
  const received: string[] = [];
  const raw = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received.push(chunk.toString("latin1"));
      socket.end(answer);
    });
  });
  await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void raw.close());
  const { port } = raw.address() as { port: number };
  return { host: `127.0.0.1:${port}`, received };
}

function expectNothingKept(): void {
  expect(machine.keychain.entries.size).toBe(0);
  expect(server.userRequests).toEqual([]);
}

describe("the code is not redeemed", () => {
  test("if the server does not speak HTTP: exit 11", async () => {
    const { host } = await startRawServer("SSH-2.0-OpenSSH_9.2\r\n");
    const { exitCode, stderr, page } = await signIn(`http://${host}/oauth`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 11, stderr: expect.stringContaining("it is not HTTP") });
    expect(page).toContain("Not signed in");
    expectNothingKept();
  });

  test("if the server does not speak TLS: exit 10", async () => {
    const { host } = await startRawServer("HTTP/1.1 400 Bad Request\r\n\r\n");
    const { exitCode, stderr, page } = await signIn(`https://${host}/oauth`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("HTTPS") });
    expect(page).toContain("Not signed in");
    expectNothingKept();
  });

  test("if the proxy rejects the tunnel: exit 10", async () => {
    const proxy = await startConnectProxy({
      target: "127.0.0.1:1",
      answer: "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n",
    });
    expect(
      await signIn("https://login.example/oauth", {
        HTTPS_PROXY: `http://${proxy.host}`,
      }),
    ).toMatchObject(failed(10, "403"));
    expect(proxy.requests).toEqual([{ target: "login.example:443", authorization: null }]);
    expectNothingKept();
  });

  test("if the server redirects to another host, which gets no request: exit 11", async () => {
    const elsewhere = await startRawServer("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    server.onToken((response) =>
      response.writeHead(307, { location: `http://${elsewhere.host}/oauth/token` }).end(),
    );
    expect(await signIn(server.authUrl)).toMatchObject(failed(11, "it is a redirect"));
    expect(elsewhere.received).toEqual([]);
    expectNothingKept();
  });

  test("if no server listens: exit 8", async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    expect(await signIn(`http://127.0.0.1:${port}/oauth`)).toMatchObject(failed(8, "could not be redeemed"));
    expectNothingKept();
  });
});

test("a server that repeats the request in its error reveals no secret, not in the browser either", async () => {
  server.onToken((response) => {
    const description = JSON.stringify(server.tokenRequests.at(-1)?.body);
    const body = JSON.stringify({ error: "invalid_client", error_description: description });
    response.writeHead(400, { "content-type": "application/json" }).end(body);
  });
  const { exitCode, stderr, page } = await signIn(server.authUrl);
  expect(exitCode).toBe(4);
  const { code, code_verifier: verifier = "" } = server.tokenRequests[0]?.body ?? {};
  for (const text of [stderr, page]) {
    expect(text).toContain("***");
    for (const secret of [server.clientSecret, code, verifier]) expect(text).not.toContain(secret);
  }
});
