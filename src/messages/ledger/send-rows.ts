import type { LedgerTransaction, SqlValue } from "./database.js";
import { writeSeen } from "./seen.js";

/** The table `sends`: a row for each key under which something was or is being sent. */

type SendState = "sending" | "sent" | "unknown";

/** A row of `sends`. */
export interface Send {
  readonly key: string;
  readonly state: SendState;
  readonly owner: string;
  readonly beganAt: number;
  readonly forgetAt: number;
  readonly seenName: string | null;
  readonly seen: Uint8Array | null;
}

/** One attempt to send under a key. */
export interface Attempt {
  readonly key: string;
  readonly owner: string;
}

/** Rows that are removed at once. */
const PRUNED_AT_ONCE = 100;

/**
 * Removes keys that were kept for long enough, by this run's clock and by that of the run before: a clock that is wrong
 * once forgets nothing.
 */
export function prune(db: LedgerTransaction, now: number): void {
  const [latest] = db.all("select began_at from sends order by rowid desc limit 1");
  const before = Math.min(now, Number(latest?.["began_at"] ?? 0));
  db.run(
    "delete from sends where rowid in (select rowid from sends where forget_at < ? order by forget_at limit ?)",
    before,
    PRUNED_AT_ONCE,
  );
}

export function findSend(db: LedgerTransaction, key: string): Send | null {
  const [row] = db.all(
    "select state, owner, began_at, forget_at, seen_name, seen from sends where key = ?",
    key,
  );
  if (row === undefined) return null;
  const { state, owner, began_at, forget_at, seen_name, seen } = row;
  return {
    key,
    state: state === "sent" || state === "sending" ? state : "unknown",
    owner: String(owner),
    beganAt: Number(began_at),
    forgetAt: Number(forget_at),
    seenName: typeof seen_name === "string" ? seen_name : null,
    seen: seen instanceof Uint8Array ? seen : null,
  };
}

export function insertSend(db: LedgerTransaction, send: Send): void {
  const values: readonly SqlValue[] = [
    ...[send.key, send.state, send.owner, send.beganAt, send.forgetAt],
    ...[send.seenName, send.seen],
  ];
  db.run("insert or replace into sends values (?, ?, ?, ?, ?, ?, ?)", ...values);
}

/** Changes nothing for an attempt whose key another one has taken with `again`. */
export function setState(db: LedgerTransaction, { key, owner }: Attempt, state: SendState): void {
  db.run("update sends set state = ? where key = ? and owner = ?", state, key, owner);
}

/** What was to be remembered once it is sent is remembered in the same transaction. */
export function noteSent(db: LedgerTransaction, attempt: Attempt, now: number): void {
  const send = findSend(db, attempt.key);
  if (send?.owner !== attempt.owner) return;
  if (send.seenName !== null && send.seen !== null) writeSeen(db, send.seenName, send.seen, now);
  insertSend(db, { ...send, state: "sent", seenName: null, seen: null });
}

export function deleteSend(db: LedgerTransaction, key: string): void {
  db.run("delete from sends where key = ?", key);
}
