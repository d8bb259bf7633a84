import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { type CliError, configurationError, errorCodeOf } from "../../errors.js";
import { makePrivateFolder, removeDrafts, writePrivateFile } from "../../system/private-file.js";
import type { CredentialKey, CredentialStore } from "./store.js";

export interface SecretFileOptions {
  /** Folder of the tokens, one file each. */
  readonly directory: string;
  /** The user's id; null where files have no owner and no mode that mean anything (Windows). */
  readonly userId: number | null;
  /** Ends the name of a draft; random by default. */
  readonly draftMark?: () => string;
}

/** Tokens in files that only their owner reads: for those who asked for it. */
export function createSecretFiles(options: SecretFileOptions): CredentialStore {
  const pathOf = (key: CredentialKey) => join(options.directory, fileName(key));
  const load = (key: CredentialKey) => readSecret(pathOf(key), key, options);
  return {
    name: "file",
    async probe() {
      const path = join(options.directory, `probe-${randomBytes(8).toString("hex")}`);
      await writeSecret(options, path, "");
      await unlink(path);
    },
    async save(key, token) {
      await writeSecret(options, pathOf(key), JSON.stringify({ ...key, token }));
      if ((await load(key)) !== token) {
        throw configurationError(`${pathOf(key)} does not give back the token that was written`, {
          hint: OTHER_FOLDER,
        });
      }
    },
    load,
    async remove(key) {
      try {
        await removeDrafts(pathOf(key));
        await unlink(pathOf(key));
        return true;
      } catch (cause) {
        if (errorCodeOf(cause) === "ENOENT") return false;
        throw fileError("removed", pathOf(key), cause);
      }
    },
  };
}

/** Readable, and its own for every key also where file names know no upper case. */
function fileName({ profile, origin }: CredentialKey): string {
  const mark = createHash("sha256").update(`${profile} ${origin}`).digest("hex").slice(0, 16);
  // A file name has 255 bytes, and a letter up to four.
  return `${[...profile].slice(0, 40).join("")}-${mark}.json`;
}

const secretSchema = v.object({ profile: v.string(), origin: v.string(), token: v.string() });

async function readSecret(
  path: string,
  key: CredentialKey,
  { userId }: SecretFileOptions,
): Promise<string | null> {
  let text: string;
  try {
    const link = await lstat(path);
    if (link.isSymbolicLink() && userId !== null && link.uid !== userId) {
      throw unsafe(path, "it is a link that belongs to somebody else");
    }
    // A pipe would be waited for in a thread that nothing interrupts.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      checkOwnership(await handle.stat(), path, userId);
      text = await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (errorCodeOf(cause) === "ENOENT") return null;
    throw errorCodeOf(cause) === "configuration" ? cause : fileError("read", path, cause);
  }
  const secret = parseSecret(text);
  if (secret === null)
    throw configurationError(`${path} is broken: it holds no token`, { hint: LOGIN_AGAIN });
  if (secret.origin !== key.origin || secret.profile !== key.profile) {
    throw configurationError(`${path} is broken: its token is for ${secret.origin}`, { hint: LOGIN_AGAIN });
  }
  return secret.token;
}

const LOGIN_AGAIN = "remove the file and run calctl login again";

function parseSecret(text: string): v.InferOutput<typeof secretSchema> | null {
  try {
    const parsed = v.safeParse(secretSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    // The parser's message would repeat the text.
    return null;
  }
}

function checkOwnership(stats: Stats, path: string, userId: number | null): void {
  if (!stats.isFile()) throw unsafe(path, "it is no file");
  if (userId === null) return;
  if (stats.uid !== userId) throw unsafe(path, "it belongs to somebody else");
  if ((stats.mode & 0o077) !== 0) {
    throw configurationError(`${path} holds a token, and others may read it`, {
      hint: `if you trust them, chmod 600 ${path}; else make the token invalid and run calctl login again`,
    });
  }
}

/** @throws CliError configuration when there is no folder that only its owner can write to */
async function prepareFolder({ directory, userId }: SecretFileOptions): Promise<void> {
  try {
    makePrivateFolder(directory);
    checkFolder(await stat(directory), directory, userId);
  } catch (cause) {
    throw errorCodeOf(cause) === "configuration" ? cause : fileError("written", directory, cause);
  }
}

async function writeSecret(options: SecretFileOptions, path: string, text: string): Promise<void> {
  await prepareFolder(options);
  try {
    await writePrivateFile(path, text, options.draftMark?.());
  } catch (cause) {
    throw fileError("written", path, cause);
  }
}

/** Whoever may write in a folder may put other files in the place of ours. */
function checkFolder({ uid, mode }: Stats, directory: string, userId: number | null): void {
  if (userId === null || (uid === userId && (mode & 0o022) === 0)) return;
  throw configurationError(`${directory} is not used: others may write in it`, {
    hint: `chmod 700 ${directory}; ${OTHER_FOLDER}`,
  });
}

const OTHER_FOLDER = "CALCTL_DATA_DIR names another folder";

function unsafe(path: string, why: string): CliError {
  return configurationError(`${path} is not read: ${why}`, { hint: LOGIN_AGAIN });
}

function fileError(verb: string, path: string, cause: unknown): CliError {
  return configurationError(`${path} cannot be ${verb} (${errorCodeOf(cause) ?? "unknown"})`, {
    hint: OTHER_FOLDER,
    cause,
  });
}
