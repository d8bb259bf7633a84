import { readFile } from "node:fs/promises";
import type { Input } from "../context.js";
import { locateJsonError } from "../contract/json-syntax.js";
import { errorCodeOf, usageError } from "../errors.js";

/** What is used of a Node readable stream. */
export interface ReadableLike extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

export function createInput(stdin: ReadableLike): Input {
  const text = async (path: string, source: string): Promise<string> => {
    const bytes = path === "-" ? await readAll(stdin) : await readPath(path, source);
    try {
      // A byte order mark is dropped by the decoder.
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (cause) {
      const error = usageError(`${source}: ${describe(path)} is not UTF-8 text`);
      error.cause = cause;
      throw error;
    }
  };
  return {
    isTerminal: stdin.isTTY === true,
    text,
    async json(path, source) {
      const content = await text(path, source);
      if (content.trim() === "") throw usageError(`${source}: ${describe(path)} is empty, JSON is expected`);
      try {
        return JSON.parse(content);
      } catch {
        const { offset, line, column, atEnd } = await locateJsonError(content);
        const where = `line ${line}, column ${column} (character ${offset})`;
        throw usageError(
          `${source}: ${describe(path)} is no valid JSON: ${atEnd ? "it ends too early" : "unexpected text"} at ${where}`,
        );
      }
    },
  };
}

/** Everything of a stream. */
export async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  return Buffer.concat(chunks);
}

async function readPath(path: string, source: string): Promise<Uint8Array> {
  if (path === "")
    throw usageError(`${source}: the file name is empty`, "is a variable of the script unset?");
  try {
    return await readFile(path);
  } catch (error) {
    throw usageError(`${source}: ${path} cannot be read (${errorCodeOf(error) ?? "unknown"})`);
  }
}

function describe(path: string): string {
  return path === "-" ? "stdin" : path;
}
