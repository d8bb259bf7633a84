import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { CliError, configurationError, errorCodeOf } from "../../errors.js";
import { checkToken, withoutFinalNewline } from "./token-text.js";

export interface TokenFileOptions {
  readonly path: string;
  /** Names it in messages. */
  readonly source: string;
  readonly signal: AbortSignal;
  /** Longest time in milliseconds; 30 seconds by default. */
  readonly limit?: number;
}

/** More than any header carries. */
const SIZE_MAX = 64 * 1024;
const LIMIT = 30_000;
/** Between two looks at a pipe that holds nothing yet, in milliseconds. */
const PAUSE = 20;

/**
 * The token in a file, or in a pipe such as a shell's `<(…)`.
 * @throws CliError configuration when it gives none in time, and the signal's reason
 */
export async function readTokenFile({ path, source, signal, limit }: TokenFileOptions): Promise<string> {
  const name = `${source}: ${path}`;
  const bytes = await readBounded({ path, name, signal, limit: limit ?? LIMIT });
  return checkToken(withoutFinalNewline(bytes.toString("utf8")), name);
}

interface Reading {
  readonly path: string;
  readonly name: string;
  readonly signal: AbortSignal;
  readonly limit: number;
}

async function readBounded({ path, name, signal, limit }: Reading): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    // A pipe that nobody writes would be waited for in a thread that nothing interrupts.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return await readPatiently(file, { name, signal, limit });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof CliError) throw cause;
    throw configurationError(`${name} cannot be read (${errorCodeOf(cause) ?? "unknown"})`, {
      hint: "name a file that holds a token, and that you may read",
      cause,
    });
  } finally {
    await file?.close();
  }
}

async function readPatiently(
  file: FileHandle,
  { name, signal, limit }: Omit<Reading, "path">,
): Promise<Buffer> {
  const mayFillLater = (await file.stat()).isFIFO();
  const chunks: Buffer[] = [];
  let size = 0;
  for (let waited = 0; waited < limit; waited += PAUSE) {
    for (let chunk = await readChunk(file); chunk !== "nothing yet"; chunk = await readChunk(file)) {
      if (chunk.length === 0) {
        if (size > 0 || !mayFillLater) return Buffer.concat(chunks);
        break;
      }
      chunks.push(chunk);
      size += chunk.length;
      if (size > SIZE_MAX) {
        throw configurationError(`${name} holds more than ${SIZE_MAX / 1024} KiB, which is no token`, {
          hint: "name a file that holds a token alone",
        });
      }
    }
    await sleep(PAUSE, undefined, { signal });
  }
  throw configurationError(`${name} is a pipe that gave no token within ${limit / 1000} seconds`, {
    hint: "does the program at its other end run?",
  });
}

/** The next bytes, none at the end; a pipe may have nothing yet. */
async function readChunk(file: FileHandle): Promise<Buffer | "nothing yet"> {
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(SIZE_MAX), position: null });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (errorCodeOf(error) === "EAGAIN") return "nothing yet";
    throw error;
  }
}
