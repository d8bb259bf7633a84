import { type CliError, configurationError } from "../../../src/errors.js";
import type { DatabaseKind } from "../../../src/system/sqlite/open.js";
import { SCHEMA_VERSION } from "../schema.js";
import { DatabaseUnavailableError } from "../store.js";

/** The files of the service. */
export const CALENDARS: DatabaseKind = {
  noun: "database",
  // "calc" in ASCII.
  applicationId: 0x63616c63,
  version: SCHEMA_VERSION,
  whenDamaged: "restore it from a backup, or move it away to start with an empty one",
  chooseAnother: "choose another database (that of the profile local is in CALCTL_DATA_DIR)",
  whenReplaced: { problem: "while the service had it open: restart the service" },
  Unavailable: DatabaseUnavailableError,
};

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
