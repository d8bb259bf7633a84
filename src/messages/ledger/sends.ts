import { randomBytes } from "node:crypto";
import { DAY_MS } from "../../../contract/date-time.js";
import { CliError } from "../../errors.js";
import { isRunning } from "../../system/process-identity.js";
import { type Attempt, runAttempt, type SendingDependencies, unknownBefore } from "./attempts.js";
import type { LedgerDatabase, LedgerTransaction } from "./database.js";
import { createOwner, type Owner, readOwner } from "./owner.js";
import { encodeSeen } from "./seen.js";
import { findSend, type MessageFacts, prune, type Send, saveSend, settleSend } from "./send-rows.js";
import { type Busy, type LedgerDependencies, waitForOthers } from "./waiting.js";

/** What is remembered for the next run under a name. */
export interface Remembered {
  readonly name: string;
  /** Any JSON. */
  readonly seen: unknown;
  /** Whether the message also has what messages under this name had whose outcome is unknown. */
  readonly coversUnknown?: boolean;
}

/** A message that is sent once it is noted. */
export interface OutgoingMessage extends MessageFacts {
  send(): Promise<void>;
}

export interface SendOptions {
  /** What is sent although it was before: by default nothing; what may not have arrived; or whatever it is. */
  readonly repeats?: "unknown" | "all" | undefined;
  /** Whether an unknown outcome is no more than a failure (exit 8), since the next run will repeat it. */
  readonly atLeastOnce?: boolean | undefined;
  /** How many days the keys are kept at least. */
  readonly keepDays: number;
  /** Whether what another process is sending now is left to it: by default its outcome is waited for. */
  readonly skipBusy?: boolean;
  /** What is remembered under a name in the moment in which the message counts as sent. */
  readonly remember?: Remembered;
  /** Called where it cannot be noted, and is sent all the same: by default it is not. */
  readonly onNotNoted?: ((reason: CliError) => void) | undefined;
}

/** `unknown_before`: an earlier run has reported that it may have been sent. */
export type SendResult = "sent" | "already_sent" | "being_sent" | "unknown_before";

/** @param compose makes the message for those of the keys under which nothing was sent */
export type SendOnce = (
  keys: readonly string[],
  compose: (keys: readonly string[]) => Promise<OutgoingMessage>,
  options: SendOptions,
) => Promise<SendResult>;

/** What is known of a key. Free: nothing was sent, or it is to be repeated. */
export type KeyState = "free" | "unknown" | Exclude<SendResult, "sent"> | Owner;

/**
 * The protocol of one message: `sending` is on the disk before anything is sent, and turns into `sent`, into `unknown`, or
 * into `failed`. So a crash at any step leaves a key that says too much, never one that says too little.
 * @see docs/decisions/2026-11-22-sending-once.md
 */
export function createSendOnce(database: LedgerDatabase, dependencies: SendingDependencies): SendOnce {
  return async (keys, compose, options) => {
    const owner = createOwner(dependencies.process);
    const request = { keys, compose, options, owner };
    const claiming = waitForOthers(
      () => claimKeys(database, request, dependencies),
      "sending this",
      dependencies,
    );
    const claim = await claiming.catch((reason: unknown) => sendNotNoted(reason, request));
    if (claim.kind === "unknown") throw claim.error;
    if (claim.kind !== "claimed") return claim.kind;
    await runAttempt(database, claim.attempt, {
      ...dependencies,
      send: claim.send,
      atLeastOnce: options.atLeastOnce,
      coversUnknown: options.remember?.coversUnknown,
    });
    return "sent";
  };
}

type Claim =
  | { readonly kind: "claimed"; readonly attempt: Attempt; readonly send: () => Promise<void> }
  | { readonly kind: SendResult }
  | { readonly kind: "unknown"; readonly error: Error };

async function sendNotNoted(
  reason: unknown,
  { keys, compose, options: { onNotNoted } }: ClaimRequest,
): Promise<Claim> {
  if (onNotNoted === undefined || !(reason instanceof CliError) || reason.code === "interrupted")
    throw reason;
  onNotNoted(reason);
  await (await compose(keys)).send();
  return { kind: "sent" };
}

interface ClaimRequest {
  readonly keys: readonly string[];
  readonly compose: (keys: readonly string[]) => Promise<OutgoingMessage>;
  readonly options: SendOptions;
  readonly owner: string;
}

