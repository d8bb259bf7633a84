import type { Command } from "commander";
import { addAction, describeCommand, forJobs, type RunOf, requireChosenService } from "../../cli/command.js";
import { missingFlagsError } from "../../errors.js";
import { type Diff, withDiff } from "../../events/changes/diff.js";
import type { ChangesFlags } from "../../events/changes/read.js";
import { addCalendarFlag, addFilterFlags } from "../../events/find/event-query.js";
import { rememberShown } from "../../events/find/event-reader.js";
import { changeView, createChangeListView } from "../../events/views/change.js";
import type { Run } from "../../run/run.js";

export interface ChangesOptions extends Omit<ChangesFlags, "sinceLast"> {
  readonly sinceLast?: string;
}

export function registerEventsChanges(command: Command, runOf: RunOf): void {
  command
    .optionsGroup("What to compare")
    .option("--since-last <name>", "name of the series of runs to compare with (required)")
    .option("--days <1-7>", "number of days from today (default: 7)")
    .option("--from-start", "in the first run, print existing events as added");
  addCalendarFlag(command);
  addFilterFlags(command);
  describeCommand(command, {
    prints: { view: changeView, count: "list" },
    examples: () => [
      ["Events added, changed or removed since the last run", "calctl events changes --since-last notes"],
      [
        "Changes in one calendar, as text for a chat",
        "calctl events changes -c Family --since-last chat -o text",
      ],
    ],
  });
  addAction(command, forJobs(runOf), runEventsChanges);
}

/** Prints what is new, changed or removed since the last run under a name. */
async function runEventsChanges(run: Run, { sinceLast, ...flags }: ChangesOptions): Promise<void> {
  // Checks format and fields before any request.
  run.output.of(changeView);
  if (sinceLast === undefined) throw missingFlagsError(["--since-last"]);
  requireChosenService(run.config.settings(), { sends: !run.flags.dryRun });
  await withDiff(run, { ...flags, sinceLast, nameFlag: "--since-last" }, async (diff) => {
    const isTaken = await printChanges(run, diff);
    if (isTaken) await diff.remember();
    else run.output.warn("the output was closed before it was read; the next run prints these changes again");
    if (run.terminal.isTerminal) noteSilence(run, sinceLast, diff);
    diff.reportFailures();
  });
}

/** @returns whether the reader has taken it */
async function printChanges(
  run: Run,
  { changes, calendars }: Pick<Diff, "changes" | "calendars">,
): Promise<boolean> {
  const shorten = await rememberShown(
    run,
    changes.map(({ event }) => event),
  );
  const output = run.output.of(createChangeListView({ calendars, shorten }));
  await output.print(changes.map((change) => ({ ...change.event, ...change })));
  return !output.isClosed();
}

/** Why nothing was printed, for a person. */
function noteSilence({ output, flags }: Run, name: string, { changes, isFirst, watched }: Diff): void {
  if (changes.length > 0) return;
  const events = watched === 1 ? "1 event" : `${watched} events`;
  if (!isFirst) output.note(`no changes since the last run under the name "${name}"`);
  else if (!flags.dryRun)
    output.note(
      `first run under the name "${name}": ${events} recorded; changes are printed from the next run on`,
    );
}
