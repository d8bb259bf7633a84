import type { Dispatcher } from "undici";
import type { HttpRequest, HttpResponse, Sent } from "../transport/transport.js";

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
