import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createUndiciTransport } from "../../../src/api/network/transport.js";
import { CliError } from "../../../src/errors.js";
import { setTimer } from "../../../src/system/clock.js";
import { closedPort, createSender, listenHttp, listenMute, listenRaw, POST, send } from "./peers.js";

/** What the transport returns or throws. What commands make of a peer that hangs up is in test/api/error-table.test.ts. */

describe("answers", () => {
  test("any status is a response, with its body as bytes", async () => {
    const host = await listenHttp((_, outgoing) => outgoing.writeHead(503).end("später"));
    const { status, body } = await send(`http://${host}/x`);
    expect({ status, text: new TextDecoder().decode(body) }).toEqual({ status: 503, text: "später" });
  });

  test("method, path, query, headers and body arrive unchanged", async () => {
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
});

describe("no complete response", () => {
  test("no listener at any address of a host", async () => {
    const host = (await closedPort()).replace("127.0.0.1", "localhost");
    await expect(send(`http://${host}/`)).rejects.toMatchObject({
      kind: "unreachable",
      sent: "no",
      message: `${host} refused the connection`,
    });
  });

  test("a host that does not exist", async () => {
    // By RFC 6761 this name never exists.
    await expect(send("http://calendar.invalid/", POST)).rejects.toMatchObject({
      kind: "unreachable",
      sent: "no",
      message: "the host calendar.invalid cannot be found",
    });
  });

  test("a head that is none is not HTTP, and the request may have succeeded", async () => {
    const bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nno header\r\n\r\n{}";
    const host = await listenRaw((socket) => socket.end(bytes));
    await expect(send(`http://${host}/`)).rejects.toMatchObject({
      kind: "not_http",
      sent: "maybe",
      message: `the response from ${host} is not valid HTTP`,
      hint: "does it expect https?",
    });
  });
});

describe("the timeout", () => {
  const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";

  test.each([
    ["before an answer", "", "maybe", "no response from"],
    ["in the head", HEAD.slice(0, 20), "maybe", "no response from"],
    ["in the body", `${HEAD}12345`, "yes", "no complete response from"],
  ])("ends an attempt that stalls %s", async (_, bytes, sent, message) => {
    const host = await listenRaw((socket) => socket.write(bytes));
    await expect(send(`http://${host}/`, { options: { timeout: 500 } })).rejects.toMatchObject({
      name: "TransportError",
      kind: "timeout",
      sent,
      reason: "timeout",
      message: `${message} ${host} after 0.5 seconds`,
    });
  });

  test("ends an attempt whose response trickles in forever", async () => {
    const host = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(drip));
    });
    await expect(send(`http://${host}/`, { options: { timeout: 500 } })).rejects.toMatchObject({
      kind: "timeout",
      sent: "yes",
    });
  });

  test("ends an attempt without a connection, and nothing was sent", async () => {
    const host = await listenMute();
    await expect(send(`https://${host}/`, { ...POST, options: { timeout: 500 } })).rejects.toMatchObject({
      kind: "timeout",
      sent: "no",
      message: `no connection to ${host} after 0.5 seconds`,
    });
  });

  test("for connecting is separate, and ends when the request is sent", async () => {
    const options = { timeout: 800, connectTimeout: 300 };
    const host = await listenMute();
    await expect(send(`https://${host}/`, { options })).rejects.toMatchObject({
      sent: "no",
      message: `no connection to ${host} after 0.3 seconds`,
    });
    await expect(send(`http://${host}/`, { options })).rejects.toMatchObject({
      sent: "maybe",
      message: `no response from ${host} after 0.8 seconds`,
    });
  });

  test("closes the connection", async () => {
    let closed: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const host = await listenRaw((socket) => socket.on("close", () => closed?.()));
    await expect(send(`http://${host}/`, { options: { timeout: 200 } })).rejects.toMatchObject({
      kind: "timeout",
    });
    await ended;
  });
});

describe("a response that is not a success is complete after its headers", () => {
  const HEAD = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 2000000\r\n\r\n";

  test.each([
    ["lost", (socket: Socket) => socket.end(`${HEAD}12345`)],
    ["reset", (socket: Socket) => socket.write(`${HEAD}12345`, () => socket.resetAndDestroy())],
    ["late", (socket: Socket) => socket.write(`${HEAD}12345`)],
    ["too large", (socket: Socket) => socket.write(HEAD + "x".repeat(2_000_000))],
    [
      "no HTTP",
      (socket: Socket) =>
        socket.end("HTTP/1.1 503 No\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\nx"),
    ],
  ])("its body is empty if it is %s", async (_, answer) => {
    const host = await listenRaw((socket) => void answer(socket));
    const options = { timeout: 1_000, maxResponseSize: 1_000_000 };
    const { status, headers, body } = await send(`http://${host}/`, { ...POST, options });
    expect({ status, wait: headers["retry-after"], body: body.length }).toEqual({
      status: 503,
      wait: "7",
      body: 0,
    });
  });
});

