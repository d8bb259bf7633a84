import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpRequest, HttpResponse } from "../../src/api/transport.js";
import { createUndiciTransport, type UndiciTransportOptions } from "../../src/api/undici-transport.js";
import { CliError } from "../../src/errors.js";
import { createCertificate } from "../service/support/certificate.js";

/** What the transport makes of a peer's bytes, and of their absence. */

/** Listens on a free port of the loopback interface until the test is over. */
async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A peer that does something with each connection once bytes of a request have come. */
function listenRaw(onRequest: (socket: Socket) => void): Promise<string> {
  return listen(
    createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => onRequest(socket));
    }),
  );
}

function listenHttp(onRequest: RequestListener): Promise<string> {
  return listen(createHttpServer(onRequest));
}

function listenTls(): Promise<string> {
  const server = createTlsServer(createCertificate(), (socket) => socket.end());
  server.on("tlsClientError", () => undefined);
  return listen(server);
}

/** The host and port of a peer that has gone. */
async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `127.0.0.1:${port}`;
}

type Sending = Partial<HttpRequest> & { readonly options?: Partial<UndiciTransportOptions> };

function send(url: string, { options, ...request }: Sending = {}): Promise<HttpResponse> {
  const { send: transport, close } = createUndiciTransport({ timeout: 10_000, ...options });
  onTestFinished(close);
  return transport({ method: "GET", url, headers: {}, ...request });
}

const POST = { method: "POST", body: "{}" } as const;

