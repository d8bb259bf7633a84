import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { onTestFinished } from "vitest";
import { type Certificate, createCertificate } from "../../../service/test/support/certificate.js";
import { createUndiciTransport, type UndiciTransportOptions } from "../../../src/api/network/transport.js";
import type { HttpRequest, HttpResponse } from "../../../src/api/transport.js";
import { errorCodeOf } from "../../../src/errors.js";
import { setTimer } from "../../../src/system/clock.js";

/** Peers over real sockets, until the end of the test. Each resolves with `127.0.0.1:PORT`. */

export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Below what systems choose from for port 0 and for outgoing connections. */
const PORTS = { min: 10_000, max: 32_000 };

/** A port that was free a moment ago, and is not taken by whoever asks for any port. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS.min, PORTS.max);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (errorCodeOf(error) === "EADDRINUSE") return freePort();
    throw error;
  }
  server.close();
  await once(server, "close");
  return port;
}

/** A peer that handles each connection when the first bytes of a request arrive. */
export function listenRaw(onRequest: (socket: Socket) => void): Promise<string> {
  return listenMute((socket) => socket.once("data", () => onRequest(socket)));
}

/** A peer that accepts connections and sends nothing. */
export function listenMute(onConnection: (socket: Socket) => void = () => undefined): Promise<string> {
  return listen(
    createServer((socket) => {
      socket.on("error", () => undefined);
      onConnection(socket);
    }),
  );
}

export function listenHttp(onRequest: RequestListener): Promise<string> {
  return listen(createHttpServer(onRequest));
}

/** A peer that completes the TLS handshake and then sends nothing. */
export function listenTls(certificate: Certificate = createCertificate()): Promise<string> {
  const server = createTlsServer(certificate, (socket) => socket.on("error", () => undefined));
  server.on("tlsClientError", () => undefined);
  return listen(server);
}

/** The host and port of a peer that no longer listens. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return `127.0.0.1:${port}`;
}

/** Sends over one transport, which is closed at the end of the test. */
export function createSender(options: Partial<UndiciTransportOptions> = {}) {
  const { send, close } = createUndiciTransport({ timeout: 10_000, setTimer, ...options });
  onTestFinished(close);
  return (url: string, request: Partial<HttpRequest> = {}): Promise<HttpResponse> =>
    send({ method: "GET", url, headers: {}, ...request });
}

export type Sending = Partial<HttpRequest> & { readonly options?: Partial<UndiciTransportOptions> };

/** Sends one request over a transport of its own. */
export function send(url: string, { options, ...request }: Sending = {}): Promise<HttpResponse> {
  return createSender(options)(url, request);
}

export const POST = { method: "POST", body: "{}" } as const;
