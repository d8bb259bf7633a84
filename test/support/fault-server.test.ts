import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import { createCertificate } from "../../service/test/support/certificate.js";
import { startFaultServer } from "./fault-server.js";
import { close, cut, drip, leave, receive, reply, reset, send } from "./fault-steps.js";

/** The server that other tests rely on, tested with a plain socket. */

const ANSWER = { status: 200, headers: { "x-a": ["1", "2"] }, body: "hello" };

/** Sends bytes over a new connection. Resolves with everything received, or with the error's code. */
async function talk(host: string, bytes: string): Promise<string> {
  const socket = connect(Number(host.split(":")[1]), "127.0.0.1");
  socket.end(bytes);
  return text(socket).catch((error: NodeJS.ErrnoException) => error.code ?? "unknown");
}

test("records every byte and every request, also chunked bodies", async () => {
  const server = await startFaultServer();
  server.otherwise([reply(ANSWER)]);
  const bytes =
    "PUT /a?b=c%20d HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n" +
    "POST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";
  const answers = await talk(server.host, bytes);
  expect(server.connections.map(({ received }) => received.toString())).toEqual([bytes]);
  expect(
    server.requests.map(({ body, answered, ...request }) => ({ ...request, body: body.toString() })),
  ).toEqual([
    {
      connection: 0,
      method: "PUT",
      target: "/a?b=c%20d",
      path: "/a",
      query: { b: "c d" },
      headers: { "transfer-encoding": "chunked", x: "y" },
      body: "abcd",
    },
    {
      connection: 0,
      method: "POST",
      target: "/b",
      path: "/b",
      query: {},
      headers: { "content-length": "2" },
      body: "hi",
    },
  ]);
  expect(server.requests.map(({ answered }) => answered.toString()).join("")).toBe(answers);
});

test.each([
  ["length", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-a: 1\r\nx-a: 2\r\n\r\nhello"],
  [
    "chunked",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-a: 1\r\nx-a: 2\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  ],
  ["close", "HTTP/1.1 200 OK\r\nconnection: close\r\nx-a: 1\r\nx-a: 2\r\n\r\nhello"],
] as const)("frames a response by %s, and cuts it at the given position", async (framing, whole) => {
  const server = await startFaultServer();
  server.next([reply(ANSWER, framing)], [cut(ANSWER, { at: 30, framing })]);
  expect(await talk(server.host, "GET / HTTP/1.1\r\n\r\n")).toBe(whole);
  expect(await talk(server.host, "GET / HTTP/1.1\r\n\r\n")).toBe(whole.slice(0, 30));
});

test("plays scripts by order, then by method and path, then the default", async () => {
  const server = await startFaultServer();
  server.otherwise([send("rest"), close]);
  server.on("GET /a", [send("first"), close], [receive, drip("second"), close]);
  server.next([send("next"), close]);
  const answers: string[] = [];
  for (const path of ["/a", "/a?x=y", "/a", "/a", "/b"]) {
    answers.push(await talk(server.host, `GET ${path} HTTP/1.1\r\n\r\n`));
  }
  expect(answers).toEqual(["next", "first", "second", "second", "rest"]);
  expect(server.count("GET /a")).toBe(4);
});

test("resets, refuses, and reopens at the same port", async () => {
  const server = await startFaultServer();
  server.onConnection([reset]);
  expect(await talk(server.host, "")).toBe("ECONNRESET");
  server.next([send("bye"), close, leave]);
  expect(await talk(server.host, "GET / HTTP/1.1\r\n\r\n")).toBe("bye");
  expect(await talk(server.host, "GET / HTTP/1.1\r\n\r\n")).toBe("ECONNREFUSED");
  await server.comeBack();
  server.next([send("again"), close]);
  expect(await talk(server.host, "GET / HTTP/1.1\r\n\r\n")).toBe("again");
  expect(server.connections).toHaveLength(3);
});

test("speaks TLS, and resets the connection under it", async () => {
  const tls = createCertificate();
  const server = await startFaultServer({ tls });
  server.next([reply(ANSWER), reset]);
  const socket = connectTls({
    port: Number(server.host.split(":")[1]),
    host: "127.0.0.1",
    ca: tls.cert,
    servername: "localhost",
  });
  socket.write("GET / HTTP/1.1\r\n\r\n");
  let came = "";
  socket.on("data", (bytes: Buffer) => {
    came += bytes.toString();
  });
  const code = await new Promise<string | undefined>((resolve) => {
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on("close", () => resolve(undefined));
  });
  expect({ code, came }).toEqual({ code: "ECONNRESET", came: expect.stringContaining("hello") });
  expect(server.connections[0]?.received.toString()).toBe("GET / HTTP/1.1\r\n\r\n");
});