describe("answers", () => {
  test("any status is an answer, with its body as bytes", async () => {
    const host = await listenHttp((_, outgoing) => outgoing.writeHead(503).end("später"));
    const { status, body } = await send(`http://${host}/x`);
    expect({ status, text: new TextDecoder().decode(body) }).toEqual({ status: 503, text: "später" });
  });

  test("method, path, query, headers and body arrive as they were given", async () => {
    const host = await listenHttp(async (incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const seen = { method, url, accept: headers.accept, body: Buffer.concat(chunks).toString() };
      outgoing.end(JSON.stringify(seen));
    });
    const { body } = await send(`http://${host}/a%2Fb?include=creator,label`, {
      method: "PUT",
      headers: { accept: "text/x" },
      body: "ü",
    });
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual({
      method: "PUT",
      url: "/a%2Fb?include=creator,label",
      accept: "text/x",
      body: "ü",
    });
  });

  test("repeated headers are joined, names are lower case", async () => {
    const host = await listenRaw((socket) =>
      socket.end(
        "HTTP/1.1 200 OK\r\nX-Part: a\r\nX-PART: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      ),
    );
    expect((await send(`http://${host}/`)).headers).toMatchObject({ "x-part": "a, b" });
  });

  test("a redirect is an answer and is not followed", async () => {
    const paths: (string | undefined)[] = [];
    const host = await listenHttp((incoming, outgoing) => {
      paths.push(incoming.url);
      outgoing.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect(await send(`http://${host}/x`)).toMatchObject({
      status: 302,
      headers: { location: "/elsewhere" },
    });
    expect(paths).toEqual(["/x"]);
  });
});

describe("no whole answer", () => {
  test("nobody listens: it was surely not sent", async () => {
    const host = await closedPort();
    await expect(send(`http://${host}/`, POST)).rejects.toMatchObject({
      name: "TransportError",
      sent: "no",
      reason: "ECONNREFUSED",
      message: `nothing listens at ${host}`,
    });
  });

  test.each([
    ["closed", (socket: Socket) => socket.end()],
    ["reset", (socket: Socket) => socket.resetAndDestroy()],
  ])("%s before an answer: it may have arrived, and is not repeated", async (_, hangUp) => {
    let connections = 0;
    const host = await listenRaw((socket) => {
      connections += 1;
      hangUp(socket);
    });
    await expect(send(`http://${host}/`)).rejects.toMatchObject({
      name: "TransportError",
      sent: "maybe",
      message: expect.stringContaining(`${host} closed the connection without an answer`),
    });
    expect(connections).toBe(1);
  });

  const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

  test.each([
    ["after the headers", HEAD],
    ["within the body", `${HEAD}12345`],
    ["within a chunked body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"],
  ])("closed %s: it was answered", async (_, bytes) => {
    const host = await listenRaw((socket) => socket.end(bytes));
    await expect(send(`http://${host}/`)).rejects.toMatchObject({
      name: "TransportError",
      sent: "answered",
      message: expect.stringContaining(`the answer of ${host} was cut short`),
    });
  });

  test("bytes that are no HTTP may have come after the request was done", async () => {
    const host = await listenRaw((socket) => socket.end("220 mail.example ESMTP\r\n"));
    await expect(send(`http://${host}/`)).rejects.toMatchObject({ name: "TransportError", sent: "maybe" });
  });

  test.each([
    ["before an answer", "", "maybe"],
    ["within the body", `${HEAD}12345`, "answered"],
  ])("the timeout ends an attempt that stalls %s", async (_, bytes, sent) => {
    const host = await listenRaw((socket) => socket.write(bytes));
    await expect(send(`http://${host}/`, { options: { timeout: 500 } })).rejects.toMatchObject({
      name: "TransportError",
      sent,
      reason: "timeout",
      message: "no whole answer within 0.5 seconds",
    });
  });
});

describe("the largest answer", () => {
  const MEBIBYTE = 1024 * 1024;

  function listenSize(bytes: number): Promise<string> {
    return listenHttp((_, outgoing) => outgoing.end(Buffer.alloc(bytes)));
  }

  test("is read whole", async () => {
    const host = await listenSize(MEBIBYTE);
    const { body } = await send(`http://${host}/`, { options: { answerMax: MEBIBYTE } });
    expect(body).toHaveLength(MEBIBYTE);
  });

  test("one byte more is rejected", async () => {
    const host = await listenSize(MEBIBYTE + 1);
    await expect(send(`http://${host}/`, { options: { answerMax: MEBIBYTE } })).rejects.toMatchObject({
      name: "TransportError",
      fault: "too_large",
      message: "the answer is larger than 1 MiB",
    });
  });

  test("one byte more to a POST leaves open whether it was done", async () => {
    const host = await listenSize(MEBIBYTE + 1);
    const sending = { ...POST, options: { answerMax: MEBIBYTE } };
    await expect(send(`http://${host}/`, sending)).rejects.toMatchObject({
      name: "TransportError",
      sent: "answered",
    });
  });
});

describe("the caller's signal", () => {
  const REASON = new CliError("interrupted", "interrupted", { exitCode: 143 });

  test("aborted before: nothing is sent, and the reason comes as it is", async () => {
    let connections = 0;
    const host = await listenRaw(() => {
      connections += 1;
    });
    const signal = AbortSignal.abort(REASON);
    await expect(send(`http://${host}/`, { ...POST, signal })).rejects.toBe(REASON);
    expect(connections).toBe(0);
  });

  test("aborted during a GET: the reason comes as it is", async () => {
    const controller = new AbortController();
    const host = await listenRaw(() => controller.abort(REASON));
    await expect(send(`http://${host}/`, { signal: controller.signal })).rejects.toBe(REASON);
  });

  test.each(["POST", "PUT", "DELETE"] as const)(
    "aborted during a %s: the error warns that it may have been done",
    async (method) => {
      const controller = new AbortController();
      const host = await listenRaw(() => controller.abort(REASON));
      await expect(send(`http://${host}/`, { method, signal: controller.signal })).rejects.toMatchObject({
        code: "interrupted",
        exitCode: 143,
        message: "interrupted",
        hint: `a ${method} was under way: it is unknown whether it was done, look before you repeat it`,
        cause: REASON,
      });
    },
  );

  test("aborted within the body: the reason, not a truncated answer", async () => {
    const controller = new AbortController();
    const host = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", () => controller.abort(REASON));
    });
    await expect(send(`http://${host}/`, { signal: controller.signal })).rejects.toBe(REASON);
  });
});

describe("TLS", () => {
  test("a certificate that nobody trusts is a matter of configuration", async () => {
    const host = (await listenTls()).replace("127.0.0.1", "localhost");
    await expect(send(`https://${host}/`)).rejects.toMatchObject({
      fault: "tls",
      sent: "no",
      message: `the certificate of ${host} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
      hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
  });

  test("https to a port that speaks plain HTTP", async () => {
    const host = await listenHttp((_, outgoing) => outgoing.end());
    await expect(send(`https://${host}/`)).rejects.toMatchObject({
      fault: "tls",
      sent: "no",
      message: `${host} does not speak HTTPS`,
    });
  });

  test("plain http to a port that speaks TLS", async () => {
    const host = await listenTls();
    await expect(send(`http://${host}/`)).rejects.toMatchObject({ name: "TransportError", sent: "maybe" });
  });
});
