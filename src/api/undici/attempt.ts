import type { Dispatcher } from "undici";
import { interruptedWrite } from "../transport/interruption.js";
import type { After } from "../transport/timer.js";
import type { HttpRequest, HttpResponse } from "../transport/transport.js";
import { startRequest } from "./request.js";
import { AttemptTimeout, describeFailure, type Surroundings } from "./transport-failure.js";

export interface AttemptOptions extends Omit<Surroundings, "sent" | "url"> {
  readonly dispatcher: Dispatcher;
  /** Longest time until the request begins to be written, in milliseconds. */
  readonly connectTimeout: number;
  /** Longest time of the whole attempt in milliseconds. */
  readonly timeout: number;
  readonly after: After;
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
  { connectTimeout, timeout, after }: Pick<AttemptOptions, "connectTimeout" | "timeout" | "after">,
): Limits {
  const controller = new AbortController();
  const stop = (milliseconds: number) => controller.abort(new AttemptTimeout(milliseconds));
  const interrupt = () => controller.abort(signal?.reason);
  const connected = after(connectTimeout, () => stop(connectTimeout));
  const ended = after(timeout, () => stop(timeout));
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
