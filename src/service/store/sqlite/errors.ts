import { type CliError, configurationError, errorCodeOf } from "../../../errors.js";
import { DatabaseUnavailableError } from "../store.js";
import { resultCode } from "./driver.js";

const DAMAGED = "restore it from a backup, or move it away to start with an empty one";
const CHOOSE_ANOTHER = "choose another database (that of the profile local is in CALCTL_DATA_DIR)";
const MAKE_WRITABLE = `make the file and its folder writable, or ${CHOOSE_ANOTHER}`;

/** Turns an error of the driver into a CliError with a hint; returns any other error unchanged. */
export function explainDatabaseError(error: unknown, path: string): unknown {
  const unavailable = (message: string, hint?: string) =>
    new DatabaseUnavailableError("configuration", message, { hint, cause: error });
  switch (resultCode(error)) {
    case "NOTADB":
      return foreignDatabaseError(path, error);
    case "CORRUPT":
      return configurationError(`the database ${path} is damaged`, { hint: DAMAGED, cause: error });
    case "FULL":
      return unavailable(`there is no space left to write the database ${path}`);
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
      return unavailable(`the database ${path} cannot be read and written`, MAKE_WRITABLE);
    case "IOERR":
      return unavailable(`the database ${path} cannot be read and written`, "check the disk");
    case "BUSY":
    case "LOCKED":
      return new DatabaseUnavailableError(
        "unavailable",
        `the database ${path} is locked by another process`,
        {
          hint: "try again when the other process has finished",
          cause: error,
        },
      );
    default:
      return error;
  }
}

/** Whether another process holds a lock that the statement needed. */
export function isLocked(error: unknown): boolean {
  return ["BUSY", "LOCKED"].includes(resultCode(error) ?? "");
}

/** Whether the disk failed: in a statement that reads, because a file beside the database could not be enlarged. */
export function isDiskError(error: unknown): boolean {
  return resultCode(error) === "IOERR";
}

/** The file belongs to another program. */
export function foreignDatabaseError(path: string, cause?: unknown): CliError {
  return configurationError(`${path} is not a database of calctl`, { hint: "choose another file", cause });
}

/** The file was removed, or another one was put in its place. */
export function replacedDatabaseError(path: string): CliError {
  const cause = "was removed or replaced while the service had it open: restart the service";
  return new DatabaseUnavailableError("configuration", `the database ${path} ${cause}`);
}

/** The database does not exist and must not be created. */
export function missingDatabaseError(path: string): CliError {
  return configurationError(`the database ${path} does not exist`, {
    hint: "check --db, or create it: calctl service users add, calctl service start",
  });
}

/** Explains why the file or its folder cannot be opened or created; returns any other error unchanged. */
export function explainFileError(error: unknown, path: string): unknown {
  const reason = FILE_REASONS[errorCodeOf(error) ?? ""];
  if (reason === undefined) return error;
  const hint = reason === DENIED || reason === READ_ONLY ? MAKE_WRITABLE : CHOOSE_ANOTHER;
  return configurationError(`cannot open the database ${path}: ${reason}`, { hint, cause: error });
}

const DENIED = "permission denied";
const READ_ONLY = "the file system is read-only";

const FILE_REASONS: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is not a folder",
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  ENOSPC: "no space left on the device",
  ENOENT: "its folder cannot be created",
  ENAMETOOLONG: "the path is too long",
  ELOOP: "its symbolic links form a loop",
};
