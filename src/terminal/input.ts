import { createReadStream, fstatSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { describeJsonError } from "../../contract/json.js";
import { CliError, emptyValueError, fileProblemOf, usageError } from "../errors.js";
import type { JsonItems } from "./json-items.js";

/** The part of a Node readable stream that the program uses. */
export interface ReadableLike extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
  /** Of the process's own stdin. */
  readonly fd?: number | undefined;
  /** Of terminals. */
  readonly setRawMode?: unknown;
  destroy(): unknown;
}

/** Reads input from files and stdin. */
export type Input = ReturnType<typeof createInput>;

/**
 * @param process its stdin is not accessed before it is needed
 * @param signal ends a read, which may wait forever; its reason is the error to throw
 */
export function createInput(process: { readonly stdin: ReadableLike }, signal: () => AbortSignal) {
  const open = (path: string, source: string) => {
    const name = `${source}: ${displayName(path)}`;
    const readError = (error: unknown) => {
      if (error instanceof CliError) return error;
      return usageError(`${name} cannot be read (${fileProblemOf(error)})`);
    };
    if (path === "-" && isDirectory(process.stdin)) throw readError({ code: "EISDIR" });
    return { stream: path === "-" ? process.stdin : openFile(path, source), name, readError };
  };
  const readBytes = async (path: string, source: string, limit: InputLimit): Promise<Uint8Array> => {
    const { stream, readError } = open(path, source);
    return readAll(stream, limit, signal()).catch((error: unknown) => {
      throw readError(error);
    });
  };
  const decode = async (path: string, source: string): Promise<string> => {
    const error = () => usageError(`${source}: more than 8 MiB, larger than any service accepts`);
    const bytes = await readBytes(path, source, { bytes: MAX_INPUT, error });
    return decodeText(bytes, `${source}: ${displayName(path)}`);
  };
  return {
    /** Whether stdin is a terminal. */
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    /** Reads a file, or stdin for `-`, as it is. @throws CliError usage when it cannot be read, and the error of the limit */
    bytes: readBytes,
    /**
     * Reads a UTF-8 file, or stdin for `-`, without the newline that editors and `echo` add.
     * @param source the flag, for messages
     * @throws CliError usage when it cannot be read
     */
    text: async (path: string, source: string) => withoutLastNewline(await decode(path, source)),
    /** Reads JSON from a file, or from stdin for `-`. @throws CliError usage with the position of a syntax error */
    async json(path: string, source: string): Promise<unknown> {
      const content = await decode(path, source);
      if (content.trim() === "")
        throw usageError(`${source}: ${displayName(path)} is empty; it must be JSON`);
      try {
        return JSON.parse(content);
      } catch {
        const problem = await describeJsonError(content);
        throw usageError(`${source}: ${displayName(path)} is not valid JSON: ${problem}`);
      }
    },
    /** Reads one JSON value or several, from a file or stdin likewise. @throws CliError usage as `readJsonItems` */
    async jsonItems(path: string, source: string): Promise<JsonItems> {
      const { stream, ...options } = open(path, source);
      const { readJsonItems } = await import("./json-items.js");
      return readJsonItems(stream, { ...options, signal: signal() });
    },
  };
}

/** Decodes UTF-8, and drops a byte order mark. @param name of the text, for the message. @throws CliError usage */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("usage", `${name} is not UTF-8 text`, { cause });
  }
}

/** The text without the one newline that editors and `echo` add at its end. */
export function withoutLastNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** Larger than any service accepts (bytes), so that endless input does not fill the memory. */
const MAX_INPUT = 8 * 1024 * 1024;

/** How much is read at most, and the error for more. */
export interface InputLimit {
  readonly bytes: number;
  readonly error: () => CliError;
}

/** Reads a whole stream. @throws CliError when it is too large, and the signal's reason */
async function readAll(stream: ReadableLike, limit: InputLimit, signal: AbortSignal): Promise<Uint8Array> {
  let onAbort: () => void = () => undefined;
  const interruption = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason);
      stream.destroy();
    };
  });
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([collect(stream, limit), interruption]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function collect(stream: ReadableLike, limit: InputLimit): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > limit.bytes) throw limit.error();
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function openFile(path: string, source: string): ReadableLike {
  if (path !== "") return createReadStream(path);
  throw emptyValueError(`${source}: the file name`);
}

/** Whether stdin is a directory, which Node reads as an empty file. */
function isDirectory({ fd }: ReadableLike): boolean {
  return fd !== undefined && fstatSync(fd).isDirectory();
}

function displayName(path: string): string {
  return path === "-" ? "stdin" : path;
}

/**
 * Lines of any length from a terminal, until the signal aborts. The terminal itself would pass on only the beginning of
 * a line: 4,095 bytes on Linux, 1,023 on macOS.
 * @param interrupt what Ctrl-C does
 */
export async function* readLines(
  { stdin, stderr }: { readonly stdin: ReadableLike; readonly stderr: unknown },
  { signal, interrupt }: { readonly signal: AbortSignal; readonly interrupt: () => void },
): AsyncGenerator<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({
    input: stdin as Readable,
    output: stderr as Writable,
    terminal: stdin.setRawMode !== undefined,
    historySize: 0,
    prompt: "",
    signal,
  });
  lines.on("SIGINT", interrupt);
  try {
    for await (const line of lines) yield line;
  } finally {
    lines.close();
  }
}
