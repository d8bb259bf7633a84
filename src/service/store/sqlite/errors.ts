import { CliError, configurationError, errorCodeOf } from "../../../errors.js";

const DAMAGED = "restore it from a backup, or move it away to begin anew";
const MAKE_WRITABLE =
  "make the file and its folder writable, or name another database with --db or CALCTL_DATA_DIR";
const NAME_ANOTHER = "name another database with --db or CALCTL_DATA_DIR";

/**
 * What a failure of the driver means to whoever runs the program; other errors come back as they are.
 * SQLite's codes: @see https://www.sqlite.org/rescode.html
 */
export function explainDatabaseError(error: unknown, path: string): unknown {
  switch (primaryCode(errorCodeOf(error) ?? "")) {
    case "NOTADB":
      return configurationError(`${path} is not a database of calctl`, {
        hint: "name another file",
        cause: error,
      });
    case "CORRUPT":
      return configurationError(`the database ${path} is damaged`, { hint: DAMAGED, cause: error });
    case "FULL":
      return configurationError(`there is no space left to write the database ${path}`, { cause: error });
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
      return inaccessible(error, path);
    case "IOERR":
      return inaccessible(error, path, "check the disk it lies on");
    case "BUSY":
    case "LOCKED":
      return new CliError("unavailable", `the database ${path} is held by another process`, {
        hint: "try again when the other process is done",
        cause: error,
      });
    default:
      return error;
  }
}

/**
 * The primary code behind an extended one: `IOERR` of `SQLITE_IOERR_FSYNC`. For some of them the driver knows no name
 * but the number, whose low byte is the primary code.
 */
function primaryCode(code: string): string | undefined {
  const [, name, number] = /^(?:SQLITE_([A-Z]+)|UNKNOWN_SQLITE_ERROR_(\d+)$)/.exec(code) ?? [];
  return number === undefined ? name : PRIMARY_CODES[Number(number) & 0xff];
}

const PRIMARY_CODES: Readonly<Record<number, string>> = {
  3: "PERM",
  5: "BUSY",
  6: "LOCKED",
  8: "READONLY",
  10: "IOERR",
  11: "CORRUPT",
  13: "FULL",
  14: "CANTOPEN",
  26: "NOTADB",
};

/** The file is there, and SQLite cannot use it. */
export function inaccessible(cause: unknown, path: string, hint = MAKE_WRITABLE): CliError {
  return configurationError(`the database ${path} cannot be read and written`, { hint, cause });
}

/** There is no database, and none is to be made. */
export function missing(path: string): CliError {
  return configurationError(`there is no database at ${path}`, {
    hint: "calctl service users add and calctl service start make one; --db and CALCTL_DATA_DIR say where",
  });
}

/** The file or its folder cannot be opened or made. */
export function explainFileError(error: unknown, path: string): unknown {
  const reason = FILE_REASONS[errorCodeOf(error) ?? ""];
  if (reason === undefined) return error;
  const hint = reason === DENIED || reason === READ_ONLY ? MAKE_WRITABLE : NAME_ANOTHER;
  return configurationError(`cannot open the database ${path}: ${reason}`, { hint, cause: error });
}

const DENIED = "permission denied";
const READ_ONLY = "the file system is read-only";

const FILE_REASONS: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: READ_ONLY,
  ENOSPC: "no space left",
  ENOENT: "its folder cannot be made",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links go in a circle",
};
