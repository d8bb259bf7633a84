import { DAY_MS } from "../../../contract/date-time.js";
import type { SentMessage } from "../../output/views/sent.js";
import { isRunning } from "../../system/process-identity.js";
import type { LedgerDatabase, LedgerTransaction } from "./database.js";
import { createOwner, readOwner } from "./owner.js";
import { findSend, findSends, LISTED_FOR, type Send, saveSend } from "./send-rows.js";
import { type KeyState, type SendOptions, stateOf } from "./sends.js";
import type { LedgerDependencies } from "./waiting.js";

/** What was sent in the last 30 days, or might have been. */
export interface SentMessages {
  /** The oldest first; without what is being sent now. */
  list(): Promise<readonly SentMessage[]>;
  /** What is known of each key, without waiting and without changing it. */
  statesOf(keys: readonly string[], options?: Pick<SendOptions, "repeats">): Promise<readonly KeyState[]>;
  /** Notes keys, of those under which nothing is noted yet, as too late. @returns those that it has noted */
  noteMissed(keys: readonly string[], keepDays: number): Promise<readonly string[]>;
}

/** What was sent, over the rows of an open ledger. */
export function createSentMessages(
  { read, write }: LedgerDatabase,
  { clock, process }: LedgerDependencies,
): SentMessages {
  const isBusy = ({ state, owner }: Send): boolean => {
    const sender = state === "sending" ? readOwner(owner) : null;
    return sender !== null && isRunning(process, sender);
  };
  return {
    async list() {
      const rows = await read((db) => findSends(db, "began_at >= ?", clock.now() - LISTED_FOR));
      const listed = rows.filter(({ state }) => state !== "missed").filter((row) => !isBusy(row));
      return [...new Map(listed.map((row) => [row.messageId, row])).values()].map(describe);
    },
    statesOf: (keys, options = {}) =>
      read((db) => keys.map((key) => stateOf(findSend(db, key), options, process))),
    async noteMissed(keys, keepDays) {
      const isNew = (db: LedgerTransaction) => keys.filter((key) => findSend(db, key) === null);
      if ((await read(isNew)).length === 0) return [];
      const [owner, beganAt] = [createOwner(process), clock.now()];
      const nothing = { target: null, what: null, messageId: null, seenName: null, seen: null };
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
  const outcome = state === "sent" || state === "failed" ? state : "unknown";
  const at = new Date(beganAt).toISOString();
  return { id: messageId ?? "", command, target, what, at, outcome };
}
