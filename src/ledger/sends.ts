import { DAY_MS } from "../contract/date-time.js";
import { CliError, DryRunStop, isOutcomeUnknown, wrapError } from "../errors.js";
import type { LedgerDatabase, LedgerTransaction, SqlValue } from "./database.js";
import { createOwner, readOwner } from "./owner.js";
import { encodeSeen, writeSeen } from "./seen.js";
import { type Busy, type LedgerParts, waitForOthers } from "./waiting.js";

/** What is remembered for the next run under a name. */
export interface Remembered {
  readonly name: string;
  /** Any JSON. */
  readonly seen: unknown;
}

export interface SendOptions {
  /** Sends whatever the key's state is. */
  readonly again?: boolean;
  /** How many days the key is kept at least. */
  readonly keepDays: number;
  /** Whether an unknown outcome is taken as sent once it was reported: with `acknowledge`. */
  readonly reportUnknownOnce?: boolean;
  /** Whether what another process is sending now is left to it: by default its outcome is waited for. */
  readonly skipBusy?: boolean;
  /** What is remembered under a name in the moment in which the message counts as sent. */
  readonly remember?: Remembered;
}

export type SendOnce = (
  key: string,
  send: () => Promise<void>,
  options: SendOptions,
) => Promise<"sent" | "already_sent" | "being_sent">;

/**
 * The protocol of one message: `sending` is on the disk before anything is sent, and turns into `sent`, into `unknown`, or
 * into nothing. So a crash at any step leaves a key that says too much, never one that says too little.
 * @see docs/decisions/2026-11-22-sending-once.md
 */
export function createSendOnce(database: LedgerDatabase, parts: LedgerParts): SendOnce {
  return async (key, send, options) => {
    const owner = createOwner(parts.processes);
    const claim = await waitForOthers(
      () => claimKey(database, { key, owner, options }, parts),
      "sending this",
      parts,
    );
    if (claim.kind === "unknown") throw unknownOutcome(claim.send, options);
    if (claim.kind !== "claimed") return claim.kind;
    try {
      await send();
    } catch (error) {
      await noteFailure(database, error, { key, owner, previous: claim.previous });
      throw error;
    }
    try {
      await database.write((db) => noteSent(db, { key, owner }, parts.clock.now()), FOR_CERTAIN);
    } catch (error) {
      throw notNotedError(error);
    }
    return "sent";
  };
}

type SendState = "sending" | "sent" | "unknown";

/** A row of `sends`. */
interface Send {
  readonly key: string;
  readonly state: SendState;
  readonly owner: string;
  readonly beganAt: number;
  readonly forgetAt: number;
  readonly seenName: string | null;
  readonly seen: Uint8Array | null;
}

/** One attempt to send under a key. */
interface Attempt {
  readonly key: string;
  readonly owner: string;
}

type Claim =
  /** With what the key was before. */
  | { readonly kind: "claimed"; readonly previous: Send | null }
  | { readonly kind: "already_sent" | "being_sent" }
  | { readonly kind: "unknown"; readonly send: Send };

async function claimKey(
  database: LedgerDatabase,
  attempt: Attempt & { readonly options: SendOptions },
  { clock, processes }: LedgerParts,
): Promise<Claim | Busy> {
  const { key, options } = attempt;
  const busy = (send: Send | null): Claim | Busy | null => {
    if (send?.state !== "sending" || options.again === true) return null;
    const owner = readOwner(send.owner);
    if (owner === null || !processes.isRunning(owner)) return null;
    return options.skipBusy === true ? { kind: "being_sent" } : { kind: "busy", owner };
  };
  // Looking takes no lock, so that who waits does not hold up the one that is waited for.
  const waiting = busy(await database.read((db) => findSend(db, key)));
  if (waiting !== null) return waiting;
  return database.write((db) => {
    const now = clock.now();
    prune(db, now);
    const found = findSend(db, key);
    if (found === null || options.again === true) {
      insertSend(db, newSend(attempt, now));
      return { kind: "claimed", previous: found };
    }
    if (found.state === "sent") return { kind: "already_sent" };
    const stillBusy = busy(found);
    if (stillBusy !== null) return stillBusy;
    setState(db, { key, owner: found.owner }, "unknown");
    return { kind: "unknown", send: found };
  });
}

function newSend({ key, owner, options }: Attempt & { readonly options: SendOptions }, now: number): Send {
  return {
    ...{ key, owner, state: "sending", beganAt: now, forgetAt: now + options.keepDays * DAY_MS },
    seenName: options.remember?.name ?? null,
    seen: options.remember === undefined ? null : encodeSeen(options.remember.seen),
  };
}

