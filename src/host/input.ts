import { createReadStream } from "node:fs";
import type { Input } from "../context.js";
import { CliError, errorCodeOf, usageError } from "../errors.js";
import { describeJsonError } from "./json-position.js";

/** What is used of a Node readable stream. */
export interface ReadableLike extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
}

/** @param process whose stdin is touched when it is first needed */
export function createInput(process: { readonly stdin: ReadableLike }): Input {
  const text = async (path: string, source: string): Promise<string> => {
    const bytes = path === "-" ? await readAll(process.stdin, source) : await readPath(path, source);
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
    get isTerminal() {
      return process.stdin.isTTY === true;
    },
    text,
    async json(path, source) {
      const content = await text(path, source);
      if (content.trim() === "") throw usageError(`${source}: ${describe(path)} is empty, JSON is expected`);
      try {
        return JSON.parse(content);
      } catch {
        throw usageError(
          `${source}: ${describe(path)} is no valid JSON: ${await describeJsonError(content)}`,
        );
      }
    },
  };
}

/** More than any service takes: an endless source must not fill the memory. */
const INPUT_MAX = 8 * 1024 * 1024;

/** Everything of a stream. @throws CliError usage when it is more than any input can be */
export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  source: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > INPUT_MAX) throw usageError(`${source}: more than 8 MiB, which no service takes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

async function readPath(path: string, source: string): Promise<Uint8Array> {
  if (path === "")
    throw usageError(`${source}: the file name is empty`, "is a variable of the script unset?");
  try {
    return await readAll(createReadStream(path), source);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(`${source}: ${path} cannot be read (${errorCodeOf(error) ?? "unknown"})`);
  }
}

function describe(path: string): string {
  return path === "-" ? "stdin" : path;
}
