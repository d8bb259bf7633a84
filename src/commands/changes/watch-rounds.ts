import { CliError, type ErrorCode } from "../../errors.js";
import type { EventChange } from "../../events/changes/compare.js";
import { type Diff, withDiff } from "../../events/changes/diff.js";
import type { ChangesFlags } from "../../events/changes/read.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import type { WatchedChange } from "../../events/views/change.js";
import type { Run } from "../../run/run.js";
import type { Seen, SeenByName } from "../../state/seen.js";
import { createPauses, type Outcome } from "./watch-pauses.js";

/** What became of a change: `failed` is delivered again, after `closed` nobody reads any more. */
export type Delivery = "delivered" | "failed" | "closed";

export interface Watch {
  readonly flags: ChangesFlags;
  /** Whether later runs go on where this one ends. */
  readonly isNamed: boolean;
  /** Between two reads (ms); null: pauses grow while nothing changes. */
  readonly interval: number | null;
  readonly identify: (change: EventChange<LocalizedEvent>, diff: Diff) => WatchedChange;
  readonly deliver: (change: WatchedChange) => Promise<Delivery>;
}

/**
 * Reads again and again, and delivers what has changed. What was read is remembered once all of its changes were delivered.
 * @throws CliError any failure of the first read, and later what does not pass by itself; the reason of an interruption
 */
export async function watchChanges(run: Run, watch: Watch): Promise<void> {
  const pauses = createPauses(run, watch.interval);
  const read = createRounds(
    watch.isNamed ? run : { ...run, state: { ...run.state, ...createMemory() } },
    watch,
  );
  for (;;) {
    const outcome = await read();
    if (outcome === "closed" || run.flags.dryRun) return;
    await pauses.wait(outcome);
  }
}

/** Remembers for this run alone. */
function createMemory(): Pick<Run["state"], "seen"> {
  let last: Seen | null = null;
  let undelivered: unknown = null;
  const memory: SeenByName = {
    exclusively: (_name, work) => work(),
    read: async () => last,
    async remember({ seen }) {
      last = { revision: (last?.revision ?? 0) + 1, seen };
      undelivered = null;
    },
    readUndelivered: async () => undelivered,
    async keepUndelivered(_name, found) {
      undelivered = found;
    },
  };
  return { seen: async () => memory };
}

/** What passes by itself. */
const TEMPORARY: ReadonlySet<ErrorCode> = new Set(["unavailable", "rate_limited", "partial"]);

/** Of failures in a row, only the first one is reported. */
function createRounds(run: Run, watch: Watch): () => Promise<Outcome | "closed"> {
  const { output, flags } = run;
  let warned: readonly string[] = [];
  let isStarted = false;
  let isFailing = false;
  /** The changes that were delivered, though not all of the same read. */
  const delivered = new Set<string>();
  return async () => {
    const warnings: string[] = [];
    const warn = (text: string) => {
      warnings.push(text);
      if (!warned.includes(text)) output.warn(text);
    };
    try {
      const result = await readRound({ ...run, output: { ...output, warn } }, watch, delivered);
      if (isFailing) output.note("the service can be read again");
      isFailing = false;
      return result;
    } catch (error) {
      const passes = error instanceof CliError && TEMPORARY.has(error.code);
      // Of several calendars, those that could be read are watched.
      if (!passes || flags.dryRun || !(isStarted || error.code === "partial")) throw error;
      if (!isFailing) output.warn(`${error.message}; trying again until it works`);
      isFailing = true;
      return "failed";
    } finally {
      isStarted = true;
      warned = warnings;
    }
  };
}

/** What a read has found. It is remembered before it is delivered, so that who got an event added also gets how it goes on. */
interface Batch extends Pick<Diff, "remembered"> {
  readonly changes: readonly WatchedChange[];
}

/** @param delivered ids of changes of the batch that are not delivered again */
async function readRound(run: Run, watch: Watch, delivered: Set<string>): Promise<Outcome | "closed"> {
  return withDiff(run, watch.flags, async (diff) => {
    const { changes, remembered } = await openBatch(run, diff, watch);
    const result = await deliverAll(changes, watch, delivered);
    if (result !== "delivered") return result;
    if ((changes.length > 0 || diff.isNew) && !run.flags.dryRun)
      await (await run.state.seen()).remember(remembered);
    delivered.clear();
    diff.reportFailures();
    return changes.length > 0 ? "changed" : "quiet";
  });
}

/** The batch that was not delivered to its end, perhaps by a run that was killed; otherwise what the read has found. */
async function openBatch({ state, flags }: Run, diff: Diff, watch: Watch): Promise<Batch> {
  const { remembered } = diff;
  const seen = await state.seen();
  // Written by calctl, to a file of its user.
  const kept = (await seen.readUndelivered(remembered)) as Batch | null;
  if (kept !== null) return kept;
  const found = { remembered, changes: diff.changes.map((change) => watch.identify(change, diff)) };
  if (found.changes.length > 0 && !flags.dryRun) await seen.keepUndelivered(remembered, found);
  return found;
}

async function deliverAll(
  changes: Batch["changes"],
  { deliver }: Pick<Watch, "deliver">,
  delivered: Set<string>,
): Promise<Delivery> {
  let hasFailed = false;
  for (const change of changes.filter(({ id }) => !delivered.has(id))) {
    const result = await deliver(change);
    if (result === "closed") return "closed";
    if (result === "delivered") delivered.add(change.id);
    else hasFailed = true;
  }
  return hasFailed ? "failed" : "delivered";
}
