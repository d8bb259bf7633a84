import { CliError, configurationError, errorCodeOf } from "../../errors.js";

const DAMAGED = "restore it from a backup, or move it away to begin anew";

/**
 * What a failure of the driver means to whoever runs the program; other errors come back as they are.
 * SQLite's codes: @see https://www.sqlite.org/rescode.html
 */
export function explainDatabaseError(error: unknown, path: string): unknown {
  // Extended codes say more behind the primary one: SQLITE_IOERR_FSYNC.
  const [, primary] = /^SQLITE_([A-Z]+)/.exec(errorCodeOf(error) ?? "") ?? [];
  switch (primary) {
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
    case "IOERR":
      return inaccessible(error, path);
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

/** The file is there, and SQLite cannot use it. */
export function inaccessible(cause: unknown, path: string): CliError {
  return configurationError(`the database ${path} cannot be read and written`, {
    hint: "check the rights and the space of its folder",
    cause,
  });
}

/** The file or its folder cannot be opened or made. */
export function explainFileError(error: unknown, path: string): unknown {
  const reason = FILE_REASONS[errorCodeOf(error) ?? ""];
  if (reason === undefined) return error;
  return configurationError(`cannot open the database ${path}: ${reason}`, {
    hint: "name a file in a folder you may write to",
    cause: error,
  });
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "a part of its path is not a folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
  ENOENT: "its folder cannot be made",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links go in a circle",
};
