import { describe, expect, onTestFinished, test } from "vitest";
import { createCertificate } from "../../../service/test/support/certificate.js";
import type { ProxyServer } from "../../../src/api/network/errors.js";
import { CliError } from "../../../src/errors.js";
import { type ConnectProxyOptions, startConnectProxy } from "../../support/connect-proxy.js";
import { closedPort, createSender, listenHttp, listenMute, listenRaw, POST } from "./peers.js";

/** Requests through a proxy. By RFC 6761 the host calendar.invalid does not exist, so only a proxy can reach it. */

const URL_BEHIND = "http://calendar.invalid/v1";

function proxyAt(host: string, credentials: ProxyServer["credentials"] = null): ProxyServer {
  return { origin: `http://${host}`, variable: "HTTPS_PROXY", credentials };
}

function sendThrough(proxy: ProxyServer, timeout = 10_000) {
  return createSender({ timeout, proxyFor: () => proxy });
}

function startProxy(options: Partial<ConnectProxyOptions>) {
  return startConnectProxy({ target: "127.0.0.1:1", ...options });
}

describe("C8 a proxy that opens tunnels", () => {
  test("is used through one tunnel for several requests, and through a new one for a POST", async () => {
    const target = await listenHttp((incoming, outgoing) =>
      outgoing.end(`${incoming.method} ${incoming.url}`),
    );
    const proxy = await startConnectProxy({ target });
    const send = sendThrough(proxyAt(proxy.host));
    const bodies: string[] = [];
    for (const request of [{}, {}, POST, POST, {}]) {
      bodies.push(new TextDecoder().decode((await send(URL_BEHIND, request)).body));
    }
    expect(bodies).toEqual(["GET /v1", "GET /v1", "POST /v1", "POST /v1", "GET /v1"]);
    expect(proxy.requests).toEqual(Array(3).fill({ target: "calendar.invalid:80", authorization: null }));
  });

  test("gets user name and password, which the service does not", async () => {
    let headers: unknown;
    const target = await listenHttp((incoming, outgoing) => {
      headers = incoming.headers;
      outgoing.end();
    });
    const proxy = await startConnectProxy({ target });
    const credentials = { user: "ana", password: "pÄ:ss" };
    await sendThrough(proxyAt(proxy.host, credentials))(URL_BEHIND);
    const authorization = `Basic ${Buffer.from("ana:pÄ:ss").toString("base64")}`;
    expect(proxy.requests).toEqual([{ target: "calendar.invalid:80", authorization }]);
    expect(headers).not.toHaveProperty("proxy-authorization");
  });

  test("does not hide that the request was sent: without a response it may have succeeded", async () => {
    const target = await listenRaw((socket) => socket.resetAndDestroy());
    const proxy = await startConnectProxy({ target });
    await expect(sendThrough(proxyAt(proxy.host))(URL_BEHIND, POST)).rejects.toMatchObject({
      kind: "closed",
      sent: "maybe",
      message: expect.stringContaining("calendar.invalid closed the connection without a response"),
    });
  });

  test("to a service that does not complete the TLS handshake: a timeout, and nothing was sent", async () => {
    const proxy = await startConnectProxy({ target: await listenMute() });
    const send = sendThrough(proxyAt(proxy.host), 500);
    await expect(send("https://calendar.invalid/", POST)).rejects.toMatchObject({
      kind: "timeout",
      sent: "no",
      message: `no connection to calendar.invalid through the proxy ${proxy.host} (HTTPS_PROXY) after 0.5 seconds`,
    });
  });
});

