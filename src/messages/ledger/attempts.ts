import { CliError, DryRunStop, isOutcomeUnknown, wrapError } from "../../errors.js";
import type { LedgerDatabase, LedgerTransaction } from "./database.js";
import { readOwner } from "./owner.js";
import { findSend, type Send, saveSend, settleSend } from "./send-rows.js";
import type { LedgerDependencies } from "./waiting.js";

/** What sending needs. */
export interface SendingDependencies extends LedgerDependencies {
  /** The keys whose outcome is unknown and that this run is to report. */
  readonly unreported: Set<string>;
}

/** One attempt of this process to send a message: the rows of its keys, which say `sending`, and what they were before. */
export interface Attempt {
  readonly rows: readonly Send[];
  readonly previous: readonly Send[];
}

interface AttemptOptions extends SendingDependencies {
  readonly send: () => Promise<void>;
  /** As in SendOptions. */
  readonly atLeastOnce?: boolean | undefined;
  /** As in Remembered. */
  readonly coversUnknown?: boolean | undefined;
}

/**
 * Sends, and notes how it ended.
 * @throws what `send` throws, with what the message says where its outcome is unknown; CliError failed when it was sent, but
 * that could not be noted
 */
export async function runAttempt(
  database: LedgerDatabase,
  attempt: Attempt,
  { send, clock, unreported, atLeastOnce = false, coversUnknown }: AttemptOptions,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    const note = isCertain(error) ? noteFailed : noteUnknown;
    await database.note((db) => note(db, attempt)).catch((reason) => explainNotNoted(error, reason));
    if (isCertain(error) || !(error instanceof CliError)) throw error;
    if (atLeastOnce && error.code === "outcome_unknown") throw willBeRepeated(error);
    for (const { key } of attempt.rows) unreported.add(key);
    throw describeUnknown(error, attempt.rows[0]);
  }
  const noteSent = (db: LedgerTransaction) => {
    const settled = { state: "sent", now: clock.now(), coversUnknown } as const;
    for (const row of stillOwn(db, attempt)) settleSend(db, row, settled);
    keepEarlier(db, attempt);
  };
  await database.note(noteSent).catch(throwNotNoted);
}

/** But for those that another attempt has taken with `again`. */
function stillOwn(db: LedgerTransaction, { rows }: Attempt): readonly Send[] {
  return rows.filter(({ key, owner }) => findSend(db, key)?.owner === owner);
}

/** What was sent before under the same keys is still listed. */
function keepEarlier(db: LedgerTransaction, { previous, rows }: Attempt): void {
  for (const send of previous)
    if (send.state === "sent" && send.messageId !== rows[0]?.messageId)
      saveSend(db, { ...send, key: `${send.key} ${send.messageId}` });
}

/** Everything is as it was before; a key under which nothing was sent yet is free. */
function noteFailed(db: LedgerTransaction, attempt: Attempt): void {
  for (const row of stillOwn(db, attempt)) {
    const before = attempt.previous.find(({ key }) => key === row.key);
    const isFree = before === undefined || before.state === "failed" || before.state === "missed";
    saveSend(db, isFree ? { ...row, state: "failed" } : before);
  }
}

function noteUnknown(db: LedgerTransaction, attempt: Attempt): void {
  for (const row of stillOwn(db, attempt)) saveSend(db, { ...row, state: "unknown" });
  keepEarlier(db, attempt);
}

/** The key stays as it is, and the next run will say that the outcome is unknown. */
function explainNotNoted(failure: unknown, reason: unknown): never {
  if (!(failure instanceof CliError && reason instanceof CliError)) throw failure;
  throw wrapError(failure, failure.code, `${failure.message}; and ${reason.message}`);
}

/** Whether nothing was sent for certain. An unexpected error says nothing about that. */
function isCertain(failure: unknown): boolean {
  return failure instanceof DryRunStop || (failure instanceof CliError && !isOutcomeUnknown(failure));
}

/** The outcome of an attempt of an earlier run. */
export function unknownBefore(send: Send): CliError {
  const { pid } = readOwner(send.owner) ?? {};
  const where = pid === undefined ? "" : ` (process ${pid})`;
  const when = new Date(send.beganAt).toISOString();
  const message = `it is not known whether this was sent by the attempt of ${when}${where}`;
  const hint = "check whether it arrived";
  return describeUnknown(new CliError("outcome_unknown", message, { hint, mayHaveSucceeded: true }), send);
}

/** What sends an unknown message again, for hints. */
export const AGAIN_HINT = "to send it again, repeat the command with --again";

/** Says what may not have arrived, and what can be done about it. */
function describeUnknown(error: CliError, send: Send | undefined): CliError {
  const { messageId: id = null, what = null, target = null } = send ?? {};
  const during = error.code === "interrupted" ? " while sending" : ":";
  const named = what === null ? "" : `${during} “${what}”`;
  return wrapError(error, error.code, `${error.message}${named}`, {
    hint: error.hint === undefined ? AGAIN_HINT : `${error.hint}; ${AGAIN_HINT}`,
    details: error.details ?? { message: { id, target, what } },
  });
}

/** An unknown outcome is no reason to stop with `--at-least-once`. */
function willBeRepeated({ message, status, request }: CliError): CliError {
  return new CliError("unavailable", message, { hint: "the next run sends it again", status, request });
}

/** For `catch`: a message that was sent must not be called a failure that may be repeated. */
function throwNotNoted(cause: unknown): never {
  if (!(cause instanceof CliError)) throw cause;
  // Not the hint of the reason: to run the command again could send it again.
  const hint = "it has arrived: correct what is wrong, and do not repeat this one";
  throw new CliError("failed", `it was sent, but that could not be noted: ${cause.message}`, { hint, cause });
}
