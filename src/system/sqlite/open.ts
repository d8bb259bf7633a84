import { statSync } from "node:fs";
import {
  type Connection,
  connect,
  createRetryWhileLocked,
  type LockWaitOptions,
  MEMORY,
  type RetryWhileLocked,
} from "./connection.js";
import { type DatabaseKind, explainDatabaseError, foreignFileError, replacedFileError } from "./kind.js";

/** A database that is open. */
export interface OpenDatabase {
  /** Its path, as messages name it, or `:memory:`. */
  readonly file: string;
  readonly connection: Connection;
  readonly run: RetryWhileLocked;
  /** @throws CliError when the file was removed or replaced: what is written to it would be lost with it */
  requireSameFile(): void;
  /** Whether it is of this kind and has the newest schema. */
  isCurrent(): boolean;
  /**
   * The version of its schema; 0 for an empty database. Call it with the write lock held: another process may be migrating it.
   * @throws CliError configuration when the file is of another program
   */
  readVersion(): number;
  /** Marks it as one of this kind that has the newest schema. */
  writeVersion(): void;
}

/**
 * Opens an existing file, whose schema may still have to be created, or a database in memory.
 * @throws CliError configuration when it is not a database, is damaged or cannot be read; unavailable when another process locks
 * it for too long
 */
export async function openDatabaseOf(
  kind: DatabaseKind,
  file: string,
  options: LockWaitOptions,
): Promise<OpenDatabase> {
  const run = createRetryWhileLocked((error) => explainDatabaseError(error, file, kind), options);
  const connection = await run(() => connect(file));
  const read = () => ({
    application: connection.pragma("application_id"),
    version: Number(connection.pragma("user_version")),
  });
  return {
    file,
    connection,
    run,
    requireSameFile() {
      if (!connection.isCurrentFile()) throw replacedFileError(file, kind);
    },
    isCurrent() {
      const { application, version } = read();
      return application === kind.applicationId && version === kind.version;
    },
    readVersion() {
      const { application, version } = read();
      // A file that was truncated inside its first page reads like an empty database, so its size must be 0 too.
      const isEmpty = application === 0 && version === 0 && (file === MEMORY || statSync(file).size === 0);
      if (!isEmpty && application !== kind.applicationId) throw foreignFileError(file, kind);
      return version;
    },
    writeVersion() {
      connection.exec(`pragma application_id = ${kind.applicationId}; pragma user_version = ${kind.version}`);
    },
  };
}
