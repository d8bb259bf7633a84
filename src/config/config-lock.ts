import { join } from "node:path";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import { type FileLockOptions, LockBusyError, withFileLock } from "../system/file-lock.js";
import { makePrivateFolder } from "../system/private-folder.js";

/** Locks beside the configuration file. Apart from what writes it: conf handles signals from the moment it is loaded. */

export interface ConfigLocation {
  readonly directory: string;
  /** The file in the directory. */
  readonly path: string;
  readonly lock: FileLockOptions;
}

/** Runs work while no other process changes the file. @throws CliError configuration, and what `work` throws */
export function lockConfig<T>(location: ConfigLocation, work: () => Promise<T> | T): Promise<T> {
  return runLocked(location, `${location.path}.lock`, work);
}

/** How long to wait for others that change secrets (ms): a keychain may take seconds for each. */
const SECRETS_TIMEOUT = 30_000;

/** Runs work while no other process changes secrets. @throws CliError configuration, and what `work` throws */
export function lockSecrets<T>(location: ConfigLocation, work: () => Promise<T>): Promise<T> {
  const lock = { timeout: SECRETS_TIMEOUT, ...location.lock };
  return runLocked({ ...location, lock }, join(location.directory, "secrets.lock"), work);
}

async function runLocked<T>(
  { directory, path, lock }: ConfigLocation,
  lockPath: string,
  work: () => Promise<T> | T,
): Promise<T> {
  try {
    makePrivateFolder(directory);
    return await withFileLock(lockPath, work, lock);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    if (cause instanceof LockBusyError) throw busyError({ path, lockPath }, cause);
    const code = errorCodeOf(cause) ?? "unknown";
    throw configurationError(`the configuration ${path} cannot be written (${code})`, { cause });
  }
}

function busyError({ path, lockPath }: { path: string; lockPath: string }, cause: LockBusyError): CliError {
  const who = cause.holder === null ? "other processes are" : `process ${cause.holder} is`;
  return configurationError(`the configuration ${path} cannot be written: ${who} writing it`, {
    hint: `try again; if no calctl is running, remove ${lockPath}`,
    cause,
  });
}
