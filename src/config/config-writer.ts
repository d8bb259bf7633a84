import Conf from "conf";
import { CliError, configurationError, errorCodeOf } from "../errors.js";
import { type FileLockOptions, LockBusyError, withFileLock } from "../system/file-lock.js";
import { makePrivateFolder } from "../system/private-file.js";
import type { Config } from "./config-file.js";

export interface ConfigLocation {
  readonly directory: string;
  /** The file in the directory. */
  readonly path: string;
  readonly lock: FileLockOptions;
}

/**
 * Writes the configuration that `change` returns, under a lock.
 * @throws CliError configuration, and what `change` throws
 */
export async function updateConfigFile(
  { directory, path, lock }: ConfigLocation,
  change: () => Config,
): Promise<void> {
  try {
    makePrivateFolder(directory);
    await withFileLock(`${path}.lock`, () => write(directory, change()), lock);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    if (cause instanceof LockBusyError) throw busyError(path, cause);
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

function busyError(path: string, cause: LockBusyError): CliError {
  const who = cause.holder === null ? "other processes are" : `process ${cause.holder} is`;
  return configurationError(`the configuration ${path} cannot be written: ${who} writing it`, {
    hint: `try again; if no calctl is running, remove ${path}.lock`,
    cause,
  });
}
