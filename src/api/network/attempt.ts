import type { Dispatcher } from "undici";
import type { SetTimer } from "../../system/clock.js";
import { type HttpRequest, type HttpResponse, interruptedWrite, type Sent } from "../transport.js";
import { AttemptTimeout, describeFailure, type Surroundings } from "./errors.js";

export interface AttemptOptions extends Omit<Surroundings, "sent" | "url"> {
  readonly dispatcher: Dispatcher;
  /** Longest time until the request begins to be written, in milliseconds. */
  readonly connectTimeout: number;
  /** Longest time of the whole attempt in milliseconds. */
  readonly timeout: number;
  readonly setTimer: SetTimer;
}

/**
 * Sends one request once. An answer that is no success is whole when its head is there: a body that is lost, late or
 * too large is empty then.
 * @throws TransportError when there is no whole answer
 * @throws the reason of the request's signal when that aborts; with a warning for a write that was under way
 */
export async function attempt(request: HttpRequest, options: AttemptOptions): Promise<HttpResponse> {
  const { signal } = request;
  signal?.throwIfAborted();
  const limits = createLimits(signal, options);
  const running = startRequest(options.dispatcher, request, limits.connected);
  try {
    return await Promise.race([running.ended, limits.exceeded]);
  } catch (cause) {
    running.abort();
    const [sent, head] = [running.sent(), running.head()];
    if (signal?.aborted === true) {
      throw sent === "no" ? signal.reason : interruptedWrite(request.method, signal.reason);
    }
    if (head !== null && !isSuccess(head.status)) return { ...head, body: new Uint8Array() };
    throw describeFailure(cause, { ...options, sent, url: new URL(request.url) });
  } finally {
    limits.clear();
  }
}

interface Limits {
  /** Rejects when the signal aborts, or with an AttemptTimeout. */
  readonly exceeded: Promise<never>;
  /** Lifts the limit on connecting. */
  readonly connected: () => void;
  readonly clear: () => void;
}

function createLimits(
  signal: AbortSignal | undefined,
  { connectTimeout, timeout, setTimer }: Pick<AttemptOptions, "connectTimeout" | "timeout" | "setTimer">,
): Limits {
  const controller = new AbortController();
  const stop = (milliseconds: number) => controller.abort(new AttemptTimeout(milliseconds));
  const interrupt = () => controller.abort(signal?.reason);
  const connected = setTimer(connectTimeout, () => stop(connectTimeout));
  const ended = setTimer(timeout, () => stop(timeout));
  signal?.addEventListener("abort", interrupt);
  return {
    exceeded: new Promise((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
    }),
    connected,
    clear() {
      connected();
      ended();
      signal?.removeEventListener("abort", interrupt);
    },
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** An answer without its body. */
export type ResponseHead = Omit<HttpResponse, "body">;

/** A request on its way through undici. */
export interface RunningRequest {
  /** The whole answer; rejects with undici's own error. */
  readonly ended: Promise<HttpResponse>;
  /** Whether it was written to a connection, and whether an answer began to come. */
  readonly sent: () => Sent;
  /** Null until it has come. */
  readonly head: () => ResponseHead | null;
  /** Ends it. What still waits for a connection is not written when that comes. */
  readonly abort: () => void;
}

/**
 * Sends a request over undici and tells how far it has come. Redirects are not followed, nothing is repeated.
 * @param onStarted called when a connection stands, before the first byte is written
 */
export function startRequest(
  dispatcher: Dispatcher,
  request: HttpRequest,
  onStarted: () => void,
): RunningRequest {
  let controller: Dispatcher.DispatchController | undefined;
  let aborted = false;
  let head: ResponseHead | null = null;
  const chunks: Buffer[] = [];
  const ended = new Promise<HttpResponse>((resolve, reject) => {
    dispatcher.dispatch(toDispatchOptions(request), {
      onRequestStart(its) {
        if (aborted) return its.abort(ABORTED);
        controller = its;
        onStarted();
      },
      onResponseStart(_, status, headers) {
        // What is below 200 only announces the answer.
        if (status >= 200) head = { status, headers: joinHeaders(headers) };
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        if (head === null) return;
        const response = { ...head, body: Buffer.concat(chunks) };
        // undici takes the connection back a turn of the event loop later, and the next request should find it.
        queueMicrotask(() => setImmediate(resolve, response));
      },
      onResponseError(_, error) {
        reject(error);
      },
    });
  });
  return {
    ended,
    sent() {
      if (controller === undefined) return "no";
      return head === null ? "maybe" : "answered";
    },
    head: () => head,
    abort() {
      aborted = true;
      controller?.abort(ABORTED);
    },
  };
}

const ABORTED = new Error("nobody waits for the answer any more");

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
