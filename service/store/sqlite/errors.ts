import { type CliError, configurationError } from "../../../src/errors.js";
import { isOnFullDisk } from "../../../src/system/sqlite/connection.js";
import { describeFileError, isPermissionError } from "../../../src/system/sqlite/database-file.js";
import { resultCode } from "../../../src/system/sqlite/driver.js";
import { DatabaseUnavailableError } from "../store.js";

const DAMAGED = "restore it from a backup, or move it away to start with an empty one";
const CHOOSE_ANOTHER = "choose another database (that of the profile local is in CALCTL_DATA_DIR)";
const MAKE_WRITABLE = `make the file and its folder writable, or ${CHOOSE_ANOTHER}`;

/** Turns an error of the driver into a CliError with a hint; returns any other error unchanged. */
export function explainDatabaseError(error: unknown, path: string): unknown {
  const unavailable = (message: string, hint?: string) =>
    new DatabaseUnavailableError("configuration", message, { hint, cause: error });
  const noSpace = () => unavailable(`there is no space left to write the database ${path}`);
  switch (resultCode(error)) {
    case "NOTADB":
      return foreignDatabaseError(path, error);
    case "CORRUPT":
      return configurationError(`the database ${path} is damaged`, { hint: DAMAGED, cause: error });
    case "FULL":
      return noSpace();
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
      if (isOnFullDisk(path)) return noSpace();
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

/** The file belongs to another program. */
export function foreignDatabaseError(path: string, cause?: unknown): CliError {
  return configurationError(`${path} is not a database of calctl`, { hint: "choose another file", cause });
}

/** The file was removed, or another one was put in its place. */
export function replacedDatabaseError(path: string): CliError {
  const cause = "was removed or replaced while the service had it open: restart the service";
  return new DatabaseUnavailableError("configuration", `the database ${path} ${cause}`);
}

/** Its file system was mounted anew, or turned read-only by a failing disk. */
export function readOnlyDiskError(path: string): CliError {
  const message = `the database ${path} cannot be written: the file system is read-only`;
  return new DatabaseUnavailableError("configuration", message, { hint: "check the disk" });
}

/** The database does not exist and must not be created. */
export function missingDatabaseError(path: string): CliError {
  return configurationError(`the database ${path} does not exist`, {
    hint: "check --db, or create it: calctl service users add, calctl service start",
  });
}

/** Explains why the file or its folder cannot be opened or created; returns any other error unchanged. */
export function explainFileError(error: unknown, path: string): unknown {
  const reason = describeFileError(error);
  if (reason === undefined) return error;
  const hint = isPermissionError(error) ? MAKE_WRITABLE : CHOOSE_ANOTHER;
  return configurationError(`cannot open the database ${path}: ${reason}`, { hint, cause: error });
}
