import { createHash, randomBytes } from "node:crypto";
import { DAY_MS } from "../../contract/date-time.js";
import type { ServiceSelection } from "../config/settings.js";
import { CliError, isOutcomeUnknown, wrapError } from "../errors.js";
import { type Busy, createOwner, type Owner, readOwner, runningOwner, waitForOthers } from "./holders.js";
import { encodeSeen, findSeen, type Remembered, type SeenName, writeSeen } from "./seen.js";
import type { State, StateTransaction } from "./state.js";

/**
 * What was sent, or might have been. All reject with CliError configuration when the file of the state is damaged, of another
 * program or of a newer version, or when it cannot be written.
 */
export interface Sent {
  /**
   * Sends one message under some keys, under each at most once, also with another process at the same second, which then
   * waits for its outcome. Any other result than `sent` sends nothing. A failure that is certain frees the keys. One whose
   * outcome is unknown, and a crash, keep them. Every error that is not a CliError, too, leaves the outcome unknown.
   * @param compose makes the message for those of the keys under which nothing was sent
   * @throws what `send` throws; CliError outcome_unknown when no key is free and an earlier attempt has an unknown outcome
   * that no run has reported; unavailable when another process takes too long; failed when it was sent, but that could not
   * be noted
   */
  sendOnce(
    keys: readonly string[],
    compose: (keys: readonly string[]) => Promise<OutgoingMessage>,
    options: SendOptions,
  ): Promise<SendResult>;
  /** Takes the unknown outcomes of this run as reported: call it when the run is about to do so. @returns whether there are any */
  acknowledge(): Promise<boolean>;
  /** The messages of the last 30 days, the oldest first; without what is being sent now. */
  list(): Promise<readonly SentMessage[]>;
  /** What is known of each key, without waiting and without changing it. */
  statesOf(keys: readonly string[], options?: Pick<SendOptions, "repeats">): Promise<readonly KeyState[]>;
  /** Notes keys, of those under which nothing is noted yet, as too late. @returns those that it has noted */
  noteMissed(keys: readonly string[], keepDays: number): Promise<readonly string[]>;
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

/** What is known of a key. Free: nothing was sent, or it is to be repeated. */
type KeyState = "free" | "unknown" | Exclude<SendResult, "sent"> | Owner;

/**
 * The key of what is sent once: the same for the same parts, profile and service.
 * @param parts JSON; undefined members do not count
 */
export function messageKey(
  { profile, service }: Pick<ServiceSelection, "profile" | "service">,
  kind: "digest" | "changes" | "reminder",
  parts: Readonly<Record<string, unknown>>,
): string {
  const url = service.kind === "local" ? null : service.baseUrl.value;
  const text = JSON.stringify({ profile, url, ...parts });
  return `${kind} ${createHash("sha256").update(text).digest("base64url")}`;
}

/** What this run has sent, and what earlier runs have. */
export function createSent(state: State): Sent {
  const { read, write, clock, process } = state;
  const unreported = new Set<string>();
  return {
    sendOnce: (keys, compose, options) =>
      sendOnce({ ...state, unreported }, { keys, compose, options, owner: createOwner(process) }),
    acknowledge: () => acknowledgeUnknown({ ...state, unreported }),
    async list() {
      const rows = await read((db) => findAllSent(db, "began_at >= ?", clock.now() - LISTED_FOR));
      const isBeingSent = (row: SentRow) =>
        row.state === "sending" && runningOwner(row.owner, process) !== null;
      const listed = rows.filter((row) => row.state !== "missed" && !isBeingSent(row));
      return [...new Map(listed.map((row) => [row.messageId, row])).values()].map(describe);
    },
    statesOf: (keys, options = {}) =>
      read((db) => keys.map((key) => stateOf(findSent(db, key), options, process))),
    async noteMissed(keys, keepDays) {
      const isNew = (db: StateTransaction) => keys.filter((key) => findSent(db, key) === null);
      if ((await read(isNew)).length === 0) return [];
      const [owner, beganAt] = [createOwner(process), clock.now()];
      const nothing = { target: null, what: null, messageId: null, seenName: null, seen: null };
      const row = { ...nothing, command: "remind", state: "missed", owner, beganAt } as const;
      return write((db) => {
        const noted = isNew(db);
        for (const key of noted) saveSent(db, { ...row, key, forgetAt: beganAt + keepDays * DAY_MS });
        return noted;
      });
    },
  };
}

function describe({ messageId, command, target, what, beganAt, state }: SentRow): SentMessage {
  const outcome = state === "sent" || state === "failed" ? state : "unknown";
  const at = new Date(beganAt).toISOString();
  return { id: messageId ?? "", command, target, what, at, outcome };
}

/** The state, and the keys whose outcome is unknown and that this run is to report. */
interface SendingState extends State {
  readonly unreported: Set<string>;
}

interface SendRequest {
  readonly keys: readonly string[];
  readonly compose: Parameters<Sent["sendOnce"]>[1];
  readonly options: SendOptions;
  readonly owner: string;
}

/**
 * The protocol of one message: `sending` is on the disk before anything is sent, and turns into `sent`, into `unknown`, or
 * into `failed`. So a crash at any step leaves a key that says too much, never one that says too little.
 * @see docs/decisions/2026-11-22-sending-once.md
 */
async function sendOnce(state: SendingState, request: SendRequest): Promise<SendResult> {
  const claiming = waitForOthers(state, () => claimKeys(state, request), "sending this");
  const claim = await claiming.catch((reason: unknown) => sendNotNoted(reason, request));
  if (claim.kind === "unknown") throw claim.error;
  if (claim.kind !== "claimed") return claim.kind;
  await runAttempt(state, claim, request.options);
  return "sent";
}

/** The keys are this process's to send: their rows, which say `sending`, and what they were before. */
interface Claimed {
  readonly kind: "claimed";
  readonly rows: readonly SentRow[];
  readonly previous: readonly SentRow[];
  readonly send: () => Promise<void>;
}

type Claim = Claimed | { readonly kind: SendResult } | { readonly kind: "unknown"; readonly error: Error };

async function sendNotNoted(
  reason: unknown,
  { keys, compose, options: { onNotNoted } }: SendRequest,
): Promise<Claim> {
  if (onNotNoted === undefined || !(reason instanceof CliError) || reason.code === "interrupted")
    throw reason;
  onNotNoted(reason);
  await (await compose(keys)).send();
  return { kind: "sent" };
}

async function claimKeys(
  { read, write, clock, process, unreported }: SendingState,
  { keys, compose, options, owner }: SendRequest,
): Promise<Claim | Busy> {
  const statesOf = (rows: readonly (SentRow | null)[]) => rows.map((row) => stateOf(row, options, process));
  const freeAmong = (rows: readonly (SentRow | null)[]) => {
    const states = statesOf(rows);
    return keys.filter((_, index) => states[index] === "free");
  };
  const findAll = (db: StateTransaction) => keys.map((key) => findSent(db, key));
  for (;;) {
    // Looking takes no lock, so that who waits does not hold up the one that is waited for.
    const seen = await read(findAll);
    const free = freeAmong(seen);
    const settled = free.length > 0 ? null : refusalOf(statesOf(seen), options);
    if (settled !== null) return settled;
    const message = free.length === 0 ? null : await compose(free);
    const claim = await write((db): Claim | Busy | null => {
      const found = findAll(db);
      const now = clock.now();
      if (String(freeAmong(found)) !== String(free)) return null;
      if (message === null)
        return (
          refusalOf(statesOf(found), options) ??
          noteUnknownBefore(db, found, { states: statesOf(found), unreported })
        );
      prune(db, now);
      const messageId = randomBytes(6).toString("hex");
      const rows = free.map((key) => newRow(message, options, { key, owner, messageId, beganAt: now }));
      for (const row of rows) saveSent(db, row);
      const previous = found.flatMap((row) => (row !== null && free.includes(row.key) ? [row] : []));
      return { kind: "claimed", rows, previous, send: message.send };
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
function noteUnknownBefore(
  db: StateTransaction,
  found: readonly (SentRow | null)[],
  { states, unreported }: { readonly states: readonly KeyState[] } & Pick<SendingState, "unreported">,
): Claim | null {
  const row = found[states.indexOf("unknown")] ?? null;
  if (row === null) return null;
  saveSent(db, { ...row, state: "unknown" });
  unreported.add(row.key);
  return { kind: "unknown", error: unknownBefore(row) };
}

/** @returns the owner of what another process is sending now */
function stateOf(
  row: SentRow | null,
  { repeats }: Pick<SendOptions, "repeats">,
  process: State["process"],
): KeyState {
  if (row === null || row.state === "failed" || row.state === "missed" || repeats === "all") return "free";
  if (row.state === "sent") return "already_sent";
  const owner = row.state === "sending" ? runningOwner(row.owner, process) : null;
  if (owner !== null) return owner;
  if (repeats === "unknown") return "free";
  return row.state === "reported" ? "unknown_before" : "unknown";
}

function newRow(
  { command, target, what }: OutgoingMessage,
  { keepDays, remember }: SendOptions,
  attempt: Pick<SentRow, "key" | "owner" | "messageId" | "beganAt">,
): SentRow {
  return {
    ...attempt,
    state: "sending",
    forgetAt: attempt.beganAt + keepDays * DAY_MS,
    command,
    target,
    what,
    seenName: remember === undefined ? null : { name: remember.name, reader: remember.reader },
    seen: remember === undefined ? null : encodeSeen(remember.seen),
  };
}

/**
 * Sends, and notes how it ended.
 * @throws what `send` throws, with what the message says where its outcome is unknown; CliError failed when it was sent, but
 * that could not be noted
 */
async function runAttempt(
  { write, clock, unreported }: SendingState,
  claimed: Claimed,
  { atLeastOnce = false, remember }: SendOptions,
): Promise<void> {
  const note = (work: (db: StateTransaction) => void) => write(work, { evenIfInterrupted: true });
  try {
    await claimed.send();
  } catch (error) {
    const noteEnd = isCertain(error) ? noteFailed : noteUnknown;
    await note((db) => noteEnd(db, claimed)).catch((reason) => explainNotNoted(error, reason));
    if (isCertain(error) || !(error instanceof CliError)) throw error;
    if (atLeastOnce && error.code === "outcome_unknown") throw willBeRepeated(error);
    for (const { key } of claimed.rows) unreported.add(key);
    throw describeUnknown(error, claimed.rows[0]);
  }
  const noteSent = (db: StateTransaction) => {
    const settled = { state: "sent", now: clock.now(), coversUnknown: remember?.coversUnknown } as const;
    for (const row of stillOwn(db, claimed)) settleSent(db, row, settled);
    keepEarlier(db, claimed);
  };
  await note(noteSent).catch(throwNotNoted);
}

/** But for those that another attempt has taken with `again`. */
function stillOwn(db: StateTransaction, { rows }: Claimed): readonly SentRow[] {
  return rows.filter(({ key, owner }) => findSent(db, key)?.owner === owner);
}

/** What was sent before under the same keys is still listed. */
function keepEarlier(db: StateTransaction, { previous, rows }: Claimed): void {
  for (const row of previous)
    if (row.state === "sent" && row.messageId !== rows[0]?.messageId)
      saveSent(db, { ...row, key: `${row.key} ${row.messageId}` });
}

/** Everything is as it was before; a key under which nothing was sent yet is free. */
function noteFailed(db: StateTransaction, claimed: Claimed): void {
  for (const row of stillOwn(db, claimed)) {
    const before = claimed.previous.find(({ key }) => key === row.key);
    const isFree = before === undefined || before.state === "failed" || before.state === "missed";
    saveSent(db, isFree ? { ...row, state: "failed" } : before);
  }
}

function noteUnknown(db: StateTransaction, claimed: Claimed): void {
  for (const row of stillOwn(db, claimed)) saveSent(db, { ...row, state: "unknown" });
  keepEarlier(db, claimed);
}

async function acknowledgeUnknown({ write, clock, unreported }: SendingState): Promise<boolean> {
  if (unreported.size === 0) return false;
  const noteReported = (db: StateTransaction) => {
    for (const key of unreported) {
      const row = findSent(db, key);
      if (row?.state === "unknown") settleSent(db, row, { state: "reported", now: clock.now() });
    }
  };
  await write(noteReported, { evenIfInterrupted: true });
  return true;
}

/** The key stays as it is, and the next run will say that the outcome is unknown. */
function explainNotNoted(failure: unknown, reason: unknown): never {
  if (!(failure instanceof CliError && reason instanceof CliError)) throw failure;
  throw wrapError(failure, failure.code, `${failure.message}; and ${reason.message}`);
}

/** Whether nothing was sent for certain. An unexpected error says nothing about that. */
function isCertain(failure: unknown): boolean {
  return failure instanceof CliError && !isOutcomeUnknown(failure);
}

/** The outcome of an attempt of an earlier run. */
function unknownBefore(row: SentRow): CliError {
  const { pid } = readOwner(row.owner) ?? {};
  const where = pid === undefined ? "" : ` (process ${pid})`;
  const when = new Date(row.beganAt).toISOString();
  const message = `it is unknown whether this was sent by the attempt of ${when}${where}`;
  const hint = "check whether it arrived";
  return describeUnknown(new CliError("outcome_unknown", message, { hint, mayHaveSucceeded: true }), row);
}

/** What sends an unknown message again, for hints. */
export const AGAIN_HINT = "to send it again, repeat the command with --again";

/** Says what may not have arrived, and what can be done about it. */
function describeUnknown(error: CliError, row: SentRow | undefined): CliError {
  const { messageId: id = null, what = null, target = null } = row ?? {};
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
  const hint = "it arrived: fix the problem, but do not send it again";
  throw new CliError("failed", `it was sent, but this could not be recorded: ${cause.message}`, {
    hint,
    cause,
  });
}

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