/** Rows that are removed at once. */
const PRUNED_AT_ONCE = 100;

/**
 * Removes keys that were kept for long enough, by this run's clock and by that of the run before: a clock that is wrong
 * once forgets nothing.
 */
function prune(db: LedgerTransaction, now: number): void {
  const [latest] = db.all("select began_at from sends order by rowid desc limit 1");
  const before = Math.min(now, Number(latest?.["began_at"] ?? 0));
  db.run(
    "delete from sends where rowid in (select rowid from sends where forget_at < ? order by forget_at limit ?)",
    before,
    PRUNED_AT_ONCE,
  );
}

function findSend(db: LedgerTransaction, key: string): Send | null {
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

function insertSend(db: LedgerTransaction, send: Send): void {
  const values: readonly SqlValue[] = [
    ...[send.key, send.state, send.owner, send.beganAt, send.forgetAt],
    ...[send.seenName, send.seen],
  ];
  db.run("insert or replace into sends values (?, ?, ?, ?, ?, ?, ?)", ...values);
}

/** Changes nothing for an attempt whose key another one has taken with `again`. */
function setState(db: LedgerTransaction, { key, owner }: Attempt, state: SendState): void {
  db.run("update sends set state = ? where key = ? and owner = ?", state, key, owner);
}

/** What was to be remembered once it is sent is remembered in the same transaction. */
function noteSent(db: LedgerTransaction, attempt: Attempt, now: number): void {
  const send = findSend(db, attempt.key);
  if (send?.owner !== attempt.owner) return;
  if (send.seenName !== null && send.seen !== null) writeSeen(db, send.seenName, send.seen, now);
  insertSend(db, { ...send, state: "sent", seenName: null, seen: null });
}

/**
 * Takes outcomes that were unknown as sent, once that was reported. A run that is killed before leaves the report to the
 * next one.
 */
export async function acknowledgeUnknown(
  database: LedgerDatabase,
  keys: readonly string[],
  now: number,
): Promise<void> {
  if (keys.length === 0) return;
  await database.write((db) => {
    for (const key of keys) {
      const send = findSend(db, key);
      if (send?.state === "unknown") noteSent(db, send, now);
    }
  }, FOR_CERTAIN);
}

/** The note must be written, even if the run was interrupted meanwhile. */
const FOR_CERTAIN = { evenIfInterrupted: true };

interface FailedSend extends Attempt {
  /** What the key was before. */
  readonly previous: Send | null;
}

/** @throws CliError for the failure, if it cannot be noted */
async function noteFailure(
  database: LedgerDatabase,
  failure: unknown,
  { previous, ...attempt }: FailedSend,
): Promise<void> {
  try {
    await database.write((db) => {
      if (!isCertain(failure)) {
        setState(db, attempt, "unknown");
        return;
      }
      const [own] = db.all("select 1 from sends where key = ? and owner = ?", attempt.key, attempt.owner);
      if (own === undefined) return;
      if (previous === null) db.run("delete from sends where key = ?", attempt.key);
      else insertSend(db, previous);
    }, FOR_CERTAIN);
  } catch (error) {
    // The key stays as it is, and the next run will say that the outcome is unknown.
    if (!(failure instanceof CliError && error instanceof CliError)) throw failure;
    throw wrapError(failure, failure.code, `${failure.message}; and ${error.message}`);
  }
}

/** Whether nothing was sent for certain. An unexpected error says nothing about that. */
function isCertain(failure: unknown): boolean {
  if (failure instanceof DryRunStop) return true;
  return failure instanceof CliError && !isOutcomeUnknown(failure);
}

function unknownOutcome({ beganAt, owner }: Send, { reportUnknownOnce = false }: SendOptions): CliError {
  const { pid, host } = readOwner(owner) ?? {};
  const where = pid === undefined ? "" : ` (process ${pid} on ${host})`;
  const when = new Date(beganAt).toISOString();
  return new CliError(
    "outcome_unknown",
    `it is not known whether this was sent: the attempt of ${when}${where} did not come to an end`,
    {
      hint: reportUnknownOnce
        ? "look where it should have arrived; from now on it counts as sent"
        : "look where it should have arrived; --again sends it again",
      mayHaveSucceeded: true,
    },
  );
}

/** The message has arrived, so it must not be called a failure that may be repeated. */
function notNotedError(cause: unknown): unknown {
  if (!(cause instanceof CliError)) return cause;
  return new CliError("failed", `it was sent, but that could not be noted: ${cause.message}`, {
    hint: `${cause.hint === undefined ? "" : `${cause.hint}; `}the next run does not send it again and ends with exit code 9`,
    cause,
  });
}
