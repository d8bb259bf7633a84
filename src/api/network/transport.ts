import type { SetTimer } from "../../system/clock.js";
import type { HttpRequest, HttpResponse, Transport } from "../transport.js";
import { attempt } from "./attempt.js";
import { createConnections } from "./connections.js";
import { MEBIBYTE } from "./errors.js";
import type { ProxyServer } from "./proxy-errors.js";

const MAX_RESPONSE_SIZE = 32 * MEBIBYTE;
const CONNECT_TIMEOUT = 10_000;

export interface UndiciTransportOptions {
  /** Longest time of one attempt in milliseconds. */
  readonly timeout: number;
  /** Longest part of it for opening a connection, in milliseconds; ten seconds by default. */
  readonly connectTimeout?: number;
  readonly setTimer: SetTimer;
  /** The proxy for a URL; null for a direct connection, which is the default. */
  readonly proxyFor?: (url: URL) => ProxyServer | null;
  /** Largest response body in bytes; 32 MiB by default. */
  readonly maxResponseSize?: number;
}

export interface UndiciTransport {
  readonly send: Transport;
  /** Closes all connections, so that the process can exit. */
  close(): Promise<void>;
}

/** The transport over real sockets. It follows no redirects and retries nothing. */
export function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport {
  const { timeout, setTimer, maxResponseSize = MAX_RESPONSE_SIZE, proxyFor = () => null } = options;
  const connectTimeout = Math.min(options.connectTimeout ?? CONNECT_TIMEOUT, timeout);
  const connections = createConnections({ connectTimeout, maxResponseSize });

  async function send(request: HttpRequest): Promise<HttpResponse> {
    const proxy = proxyFor(new URL(request.url));
    // If a POST failed on a stale connection, its outcome would be unknown.
    const dispatcher = await connections.dispatcherFor({ proxy, fresh: request.method === "POST" });
    return attempt(request, { dispatcher, proxy, timeout, connectTimeout, setTimer, maxResponseSize });
  }
  return { send, close: () => connections.close() };
}
