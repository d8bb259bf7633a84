import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { finished, pipeline } from "node:stream/promises";
import type { Quota } from "../budget.js";
import { discardBody } from "./incoming-message.js";
import { ProblemError, refuseExceeded, type ServiceResponse } from "./response.js";

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

/** A response that goes on. */
interface Streaming {
  readonly handled: ServiceResponse;
  readonly stream: NonNullable<ServiceResponse["stream"]>;
  /** How long the client may take nothing of a text (ms). */
  readonly stallTimeout: number;
  /** Memory of texts that the client has not taken. */
  readonly quota: Quota;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Resolves when the stream has ended. Rejects when the client does not take it. */
export async function sendStream(response: ServerResponse, streaming: Streaming): Promise<void> {
  const { handled, stream, stallTimeout, quota, signal } = streaming;
  response.writeHead(handled.status, handled.headers).flushHeaders();
  try {
    for await (const text of stream(signal)) {
      const bytes = Buffer.byteLength(text);
      refuseExceeded(quota.tryTake(bytes));
      if (!response.write(text)) {
        const stalled = AbortSignal.timeout(stallTimeout);
        await once(response, "drain", { signal: AbortSignal.any([signal, stalled]) });
      }
      quota.give(bytes);
    }
  } catch (error) {
    // The client gets this error when it asks again.
    if (!(error instanceof ProblemError)) throw error;
  }
  response.end();
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
