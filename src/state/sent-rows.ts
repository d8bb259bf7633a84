import { DAY_MS } from "../../contract/date-time.js";
import { findSeen, type SeenName, writeSeen } from "./seen.js";
import type { StateTransaction } from "./state.js";

/** The table `sent`: a row for each key under which something was or is being sent. */

/**
 * `failed`: nothing was sent, for certain, so the key is free. `reported`: unknown, as a run has said; the key counts as
 * sent. `missed`: no run came in time, as one has said.
 */
type SentState = "sending" | "sent" | "unknown" | "reported" | "failed" | "missed";

const STATES: ReadonlySet<unknown> = new Set<SentState>(["sending", "sent", "reported", "failed", "missed"]);

/** A message that was sent, or may have been. */
export interface SentMessage {
  readonly id: string;
  readonly command: "post" | "remind";
  /** Where it goes, as messages name it; null once that is forgotten. */
  readonly target: string | null;
  /** Its first line; null likewise. */
  readonly what: string | null;
  /** When it was begun: UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly at: string;
  readonly outcome: "sent" | "unknown" | "failed";
}

/** What a message says of itself, in a list and in errors. */
export type MessageFacts = Pick<SentMessage, "command" | "target" | "what">;

/** A row of `sent`. */
export interface SentRow extends MessageFacts {
  readonly key: string;
  readonly state: SentState;
  readonly owner: string;
  readonly beganAt: number;
  readonly forgetAt: number;
  /** Under which name something is remembered once it is sent. */
  readonly seenName: SeenName | null;
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

/** The latest keys stay, whatever the clock says: without one, a message would be sent again. */
const ALWAYS_KEPT = 100;

/**
 * Removes keys and first lines that were kept for long enough, by this run's clock and by that of earlier runs: a clock that is wrong
 * for a while forgets nothing.
 */
export function prune(db: StateTransaction, now: number): void {
  const clockOf = (row: number): number => {
    const [found] = db.all("select began_at from sent order by rowid desc limit 1 offset ?", row - 1);
    return Math.min(now, Number(found?.["began_at"] ?? 0));
  };
  db.run(
    "delete from sent where rowid in (select rowid from sent where forget_at < ? order by forget_at limit ?)",
    clockOf(ALWAYS_KEPT),
    PRUNED_AT_ONCE,
  );
  db.run(
    `update sent set what = null, target = null, seen = case state when 'reported' then null else seen end
      where began_at < ? and coalesce(what, target) is not null`,
    clockOf(1) - LISTED_FOR,
  );
}

const COLUMNS =
  "state, owner, began_at, forget_at, seen_name, seen_reader, seen, message_id, command, target, what, key";

/** The row of a key; null without one. */
export function findSent(db: StateTransaction, key: string): SentRow | null {
  return findAllSent(db, "key = ?", key)[0] ?? null;
}

/** The rows that fulfil a condition, as they were begun. */
export function findAllSent(
  db: StateTransaction,
  condition: "key = ?" | "began_at >= ?",
  value: string | number,
): readonly SentRow[] {
  const text = (cell: unknown) => (typeof cell === "string" ? cell : null);
  const blob = (cell: unknown) => (cell instanceof Uint8Array ? cell : null);
  return db
    .all(`select ${COLUMNS} from sent where ${condition} order by began_at, rowid`, value)
    .map((row) => {
      const name = text(row["seen_name"]);
      return {
        key: String(row["key"]),
        state: STATES.has(row["state"]) ? (row["state"] as SentState) : "unknown",
        owner: String(row["owner"]),
        beganAt: Number(row["began_at"]),
        forgetAt: Number(row["forget_at"]),
        seenName: name === null ? null : { name, reader: text(row["seen_reader"]) ?? "" },
        seen: blob(row["seen"]),
        messageId: text(row["message_id"]),
        command: row["command"] === "remind" ? "remind" : "post",
        target: text(row["target"]),
        what: text(row["what"]),
      };
    });
}

/** Writes a row, in place of the one of its key. */
export function saveSent(db: StateTransaction, sent: SentRow): void {
  const { state, owner, beganAt, forgetAt, seenName, seen, key } = sent;
  const { messageId, command, target, what } = sent;
  const [name, reader] = seenName === null ? [null, null] : [seenName.name, seenName.reader ?? ""];
  db.run(
    `insert or replace into sent (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[state, owner, beganAt, forgetAt, name, reader, seen, messageId, command, target, what],
    key,
  );
}

interface Settlement {
  readonly state: "sent" | "reported";
  readonly now: number;
  readonly coversUnknown?: boolean | undefined;
}

/** Takes a message as sent. What was to be remembered is remembered in the same transaction. */
export function settleSent(
  db: StateTransaction,
  sent: SentRow,
  { state, now, coversUnknown }: Settlement,
): void {
  const { seenName: name, seen: content } = sent;
  const isNew = name !== null && content !== null;
  const before = isNew && state === "reported" ? findSeen(db, name) : null;
  if (isNew) writeSeen(db, { ...name, content, coversUnknown }, now);
  saveSent(db, { ...sent, state, seen: before });
}
