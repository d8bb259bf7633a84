import type { LockWaitOptions } from "../../system/sqlite/connection.js";
import { openLedgerDatabase } from "./database.js";
import { createExclusively } from "./holders.js";
import { encodeSeen, readSeen, type Seen, type SeenOptions, writeSeen } from "./seen.js";
import { acknowledgeUnknown, createSendOnce, type Remembered, type SendOnce } from "./sends.js";
import { createSentMessages, type SentMessages } from "./sent-messages.js";
import type { LedgerDependencies } from "./waiting.js";

/**
 * What was sent and what was seen, in the file `ledger.db` of the state folder. All reject with CliError configuration when
 * the file is damaged, of another program or of a newer version, or when it cannot be written.
 */
export interface Ledger {
  /**
   * Sends one message under some keys, under each at most once, also with another process at the same second, which then
   * waits for its outcome. Any other result than `sent` sends nothing. A failure that is certain frees the keys. One whose
   * outcome is unknown, and a crash, keep them. Every error that is not a CliError, too, leaves the outcome unknown.
   * @throws what `send` throws; CliError outcome_unknown when no key is free and an earlier attempt has an unknown outcome
   * that no run has reported; unavailable when another process takes too long; failed when it was sent, but that could not
   * be noted
   */
  readonly sendOnce: SendOnce;
  /** What was sent under keys, or might have been. */
  readonly messages: SentMessages;
  /** Takes the unknown outcomes of this run as reported: call it when the run is about to do so. @returns whether there are any */
  acknowledge(): Promise<boolean>;
  /**
   * Runs work while no other process of this machine works under the same name: others wait. A process that was killed
   * holds up nobody.
   * @throws CliError unavailable when another process takes too long
   */
  exclusively<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** What was last remembered under a name; null for a new name. */
  readSeen(name: string, options?: SeenOptions): Promise<Seen | null>;
  /** Replaces what is remembered under a name. @throws CliError usage when it is too large */
  remember(remembered: Remembered): Promise<void>;
}

export interface LedgerOptions extends LedgerDependencies {
  readonly path: string;
}

/** Opens a ledger; creates its file (0600) and its folder (0700) if they are missing. @throws CliError configuration */
export async function openLedger({
  path,
  ...dependencies
}: LedgerOptions): Promise<Ledger & { readonly close: () => void }> {
  const { clock, signal } = dependencies;
  const sleep: LockWaitOptions["sleep"] = (milliseconds, aborted) =>
    clock.sleep(milliseconds, aborted ?? NEVER);
  const database = await openLedgerDatabase(path, { signal, sleep });
  const sending = { ...dependencies, unreported: new Set<string>() };
  return {
    sendOnce: createSendOnce(database, sending),
    messages: createSentMessages(database, sending),
    acknowledge: () => acknowledgeUnknown(database, sending),
    exclusively: createExclusively(database, dependencies),
    readSeen: (name, options) => readSeen(database, name, options),
    async remember({ name, seen, coversUnknown }) {
      const content = encodeSeen(seen);
      await database.note((db) => writeSeen(db, { name, content, coversUnknown }, clock.now()));
    },
    close: database.close,
  };
}

const NEVER = new AbortController().signal;
