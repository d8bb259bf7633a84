import { join } from "node:path";
import Conf from "conf";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import { type FileLockOptions, LockBusyError, withFileLock } from "../system/file-lock.js";
import { makePrivateFolder } from "../system/private-folder.js";
import type { Config } from "./config.js";

export interface ConfigLocation {
  readonly directory: string;
  /** The file in the directory. */
  readonly path: string;
  readonly lock: FileLockOptions;
}

export interface ConfigWriter {
  /** Writes the configuration that `change` returns, under a lock. @throws CliError configuration, and what `change` throws */
  update(change: () => Config): Promise<void>;
  /** Runs `work` under a lock of its own. @throws CliError configuration, and what `work` throws */
  lockSecrets<T>(work: () => Promise<T>): Promise<T>;
}

/** How long to wait for others that change secrets (ms): a keychain may take seconds for each. */
const SECRETS_TIMEOUT = 30_000;

export function createConfigWriter(location: ConfigLocation): ConfigWriter {
  const { directory, path, lock } = location;
  return {
    update: (change) => runLocked(location, `${path}.lock`, () => write(directory, change())),
    lockSecrets: (work) =>
      runLocked(
        { ...location, lock: { timeout: SECRETS_TIMEOUT, ...lock } },
        join(directory, "secrets.lock"),
        work,
      ),
  };
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

function write(directory: string, { others, profiles, webhooks, ...own }: Config): void {
  const store = new Conf<Record<string, unknown>>({
    cwd: directory,
    configName: "config",
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  });
  store.store = {
    ...others,
    ...own,
    profiles: Object.fromEntries(profiles),
    ...(webhooks === undefined ? {} : { webhooks: Object.fromEntries(webhooks) }),
  };
}

function busyError({ path, lockPath }: { path: string; lockPath: string }, cause: LockBusyError): CliError {
  const who = cause.holder === null ? "other processes are" : `process ${cause.holder} is`;
  return configurationError(`the configuration ${path} cannot be written: ${who} writing it`, {
    hint: `try again; if no calctl is running, remove ${lockPath}`,
    cause,
  });
}
