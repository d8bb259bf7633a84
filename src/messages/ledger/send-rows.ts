import { DAY_MS } from "../../../contract/date-time.js";
import type { SentMessage } from "../../output/views/sent.js";
import type { LedgerTransaction } from "./database.js";
import { findSeen, writeSeen } from "./seen.js";

/** The table `sends`: a row for each key under which something was or is being sent. */

/**
 * `failed`: nothing was sent, for certain, so the key is free. `reported`: unknown, as a run has said; the key counts as
 * sent. `missed`: no run came in time, as one has said.
 */
type SendState = "sending" | "sent" | "unknown" | "reported" | "failed" | "missed";

const STATES: ReadonlySet<unknown> = new Set<SendState>(["sending", "sent", "reported", "failed", "missed"]);

/** What a message says of itself, in a list and in errors. */
export type MessageFacts = Pick<SentMessage, "command" | "target" | "what">;

/** A row of `sends`. */
export interface Send extends MessageFacts {
  readonly key: string;
  readonly state: SendState;
  readonly owner: string;
  readonly beganAt: number;
  readonly forgetAt: number;
  /** Under which name something is remembered once it is sent. */
  readonly seenName: string | null;
  /**
   * What is remembered then; null once it was, or something newer. Of `reported`: what had been seen before, until a message
   * under the name covers this one.
   */
  readonly seen: Uint8Array | null;
  /** The same for keys that were sent as one message; null where there was none. */
  readonly messageId: string | null;
}

/** Rows that are removed at once. */
const PRUNED_AT_ONCE = 100;

/** How long a message is listed with its first line and its target, and can be covered by a later one (ms). */
export const LISTED_FOR = 30 * DAY_MS;

/** The keys of the latest sends stay, whatever the clock says: without one, a message would be sent again. */
const ALWAYS_KEPT = 100;

/**
 * Removes keys and first lines that were kept for long enough, by this run's clock and by that of earlier runs: a clock that is wrong
 * for a while forgets nothing.
 */
export function prune(db: LedgerTransaction, now: number): void {
  const clockOf = (send: number): number => {
    const [row] = db.all("select began_at from sends order by rowid desc limit 1 offset ?", send - 1);
    return Math.min(now, Number(row?.["began_at"] ?? 0));
  };
  db.run(
    "delete from sends where rowid in (select rowid from sends where forget_at < ? order by forget_at limit ?)",
    clockOf(ALWAYS_KEPT),
    PRUNED_AT_ONCE,
  );
  db.run(
    `update sends set what = null, target = null, seen = case state when 'reported' then null else seen end
      where began_at < ? and coalesce(what, target) is not null`,
    clockOf(1) - LISTED_FOR,
  );
}

const COLUMNS = "state, owner, began_at, forget_at, seen_name, seen, message_id, command, target, what, key";

/** The row of a key; null without one. */
export function findSend(db: LedgerTransaction, key: string): Send | null {
  return findSends(db, "key = ?", key)[0] ?? null;
}

/** The rows that fulfil a condition, as they were begun. */
export function findSends(
  db: LedgerTransaction,
  condition: "key = ?" | "began_at >= ?",
  value: string | number,
): readonly Send[] {
  const text = (cell: unknown) => (typeof cell === "string" ? cell : null);
  const blob = (cell: unknown) => (cell instanceof Uint8Array ? cell : null);
  return db
    .all(`select ${COLUMNS} from sends where ${condition} order by began_at, rowid`, value)
    .map((row) => ({
      key: String(row["key"]),
      state: STATES.has(row["state"]) ? (row["state"] as SendState) : "unknown",
      owner: String(row["owner"]),
      beganAt: Number(row["began_at"]),
      forgetAt: Number(row["forget_at"]),
      seenName: text(row["seen_name"]),
      seen: blob(row["seen"]),
      messageId: text(row["message_id"]),
      command: row["command"] === "remind" ? "remind" : "post",
      target: text(row["target"]),
      what: text(row["what"]),
    }));
}

/** Writes a row, in place of the one of its key. */
export function saveSend(db: LedgerTransaction, send: Send): void {
  const { state, owner, beganAt, forgetAt, seenName, seen, key } = send;
  const { messageId, command, target, what } = send;
  db.run(
    `insert or replace into sends (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[state, owner, beganAt, forgetAt, seenName, seen, messageId, command, target, what],
    key,
  );
}

interface Settlement {
  readonly state: "sent" | "reported";
  readonly now: number;
  readonly coversUnknown?: boolean | undefined;
}

/** Takes a send as done. What was to be remembered is remembered in the same transaction. */
export function settleSend(
  db: LedgerTransaction,
  send: Send,
  { state, now, coversUnknown }: Settlement,
): void {
  const { seenName: name, seen: content } = send;
  const isNew = name !== null && content !== null;
  const before = isNew && state === "reported" ? findSeen(db, name) : null;
  if (isNew) writeSeen(db, { name, content, coversUnknown }, now);
  saveSend(db, { ...send, state, seen: before });
}