async function claimKeys(
  database: LedgerDatabase,
  { keys, compose, options, owner }: ClaimRequest,
  { clock, process, unreported }: SendingDependencies,
): Promise<Claim | Busy> {
  const statesOf = (sends: readonly (Send | null)[]) => sends.map((send) => stateOf(send, options, process));
  const freeAmong = (sends: readonly (Send | null)[]) => {
    const states = statesOf(sends);
    return keys.filter((_, index) => states[index] === "free");
  };
  const findAll = (db: LedgerTransaction) => keys.map((key) => findSend(db, key));
  for (;;) {
    // Looking takes no lock, so that who waits does not hold up the one that is waited for.
    const seen = await database.read(findAll);
    const free = freeAmong(seen);
    const settled = free.length > 0 ? null : refusalOf(statesOf(seen), options);
    if (settled !== null) return settled;
    const message = free.length === 0 ? null : await compose(free);
    const claim = await database.write((db): Claim | Busy | null => {
      const found = findAll(db);
      const now = clock.now();
      if (String(freeAmong(found)) !== String(free)) return null;
      if (message === null)
        return (
          refusalOf(statesOf(found), options) ??
          noteUnknown(db, found, { states: statesOf(found), unreported })
        );
      prune(db, now);
      const messageId = randomBytes(6).toString("hex");
      const rows = free.map((key) => newSend(message, options, { key, owner, messageId, beganAt: now }));
      for (const row of rows) saveSend(db, row);
      const previous = found.flatMap((send) => (send !== null && free.includes(send.key) ? [send] : []));
      return { kind: "claimed", attempt: { rows, previous }, send: message.send };
    });
    // Unless another process was faster meanwhile.
    if (claim !== null) return claim;
  }
}

/** Why nothing is sent where no key is free; null where that is to be noted first. */
function refusalOf(states: readonly KeyState[], { skipBusy }: SendOptions): Claim | Busy | null {
  const owner = states.find((state) => typeof state === "object");
  if (owner !== undefined) return skipBusy === true ? { kind: "being_sent" } : { kind: "busy", owner };
  if (states.includes("unknown")) return null;
  return { kind: states.includes("unknown_before") ? "unknown_before" : "already_sent" };
}

/** What a process was sending that has ended is unknown from now on. */
function noteUnknown(
  db: LedgerTransaction,
  found: readonly (Send | null)[],
  { states, unreported }: { readonly states: readonly KeyState[] } & Pick<SendingDependencies, "unreported">,
): Claim | null {
  const send = found[states.indexOf("unknown")] ?? null;
  if (send === null) return null;
  saveSend(db, { ...send, state: "unknown" });
  unreported.add(send.key);
  return { kind: "unknown", error: unknownBefore(send) };
}

/** @returns the owner of what another process is sending now */
export function stateOf(
  send: Send | null,
  { repeats }: Pick<SendOptions, "repeats">,
  process: LedgerDependencies["process"],
): KeyState {
  if (send === null || send.state === "failed" || send.state === "missed" || repeats === "all") return "free";
  if (send.state === "sent") return "already_sent";
  const owner = send.state === "sending" ? readOwner(send.owner) : null;
  if (owner !== null && isRunning(process, owner)) return owner;
  if (repeats === "unknown") return "free";
  return send.state === "reported" ? "unknown_before" : "unknown";
}

function newSend(
  { command, target, what }: OutgoingMessage,
  { keepDays, remember }: SendOptions,
  attempt: Pick<Send, "key" | "owner" | "messageId" | "beganAt">,
): Send {
  return {
    ...attempt,
    state: "sending",
    forgetAt: attempt.beganAt + keepDays * DAY_MS,
    command,
    target,
    what,
    seenName: remember?.name ?? null,
    seen: remember === undefined ? null : encodeSeen(remember.seen),
  };
}

/** Takes outcomes as reported that were unknown. */
export async function acknowledgeUnknown(
  { note }: LedgerDatabase,
  { clock, unreported }: SendingDependencies,
): Promise<boolean> {
  if (unreported.size === 0) return false;
  await note((db) => {
    for (const key of unreported) {
      const send = findSend(db, key);
      if (send?.state === "unknown") settleSend(db, send, { state: "reported", now: clock.now() });
    }
  });
  return true;
}
