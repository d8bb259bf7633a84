import { createHash } from "node:crypto";
import type { Command } from "commander";
import { addAction, describeCommand, forJobs, type RunOf } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import { createProgramRunner, eventVariables } from "../../cli/run-program.js";
import { CliError, type ErrorCode, emptyValueError, usageError } from "../../errors.js";
import type { EventChange } from "../../events/changes/compare.js";
import { type Diff, withDiff } from "../../events/changes/diff.js";
import type { ChangesFlags } from "../../events/changes/read.js";
import { checkName } from "../../events/changes/scope.js";
import { contentKey } from "../../events/content.js";
import { addCalendarFlag, addFilterFlags } from "../../events/find/event-query.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { type WatchedChange, watchedChangeView } from "../../events/views/change.js";
import { jsonObject } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import type { Seen, SeenByName } from "../../state/seen.js";
import type { ChangesOptions } from "./changes.js";

interface WatchOptions extends ChangesOptions {
  readonly interval?: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

const FORMATS = ["json", "ndjson"] as const;

export function registerEventsWatch(command: Command, runOf: RunOf): void {
  command
    .argument("[program...]", "after --: program to run for each change, and its arguments (no shell)")
    .optionsGroup("What to watch")
    .option("--since-last <name>", "continue where the last run with this name ended")
    .option("--days <1-7>", "number of days from today (default: 7)")
    .option("--from-start", "first print existing events as added")
    .option("--interval <duration>", "time between two checks, such as 10s (default: 2s to 30s)");
  addCalendarFlag(command);
  addFilterFlags(command);
  describeCommand(command, {
    prints: { view: watchedChangeView, formats: FORMATS, count: "one" },
    examples: () => [
      [
        "One JSON object per change, until Ctrl-C; --dry-run prints what there is and ends",
        "calctl events watch --from-start --dry-run",
      ],
      [
        "A program for each change, including those since the last run",
        `calctl events watch --since-last desk --dry-run -- sh -c 'notify-send "$CALCTL_EVENT_TITLE"'`,
      ],
    ],
  });
  addAction<WatchOptions>(command, forJobs(runOf), async (run, options) => {
    const { output = "ndjson" } = readGlobalFlags(command);
    if (!FORMATS.some((format) => format === output))
      throw usageError(`--output: this command has no format "${output}"`, `formats: ${FORMATS.join(", ")}`);
    if (options.program.length === 0 && endsInDashes(command))
      throw usageError("the program is missing after --", "leave -- out to print the changes");
    await runEventsWatch(run, options);
  });
}

/** Whether the command line ends with `--`, as where a variable that was to name the program is empty. */
function endsInDashes(command: Command): boolean {
  if (command.parent !== null) return endsInDashes(command.parent);
  // Commander has it, but not in its types.
  const { rawArgs = [] } = command as Command & { readonly rawArgs?: readonly string[] };
  return rawArgs.at(-1) === "--";
}

/** Delivers each change until the run is interrupted, or nobody reads any more; with `--dry-run` those of now. */
async function runEventsWatch(
  run: Run,
  { sinceLast, program, interval, ...rest }: WatchOptions,
): Promise<void> {
  const print = createPrintDelivery(run);
  const isNamed = sinceLast !== undefined;
  const runProgram = program.length === 0 ? null : createProgramDelivery(run, program, isNamed);
  const name = { sinceLast: sinceLast ?? "events watch", nameFlag: "--since-last" } as const;
  checkName(name);
  await watchChanges(run, {
    flags: { ...rest, ...name },
    isNamed,
    interval: interval === undefined ? null : parseInterval(interval),
    deliver: runProgram === null || run.flags.dryRun ? print : runProgram,
    identify,
  });
}

/** @throws CliError usage for format and fields */
function createPrintDelivery({ output: { of } }: Run): (change: WatchedChange) => Promise<Delivery> {
  const output = of(watchedChangeView);
  return async (change) => {
    await output.print(change);
    return output.isClosed() ? "closed" : "delivered";
  };
}

/** Runs the program with the line on stdin, and the keys of the event as variables. */
function createProgramDelivery(
  { machine, output }: Run,
  [program = "", ...args]: readonly string[],
  isNamed: boolean,
): (change: WatchedChange) => Promise<Delivery> {
  if (program === "") throw emptyValueError("the program");
  const again = isNamed
    ? "the next run under the same --since-last runs it again for this change"
    : "it is not run again for this change: that needs --since-last";
  const runProgram = createProgramRunner(machine, { warn: output.warn, again });
  const reported = new Set<string>();
  return async (change) => {
    const input = `${JSON.stringify(jsonObject(watchedChangeView, change))}\n`;
    const ofChange = { CALCTL_CHANGE: change.change, CALCTL_CHANGE_ID: change.id };
    const variables = { ...eventVariables(change.event), ...ofChange };
    try {
      await runProgram({ program, args, input, variables });
      return "delivered";
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== "failed") throw error;
      const hint = error.hint === undefined ? "" : ` (${error.hint})`;
      const text = `change ${change.id}: ${error.message}${hint}; trying again until it works`;
      if (!reported.has(text)) output.warn(text);
      reported.add(text);
      return "failed";
    }
  };
}

/** Gives a change an id: the same when it is found again, because it was not remembered. */
function identify(
  { change, event, before }: EventChange<LocalizedEvent>,
  { revision }: Pick<Diff, "revision">,
): WatchedChange {
  const versions = [before, event].map((each) => each && [each.updated_at, contentKey(each)]);
  const what = JSON.stringify([revision, event.calendar_id, event.id, change, versions]);
  return { id: createHash("sha256").update(what).digest("hex").slice(0, 32), change, event, before };
}

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
    async saveSnapshot({ seen }) {
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
      await (await run.state.seen()).saveSnapshot(remembered);
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

/** Between two reads (ms): after a change the first, then twice as long each time, up to the longest. */
const PAUSES = { first: 2_000, longest: 30_000 };

/** The profile `local` has no limit, and no network. After a failure its pauses grow, too. */
const LOCAL_PAUSES = { first: 1_000, longest: 1_000 };

export type Outcome = "changed" | "quiet" | "failed";

/** Pauses between reads. @param interval what each takes instead (ms); null: they grow while nothing changes */
export function createPauses({ config, machine: { clock, signal } }: Run, interval: number | null) {
  const { first, longest } = config.settings().service.kind === "local" ? LOCAL_PAUSES : PAUSES;
  let pause = first;
  return {
    /** @param outcome of the last read @throws the reason of an interruption */
    async wait(outcome: Outcome): Promise<void> {
      if (interval !== null) return clock.sleep(interval, signal());
      pause =
        outcome === "changed" ? first : Math.min(pause, outcome === "failed" ? PAUSES.longest : longest);
      await clock.sleep(pause, signal());
      pause *= 2;
    },
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Reads `10s`, `2m` or `1h`. @returns milliseconds @throws CliError usage */
export function parseInterval(text: string): number {
  const [, number, unit = ""] = /^(\d{1,4})\s*([smh])$/i.exec(text.trim()) ?? [];
  const interval = Number(number) * (UNITS[unit.toLowerCase()] ?? 0);
  if (interval > 0) return interval;
  throw usageError(`--interval: "${text}" is not an interval`, "write 10s, 2m or 1h");
}
