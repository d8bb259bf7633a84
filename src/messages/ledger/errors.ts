import { CliError, configurationError } from "../../errors.js";
import type { DatabaseKind } from "../../system/sqlite/open.js";
import { MIGRATIONS } from "./schema.js";

const MOVE_AWAY = "move it away to start with a new one; what was sent before may then be sent again";
const CHOOSE_ANOTHER = "set CALCTL_STATE_DIR to another folder";

/** The files of ledgers. */
export const LEDGER: DatabaseKind = {
  noun: "ledger",
  // "calg" in ASCII.
  applicationId: 0x63616c67,
  version: MIGRATIONS.length,
  whenDamaged: MOVE_AWAY,
  chooseAnother: CHOOSE_ANOTHER,
  whenReplaced: { problem: "while calctl used it", hint: "run the command again" },
  Unavailable: CliError,
};

/** A file is created with its tables, so one without content was emptied, or cut when the machine failed. */
export function emptyLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} is empty: what was sent and seen is lost`, {
    hint: MOVE_AWAY,
  });
}

/** A later version of this program has changed the tables. */
export function newerLedgerError(path: string): CliError {
  return configurationError(`the ledger ${path} was written by a newer calctl`, {
    hint: `update calctl, or ${CHOOSE_ANOTHER}`,
  });
}
