import { isUtf8 } from "node:buffer";
import { describeJsonError, isJsonObject, locateJsonError, parseJson } from "../../contract/json.js";
import { usageError } from "../errors.js";

/** JSON from a file or stdin. */
export type JsonItems =
  | { readonly kind: "one"; readonly value: unknown }
  | { readonly kind: "several"; readonly items: AsyncIterable<JsonItem> };

/** One of several values. */
export interface JsonItem {
  /** Where it is: `line 3`, or `[2]` of a list. */
  readonly place: string;
  /** @throws CliError usage for what is not JSON in UTF-8 */
  read(): Promise<unknown>;
}

type Chunk = Uint8Array | string;

type ByteStream = AsyncIterable<Chunk> & { destroy(): unknown };

export interface LinesOptions {
  /** What is read, for messages. */
  readonly name: string;
  /** Ends the reading, which may wait forever; its reason is the error to throw. */
  readonly signal: AbortSignal;
  /** The error for a stream that failed. */
  readonly readError: (error: unknown) => unknown;
  /** Called for a line of more than 8 MiB, which is then left out; without it such a line is an error. */
  readonly onTooLong?: () => Promise<void>;
}

/** Null for one that is not UTF-8. */
type Line = string | null;

/** Largest document, and longest line (bytes); lines may be as many as they want. */
const MAX_SIZE = 8 * 1024 * 1024;

/**
 * Reads one JSON value, the items of a list, or one object a line (NDJSON). Such lines are read as they arrive, and one
 * that is broken is the only one.
 * @throws CliError usage for what is none of these
 */
export async function readJsonItems(stream: ByteStream, options: LinesOptions): Promise<JsonItems> {
  const { name } = options;
  const lines = readByteLines(stream, options);
  const head: Line[] = [];
  const readFilled = async (): Promise<Line | undefined> => {
    for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
      head.push(next.value);
      if (isFilled(next.value)) return next.value;
    }
    return undefined;
  };
  const first = await readFilled();
  if (first === undefined) throw usageError(`${name} is empty; it must be JSON`);
  const value = parse(first);
  if (isJsonObject(value)) {
    const isOnly = (await readFilled()) === undefined;
    return isOnly ? { kind: "one", value } : { kind: "several", items: itemsOf(head, lines) };
  }
  for (let size = 0, line: Line | undefined = first; line !== undefined; line = await readFilled()) {
    size += line?.length ?? 0;
    if (size > MAX_SIZE) throw usageError(`${name}: more than 8 MiB`, "write one object a line");
  }
  return readDocument(head, name);
}

/** A document of several lines; or lines of which the first one is broken. */
async function readDocument(lines: readonly Line[], name: string): Promise<JsonItems> {
  const text = lines.join("\n");
  const value = lines.includes(null) ? undefined : parse(text);
  if (Array.isArray(value)) return { kind: "several", items: listItems(value) };
  if (value !== undefined) return { kind: "one", value };
  if (lines.some((line) => isJsonObject(parse(line)))) return { kind: "several", items: itemsOf(lines, []) };
  const problem = lines.includes(null)
    ? "is not UTF-8 text"
    : `is not valid JSON: ${await describeJsonError(text)}`;
  throw usageError(`${name} ${problem}`);
}

async function* itemsOf(
  head: readonly Line[],
  rest: Iterable<Line> | AsyncIterable<Line>,
): AsyncGenerator<JsonItem> {
  let number = 0;
  for (const lines of [head, rest])
    for await (const line of lines) {
      number += 1;
      if (isFilled(line)) yield { place: `line ${number}`, read: () => readLine(line) };
    }
}

async function* listItems(values: readonly unknown[]): AsyncGenerator<JsonItem> {
  for (const [index, value] of values.entries()) yield { place: `[${index}]`, read: async () => value };
}

async function readLine(line: Line): Promise<unknown> {
  const value = parse(line);
  if (value !== undefined) return value;
  if (line === null) throw usageError("it is not UTF-8 text");
  throw usageError(`it is not valid JSON at character ${(await locateJsonError(line)).column}`);
}

/** Undefined for what is not JSON. */
function parse(text: Line): unknown {
  return text === null ? undefined : parseJson(text);
}

function isFilled(line: Line): boolean {
  return line === null || line.trim() !== "";
}

/**
 * The lines of a stream as they arrive; only a line feed ends one, since JSON may have other separators in its texts.
 * @throws CliError usage for one of more than 8 MiB
 */
export async function* readByteLines(stream: ByteStream, options: LinesOptions): AsyncGenerator<Line> {
  const { name, signal, onTooLong = () => throwTooLong(name) } = options;
  const stop = () => void stream.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of splitLines(readChunks(stream, options), onTooLong))
      yield isUtf8(line) ? line.toString().replace("\uFEFF", "") : null;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
}

/** A stream whose errors, and no others, are those of reading. */
async function* readChunks(stream: ByteStream, { signal, readError }: LinesOptions): AsyncGenerator<Chunk> {
  try {
    yield* stream;
  } catch (error) {
    signal.throwIfAborted();
    throw readError(error);
  }
}

async function throwTooLong(name: string): Promise<never> {
  throw usageError(`${name}: a line of more than 8 MiB`);
}

async function* splitLines(
  chunks: AsyncIterable<Chunk>,
  onTooLong: () => Promise<void>,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, typeof chunk === "string" ? Buffer.from(chunk) : chunk]);
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      if (!isTooLong) yield rest.subarray(0, end);
      isTooLong = false;
      rest = rest.subarray(end + 1);
    }
    if (rest.length <= MAX_SIZE) continue;
    if (!isTooLong) await onTooLong();
    isTooLong = true;
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0 && !isTooLong) yield rest;
}
