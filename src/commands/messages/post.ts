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
  command
    .optionsGroup("Where to")
    .option("--to <name>", "saved target, or with --as mail an email address; repeatable", collect);
  addTargetFlags(command);
  command
    .optionsGroup("Days")
    .option("--days <1-366>", "number of days from today or --from (default: 1)")
    .option("--on <date>", "a single day: a date, or words such as tomorrow or fri")
    .option("--from <date>", "first day (default: today)");
  addStrictDatesFlag(command);
  addCalendarFlag(command);
  command.option(
    "--search <text>",
    "only events with this text in title, description or location; without day flags, on any day, with each series once",
  );
  addFilterFlags(command);
  addMessageFlags(command);
  command
    .option("--title <text>", "title of the message (default: calendar and days)")
    .addOption(
      command
        .createOption("--if-empty <what>", "if there are no events, post nothing or say so (default: skip)")
        .choices(["skip", "say"]),
    )
    .optionsGroup("Repeated runs")
    .option("--once", "post the same days of the same calendars to a target only once")
    .option("--changes <name>", "post changes since the last run with this name, instead of a list")
    .option("--again", "post even if posted before; with --changes, also if it may not have arrived")
    .option("--at-least-once", "with --changes: repeat a post that may not have arrived, instead of exit 9");
  describeCommand(command, {
    takesTemplate: true,
    examples: () => [
      ["Show what would be posted", "calctl post --as slack --dry-run"],
      [
        "The week of every calendar, as two emails",
        "calctl post --as mail --to ana@example.org --to ben@example.org -A --days 7 --dry-run",
      ],
      [
        "One line per event, in your own words",
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
    throw usageError(`use either --changes or --${flag}, not both`);
}
