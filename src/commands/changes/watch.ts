import { createHash } from "node:crypto";
import type { Command } from "commander";
import { addAction, describeCommand, forJobs, type RunOf } from "../../cli/command.js";
import { readGlobalFlags } from "../../cli/global-flags.js";
import { createProgramRunner, eventVariables } from "../../cli/run-program.js";
import { CliError, emptyValueError, usageError } from "../../errors.js";
import type { EventChange } from "../../events/changes/compare.js";
import type { Diff } from "../../events/changes/diff.js";
import { checkName } from "../../events/changes/name-binding.js";
import { contentKey } from "../../events/content.js";
import { addCalendarFlag, addFilterFlags } from "../../events/find/event-query.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { type WatchedChange, watchedChangeView } from "../../events/views/change.js";
import { jsonObject } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import type { ChangesOptions } from "./changes.js";
import { parseInterval } from "./watch-pauses.js";
import { type Delivery, watchChanges } from "./watch-rounds.js";

interface WatchOptions extends ChangesOptions {
  readonly interval?: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

const FORMATS = ["json", "ndjson"] as const;

export function registerEventsWatch(command: Command, runOf: RunOf): void {
  command
    .argument("[program...]", "after --: program and arguments, run once for each change, without a shell")
    .option("--since-last <name>", "name under which a later run goes on where this one ended");
  addCalendarFlag(command);
  command
    .option("--days <1-7>", "number of days to watch, including today (default: 7)")
    .option("--from-start", "begin by printing existing events as added")
    .option("--interval <duration>", "pause between two reads, such as 10s (default: 2s to 30s)");
  addFilterFlags(command);
  describeCommand(command, {
    prints: { view: watchedChangeView, formats: FORMATS, count: "one" },
    examples: () => [
      [
        "One line of JSON for each change, until Ctrl-C; here what it would print now",
        "calctl events watch --from-start --dry-run",
      ],
      [
        "A program for each change, also for those while it did not run",
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
    : "it is not run again for this change, since --since-last is not given";
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
