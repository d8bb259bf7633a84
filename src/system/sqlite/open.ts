import { statSync } from "node:fs";
import { type CliError, type CliErrorOptions, configurationError, type ErrorCode } from "../../errors.js";
import { connect, createRetryWhileLocked, isOnFullDisk, type LockWaitOptions, MEMORY } from "./connection.js";
import { describeFileError, isPermissionError } from "./database-file.js";
import { resultCode } from "./driver.js";

/** A database that is open. */
export type OpenDatabase = Awaited<ReturnType<typeof openDatabaseOf>>;

/**
 * Opens an existing file, whose schema may still have to be created, or a database in memory.
 * @throws CliError configuration when it is not a database, is damaged or cannot be read; unavailable when another process locks
 * it for too long
 */
export async function openDatabaseOf(kind: DatabaseKind, file: string, options: LockWaitOptions) {
  const run = createRetryWhileLocked((error) => explainDatabaseError(error, file, kind), options);
  const connection = await run(() => connect(file));
  const read = () => ({
    application: connection.pragma("application_id"),
    version: Number(connection.pragma("user_version")),
  });
  return {
    /** Its path, as messages name it, or `:memory:`. */
    file,
    connection,
    run,
    /** @throws CliError when the file was removed or replaced: what is written to it would be lost with it */
    requireSameFile(): void {
      if (!connection.isCurrentFile()) throw replacedFileError(file, kind);
    },
    /** Whether it is of this kind and has the newest schema. */
    isCurrent(): boolean {
      const { application, version } = read();
      return application === kind.applicationId && version === kind.version;
    },
    /**
     * The version of its schema; 0 for an empty database. Call it with the write lock held: another process may be migrating
     * it.
     * @throws CliError configuration when the file is of another program
     */
    readVersion(): number {
      const { application, version } = read();
      // A file that was truncated inside its first page reads like an empty database, so its size must be 0 too.
      const isEmpty = application === 0 && version === 0 && (file === MEMORY || statSync(file).size === 0);
      if (!isEmpty && application !== kind.applicationId) throw foreignFileError(file, kind);
      return version;
    },
    /** Marks it as one of this kind that has the newest schema. */
    writeVersion(): void {
      connection.exec(`pragma application_id = ${kind.applicationId}; pragma user_version = ${kind.version}`);
    },
  };
}

/** A kind of database that this program keeps in a file, and what messages say about it. */
export interface DatabaseKind {
  /** As messages name it, such as `state database`. */
  readonly noun: string;
  /** Marks a file as one of this kind in its `application_id`. */
  readonly applicationId: number;
  /** The version of its schema, in its `user_version`. */
  readonly version: number;
  /** What can be done about a damaged file. */
  readonly whenDamaged: string;
  /** How another file is chosen, after "or". */
  readonly chooseAnother: string;
  /** What happened to a file that is gone from its path, and what can be done. */
  readonly whenReplaced: { readonly problem: string; readonly hint?: string };
  /** The class of errors while it cannot be used, but may be later. */
  readonly Unavailable: new (
    code: ErrorCode,
    message: string,
    options: CliErrorOptions,
  ) => CliError;
}

/**
 * Turns an error of the driver, or of the file system when a file or its folder cannot be opened or created, into a CliError with
 * a hint; returns any other error unchanged.
 */
export function explainDatabaseError(error: unknown, path: string, kind: DatabaseKind): unknown {
  const name = `the ${kind.noun} ${path}`;
  const unavailable = (message: string, hint: string, code: ErrorCode = "configuration") =>
    new kind.Unavailable(code, message, { hint, cause: error });
  const noSpace = () => unavailable(`there is no space left to write ${name}`, "free some space on its disk");
  switch (resultCode(error)) {
    case undefined:
      return explainFileError(error, name, kind);
    case "NOTADB":
      return foreignFileError(path, kind, error);
    case "CORRUPT":
      return configurationError(`${name} is damaged`, { hint: kind.whenDamaged, cause: error });
    case "FULL":
      return noSpace();
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
      if (isOnFullDisk(path)) return noSpace();
      return unavailable(`${name} cannot be read and written`, makeWritable(kind));
    case "IOERR":
      return unavailable(`${name} cannot be read and written`, "check the disk");
    case "BUSY":
    case "LOCKED": {
      const hint = "try again when the other process has finished";
      return unavailable(`${name} is locked by another process`, hint, "unavailable");
    }
    default:
      return error;
  }
}

function explainFileError(error: unknown, name: string, kind: DatabaseKind): unknown {
  const reason = describeFileError(error);
  if (reason === undefined) return error;
  const hint = isPermissionError(error) ? makeWritable(kind) : kind.chooseAnother;
  return configurationError(`cannot open ${name}: ${reason}`, { hint, cause: error });
}

/** The file belongs to another program. */
export function foreignFileError(path: string, kind: DatabaseKind, cause?: unknown): CliError {
  return configurationError(`${path} is not a ${kind.noun} of calctl`, { hint: kind.chooseAnother, cause });
}

/** The file was removed, or another one was put in its place. */
function replacedFileError(path: string, kind: DatabaseKind): CliError {
  const { problem, hint } = kind.whenReplaced;
  return new kind.Unavailable(
    "configuration",
    `the ${kind.noun} ${path} was removed or replaced ${problem}`,
    {
      hint,
    },
  );
}

const makeWritable = ({ chooseAnother }: DatabaseKind): string =>
  `make the file and its folder writable, or ${chooseAnother}`;
