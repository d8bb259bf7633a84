import type { IncomingMessage } from "node:http";
import type { Share } from "./budget.js";
import { BODY_LIMIT, bodyTooLarge } from "./content.js";
import { badRequest, refuseExceeded } from "./response.js";

/** How much of a refused body is read and discarded, so that the client can read the response. */
const DISCARD_LIMIT = 8 * BODY_LIMIT;

/** Node.js discards an unread body of this size by itself (bytes). */
const SMALL_BODY = 64 * 1024;

/**
 * Reads a body into memory, which the share pays for until it is closed.
 * @throws ProblemError 413 when it is larger than BODY_LIMIT, 400 when the client ends it early, 429 and 503 when too
 * many bodies are in memory
 */
export async function readBody(request: IncomingMessage, share: Share): Promise<Uint8Array> {
  if ((declaredLength(request) ?? 0) > BODY_LIMIT) throw bodyTooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT) throw bodyTooLarge();
    refuseExceeded(share.tryTake(chunk.byteLength));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether a part of the body has not been read that is too large to be read for nothing. */
export function isLargelyUnread(request: IncomingMessage): boolean {
  return !request.complete && (declaredLength(request) ?? Infinity) > SMALL_BODY;
}

/** Reads the rest of a body and discards it, up to DISCARD_LIMIT. */
export async function discardBody(request: IncomingMessage): Promise<void> {
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > DISCARD_LIMIT) return;
  }
}

/** Null for a body in chunks, which has none. @see RFC 9112 §6.3 */
function declaredLength({ headers }: IncomingMessage): number | null {
  return headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null;
}

/** @throws ProblemError 400 when the client disconnects */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch {
    throw badRequest("the body was cut short");
  }
}
