import { createHash, randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../contract/json.js";
import { type CliError, configurationError, errorCodeOf, fileProblemOf } from "../errors.js";
import { isPrivate, makePrivateFolder, withoutByteOrderMark } from "../system/ownership.js";
import { removeTemporaryFiles, writePrivateFile } from "../system/private-file.js";
import { accountOf, SECRET_LABELS, type SecretKey, type SecretStore } from "./store.js";

export interface SecretFileOptions {
  /** Folder of the secrets, one file each. */
  readonly directory: string;
  /** The user's id; null on Windows, where files have no owner and mode in this sense. */
  readonly userId: number | null;
  /** Suffix of temporary files; random by default. */
  readonly temporarySuffix?: () => string;
}

/** Secrets in files that only their owner can read. */
export function createSecretFiles(options: SecretFileOptions): SecretStore {
  const pathOf = (key: SecretKey) => join(options.directory, fileName(key));
  const load = (key: SecretKey) => readSecret(pathOf(key), key, options);
  return {
    name: "file",
    async probe() {
      const path = join(options.directory, `probe-${randomBytes(8).toString("hex")}`);
      await writeSecret(options, path, "");
      await unlink(path);
    },
    async save(key, secret) {
      const { identity, member } = layoutOf(key);
      await writeSecret(options, pathOf(key), JSON.stringify({ ...identity, [member]: secret }));
      if ((await load(key)) !== secret) {
        throw configurationError(`${pathOf(key)} reads back differently from what was written`, {
          hint: OTHER_FOLDER,
        });
      }
    },
    load,
    async remove(key) {
      try {
        await removeTemporaryFiles(pathOf(key));
        await unlink(pathOf(key));
        return true;
      } catch (cause) {
        if (errorCodeOf(cause) === "ENOENT") return false;
        throw fileError("removed", pathOf(key), cause);
      }
    },
  };
}

/** The members of a secret's file: those that identify the secret, and the one that holds it. */
function layoutOf(key: SecretKey): {
  readonly identity: Readonly<Record<string, string>>;
  readonly member: string;
} {
  switch (key.kind) {
    case "token":
      return { identity: { profile: key.profile, origin: key.origin }, member: "token" };
    case "webhook_url":
      return { identity: { kind: key.kind, name: key.name, as: key.as }, member: "url" };
  }
}

/** Readable, and unique even where file names ignore case. */
function fileName(key: SecretKey): string {
  const label = key.kind === "token" ? key.profile : `${key.kind}-${key.name}`;
  const hash = createHash("sha256").update(accountOf(key)).digest("hex").slice(0, 16);
  const safe = label.replace(/[^\p{L}\p{N}._@-]/gu, "-");
  // A file name has at most 255 bytes, and a letter up to four.
  return `${[...safe].slice(0, 40).join("")}-${hash}.json`;
}

async function readSecret(
  path: string,
  key: SecretKey,
  { userId }: SecretFileOptions,
): Promise<string | null> {
  const { noun, storeAgain } = SECRET_LABELS[key.kind];
  const unusable = (problem: string, hint = `remove the file and ${storeAgain}`): CliError =>
    configurationError(`${path} is not used: ${problem}`, { hint });
  let text: string;
  try {
    const link = await lstat(path);
    if (link.isSymbolicLink() && userId !== null && link.uid !== userId) {
      throw unusable("it is a link of another user");
    }
    // Opening a pipe would block in a thread that nothing interrupts.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw unusable("it is not a regular file");
      if (userId !== null && stats.uid !== userId) throw unusable("it belongs to another user");
      if (userId !== null && (stats.mode & 0o077) !== 0) {
        throw unusable(
          `other users can read the ${noun} in it`,
          `if you trust them, chmod 600 ${path}; otherwise revoke the ${noun} and ${storeAgain}`,
        );
      }
      text = withoutByteOrderMark(await handle.readFile("utf8"));
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (errorCodeOf(cause) === "ENOENT") return null;
    throw errorCodeOf(cause) === "configuration" ? cause : fileError("read", path, cause);
  }
  const secret = parseSecret(text, key);
  if (secret !== null) return secret;
  throw unusable(`it does not have this ${noun}; it was changed or copied`);
}

/** Null when the text is not the content of this secret's file. */
function parseSecret(text: string, key: SecretKey): string | null {
  const content = parseJson(text);
  const { identity, member } = layoutOf(key);
  if (!isJsonObject(content) || Object.keys(identity).some((name) => content[name] !== identity[name]))
    return null;
  const secret = content[member];
  return typeof secret === "string" ? secret : null;
}

/** @throws CliError configuration when other users can write in the folder, or the file cannot be written */
async function writeSecret(options: SecretFileOptions, path: string, text: string): Promise<void> {
  const { directory, userId, temporarySuffix } = options;
  let target = directory;
  try {
    makePrivateFolder(directory);
    checkFolder(await stat(directory), directory, userId);
    target = path;
    await writePrivateFile(path, text, temporarySuffix?.());
  } catch (cause) {
    throw errorCodeOf(cause) === "configuration" ? cause : fileError("written", target, cause);
  }
}

/** Other users who can write in the folder could replace its files. */
function checkFolder(stats: Stats, directory: string, userId: number | null): void {
  if (isPrivate(stats, userId)) return;
  throw configurationError(`${directory} is not used: other users can write in it`, {
    hint: `chmod 700 ${directory}; ${OTHER_FOLDER}`,
  });
}

const OTHER_FOLDER = "CALCTL_DATA_DIR names another folder";

function fileError(verb: string, path: string, cause: unknown): CliError {
  return configurationError(`${path} cannot be ${verb} (${fileProblemOf(cause)})`, {
    hint: OTHER_FOLDER,
    cause,
  });
}