describe("connections", () => {
  /** Responds to one request on each connection, and closes it when the next request arrives. */
  async function listenOnce() {
    const seen: string[] = [];
    let connections = 0;
    const host = await listenMute((socket) => {
      connections += 1;
      const connection = connections;
      socket.once("data", (first) => {
        seen.push(`${String(first).split(" ")[0]} ${connection}`);
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        socket.once("data", (second) => {
          seen.push(`${String(second).split(" ")[0]} ${connection}`);
          socket.resetAndDestroy();
        });
      });
    });
    return { host, seen };
  }

  test("a GET reuses the connection of the one before", async () => {
    const { host, seen } = await listenOnce();
    const sendTo = createSender();
    await sendTo(`http://${host}/`);
    await expect(sendTo(`http://${host}/`)).rejects.toMatchObject({ kind: "closed", sent: "maybe" });
    expect(seen).toEqual(["GET 1", "GET 1"]);
  });

  test("a POST uses a new one: on a stale connection its outcome would be unknown", async () => {
    const { host, seen } = await listenOnce();
    const sendTo = createSender();
    await sendTo(`http://${host}/`);
    expect(await sendTo(`http://${host}/`, POST)).toMatchObject({ status: 200 });
    expect(await sendTo(`http://${host}/`, POST)).toMatchObject({ status: 200 });
    expect(seen).toEqual(["GET 1", "POST 2", "POST 3"]);
  });

  test("consecutive GETs share one", async () => {
    const connections = new Set<unknown>();
    const host = await listenHttp(({ socket }, outgoing) => {
      connections.add(socket);
      outgoing.end();
    });
    const sendTo = createSender();
    for (let count = 0; count < 5; count += 1) await sendTo(`http://${host}/`);
    expect(connections.size).toBe(1);
  });

  test("that are being opened are closed with the transport", async () => {
    let hello: (() => void) | undefined;
    let gone: (() => void) | undefined;
    const [asked, ended] = [
      new Promise<void>((resolve) => {
        hello = resolve;
      }),
      new Promise<void>((resolve) => {
        gone = resolve;
      }),
    ];
    const host = await listenMute((socket) => {
      socket.once("data", () => hello?.());
      socket.once("close", () => gone?.());
    });
    const { send: transport, close } = createUndiciTransport({ timeout: 60_000, setTimer });
    const sent = transport({ method: "GET", url: `https://${host}/`, headers: {} });
    const failed = expect(sent).rejects.toMatchObject({ sent: "no" });
    await asked;
    await close();
    await failed;
    await ended;
  }, 5_000);

  test("a peer that closes idle connections after its response does not make a POST fail", async () => {
    const host = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", () => socket.destroy());
    });
    const sendTo = createSender();
    const statuses: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      await sendTo(`http://${host}/`);
      statuses.push((await sendTo(`http://${host}/`, POST)).status);
    }
    expect(statuses).toEqual(Array(20).fill(200));
  });
});

describe("the largest response", () => {
  const MEBIBYTE = 1024 * 1024;

  function listenSize(bytes: number): Promise<string> {
    return listenHttp((_, outgoing) => outgoing.end(Buffer.alloc(bytes)));
  }

  test("is read completely", async () => {
    const host = await listenSize(MEBIBYTE);
    const { body } = await send(`http://${host}/`, { options: { maxResponseSize: MEBIBYTE } });
    expect(body).toHaveLength(MEBIBYTE);
  });

  test("one byte more is rejected", async () => {
    const host = await listenSize(MEBIBYTE + 1);
    await expect(send(`http://${host}/`, { options: { maxResponseSize: MEBIBYTE } })).rejects.toMatchObject({
      name: "TransportError",
      kind: "too_large",
      message: `the response from ${host} is larger than 1 MiB`,
    });
  });
});

describe("the caller's signal", () => {
  const REASON = new CliError("interrupted", "interrupted", { exitCode: 143 });

  test("aborted before: nothing is sent, and the reason is thrown", async () => {
    let connections = 0;
    const host = await listenRaw(() => {
      connections += 1;
    });
    const signal = AbortSignal.abort(REASON);
    await expect(send(`http://${host}/`, { ...POST, signal })).rejects.toBe(REASON);
    expect(connections).toBe(0);
  });

  test.each(["POST", "PUT"] as const)(
    "aborted before a %s was written: the reason comes as it is",
    async (method) => {
      const controller = new AbortController();
      const bytes: Buffer[] = [];
      const host = await listenMute((socket) => {
        socket.on("data", (chunk) => {
          bytes.push(chunk);
          controller.abort(REASON);
        });
      });
      // A TLS handshake that never completes.
      await expect(send(`https://${host}/`, { method, signal: controller.signal })).rejects.toBe(REASON);
      expect(Buffer.concat(bytes).includes(method)).toBe(false);
    },
  );

  test("aborted during a GET: the reason is thrown", async () => {
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
        hint: `a ${method} was in progress and may have succeeded; check before you repeat it`,
        mayHaveSucceeded: true,
        cause: REASON,
      });
    },
  );

  test("aborted during the body: the reason, not a truncated response", async () => {
    const controller = new AbortController();
    const host = await listenRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", () => controller.abort(REASON));
    });
    await expect(send(`http://${host}/`, { signal: controller.signal })).rejects.toBe(REASON);
  });
});
