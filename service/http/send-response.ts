import type { IncomingMessage, ServerResponse } from "node:http";
import { finished, pipeline } from "node:stream/promises";
import { discardBody } from "./incoming-message.js";
import type { ServiceResponse } from "./response.js";

/** Bytes of a response that are handed to the connection at a time. */
const PIECE = 256 * 1024;

/** A response, and how it is sent. */
interface Sending {
  readonly handled: ServiceResponse;
  /** How long the client may take to receive it, and how long it may take nothing of it (ms). */
  readonly timeout: number;
  readonly stallTimeout: number;
  /** Null: the rest of the request is not waited for. Its signal aborts when there will be none. */
  readonly discard: (() => AbortSignal) | null;
}

/** Rejects when the client has disconnected, or has not received the response in time. */
export async function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  sending: Sending,
): Promise<void> {
  const { status, headers, body } = sending.handled;
  const isComplete = status === 204 || status === 304 || "content-length" in headers;
  response.writeHead(status, isComplete ? headers : { ...headers, "content-length": body.byteLength });
  if (body.byteLength <= PIECE && sending.discard === null) {
    response.end(body);
    // Usually the system takes it at once, and there is nothing to wait for.
    if (response.socket?.writableLength === 0) return;
  }
  await sendInTime(request, response, sending);
}

async function sendInTime(
  request: IncomingMessage,
  response: ServerResponse,
  { handled: { body }, timeout, stallTimeout, discard }: Sending,
): Promise<void> {
  const deadline = new AbortController();
  const timers = [timeout, stallTimeout].map((time) => setTimeout(() => deadline.abort(), time));
  const { signal } = deadline;
  try {
    if (response.writableEnded) {
      await finished(response, { signal });
    } else if (discard !== null) {
      // Closing the connection now would take the response from a client that is still sending.
      response.write(body);
      await discardBody(request, AbortSignal.any([signal, discard()])).catch(() => undefined);
      response.end();
      await finished(response, { signal });
    } else {
      const [, stalled] = timers;
      await pipeline(
        piecesOf(body, () => stalled?.refresh()),
        response,
        { signal },
      );
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** @param onNext called when a piece is needed, because those before it were taken */
function* piecesOf(body: Uint8Array, onNext: () => void): Generator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += PIECE) {
    onNext();
    yield body.subarray(start, start + PIECE);
  }
}
