import { DAY_MS } from "../../../contract/date-time.js";
import { CliError, usageError } from "../../errors.js";
import type { SentMessage } from "../../output/views/sent.js";
import { runAttempt, type SendingDependencies } from "./attempts.js";
import type { LedgerDatabase, LedgerTransaction } from "./database.js";
import { createOwner, readOwner } from "./owner.js";
import {
  decodeMessage,
  findSend,
  findSends,
  LISTED_FOR,
  type Send,
  type StoredMessage,
  saveSend,
  settleSend,
} from "./send-rows.js";
import { type KeyState, type OutgoingMessage, type SendOptions, stateOf } from "./sends.js";

/** What was sent in the last 30 days, or might have been. */
export interface SentMessages {
  /** The oldest first; without what is being sent now. */
  list(): Promise<readonly SentMessage[]>;
  /** The ids of those that were to be remembered under a name, whose outcome is unknown and whose text is kept. */
  unknownUnder(name: string): Promise<readonly string[]>;
  /** @throws CliError not_found; usage for one whose text is not kept, since it has arrived, or is not to be sent */
  load(id: string): Promise<StoredMessage>;
  /** Sends a message again, under its own keys. @throws as `sendOnce` */
  sendAgain(id: string, send: OutgoingMessage["send"]): Promise<void>;
  /** Takes a message as arrived. @throws CliError not_found; usage for one that was refused */
  markArrived(id: string): Promise<void>;
  /** What is known of each key, without waiting and without changing it. */
  statesOf(keys: readonly string[], options?: Pick<SendOptions, "repeats">): Promise<readonly KeyState[]>;
  /** Notes keys, of those under which nothing is noted yet, as too late. @returns those that it has noted */
  noteMissed(keys: readonly string[], keepDays: number): Promise<readonly string[]>;
}

/** What was sent, over the rows of an open ledger. */
export function createSentMessages(
  database: LedgerDatabase,
  dependencies: SendingDependencies,
): SentMessages {
  const { read, write } = database;
  const { clock, processes } = dependencies;
  const isBusy = ({ state, owner }: Send): boolean => {
    const sender = state === "sending" ? readOwner(owner) : null;
    return sender !== null && processes.isRunning(sender);
  };
  const rowsOf = (db: LedgerTransaction, id: string): readonly [Send, ...Send[]] => {
    const [first, ...others] = findSends(db, "message_id = ?", id);
    if (first === undefined)
      throw new CliError("not_found", `there is no message "${id}"`, { hint: "calctl sent lists them" });
    if (isBusy(first)) throw new CliError("unavailable", `message ${id} is being sent now`);
    return [first, ...others];
  };
  return {
    async list() {
      const rows = await read((db) => findSends(db, "began_at >= ?", clock.now() - LISTED_FOR));
      const listed = rows.filter(({ state }) => state !== "missed").filter((row) => !isBusy(row));
      return [...new Map(listed.map((row) => [row.messageId, row])).values()].map(describe);
    },
    unknownUnder: (name) =>
      read((db) =>
        findSends(db, "seen_name = ?", name).flatMap(({ state, messageId, message }) =>
          state === "reported" && messageId !== null && message !== null ? [messageId] : [],
        ),
      ),
    async load(id) {
      const [row] = await read((db) => rowsOf(db, id));
      const stored = decodeMessage(row);
      if (stored === null) throw notKept(id, row);
      return stored;
    },
    async sendAgain(id, send) {
      const owner = createOwner(processes);
      const attempt = await write((db) => {
        const previous = rowsOf(db, id);
        const rows = previous.map((row): Send => ({ ...row, owner, state: "sending", beganAt: clock.now() }));
        for (const row of rows) saveSend(db, row);
        return { rows, previous };
      });
      await runAttempt(database, attempt, { ...dependencies, send });
    },
    markArrived: (id) =>
      write((db) => {
        for (const row of rowsOf(db, id)) {
          if (row.state === "refused")
            throw usageError(
              `message ${id} was refused, so that it has not arrived`,
              `calctl sent resend ${id}`,
            );
          if (row.state !== "sent") settleSend(db, row, { state: "sent", now: clock.now() });
        }
      }),
    statesOf: (keys, options = {}) =>
      read((db) => keys.map((key) => stateOf(findSend(db, key), options, processes))),
    async noteMissed(keys, keepDays) {
      const isNew = (db: LedgerTransaction) => keys.filter((key) => findSend(db, key) === null);
      if ((await read(isNew)).length === 0) return [];
      const [owner, beganAt] = [createOwner(processes), clock.now()];
      const nothing = {
        target: null,
        what: null,
        message: null,
        messageId: null,
        seenName: null,
        seen: null,
      };
      const row = { ...nothing, command: "remind", state: "missed", owner, beganAt } as const;
      return write((db) => {
        const noted = isNew(db);
        for (const key of noted) saveSend(db, { ...row, key, forgetAt: beganAt + keepDays * DAY_MS });
        return noted;
      });
    },
  };
}

function describe({ messageId, command, target, what, beganAt, state }: Send): SentMessage {
  const outcome = state === "sent" || state === "refused" ? state : "unknown";
  const at = new Date(beganAt).toISOString();
  return { id: messageId ?? "", command, target, what, at, outcome };
}

/** Says what sends such a message again, by the kind of its key. */
function notKept(id: string, { state, key }: Send): CliError {
  const [kind] = key.split(" ");
  const hasArrived = state === "sent";
  const message = hasArrived
    ? `message ${id} has arrived, and its text was not kept`
    : `the text of message ${id} is not kept`;
  if (kind === "digest") return usageError(message, "calctl post --once --again posts the digest again");
  if (kind === "post") return usageError(message, "the command that posted it posts it again");
  if (hasArrived) return usageError(message, "it is told once; calctl post posts the events as they are now");
  const done = `look whether it arrived; calctl sent done ${id} takes it as arrived`;
  return usageError(message, kind === "reminder" ? "calctl remind --again announces it again" : done);
}
