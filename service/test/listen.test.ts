import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../test/api/network/peers.js";
import { createGate } from "../../test/support/gate.js";
import type { ServiceResponse } from "../http/response.js";
import { listen, type ServiceListener } from "../listen.js";
import type { RequestSource } from "../request.js";
import type { Service } from "../service.js";
import { createCertificate } from "./support/certificate.js";
import { openSocket, statusesOf } from "./support/connections.js";
import { sendOverSocket } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

const LOCAL = { host: "127.0.0.1", port: 0 } as const;

const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

const configuration = (message: string) => ({
  code: "configuration",
  exitCode: 10,
  message: expect.stringContaining(message),
});

describe("a listener", () => {
  let world: World;
  let listeners: ServiceListener[];
  const start = async (options: Partial<Parameters<typeof listen>[1]> = {}) => {
    const listener = await listen(world.service, { ...LOCAL, ...options });
    listeners.push(listener);
    return listener;
  };
  const getUser = (baseUrl: string, headers: Record<string, string> = {}) =>
    sendOverSocket(baseUrl)({
      method: "GET",
      target: "/user",
      headers: { authorization: `Bearer ${world.token}`, ...headers },
      body: new Uint8Array(),
    });

  beforeAll(async () => {
    world = await createWorld({ rateLimit: { limit: 5, windowSeconds: 600 } });
  });
  afterAll(() => world.close());
  beforeEach(() => {
    // Each test has a window of its own.
    world.clock.now += 600_000;
    listeners = [];
  });
  afterEach(async () => {
    for (const listener of listeners) await listener.close();
  });

  test("writes an IPv6 address in brackets", async ({ skip }) => {
    skip(!HAS_IPV6, "this machine has no ::1");
    expect((await start({ host: "::1" })).baseUrl).toMatch(/^http:\/\/\[::1\]:\d+$/);
  });

  test("takes an IPv6 address in brackets, as in URLs", async ({ skip }) => {
    skip(!HAS_IPV6, "this machine has no ::1");
    const { baseUrl, address } = await start({ host: "[::1]" });
    expect(address).toMatch(/^\[::1\]:\d+$/);
    expect(baseUrl).toBe(`http://${address}`);
    const socket = connect(Number(new URL(baseUrl).port), "::1");
    socket.write(`GET /oauth/authorize HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
    await expect(start({ host: "[::]" })).rejects.toMatchObject(configuration("needs HTTPS"));
  });

  test.each([
    ["https://calendars.example.org", "https://calendars.example.org"],
    ["https://example.org/calendars/", "https://example.org/calendars"],
    ["http://localhost:8080", "http://localhost:8080"],
  ])("behind a proxy at %s returns that URL", async (publicUrl, baseUrl) => {
    expect(await start({ publicUrl, trustProxy: "127.0.0.1" })).toMatchObject({
      baseUrl,
      authUrl: `${baseUrl}/oauth`,
    });
  });

  test.each([
    "http://calendars.example.org",
    "calendars.example.org",
    "https://user@calendars.example.org",
    "https://calendars.example.org/?x=1",
    "ftp://calendars.example.org",
    "",
  ])("rejects %j as its public URL", async (publicUrl) => {
    await expect(start({ publicUrl, trustProxy: "127.0.0.1" })).rejects.toMatchObject(
      configuration("--public-url"),
    );
  });

  test.each([
    [{ host: "0.0.0.0" }],
    [{ host: "::" }],
    [{ host: "0.0.0.0", publicUrl: "https://calendars.example.org" }],
    [{ host: "0.0.0.0", trustProxy: "127.0.0.1" }],
    [{ host: "127.0.0.1.example.org" }],
  ])("%j without HTTPS is rejected", async (options) => {
    await expect(start(options)).rejects.toMatchObject(configuration("needs HTTPS"));
  });

  test("serves other machines behind a proxy that has HTTPS", async () => {
    const { baseUrl } = await start({
      host: "0.0.0.0",
      publicUrl: "https://calendars.example.org",
      trustProxy: "127.0.0.1",
    });
    expect(baseUrl).toBe("https://calendars.example.org");
  });

  test("serves HTTPS with a certificate", async () => {
    const { cert, key } = createCertificate();
    const { baseUrl } = await start({ host: "localhost", tls: { cert, key } });
    expect(baseUrl).toMatch(/^https:\/\/localhost:\d+$/);
    const request = httpsRequest(`${baseUrl}/user`, {
      ca: cert,
      headers: { authorization: `Bearer ${world.token}` },
      agent: false,
    });
    const [response] = await once(request.end(), "response");
    expect(response.statusCode).toBe(200);
    response.resume();
    await once(response, "end");
  });

  test.each([
    ["text", "text"],
    [createCertificate().cert, createCertificate().key],
  ])("rejects a certificate and key that do not match", async (cert, key) => {
    await expect(start({ tls: { cert, key } })).rejects.toMatchObject(
      configuration("the TLS certificate and key"),
    );
  });

  test("reports a port in use and an address of another machine", async () => {
    const { baseUrl } = await start();
    const port = Number(new URL(baseUrl).port);
    await expect(start({ port })).rejects.toMatchObject(
      configuration(`cannot listen on 127.0.0.1 port ${port}: the port is in use`),
    );
    const tls = createCertificate();
    await expect(start({ host: "192.0.2.1", tls })).rejects.toMatchObject(configuration("no such address"));
  });

  test("trusts X-Forwarded-For only from the proxy", async () => {
    const { baseUrl: plain } = await start();
    const port = await freePort();
    const proxied = `http://127.0.0.1:${port}`;
    await start({ port, publicUrl: proxied, trustProxy: "127.0.0.1" });
    const from = (address: string) => ({ "x-forwarded-for": address });
    const left = async (baseUrl: string, headers: Record<string, string>) =>
      (await getUser(baseUrl, headers)).headers["x-ratelimit-remaining"];
    expect(await left(proxied, from("192.0.2.1"))).toBe("4");
    expect(await left(proxied, from("192.0.2.2"))).toBe("4");
    expect(await left(proxied, from("192.0.2.99, 192.0.2.1"))).toBe("3");
    expect(await left(plain, from("192.0.2.3"))).toBe("4");
    expect(await left(plain, from("192.0.2.4"))).toBe("3");
  });

  test("reads X-Forwarded-For over several lines", async () => {
    const port = await freePort();
    await start({ port, publicUrl: `http://127.0.0.1:${port}`, trustProxy: "127.0.0.1" });
    const left = async (...lines: readonly string[]) => {
      const headers = ["host", `127.0.0.1:${port}`, "authorization", `Bearer ${world.token}`];
      const forwarded = lines.flatMap((line) => ["x-forwarded-for", line]);
      const request = httpRequest({ port, path: "/user", headers: [...headers, ...forwarded], agent: false });
      const [response] = await once(request.end(), "response");
      response.resume();
      await once(response, "end");
      return response.headers["x-ratelimit-remaining"];
    };
    expect(await left("192.0.2.1:4711")).toBe("4");
    expect(await left("%%%, 192.0.2.9", "192.0.2.1:4712")).toBe("3");
    expect(await left("192.0.2.1", "2001:db8::2")).toBe("4");
  });

  test.each([
    ["GET /user HTTP/1.1\r\nConnection: close\r\n", 400],
    ["GET /user HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n", 400],
    ["GET /user HTTP/1.1\r\nhost: a\r\nConnection: close\r\nHOST: b\r\n", 400],
    ["POST /oauth/authorize HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n", 400],
    ["GET /user HTTP/1.0\r\nHost: a\r\nHost: a\r\n", 400],
    ["GET /user HTTP/1.0\r\n", 401],
    ["GET /user HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", 401],
    ["GET /oauth/authorize HTTP/1.0\r\n", 421],
    ["GET /oauth/authorize HTTP/1.1\r\nHost: a\r\nConnection: close\r\n", 421],
  ])("needs exactly one Host header: %j is %i", async (head, status) => {
    const { baseUrl } = await start();
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    socket.write(`${head}\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each(["GET /user", "POST /oauth/token"])("refuses two Authorization headers: %s", async (request) => {
    const { baseUrl } = await start();
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
    const credentials = `Authorization: Basic YTpi\r\n${"a:\r\n".repeat(90)}authorization: Basic YTpi\r\n`;
    socket.write(`${request} HTTP/1.1\r\nHost: a\r\n${credentials}Connection: close\r\n\r\n`);
    const response = await text(socket);
    expect(response).toMatch(/^HTTP\/1.1 400 /);
    expect(response).toContain("the request has more than one Authorization header");
  });

  // Node.js receives 32 at a time, and hides those beyond its limit. The last one is a second Authorization.
  test.each([
    [100, ["400", "400"]],
    [101, ["431"]],
    [129, ["431"]],
    [2_000, ["431"]],
  ])("refuses more than 100 header lines and closes the connection: %i", async (count, statuses) => {
    const socket = await openSocket(await start());
    const credentials = `Authorization: Bearer ${world.token}\r\n`;
    const lines = `Host: a\r\n${credentials}${"a:\r\n".repeat(count - 3)}${credentials}`;
    socket.write(`GET /user HTTP/1.1\r\n${lines}\r\n`.repeat(2));
    expect(await statusesOf(socket, 2)).toEqual(statuses);
  });

  test.each([
    ["localhost", {}, "localhost", 400],
    ["localhost", {}, "127.0.0.1", 400],
    ["localhost", {}, "[::1]", 400],
    ["localhost", {}, "calendars.example.org", 421],
    ["calendars.example.org", {}, "calendars.example.org", 400],
    ["calendars.example.org", {}, "other.example.org", 421],
    ["calendars.example.org", { publicUrl: "https://other.example.org" }, "calendars.example.org", 421],
  ])(
    "with a certificate for %s and %j shows the sign-in pages at %s: %i",
    async (subject, options, name, status) => {
      const { cert, key } = createCertificate({ subject });
      const { address } = await start({ ...options, tls: { cert, key } });
      const [, port] = address.split(":");
      const headers = { host: `${name}:${port}` };
      const path = "/oauth/authorize";
      const request = httpsRequest({ port, path, headers, agent: false, rejectUnauthorized: false });
      const [response] = await once(request.end(), "response");
      response.resume();
      await once(response, "end");
      // 400: the parameters of the client are missing.
      expect(response.statusCode).toBe(status);
    },
  );

  test("continues when clients disconnect or do not send HTTP", async () => {
    const { baseUrl } = await start();
    const { port } = new URL(baseUrl);
    const open = async (text: string): Promise<Socket> => {
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      socket.on("error", () => undefined);
      socket.write(text);
      return socket;
    };
    (await open("POST /calendars HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\npart of it")).destroy();
    (await open("GET /user HTTP/1.1\r\nHost: x\r\n\r\n")).destroy();
    const noHttp = await open("\x16\x03\x01 not http\r\n\r\n");
    noHttp.resume();
    await once(noHttp, "close");
    expect((await getUser(baseUrl)).status).toBe(200);
  });
});

describe("closing a listener", () => {
  /** A service that responds only when `answer` is called. */
  function createSlowService(): { service: Service; asked: Promise<RequestSource>; answer: () => void } {
    const response: ServiceResponse = { status: 200, headers: {}, body: new TextEncoder().encode("{}") };
    const asked = createGate<RequestSource>();
    const answered = createGate<ServiceResponse>();
    const service = {
      handle: (_request: unknown, source: RequestSource) => {
        asked.open(source);
        return answered.opened;
      },
    } as Service;
    return { service, asked: asked.opened, answer: () => answered.open(response) };
  }

  test("lets a request in progress finish and closes idle connections", async () => {
    const { service, asked, answer } = createSlowService();
    const listener = await listen(service, LOCAL);
    const { port } = new URL(listener.baseUrl);
    const silent = connect(Number(port), "127.0.0.1");
    await once(silent, "connect");
    silent.resume();
    const response = sendOverSocket(listener.baseUrl)({
      method: "GET",
      target: "/user",
      headers: {},
      body: new Uint8Array(),
    });
    expect(await asked).toEqual({
      kind: "network",
      address: "127.0.0.1",
      tokenHash: null,
      baseUrl: listener.baseUrl,
    });
    const closed = listener.close();
    const refused = connect(Number(port), "127.0.0.1");
    const [error] = await once(refused, "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
    answer();
    expect(await response).toMatchObject({ status: 200, headers: { connection: "close" } });
    await closed;
    if (!silent.closed) await once(silent, "close");
  });

  test("lets a large response arrive whole, although its client reads slowly", async () => {
    const body = new Uint8Array(21 * 1024 * 1024);
    const service = { handle: async () => ({ status: 200, headers: {}, body }) } as unknown as Service;
    const listener = await listen(service, LOCAL);
    const socket = connect(Number(new URL(listener.baseUrl).port), "127.0.0.1");
    socket.write("GET /user HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "readable");
    const closed = listener.close();
    let size = 0;
    for await (const chunk of socket) size += chunk.length;
    expect(size).toBeGreaterThan(body.byteLength);
    await closed;
  });

  test("lets a response arrive whole that is written, but not yet sent", async () => {
    const body = new Uint8Array(4 * 1024 * 1024);
    let asked = 0;
    const handle = async () => {
      asked += 1;
      return { status: 200, headers: {}, body };
    };
    const listener = await listen({ handle } as unknown as Service, LOCAL);
    const socket = connect(Number(new URL(listener.baseUrl).port), "127.0.0.1");
    // More than the system takes of responses that nobody reads.
    socket.write("GET /user HTTP/1.1\r\nHost: x\r\n\r\n".repeat(16));
    for (let [seen, turns] = [0, 0]; turns < 100 || asked === 0; turns = asked === seen ? turns + 1 : 0) {
      seen = asked;
      await new Promise(setImmediate);
    }
    expect(asked).toBeLessThan(16);
    const closed = listener.close();
    let size = 0;
    for await (const chunk of socket) size += chunk.length;
    expect(size).toBeGreaterThan(asked * body.byteLength);
    await closed;
  });

  test("does not wait for a client that disconnected", async () => {
    const { service, asked, answer } = createSlowService();
    const listener = await listen(service, LOCAL);
    const socket = connect(Number(new URL(listener.baseUrl).port), "127.0.0.1");
    socket.write("GET /user HTTP/1.1\r\nHost: x\r\n\r\n");
    await asked;
    socket.destroy();
    await once(socket, "close");
    const closed = listener.close();
    answer();
    await closed;
  });

  test("does not wait forever for the rest of a request", async () => {
    const { service, asked } = createSlowService();
    const listener = await listen(service, { ...LOCAL, closeTimeout: 1 });
    const socket = connect(Number(new URL(listener.baseUrl).port), "127.0.0.1");
    socket.write(
      "POST /calendars HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n{",
    );
    await asked;
    await listener.close();
    if (!socket.closed) await once(socket, "close");
  });

  test("does not wait forever for a response", async () => {
    const { service, asked } = createSlowService();
    const listener = await listen(service, { ...LOCAL, closeTimeout: 1 });
    const socket = connect(Number(new URL(listener.baseUrl).port), "127.0.0.1");
    socket.resume();
    socket.write("GET /user HTTP/1.1\r\nHost: x\r\n\r\n");
    await asked;
    await listener.close();
    if (!socket.closed) await once(socket, "close");
  });
});
