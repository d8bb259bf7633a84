import { constants, lstatSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config/config-file.js";
import { type Environment, emptyVariable } from "../../config/environment.js";
import { CliError, configurationError, errorCodeOf } from "../../errors.js";
import { checkToken, withoutFinalNewline } from "./token-text.js";

/** A token to send. */
export interface Token {
  readonly value: string;
  /** Where it comes from, for `status` and messages. */
  readonly source: string;
}

/** A token of the environment, not yet read or checked. */
export type EnvironmentToken =
  | { readonly source: "CALCTL_TOKEN"; readonly text: string }
  | { readonly source: "CREDENTIALS_DIRECTORY" | "CALCTL_TOKEN_FILE"; readonly path: string };

/**
 * Finds the token of the environment, without reading it: CALCTL_TOKEN, else the systemd credential `calctl-token`,
 * else the file CALCTL_TOKEN_FILE. Null when there is none. Reading an empty variable fails.
 * @see systemd.exec(5), LoadCredential=
 */
export function findEnvironmentToken(env: Environment): EnvironmentToken | null {
  const { CALCTL_TOKEN: text, CALCTL_TOKEN_FILE: tokenFile } = env;
  if (text !== undefined) return { source: "CALCTL_TOKEN", text };
  const directory = env["CREDENTIALS_DIRECTORY"];
  if (directory !== undefined && directory !== "") {
    const path = join(directory, "calctl-token");
    // The folder may have only other credentials of the unit.
    if (exists(path)) return { source: "CREDENTIALS_DIRECTORY", path };
  }
  return tokenFile === undefined ? null : { source: "CALCTL_TOKEN_FILE", path: tokenFile };
}

/** Reads the token. @throws CliError configuration when it is not valid, and the signal's reason */
export async function readEnvironmentToken(found: EnvironmentToken, signal: AbortSignal): Promise<Token> {
  const { source } = found;
  if ((found.source === "CALCTL_TOKEN" ? found.text : found.path) === "") throw emptyVariable(source);
  const value =
    found.source === "CALCTL_TOKEN"
      ? checkToken(found.text, source)
      : await readTokenFile({ path: found.path, source, signal });
  return { value, source };
}

/** True for a file that cannot be accessed: reading it reports why. */
function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== "ENOENT";
  }
}

/** The source of a token that is used instead of the stored one; null when the stored one is used. */
export function findOverridingSource(config: Config, profile: string, env: Environment): string | null {
  const found = findEnvironmentToken(env);
  if (found !== null && env[found.source] !== "") return found.source;
  return config.profiles.get(profile)?.token_command === undefined ? null : "token_command";
}

interface TokenFileOptions {
  readonly path: string;
  /** For messages. */
  readonly source: string;
  readonly signal: AbortSignal;
  /** For a pipe to deliver the token, in milliseconds; 30 seconds by default. */
  readonly timeout?: number;
}

/** Larger than any header (bytes). */
const MAX_SIZE = 64 * 1024;
const TIMEOUT = 30_000;
/** Between two reads of an empty pipe (ms). */
const POLL_INTERVAL = 20;

/**
 * Reads the token in a file, or in a pipe such as a shell's `<(…)`.
 * @throws CliError configuration without a valid token, and the signal's reason
 */
export async function readTokenFile(options: TokenFileOptions): Promise<string> {
  const { path, source, signal, timeout = TIMEOUT } = options;
  const name = `${source}: ${path}`;
  let file: FileHandle | undefined;
  try {
    // Opening a pipe without a writer would block in a thread that nothing interrupts.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const bytes = await readChunks(file, { name, signal, timeout });
    return checkToken(withoutFinalNewline(bytes.toString("utf8")), name);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof CliError) throw cause;
    throw configurationError(`${name} cannot be read (${errorCodeOf(cause) ?? "unknown"})`, {
      hint: "name a file with a token that you can read",
      cause,
    });
  } finally {
    await file?.close();
  }
}

async function readChunks(
  file: FileHandle,
  {
    name,
    signal,
    timeout,
  }: { readonly name: string; readonly signal: AbortSignal; readonly timeout: number },
): Promise<Buffer> {
  const isPipe = (await file.stat()).isFIFO();
  const chunks: Buffer[] = [];
  let size = 0;
  for (let waited = 0; waited < timeout; waited += POLL_INTERVAL) {
    for (let chunk = await readChunk(file); chunk !== null; chunk = await readChunk(file)) {
      if (chunk.length === 0) {
        if (size > 0 || !isPipe) return Buffer.concat(chunks);
        break;
      }
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_SIZE) {
        throw configurationError(`${name} is larger than ${MAX_SIZE / 1024} KiB, too large for a token`, {
          hint: "name a file with only a token",
        });
      }
    }
    await sleep(POLL_INTERVAL, undefined, { signal });
  }
  throw configurationError(`${name} is a pipe that delivered no token in ${timeout / 1000} seconds`, {
    hint: "is the program that writes to it running?",
  });
}

/** The next bytes, empty at the end; null when a pipe has none yet. */
async function readChunk(file: FileHandle): Promise<Buffer | null> {
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(MAX_SIZE), position: null });
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (errorCodeOf(error) === "EAGAIN") return null;
    throw error;
  }
}
