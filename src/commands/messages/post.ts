import type { Command } from "commander";
import { addAction, describeCommand, forJobs, type RunOf, requireChosenService } from "../../cli/command.js";
import { collect } from "../../cli/global-flags.js";
import { addTargetFlags } from "../../delivery/target.js";
import { emptyValueError, usageError } from "../../errors.js";
import { addCalendarFlag, addFilterFlags } from "../../events/find/event-query.js";
import { addStrictDatesFlag } from "../../events/input/date-flags.js";
import type { Run } from "../../run/run.js";
import { type PostOptions, postDigest } from "./digest.js";
import { addMessageFlags, openTargets } from "./post-target.js";

export function registerPost(command: Command, runOf: RunOf): void {
  command.option(
    "--to <name>",
    "a target saved with targets add, or with --as mail an address (repeatable)",
    collect,
  );
  addTargetFlags(command);
  addMessageFlags(command);
  addCalendarFlag(command);
  command
    .option("--days <1-366>", "number of days, including today or the day of --from (default: 1)")
    .option("--on <date>", "events of this day: a date, or words such as tomorrow or fri")
    .option("--from <date>", "events of this day and later")
    .option(
      "--search <text>",
      "events with this text in title, description or location; without days, of any day, with each series once",
    );
  addStrictDatesFlag(command);
  addFilterFlags(command);
  command
    .addOption(
      command
        .createOption("--if-empty <what>", "without events, post nothing or say so (default: skip)")
        .choices(["skip", "say"]),
    )
    .option("--title <text>", "title of the message (default: calendar and days)")
    .option("--once", "post the same days of the same calendars to the same target at most once")
    .option("--changes <name>", "post what is new since the last time under this name, instead of a list")
    .option("--again", "post even if it was posted before; with --changes: also what may not have arrived")
    .option("--at-least-once", "with --changes: post again what may not have arrived, instead of exit 9");
  describeCommand(command, {
    takesTemplate: true,
    examples: () => [
      ["What would be posted?", "calctl post --as slack --dry-run"],
      [
        "The week of every calendar, as two emails",
        "calctl post --as mail --to ana@example.org --to ben@example.org -A --days 7 --dry-run",
      ],
      [
        "One line for each event, in one's own words",
        "calctl post --as json --template '{{ title }}: {{ location }}' --dry-run",
      ],
    ],
  });
  addAction(command, forJobs(runOf), runPost);
}

/** Sends events, or what is new, as one message. */
async function runPost(run: Run, options: PostOptions): Promise<void> {
  const { title, changes } = options;
  if (title === "") throw emptyValueError("--title");
  checkFlagsOfChanges(options);
  requireChosenService(run.config.settings(), { sends: !run.flags.dryRun });
  const targets = await openTargets(run, options);
  if (changes === undefined) return postDigest(run, options, targets);
  const { postChanges } = await import("./post-changes.js");
  await postChanges(run, { ...options, sinceLast: changes, nameFlag: "--changes" }, targets);
}

/** What is new is always of the next days, and is sent once by itself. */
const NOT_WITH_CHANGES = ["on", "from", "search", "once"] as const;

/** @throws CliError usage */
function checkFlagsOfChanges(options: PostOptions): void {
  const flag = NOT_WITH_CHANGES.find((name) => options[name] !== undefined);
  if (options.changes !== undefined && flag !== undefined)
    throw usageError(`give either --changes or --${flag}, not both`);
}
