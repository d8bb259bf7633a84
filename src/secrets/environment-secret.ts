import { constants, lstatSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Environment, emptyVariable, type Variable } from "../config/environment.js";
import { CliError, configurationError, errorCodeOf, fileProblemOf } from "../errors.js";
import { findSecretExposure, withoutByteOrderMark } from "../system/ownership.js";

/** A kind of secret that the environment can have. */
export interface EnvironmentSecretKind {
  /** For messages. */
  readonly noun: string;
  /** Holds the secret itself. */
  readonly variable: Variable;
  /** The systemd credential. */
  readonly credential: string;
  /** Names a file with the secret. */
  readonly fileVariable: Variable;
}

export const TOKEN: EnvironmentSecretKind = {
  noun: "token",
  variable: "CALCTL_TOKEN",
  credential: "calctl-token",
  fileVariable: "CALCTL_TOKEN_FILE",
};

export const WEBHOOK_URL: EnvironmentSecretKind = {
  noun: "webhook URL",
  variable: "CALCTL_WEBHOOK_URL",
  credential: "calctl-webhook-url",
  fileVariable: "CALCTL_WEBHOOK_URL_FILE",
};

/** A secret of the environment, not yet read or checked. */
export type EnvironmentSecret = { readonly source: Variable | "CREDENTIALS_DIRECTORY" } & (
  | { readonly text: string }
  | { readonly path: string }
);

/**
 * Finds a secret of the environment, without reading it: its variable, else its systemd credential, else the file that
 * its other variable names. Null when there is none. Reading an empty variable fails.
 * @see systemd.exec(5), LoadCredential=
 */
export function findEnvironmentSecret(
  env: Environment,
  { variable, credential, fileVariable }: EnvironmentSecretKind,
): EnvironmentSecret | null {
  const { [variable]: text, [fileVariable]: file, CREDENTIALS_DIRECTORY: directory } = env;
  if (text !== undefined) return { source: variable, text };
  if (directory !== undefined && directory !== "") {
    const path = join(directory, credential);
    // The folder may have only other credentials of the unit.
    if (exists(path)) return { source: "CREDENTIALS_DIRECTORY", path };
  }
  return file === undefined ? null : { source: fileVariable, path: file };
}

/** What reading a secret needs. */
export interface SecretReadOptions {
  readonly signal: AbortSignal;
  /** The user's id; null on Windows, where files have no owner and mode in this sense. */
  readonly userId: number | null;
  /** Gets a line when others can read the user's file. */
  readonly note: (text: string) => void;
}

/**
 * Reads a secret without the newline at its end; "" when it is empty in a file.
 * @throws CliError configuration when it cannot be read or its variable is empty, and the signal's reason
 */
export async function readEnvironmentSecret(
  found: EnvironmentSecret,
  { noun }: EnvironmentSecretKind,
  reading: SecretReadOptions,
): Promise<string> {
  if (("text" in found ? found.text : found.path) === "") throw emptyVariable(found.source);
  return "text" in found ? found.text : readSecretFile({ ...found, ...reading, noun });
}

/** How messages name where a secret comes from. */
export function nameSource(found: EnvironmentSecret): string {
  return "text" in found ? found.source : `${found.source}: ${found.path}`;
}

/** Reads the token. @throws CliError configuration when it is not valid, and the signal's reason */
export async function readEnvironmentToken(
  found: EnvironmentSecret,
  reading: SecretReadOptions,
): Promise<Token> {
  const value = await readEnvironmentSecret(found, TOKEN, reading);
  return { value: checkToken(value, nameSource(found)), source: found.source };
}

/** A token to send. */
export interface Token {
  readonly value: string;
  /** Where it comes from, for `status` and messages. */
  readonly source: string;
}

/** Whether a text can be a token: visible ASCII characters without spaces, which a header can carry. @see RFC 6750 §2.1 */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * Checks that a text is a token.
 * @param source where it comes from, for messages; these never contain the text
 * @throws CliError configuration
 */
export function checkToken(text: string, source: string): string {
  if (text === "") throw configurationError(`${source} is empty`, { hint: "put a token into it" });
  if (isToken(text)) return text;
  throw configurationError(
    `${source} is not a token: it has spaces, line breaks or characters other than visible ASCII`,
    { hint: "put only the token into it, on one line" },
  );
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

interface SecretFileOptions extends SecretReadOptions {
  readonly path: string;
  /** For messages. */
  readonly source: string;
  readonly noun: string;
  /** For a pipe to deliver the secret, in milliseconds; 30 seconds by default. */
  readonly timeout?: number;
}

/** Larger than any header (bytes). */
const MAX_SIZE = 64 * 1024;
const TIMEOUT = 30_000;
/** Between two reads of an empty pipe (ms). */
const POLL_INTERVAL = 20;

/**
 * Reads the secret in a file, or in a pipe such as a shell's `<(…)`, without a byte order mark and the newline at its end.
 * @throws CliError configuration when it cannot be read or others can change it, and the signal's reason
 */
export async function readSecretFile(options: SecretFileOptions): Promise<string> {
  const { path, source, noun, signal } = options;
  const name = `${source}: ${path}`;
  let file: FileHandle | undefined;
  try {
    // Opening a pipe without a writer would block in a thread that nothing interrupts.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    checkExposure(name, await file.stat(), options);
    const bytes = await readChunks(file, name, options);
    return withoutFinalNewline(withoutByteOrderMark(bytes.toString("utf8")));
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof CliError) throw cause;
    throw configurationError(`${name} cannot be read (${fileProblemOf(cause)})`, {
      hint: `name a file with a ${noun} that you can read`,
      cause,
    });
  } finally {
    await file?.close();
  }
}

/** Notes that others can read the secret. @throws CliError configuration when they can replace it */
function checkExposure(name: string, file: Stats, { path, noun, userId, note }: SecretFileOptions): void {
  switch (findSecretExposure(path, file, userId)) {
    case null:
      return;
    case "readable_by_others":
      note(`other users can read the ${noun} in ${path}: chmod 600 ${path}`);
      return;
    case "writable_by_others":
      throw configurationError(`${name} is not used: other users can write to it`, {
        hint: `look at what is in it, then chmod 600 ${path}`,
      });
    case "other_owner":
      throw configurationError(`${name} is not used: it belongs to another user, who can change it`, {
        hint: "run calctl as that user, or name a file of your own",
      });
  }
}

async function readChunks(file: FileHandle, name: string, options: SecretFileOptions): Promise<Buffer> {
  const { noun, signal, timeout = TIMEOUT } = options;
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
        throw configurationError(`${name} is larger than ${MAX_SIZE / 1024} KiB, too large for a ${noun}`, {
          hint: `name a file with only a ${noun}`,
        });
      }
    }
    await sleep(POLL_INTERVAL, undefined, { signal });
  }
  throw configurationError(`${name} is a pipe that delivered no ${noun} in ${timeout / 1000} seconds`, {
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

/** Without the newline that editors and `echo` add. */
export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}
