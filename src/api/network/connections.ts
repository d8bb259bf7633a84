import { isIP, type Socket } from "node:net";
import type { Dispatcher } from "undici";
import createConnect from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { disableWasmOptimization, restoreWasmOptimization } from "../../system/v8-flags.js";
import { ProxyError, type ProxyServer } from "./errors.js";

export interface ConnectionOptions {
  /** Longest time to open a connection, in milliseconds. */
  readonly connectTimeout: number;
  /** Largest response body in bytes. */
  readonly maxResponseSize: number;
}

interface ConnectionChoice {
  /** Null for a direct connection. */
  readonly proxy: ProxyServer | null;
  /** Never reuses a connection, because the peer may have closed it. */
  readonly fresh: boolean;
}

/** The open connections of one transport. The only file that loads undici. */
export function createConnections({ connectTimeout, maxResponseSize }: ConnectionOptions) {
  disableWasmOptimization();
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  };
  // Shared, so that a fresh connection resumes an earlier TLS session.
  const connectSocket = createConnect({
    timeout: connectTimeout,
    // Node's default of 250 ms is too short for distant hosts with several addresses.
    autoSelectFamilyAttemptTimeout: 1_000,
  });
  const connect: typeof connectSocket = (options, callback) =>
    track(connectSocket(withoutAddressAsName(options), callback));
  // Each attempt has its own timers; with those of undici as well, the reported error would be random.
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize };

  async function open({ proxy, fresh }: ConnectionChoice): Promise<Dispatcher> {
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
    /** Sends requests; keeps their connections open for the next ones unless `fresh`. */
    dispatcherFor(choice: ConnectionChoice): Promise<Dispatcher> {
      const key = JSON.stringify([choice.proxy?.origin ?? null, choice.fresh]);
      const dispatcher = dispatchers.get(key) ?? open(choice);
      dispatchers.set(key, dispatcher);
      return dispatcher;
    },
    /** Closes all connections, including those that are being opened. */
    async close(): Promise<void> {
      const opened = await Promise.all(dispatchers.values());
      await Promise.all(opened.map((dispatcher) => dispatcher.destroy(CLOSED)));
      // undici would wait for sockets that are being opened.
      for (const socket of sockets) socket.destroy();
      restoreWasmOptimization();
    },
  };
}

/** Why connections end. Without a stack, since a stream that is destroyed reads it, which takes 1 ms. */
const CLOSED = Object.assign(new Error("the connection is closed"), { code: "UND_ERR_DESTROYED", stack: "" });

/** undici passes a proxy's IP address as the TLS server name, of which Node warns. @see RFC 6066 §3 */
function withoutAddressAsName<T extends { readonly servername?: string | undefined }>(options: T): T {
  const name = options.servername?.replace(/^\[(.*)\]$/, "$1") ?? "";
  return name === "" || isIP(name) === 0 ? options : { ...options, servername: undefined };
}

/** Distinguishes failures of the proxy, which are a ProxyError, from those of the service. */
async function expectTunnel(
  tunnel: Promise<Dispatcher.ConnectData>,
  proxy: ProxyServer,
): Promise<Dispatcher.ConnectData> {
  const response = await tunnel.catch((cause: unknown) => {
    throw new ProxyError(proxy, { cause });
  });
  if (response.statusCode === 200) return response;
  response.socket.on("error", () => undefined).destroy();
  throw new ProxyError(proxy, { status: response.statusCode });
}

/** @see RFC 7617 §2 */
function basicAuthorization({ user, password }: NonNullable<ProxyServer["credentials"]>): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
