import { DAY_MS } from "../../../contract/date-time.js";
import { CliError, DryRunStop, isOutcomeUnknown, wrapError } from "../../errors.js";
import type { LedgerDatabase } from "./database.js";
import { createOwner, readOwner } from "./owner.js";
import { encodeSeen } from "./seen.js";
import {
  type Attempt,
  deleteSend,
  findSend,
  insertSend,
  noteSent,
  prune,
  type Send,
  setState,
} from "./send-rows.js";
import { type Busy, type LedgerParts, waitForOthers } from "./waiting.js";

/** What is remembered for the next run under a name. */
export interface Remembered {
  readonly name: string;
  /** Any JSON. */
  readonly seen: unknown;
}

interface SendOptions {
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
      if (findSend(db, attempt.key)?.owner !== attempt.owner) return;
      if (previous === null) deleteSend(db, attempt.key);
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
    `it is not known whether this was sent by the attempt of ${when}${where}`,
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
    // Not that of the cause: to run the command again could send it again.
    hint: "it has arrived: correct what is wrong, and do not repeat this one",
    cause,
  });
}
