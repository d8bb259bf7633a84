import type { IncomingMessage } from "node:http";
import { BODY_LIMIT, bodyTooLarge } from "./content.js";
import { badRequest, ProblemError } from "./response.js";

/** How much of a refused body is read and discarded, so that the client can read the response. */
const DISCARD_LIMIT = 8 * BODY_LIMIT;

/**
 * Bytes that a connection may deliver beyond the body: the sizes of its chunks, and what follows it. Node.js makes an object
 * of each chunk, which takes far more memory and time than a byte.
 */
const OVERHEAD_LIMIT = 128 * 1024;

/**
 * Header lines that Node.js makes `headers` of. It hides the rest, such as a second Authorization, so a request that has more is refused.
 * Node.js receives 32 lines at a time and stops at this number, which must not be a multiple: then `rawHeaders` has more as well.
 */
export const MAX_HEADERS = 100;

/** Node.js discards an unread body of this size by itself (bytes). */
const SMALL_BODY = 64 * 1024;

export interface BodyReading {
  /** Takes the memory for a part. @throws ProblemError 429, 503 */
  readonly take: (size: number) => void;
  /** Ends the reading with its reason. */
  readonly signal: AbortSignal;
  /** Called before the first part is waited for. */
  readonly onBegin: () => void;
}

/**
 * Reads a body into memory.
 * @throws ProblemError 413 when it is larger than BODY_LIMIT, 400 when the client ends it early, 429 and 503 when too
 * many bodies are in memory
 */
export async function readBody(
  request: IncomingMessage,
  { take, signal, onBegin }: BodyReading,
): Promise<Uint8Array> {
  if ((declaredLength(request) ?? 0) > BODY_LIMIT) throw bodyTooLarge();
  onBegin();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request, signal)) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT) throw bodyTooLarge();
    take(chunk.byteLength);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether a part of the body has not been read that is too large to be read for nothing. */
export function isLargelyUnread(request: IncomingMessage): boolean {
  return !request.complete && (declaredLength(request) ?? Infinity) > SMALL_BODY;
}

/** Reads the rest of a body and discards it, up to DISCARD_LIMIT or until the signal aborts. */
export async function discardBody(request: IncomingMessage, signal: AbortSignal): Promise<void> {
  let size = 0;
  for await (const chunk of chunksOf(request, signal)) {
    size += chunk.byteLength;
    if (size > DISCARD_LIMIT) return;
  }
}

/** Null for a body in chunks, which has none. @see RFC 9112 §6.3 */
function declaredLength({ headers }: IncomingMessage): number | null {
  return headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null;
}

/** @throws ProblemError 400 when the client disconnects or sends tiny chunks; the reason of the signal */
async function* chunksOf(request: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  let interrupt: () => void = () => undefined;
  const onAbort = () => interrupt();
  signal.addEventListener("abort", onAbort);
  // A promise for each part: one that lives as long as the body would keep all its parts in memory.
  const readNext = () =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      interrupt = () => reject(signal.reason);
      chunks.next().then(resolve, reject);
    });
  const { socket } = request;
  const start = socket.bytesRead;
  let size = 0;
  try {
    for (;;) {
      if (signal.aborted) throw signal.reason;
      const next = await readNext();
      if (next.done === true) return;
      size += next.value.byteLength;
      const overhead = socket.bytesRead - start - size;
      if (overhead > OVERHEAD_LIMIT) throw badRequest("the chunks of the body are too small");
      yield next.value;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof ProblemError ? error : badRequest("the body was cut short");
  } finally {
    signal.removeEventListener("abort", onAbort);
    // After an interruption no part arrives, for which it would wait.
    if (!signal.aborted) await chunks.return?.();
  }
}

/**
 * Node.js already joins repeated headers, except set-cookie, which clients do not send, and those of which it keeps only
 * the first, such as host: several of them must be refused.
 */
export function joinHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const { headers } = request;
  if (areJoined(headers) && !hasSeveral(request, "host")) return headers;
  const host = request.headersDistinct["host"];
  return Object.fromEntries(
    Object.entries({ ...headers, ...(host && { host }) }).map(([name, value]) => [
      name,
      [value ?? []].flat().join(", "),
    ]),
  );
}

function areJoined(
  headers: Readonly<NodeJS.Dict<string | string[]>>,
): headers is Readonly<Record<string, string>> {
  return headers["set-cookie"] === undefined;
}

/** Whether a request has more header lines than MAX_HEADERS. */
export function hasTooManyHeaders({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length > 2 * MAX_HEADERS;
}

/** Whether a header was sent more than once. @param name in lower case */
export function hasSeveral({ rawHeaders }: IncomingMessage, name: string): boolean {
  const isName = (text: string, index: number) =>
    index % 2 === 0 && text.length === name.length && text.toLowerCase() === name;
  return rawHeaders.findIndex(isName) !== rawHeaders.findLastIndex(isName);
}
