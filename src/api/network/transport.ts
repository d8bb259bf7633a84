import type { SetTimer } from "../../system/clock.js";
import type { HttpRequest, HttpResponse, Transport } from "../transport.js";
import { attempt } from "./attempt.js";
import { createConnections } from "./connections.js";
import type { ProxyServer } from "./proxy-errors.js";

const MEBIBYTE = 1024 * 1024;
const ANSWER_MAX = 32 * MEBIBYTE;
const CONNECT_TIMEOUT = 10_000;

export interface UndiciTransportOptions {
  /** Longest time of one whole attempt in milliseconds. */
  readonly timeout: number;
  /** Longest time of it until a connection stands, in milliseconds; ten seconds by default. */
  readonly connectTimeout?: number;
  /** Measures both of them. */
  readonly setTimer: SetTimer;
  /** The proxy on the way to a URL; null where it is reached directly, which is the default. */
  readonly proxyFor?: (url: URL) => ProxyServer | null;
  /** The largest body that is read, in bytes; 32 MiB by default. */
  readonly answerMax?: number;
}

/** A transport and how it lets go of its connections. */
export interface UndiciTransport {
  readonly send: Transport;
  /** Ends all connections, so that the process can end. */
  close(): Promise<void>;
}

/** The transport over real sockets. It follows no redirects and repeats nothing. */
export function createUndiciTransport(options: UndiciTransportOptions): UndiciTransport {
  const { timeout, setTimer, answerMax = ANSWER_MAX, proxyFor = () => null } = options;
  const connectTimeout = Math.min(options.connectTimeout ?? CONNECT_TIMEOUT, timeout);
  const connections = createConnections({ connectTimeout, answerMax });

  async function send(request: HttpRequest): Promise<HttpResponse> {
    const proxy = proxyFor(new URL(request.url));
    // A POST that fails on a connection that went stale would leave open whether it was done.
    const dispatcher = await connections.dispatcherOf({ proxy, fresh: request.method === "POST" });
    return attempt(request, { dispatcher, proxy, timeout, connectTimeout, setTimer, answerMax });
  }
  return { send, close: () => connections.close() };
}
