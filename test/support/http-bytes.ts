import { STATUS_CODES } from "node:http";
import type { Readable } from "node:stream";

/** HTTP/1.1 as bytes, for servers that deliberately get it wrong. @see RFC 9112 */

/** An answer before it is formatted. */
export interface WireAnswer {
  readonly status: number;
  /** Sent as written; a list is sent as repeated lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** How a body is delimited: by content-length, chunks, or the end of the connection. @see RFC 9112 §6.3 */
export type Framing = "length" | "chunked" | "close";

const CHUNK = 24;

/** Formats an answer; the framing's own headers are added unless it has them. */
export function formatAnswer(answer: WireAnswer, framing: Framing = "length"): Buffer {
  const { status, headers = {} } = answer;
  const body = bufferOf(answer.body ?? "");
  const bodiless = status === 204 || status === 304;
  const all = { ...(bodiless ? {} : framingHeaders(framing, body.length)), ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((line) => `${name}: ${line}\r\n`),
  );
  const head = Buffer.from(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unnamed"}\r\n${lines.join("")}\r\n`,
  );
  if (bodiless) return head;
  return Buffer.concat([head, ...(framing === "chunked" ? chunksOf(body) : [body])]);
}

/** Bytes are not copied: some bodies exceed the limit of responses. */
export function bufferOf(bytes: string | Uint8Array): Buffer {
  return typeof bytes === "string"
    ? Buffer.from(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function framingHeaders(framing: Framing, length: number): Record<string, string> {
  if (framing === "length") return { "content-length": String(length) };
  return framing === "chunked" ? { "transfer-encoding": "chunked" } : { connection: "close" };
}

function chunksOf(body: Buffer): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK) {
    const chunk = body.subarray(at, at + CHUNK);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return [...chunks, Buffer.from("0\r\n\r\n")];
}

/** The first lines of a request. */
export interface RequestHead {
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  /** Names in lower case; the last one of repeated ones. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads a request's head without validating it. */
export function parseHead(bytes: Buffer): RequestHead {
  const [first = "", ...lines] = bytes.toString("latin1").split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const pairs = lines
    .filter((line) => line.includes(":"))
    .map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]);
  return { method, target, headers: Object.fromEntries(pairs) };
}

/** Splits the bytes of a socket. Each read resolves with null if the peer ends first. */
export interface ByteReader {
  /** Resolves with everything up to and including the mark. */
  through(mark: string): Promise<Buffer | null>;
  exactly(count: number): Promise<Buffer | null>;
}

export function createByteReader(stream: Readable): ByteReader {
  let waiting = Buffer.alloc(0);
  let ended = false;
  let wake: () => void = () => undefined;
  stream.on("data", (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    wake();
  });
  for (const event of ["end", "close"]) {
    stream.on(event, () => {
      ended = true;
      wake();
    });
  }
  const take = async (end: () => number | null): Promise<Buffer | null> => {
    for (;;) {
      const count = end();
      if (count !== null) {
        const taken = waiting.subarray(0, count);
        waiting = waiting.subarray(count);
        return taken;
      }
      if (ended) return null;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    through: (mark) =>
      take(() => {
        const at = waiting.indexOf(mark);
        return at === -1 ? null : at + mark.length;
      }),
    exactly: (count) => take(() => (waiting.length < count ? null : count)),
  };
}

/** Reads the body that the head declares. */
export async function readBody({ headers }: RequestHead, reader: ByteReader): Promise<Buffer | null> {
  if (!/\bchunked\b/i.test(headers["transfer-encoding"] ?? "")) {
    return reader.exactly(Number(headers["content-length"] ?? "0"));
  }
  const chunks: Buffer[] = [];
  for (;;) {
    const size = await reader.through("\r\n");
    const chunk = size === null ? null : await reader.exactly(Number.parseInt(size.toString(), 16) + 2);
    if (chunk === null) return null;
    if (chunk.length === 2) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, -2));
  }
}
