import type { LockWaitOptions } from "../../system/sqlite/connection.js";
import { openLedgerDatabase } from "./database.js";
import { createExclusively } from "./holders.js";
import { encodeSeen, readSeen, type Seen, writeSeen } from "./seen.js";
import { acknowledgeUnknown, createSendOnce, type Remembered, type SendOnce } from "./sends.js";
import type { LedgerParts } from "./waiting.js";

/**
 * What was sent and what was seen, in the file `ledger.db` of the state folder. All reject with CliError configuration when
 * the file is damaged, of another program or of a newer version, or when it cannot be written.
 */
export interface Ledger {
  /**
   * Runs `send` at most once under a key, also with another process at the same second, which then waits for its outcome.
   * `already_sent` runs nothing. A failure that is certain frees the key. One whose outcome is unknown, and a crash, keep
   * it. Every error that is not a CliError, too, leaves the outcome unknown.
   * @throws what `send` throws; CliError outcome_unknown when an earlier attempt has an unknown outcome; unavailable when
   * another process takes too long; failed when it was sent, but that could not be noted
   */
  readonly sendOnce: SendOnce;
  /** Takes unknown outcomes under these keys as sent: call it when the run is about to report them. */
  acknowledge(keys: readonly string[]): Promise<void>;
  /**
   * Runs work while no other process of this machine works under the same name: others wait. A process that was killed
   * holds up nobody.
   * @throws CliError unavailable when another process takes too long
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** What was last remembered under a name; null for a new name. */
  readSeen(name: string): Promise<Seen | null>;
  /** Replaces what is remembered under a name. @throws CliError usage when it is too large */
  remember(remembered: Remembered): Promise<void>;
}

export interface LedgerOptions extends LedgerParts {
  readonly path: string;
}

/** Opens a ledger; creates its file (0600) and its folder (0700) if they are missing. @throws CliError configuration */
export async function openLedger({
  path,
  ...parts
}: LedgerOptions): Promise<Ledger & { readonly close: () => void }> {
  const { clock, signal } = parts;
  const sleep: LockWaitOptions["sleep"] = (milliseconds, aborted) =>
    clock.sleep(milliseconds, aborted ?? NEVER);
  const database = await openLedgerDatabase(path, { signal, sleep });
  return {
    sendOnce: createSendOnce(database, parts),
    acknowledge: (keys) => acknowledgeUnknown(database, keys, clock.now()),
    exclusively: createExclusively(database, parts),
    readSeen: (name) => readSeen(database, name),
    async remember({ name, seen }) {
      const content = encodeSeen(seen);
      await database.write((db) => writeSeen(db, name, content, clock.now()), { evenIfInterrupted: true });
    },
    close: database.close,
  };
}

const NEVER = new AbortController().signal;
