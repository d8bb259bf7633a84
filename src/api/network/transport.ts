import type { Dispatcher } from "undici";
import type { SetTimer } from "../../system/clock.js";
import { interruptedWrite } from "../sending/retry.js";
import { type HttpRequest, type HttpResponse, isSuccess, type Sent } from "../transport.js";
import { createConnections } from "./connections.js";
import {
  type AttemptContext,
  AttemptTimeout,
  MEBIBYTE,
  type ProxyServer,
  toTransportError,
} from "./errors.js";

const MAX_RESPONSE_SIZE = 32 * MEBIBYTE;
const CONNECT_TIMEOUT = 10_000;

export interface UndiciTransportOptions {
  /** Longest time of one attempt in milliseconds. */
  readonly timeout: number;
  /** Longest time to open a connection, in milliseconds; ten seconds by default. */
  readonly connectTimeout?: number;
  readonly setTimer: SetTimer;
  /** The proxy for a URL; null for a direct connection, which is the default. */
  readonly proxyFor?: (url: URL) => ProxyServer | null;
  /** Largest response body in bytes; 32 MiB by default. */
  readonly maxResponseSize?: number;
}

export type UndiciTransport = ReturnType<typeof createUndiciTransport>;

/** The transport over real sockets. It follows no redirects and retries nothing. */
export function createUndiciTransport(options: UndiciTransportOptions) {
  const { timeout, setTimer, maxResponseSize = MAX_RESPONSE_SIZE, proxyFor = () => null } = options;
  const connectTimeout = Math.min(options.connectTimeout ?? CONNECT_TIMEOUT, timeout);
  const connections = createConnections({ connectTimeout, maxResponseSize });

  async function optionsFor(url: string, fresh: boolean): Promise<AttemptOptions> {
    const proxy = proxyFor(new URL(url));
    const dispatcher = await connections.dispatcherFor({ proxy, fresh });
    return { dispatcher, proxy, timeout, connectTimeout, setTimer, maxResponseSize };
  }
  return {
    // If a POST failed on a stale connection, its outcome would be unknown.
    send: async (request: HttpRequest) =>
      attempt(request, await optionsFor(request.url, request.method === "POST")),
    /**
     * Opens a connection as a request to the URL would, with TLS and through the proxy, and sends nothing.
     * @throws TransportError; the reason of the signal
     */
    connect: async (url: string, signal: AbortSignal) =>
      openConnection({ url, method: "GET", headers: {}, signal }, await optionsFor(url, true)),
    /** Closes all connections, so that the process can exit. */
    close: () => connections.close(),
  };
}

interface AttemptOptions extends Omit<Required<UndiciTransportOptions>, "proxyFor"> {
  readonly dispatcher: Dispatcher;
  readonly proxy: AttemptContext["proxy"];
}

/**
 * Sends a request once. A 204, and a response that is not a success, is complete once its headers are there: if its body
 * is lost, late or too large, it is empty.
 * @throws TransportError when there is no complete response
 * @throws the reason of the request's signal; with a warning for a write that was in progress
 */
async function attempt(request: HttpRequest, options: AttemptOptions): Promise<HttpResponse> {
  const { signal } = request;
  signal?.throwIfAborted();
  const timeouts = startTimeouts(signal, options);
  const running = startRequest(options.dispatcher, request, timeouts.onConnected);
  try {
    return await Promise.race([running.response, timeouts.expired]);
  } catch (cause) {
    running.abort();
    const [sent, head] = [running.sent(), running.head()];
    if (signal?.aborted === true) {
      throw sent === "no" ? signal.reason : interruptedWrite(request.method, signal.reason);
    }
    // A 204 ends with its headers, whatever length they claim. @see RFC 9110 §15.3.5
    const isComplete = head !== null && (head.status === 204 || !isSuccess(head));
    if (isComplete) return { ...head, body: new Uint8Array() };
    throw toTransportError(cause, { ...options, sent, url: new URL(request.url) });
  } finally {
    timeouts.clear();
  }
}

/** Begins a request and ends it before its first byte is written. */
async function openConnection(request: HttpRequest, options: AttemptOptions): Promise<void> {
  request.signal?.throwIfAborted();
  const timeouts = startTimeouts(request.signal, options);
  let isOpen = false;
  const running = startRequest(options.dispatcher, request, () => {
    isOpen = true;
    running.abort();
  });
  try {
    await Promise.race([running.response, timeouts.expired]);
  } catch (cause) {
    running.abort();
    if (isOpen) return;
    if (request.signal?.aborted === true) throw request.signal.reason;
    throw toTransportError(cause, { ...options, sent: "no", url: new URL(request.url) });
  } finally {
    timeouts.clear();
  }
}

function startTimeouts(
  signal: AbortSignal | undefined,
  { connectTimeout, timeout, setTimer }: AttemptOptions,
) {
  const controller = new AbortController();
  const stop = (milliseconds: number) => controller.abort(new AttemptTimeout(milliseconds));
  const interrupt = () => controller.abort(signal?.reason);
  const cancelConnectTimer = setTimer(connectTimeout, () => stop(connectTimeout));
  const cancelTimer = setTimer(timeout, () => stop(timeout));
  signal?.addEventListener("abort", interrupt);
  return {
    /** Rejects with the signal's reason or an AttemptTimeout. */
    expired: new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
    }),
    /** Ends the connect timeout. */
    onConnected: cancelConnectTimer,
    clear() {
      cancelConnectTimer();
      cancelTimer();
      signal?.removeEventListener("abort", interrupt);
    },
  };
}

type ResponseHead = Omit<HttpResponse, "body">;

/**
 * Sends a request over undici and tracks its progress. Redirects are not followed, and nothing is retried.
 * @param onStarted called when the connection is open, before the first byte is written
 */
function startRequest(dispatcher: Dispatcher, request: HttpRequest, onStarted: () => void) {
  let controller: Dispatcher.DispatchController | undefined;
  let aborted = false;
  let head: ResponseHead | null = null;
  const chunks: Buffer[] = [];
  const response = new Promise<HttpResponse>((resolve, reject) => {
    dispatcher.dispatch(toDispatchOptions(request), {
      onRequestStart(started) {
        if (aborted) return started.abort(ABORTED);
        controller = started;
        onStarted();
      },
      onResponseStart(_, status, headers) {
        // Interim responses are below 200.
        if (status >= 200) head = { status, headers: joinHeaders(headers) };
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        if (head === null) return;
        const complete = { ...head, body: Buffer.concat(chunks) };
        // undici reuses the connection only after another turn of the event loop, and the next request should get it.
        queueMicrotask(() => setImmediate(resolve, complete));
      },
      onResponseError(_, error) {
        reject(error);
      },
    });
  });
  return {
    /** Rejects with undici's own error. */
    response,
    sent(): Sent {
      if (controller === undefined) return "no";
      return head === null ? "maybe" : "yes";
    },
    /** Null until the headers are complete. */
    head: () => head,
    /** Ends the request. If it still waits for a connection, it will not be written. */
    abort(): void {
      aborted = true;
      controller?.abort(ABORTED);
    },
  };
}

const ABORTED = new Error("the response is no longer needed");

function toDispatchOptions({ url, method, headers, body }: HttpRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}`, method, headers: { ...headers }, body: body ?? null };
}

function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}
