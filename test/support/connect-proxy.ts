import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Certificate } from "../../service/test/support/certificate.js";

export interface ConnectProxyOptions {
  /** Where all tunnels lead, whatever host was requested: `127.0.0.1:PORT`. */
  readonly target: string;
  /** With it, the proxy itself speaks TLS. */
  readonly certificate?: Certificate;
  /** Bytes to send instead of opening a tunnel; null sends none. */
  readonly answer?: string | null;
  /** Called when a tunnel is requested, which is opened when the result has settled. */
  readonly hold?: () => Promise<void>;
}

export interface ConnectProxy {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** The requested tunnels. */
  readonly requests: readonly TunnelRequest[];
}

interface TunnelRequest {
  /** Host and port. */
  readonly target: string;
  /** Value of proxy-authorization; null without one. */
  readonly authorization: string | null;
}

/** A forward proxy that only supports CONNECT; it is closed when the test ends. @see RFC 9110 §9.3.6 */
export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const requests: TunnelRequest[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  };
  const server = options.certificate === undefined ? createServer() : createTlsServer(options.certificate);
  server.on("connection", keep);
  server.on("connect", async (request: IncomingMessage, client: Socket, first: Buffer) => {
    keep(client);
    const authorization = request.headers["proxy-authorization"] ?? null;
    requests.push({ target: request.url ?? "", authorization });
    if (options.answer !== undefined) {
      if (options.answer !== null) client.end(options.answer);
      return;
    }
    await options.hold?.();
    const [host, port] = options.target.split(":");
    const behind = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      behind.write(first);
      client.pipe(behind).pipe(client);
    });
    keep(behind);
    behind.once("close", () => client.destroy());
    client.once("close", () => behind.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
