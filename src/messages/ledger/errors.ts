import { CliError, configurationError } from "../../errors.js";
import { describeFileError, isPermissionError } from "../../system/sqlite/database-file.js";
import { resultCode } from "../../system/sqlite/driver.js";

const MOVE_AWAY = "move it away to start with a new one; what was sent before may then be sent again";
const MAKE_WRITABLE =
  "make the file and its folder writable, or set CALCTL_STATE_DIR to a folder that can be written";

/** Turns an error of the driver into a CliError with a hint; returns any other error unchanged. */
export function explainLedgerError(error: unknown, path: string): unknown {
  const broken = (problem: string, hint: string) =>
    configurationError(`the ledger ${path} ${problem}`, { hint, cause: error });
  switch (resultCode(error)) {
    case "NOTADB":
      return foreignLedgerError(path, error);
    case "CORRUPT":
      return broken("is damaged", MOVE_AWAY);
    case "FULL":
      return broken("cannot be written: no space left", "free some space on its disk");
    case "READONLY":
    case "CANTOPEN":
    case "PERM":
      return broken("cannot be written", MAKE_WRITABLE);
    case "IOERR":
      return broken("cannot be read or written", "check its disk: is it full?");
    case "BUSY":
    case "LOCKED":
      return new CliError("unavailable", `the ledger ${path} is locked by another process`, {
        hint: "try again when the other process has finished",
        cause: error,
      });
    default:
      return error;
  }
}

/** Explains why the file or its folder cannot be opened or created; returns any other error unchanged. */
export function explainLedgerFileError(error: unknown, path: string): unknown {
  const reason = describeFileError(error);
  if (reason === undefined) return error;
  const hint = isPermissionError(error) ? MAKE_WRITABLE : "set CALCTL_STATE_DIR to another folder";
  return configurationError(`cannot open the ledger ${path}: ${reason}`, { hint, cause: error });
}

/** A file is created with its tables, so one without content was emptied, or cut when the machine failed. */
export function emptyLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} is empty: what was sent and seen is lost`, {
    hint: MOVE_AWAY,
  });
}

/** The file belongs to another program. */
export function foreignLedgerError(path: string, cause?: unknown): CliError {
  return configurationError(`${path} is not a ledger of calctl`, {
    hint: "move it away, or set CALCTL_STATE_DIR to another folder",
    cause,
  });
}

/** A later version of this program has changed the tables. */
export function newerLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} was written by a newer calctl`, {
    hint: "update calctl, or set CALCTL_STATE_DIR to another folder",
  });
}

/** The file was removed, or another one was put in its place. */
export function replacedLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} was removed or replaced while calctl used it`, {
    hint: "run the command again",
  });
}
