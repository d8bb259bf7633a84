import type { IncomingMessage, ServerResponse } from "node:http";
import { finished, pipeline } from "node:stream/promises";
import { discardBody, isLargelyUnread } from "./request-body.js";
import type { ServiceResponse } from "./response.js";

/** Bytes of a response that are handed to the connection at a time. */
const PART = 256 * 1024;

/** A response and how it is sent. */
export interface Sending extends ServiceResponse {
  /** How long the client may take to receive it, and how long it may take nothing of it (ms). */
  readonly timeout: number;
  readonly stallTimeout: number;
  /** Null: the rest of the request is not waited for. The signal aborts when there will be none. */
  readonly discard: AbortSignal | null;
}

/** Rejects when the client has disconnected, or has not received the response in time. */
export async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, timeout, stallTimeout, discard }: Sending,
): Promise<void> {
  const hasLength = status !== 204 && status !== 304;
  response.writeHead(status, { ...(hasLength && { "content-length": body.byteLength }), ...headers });
  const deadline = new AbortController();
  const timers = [timeout, stallTimeout].map((time) => setTimeout(() => deadline.abort(), time));
  const { signal } = deadline;
  try {
    if (discard !== null && isLargelyUnread(request)) {
      // Closing the connection now would take the response from a client that is still sending.
      response.write(body);
      await discardBody(request, AbortSignal.any([signal, discard])).catch(() => undefined);
      response.end();
      await finished(response, { signal });
    } else if (body.byteLength <= PART) {
      response.end(body);
      await finished(response, { signal });
    } else {
      const [, stalled] = timers;
      await pipeline(
        partsOf(body, () => stalled?.refresh()),
        response,
        { signal },
      );
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** @param onNext called when a part is needed, because those before it were taken */
function* partsOf(body: Uint8Array, onNext: () => void): Generator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += PART) {
    onNext();
    yield body.subarray(start, start + PART);
  }
}
