import { isIP, type Socket } from "node:net";
import type { Dispatcher } from "undici";
import createConnect from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { ProxyError, type ProxyServer } from "./proxy-errors.js";

export interface ConnectionOptions {
  /** Longest time until a connection stands, in milliseconds. */
  readonly connectTimeout: number;
  /** The largest body that is read, in bytes. */
  readonly answerMax: number;
}

export interface Route {
  /** Null where the host is reached directly. */
  readonly proxy: ProxyServer | null;
  /** Never over a connection that was used before: it may have been closed at the other end. */
  readonly fresh: boolean;
}

/** The open connections of one transport, by the way they go. */
export interface Connections {
  /** What sends the requests of a route; connections are kept for the next request unless it wants fresh ones. */
  dispatcherOf(route: Route): Promise<Dispatcher>;
  /** Ends all connections, also those that do not stand yet. */
  close(): Promise<void>;
}

/** The connections of one transport: the only file that loads undici. */
export function createConnections({ connectTimeout, answerMax }: ConnectionOptions): Connections {
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  };
  // One for all: a fresh connection resumes the TLS session of an earlier one.
  const connectSocket = createConnect({
    timeout: connectTimeout,
    // Node's quarter of a second gives up on far away hosts with several addresses.
    autoSelectFamilyAttemptTimeout: 1_000,
  });
  const connect: typeof connectSocket = (options, callback) =>
    track(connectSocket(withoutAddressAsName(options), callback));
  // The attempt has the only clock; a second one would decide by chance which of the two speaks.
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: answerMax };

  async function open({ proxy, fresh }: Route): Promise<Dispatcher> {
    const options = { ...limits, pipelining: fresh ? 0 : 1 };
    if (proxy === null) return new Agent({ ...options, connect });
    const [{ default: ProxyAgent }, { default: openTunnel }] = await Promise.all([
      import("undici/lib/dispatcher/proxy-agent.js"),
      import("undici/lib/api/api-connect.js"),
    ]);
    return new ProxyAgent({
      ...options,
      uri: proxy.origin,
      ...(proxy.credentials === null ? {} : { token: basicAuthorization(proxy.credentials) }),
      requestTls: { timeout: connectTimeout },
      clientFactory(origin) {
        const pool = new Pool(origin, { ...limits, connect });
        return {
          connect: (request) => expectTunnel(openTunnel.call(pool, request), proxy),
          close: () => pool.close(),
          destroy: () => pool.destroy(),
        };
      },
    });
  }

  return {
    dispatcherOf(route) {
      const key = JSON.stringify([route.proxy?.origin ?? null, route.fresh]);
      const dispatcher = dispatchers.get(key) ?? open(route);
      dispatchers.set(key, dispatcher);
      return dispatcher;
    },
    async close() {
      const opened = await Promise.all(dispatchers.values());
      await Promise.all(opened.map((dispatcher) => dispatcher.destroy()));
      // undici waits for those that are being opened: as long as the other end likes.
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** undici names a proxy to TLS by its address, too, which Node warns of. @see RFC 6066 §3 */
function withoutAddressAsName<T extends { readonly servername?: string | undefined }>(options: T): T {
  const name = options.servername?.replace(/^\[(.*)\]$/, "$1") ?? "";
  return isIP(name) === 0 ? options : { ...options, servername: undefined };
}

/** Tells what goes wrong on the way to the proxy, and its refusals, from what goes wrong behind it. */
async function expectTunnel(
  asked: Promise<Dispatcher.ConnectData>,
  proxy: ProxyServer,
): Promise<Dispatcher.ConnectData> {
  const answer = await asked.catch((cause: unknown) => {
    throw new ProxyError(proxy, { cause });
  });
  if (answer.statusCode === 200) return answer;
  answer.socket.on("error", () => undefined).destroy();
  throw new ProxyError(proxy, { status: answer.statusCode });
}

/** @see RFC 7617 §2 */
function basicAuthorization({ user, password }: NonNullable<ProxyServer["credentials"]>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
