import { connect, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type CallbackListener,
  failurePage,
  invalidResponsePage,
  type Listen,
  type ListenAddress,
  listenExclusively,
  listenForCallback,
  refusalPage,
  signedInPage,
} from "../../../src/auth/browser/callback-listener.js";
import { defaultRedirect, parseRedirectUri } from "../../../src/config/profile-values.js";

const STATE = "the-state";
const EXPECTED = { state: STATE, issuerOrigin: "https://calendar.example" };
const QUIET = { expected: EXPECTED, onInvalid: () => undefined };
const SUCCESS = signedInPage("Ana", "work");

async function listen(
  uri = "http://127.0.0.1/callback",
): Promise<CallbackListener & { readonly port: number }> {
  const listener = await listenForCallback({ ...QUIET, target: parseRedirectUri(uri, "uri") });
  onTestFinished(() => listener.close());
  return { ...listener, port: Number(new URL(listener.redirectUri).port) };
}

function open(port: number, host = "127.0.0.1"): Socket {
  const socket = connect(port, host);
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends bytes and resolves with everything that is received. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(port);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("close", () => resolve(received));
    socket.write(bytes);
  });
}

function get(port: number, target: string, headers = ""): Promise<string> {
  return exchange(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`);
}

function statusOf(answer: string): number {
  return Number(answer.split(" ")[1]);
}

describe("the callback listener", () => {
  test("refuses other requests, and then accepts the response", async () => {
    const { port, response, respond } = await listen();
    const host = `Host: 127.0.0.1:${port}\r\nConnection: close\r\n`;
    const query = `code=c&state=${STATE}`;
    const statuses = [
      await exchange(port, `HEAD /callback?${query} HTTP/1.1\r\n${host}\r\n`),
      await get(port, "/favicon.ico"),
      await get(port, `http://127.0.0.1:${port}/callback?${query}`),
      await get(port, `/callback?code=c&state=wrong`),
      await get(port, `/callback?${query}`, "Sec-Purpose: prefetch\r\n"),
      await get(port, `/callback?${"x".repeat(65_536)}`),
      await exchange(port, "\0\x01nonsense\r\n\r\n"),
    ].map(statusOf);
    expect(statuses).toEqual([405, 404, 404, 400, 503, 431, 400]);
    const browser = get(port, `/callback?${query}`);
    expect(await response).toEqual({ kind: "code", code: "c" });
    await respond(SUCCESS);
    expect(statusOf(await browser)).toBe(200);
  });

  test("two browsers with the same response get the same page, and the code is used once", async () => {
    const { port, response, respond } = await listen();
    const pages = [
      get(port, `/callback?code=a&state=${STATE}`),
      get(port, `/callback?code=a&state=${STATE}`),
    ];
    await response;
    const later = response.then(() => get(port, `/callback?code=b&state=${STATE}`));
    await respond(SUCCESS);
    for (const page of await Promise.all([...pages, later])) expect(page).toContain("Signed in as Ana");
    expect(await response).toEqual({ kind: "code", code: "a" });
  });

  test("a request while it closes does not crash", async () => {
    const { port, close } = await listen();
    const waiting = get(port, `/callback?code=c&state=${STATE}`);
    const refused = get(port, "/");
    await Promise.all([close(), close()]);
    expect(await waiting).toBe("");
    await refused;
  });

  test("a busy port is reported with a hint: exit 10", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void blocker.close());
    const { port } = blocker.address() as { port: number };
    await expect(listen(`http://127.0.0.1:${port}/callback`)).rejects.toMatchObject({
      exitCode: 10,
      message: expect.stringContaining(`127.0.0.1:${port}`),
      hint: expect.stringContaining("--redirect-port"),
    });
  });

  describe("when the system refuses an address", () => {
    /** Fails with a code of the system while one is returned. */
    const refusing =
      (codeFor: (address: ListenAddress) => string | undefined): Listen =>
      async (server, address) => {
        const code = codeFor(address);
        if (code !== undefined) throw Object.assign(new Error(code), { code });
        await listenExclusively(server, address);
      };
    const listenWith = async (uri: string, codeFor: (address: ListenAddress) => string | undefined) => {
      const target = parseRedirectUri(uri, "uri");
      const listener = await listenForCallback({ ...QUIET, target, listen: refusing(codeFor) });
      onTestFinished(() => listener.close());
      return new URL(listener.redirectUri);
    };

    test.each([
      ["EACCES", "http://127.0.0.1:80/callback", "listen on 127.0.0.1:80", "above 1023"],
      ["EACCES", "http://[::1]:80/callback", "listen on [::1]:80", "excludedportrange"],
      ["EADDRNOTAVAIL", "http://127.0.0.1/callback", "cannot listen on 127.0.0.1:0", "http://[::1]/callback"],
      ["EAFNOSUPPORT", "http://[::1]/callback", "cannot listen on [::1]:0", "http://127.0.0.1/callback"],
      ["EADDRNOTAVAIL", "http://localhost/callback", "cannot listen on", "--with-token"],
      ["EMFILE", "http://127.0.0.1/callback", "EMFILE", "--with-token"],
    ])("with %s for %s, it is exit 10 and says what to do", async (code, uri, words, help) => {
      await expect(listenWith(uri, () => code)).rejects.toMatchObject({
        exitCode: 10,
        message: expect.stringContaining(words),
        hint: expect.stringContaining(help),
      });
    });

    test.each(["127.0.0.1", "::1"])("localhost works without %s", async (missing) => {
      const listen: Listen = async (server, { host, port }) => {
        if (host === missing) throw Object.assign(new Error("absent"), { code: "EADDRNOTAVAIL" });
        await listenExclusively(server, { host: "127.0.0.1", port });
      };
      const target = parseRedirectUri("http://localhost/callback", "uri");
      const listener = await listenForCallback({ ...QUIET, target, listen });
      onTestFinished(() => listener.close());
      const { port } = new URL(listener.redirectUri);
      expect(statusOf(await get(Number(port), "/elsewhere"))).toBe(404);
    });

    test("the default redirect URI is at ::1 on a machine without IPv4", async () => {
      const listen: Listen = async (server, { host, port }) => {
        if (host === "127.0.0.1") throw Object.assign(new Error("absent"), { code: "EADDRNOTAVAIL" });
        await listenExclusively(server, { host: "127.0.0.1", port });
      };
      const listener = await listenForCallback({ ...QUIET, target: defaultRedirect(), listen });
      onTestFinished(() => listener.close());
      expect(listener.redirectUri).toMatch(/^http:\/\/\[::1\]:\d+\/callback$/);
      const named = listenForCallback({
        ...QUIET,
        target: parseRedirectUri("http://127.0.0.1/callback", "uri"),
        listen,
      });
      await expect(named).rejects.toMatchObject({ exitCode: 10 });
    });

    test("a random port for localhost that is busy at the other address is replaced", async () => {
      const drawn: number[] = [];
      const failure = await listenWith("http://localhost/callback", ({ host, port }) => {
        if (host === "127.0.0.1") return undefined;
        drawn.push(port);
        return drawn.length < 3 ? "EADDRINUSE" : "EADDRNOTAVAIL";
      });
      expect(new Set(drawn).size).toBe(3);
      expect(Number(failure.port)).toBe(drawn[2]);
    });

    test("a chosen port that is busy is not replaced: exit 10", async () => {
      let asked = 0;
      const listen: Listen = async (server, { host }) => {
        if (host === "127.0.0.1") return listenExclusively(server, { host, port: 0 });
        asked += 1;
        throw Object.assign(new Error("busy"), { code: "EADDRINUSE" });
      };
      const target = parseRedirectUri("http://localhost:8788/callback", "uri");
      await expect(listenForCallback({ ...QUIET, target, listen })).rejects.toMatchObject({
        exitCode: 10,
        message: expect.stringContaining("busy"),
      });
      expect(asked).toBe(1);
    });
  });

  test("localhost listens at both addresses, on one port", async ({ skip }) => {
    const hasIpv6 = Object.values(networkInterfaces())
      .flat()
      .some((entry) => entry?.address === "::1");
    if (!hasIpv6) skip("this machine has no ::1");
    const { port, redirectUri } = await listen("http://localhost/callback");
    expect(redirectUri).toBe(`http://localhost:${port}/callback`);
    for (const host of ["127.0.0.1", "::1"]) {
      await new Promise<void>((resolve, reject) => {
        open(port, host).once("connect", resolve).once("error", reject);
      });
    }
  });

  test("is not reached from other addresses of this machine", async ({ skip }) => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((entry) => entry?.family === "IPv4" && !entry.internal)?.address;
    if (address === undefined) return skip("this machine has no other address");
    const { port } = await listen();
    const code = await new Promise((resolve) => {
      const socket = open(port, address);
      socket.once("connect", () => resolve("connected"));
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    expect(code).toBe("ECONNREFUSED");
  });
});

describe("the pages", () => {
  const HOSTILE = `<script>alert("1")</script>&'\u202e\u0000`;

  test.each([
    ["failure", failurePage(HOSTILE)],
    ["an answer that cannot be used", invalidResponsePage(HOSTILE)],
    ["success", signedInPage(HOSTILE, "work")],
  ])("of %s escapes hostile text, loads nothing, and must not be cached or framed", (_, page) => {
    expect(page.body).not.toMatch(/<script|\u202e|\0/);
    expect(page.body).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;");
    expect(page.body).not.toMatch(/(?:src|href)=|https?:\/\//);
    expect(page.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+';.*frame-ancestors 'none'/,
      ),
      connection: "close",
    });
  });

  test("of a refusal names the allowed method", () => {
    expect(refusalPage(405).headers).toMatchObject({ allow: "GET" });
  });
});