describe("C8 a proxy that opens no tunnel: nothing was sent", () => {
  const REFUSED = "HTTP/1.1 STATUS No\r\nContent-Length: 0\r\n\r\n";

  test.each([
    [403, "proxy", "refused to connect to calendar.invalid (403)", expect.stringContaining("NO_PROXY")],
    [429, "proxy", "refused to connect to calendar.invalid (429)", expect.any(String)],
    [302, "proxy", "refused to connect to calendar.invalid (302)", expect.any(String)],
    [
      407,
      "proxy",
      "requires a user name and password",
      "set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT, with name and password percent-encoded",
    ],
    [502, "unreachable", "cannot reach calendar.invalid (502)", undefined],
    [503, "unreachable", "cannot reach calendar.invalid (503)", undefined],
    [504, "unreachable", "cannot reach calendar.invalid (504)", undefined],
  ])("because it returns %s", async (status, kind, message, hint) => {
    const { host } = await startProxy({ answer: REFUSED.replace("STATUS", String(status)) });
    await expect(sendThrough(proxyAt(host))(URL_BEHIND, POST)).rejects.toMatchObject({
      name: "TransportError",
      kind,
      sent: "no",
      reason: String(status),
      message: `the proxy ${host} (HTTPS_PROXY) ${message}`,
      hint,
    });
  });

  test("because it does not accept user name and password, which are not shown", async () => {
    const { host } = await startProxy({ answer: REFUSED.replace("STATUS", "407") });
    const failed = sendThrough(proxyAt(host, { user: "ana", password: "sEcret!" }))(URL_BEHIND, POST);
    await expect(failed).rejects.toMatchObject({
      kind: "proxy",
      message: `the proxy ${host} (HTTPS_PROXY) did not accept the user name and password`,
    });
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining("sEcret!") });
  });

  test("because nothing listens there", async () => {
    const host = await closedPort();
    await expect(sendThrough(proxyAt(host))(URL_BEHIND, POST)).rejects.toMatchObject({
      kind: "unreachable",
      sent: "no",
      reason: "ECONNREFUSED",
      message: `the proxy ${host} (HTTPS_PROXY) refused the connection`,
    });
  });

  test("because its host does not exist", async () => {
    await expect(sendThrough(proxyAt("proxy.invalid:3128"))(URL_BEHIND, POST)).rejects.toMatchObject({
      kind: "unreachable",
      sent: "no",
      message: "the proxy proxy.invalid:3128 (HTTPS_PROXY) cannot be found",
    });
  });

  test("because it does not respond", async () => {
    const { host } = await startProxy({ answer: null });
    await expect(sendThrough(proxyAt(host), 500)(URL_BEHIND, POST)).rejects.toMatchObject({
      kind: "timeout",
      sent: "no",
      message: `no connection to calendar.invalid through the proxy ${host} (HTTPS_PROXY) after 0.5 seconds`,
    });
  });

  test.each([
    ["hangs up", "", "unreachable", /^cannot connect to the proxy \S+ \(HTTPS_PROXY\) \(UND_ERR_SOCKET\)$/],
    [
      "speaks another protocol",
      "220 ready\r\n",
      "proxy",
      /^the proxy \S+ \(HTTPS_PROXY\) is not an HTTP proxy$/,
    ],
  ])("because it %s", async (_, answer, kind, message) => {
    const { host } = await startProxy({ answer });
    await expect(sendThrough(proxyAt(host))(URL_BEHIND, POST)).rejects.toMatchObject({
      kind,
      sent: "no",
      message: expect.stringMatching(message),
    });
  });

  test("because its certificate is not trusted", async () => {
    const { host } = await startProxy({ certificate: createCertificate() });
    const proxy = { ...proxyAt(host), origin: `https://${host.replace("127.0.0.1", "localhost")}` };
    await expect(sendThrough(proxy)(URL_BEHIND, POST)).rejects.toMatchObject({
      kind: "tls",
      sent: "no",
      message: expect.stringMatching(
        /^the certificate of the proxy localhost:\d+ \(HTTPS_PROXY\) is self-signed/,
      ),
    });
  });
});

test("a proxy's IP address is not sent as TLS server name, of which Node would warn", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): number => warnings.push(warning.message);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  const { host } = await startProxy({ certificate: createCertificate() });
  const proxy = { ...proxyAt(host), origin: `https://${host}` };
  await expect(sendThrough(proxy)(URL_BEHIND)).rejects.toMatchObject({ kind: "tls", sent: "no" });
  // Node emits warnings in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([]);
});

test("interrupted while the proxy does not respond: throws the reason, without a warning", async () => {
  const reason = new CliError("interrupted", "interrupted");
  const controller = new AbortController();
  const host = await listenRaw(() => controller.abort(reason));
  await expect(sendThrough(proxyAt(host))(URL_BEHIND, { ...POST, signal: controller.signal })).rejects.toBe(
    reason,
  );
});

test("interrupted while the tunnel opens: nothing is sent through it later", async () => {
  const reason = new CliError("interrupted", "interrupted");
  const controller = new AbortController();
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const bytes: Buffer[] = [];
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const target = await listenMute((socket) => {
    socket.on("data", (chunk) => bytes.push(chunk));
    socket.once("close", () => end?.());
  });
  const proxy = await startConnectProxy({
    target,
    hold() {
      controller.abort(reason);
      return held;
    },
  });
  const sent = sendThrough(proxyAt(proxy.host))(URL_BEHIND, { ...POST, signal: controller.signal });
  await expect(sent).rejects.toBe(reason);
  release?.();
  await ended;
  expect(Buffer.concat(bytes).toString()).toBe("");
});
