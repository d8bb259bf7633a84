import type { Command } from "commander";
import { addAction, describeCommand, forJobs, type RunOf, requireChosenService } from "../../cli/command.js";
import { addTargetFlags } from "../../delivery/target.js";
import { type CliError, missingFlagsError, wrapError } from "../../errors.js";
import { addCalendarFlag, addFilterFlags, type EventQuery } from "../../events/find/event-query.js";
import { nameSingle, readEvents } from "../../events/find/event-reader.js";
import {
  checkWindow,
  findLate,
  findReminders,
  parseLead,
  parseTimeOfDay,
  type ReminderWindow,
  reminderQueries,
} from "../../events/reminders.js";
import { parseSearch } from "../../events/search.js";
import type { Run } from "../../run/run.js";
import { type Announcing, announceAll, showAll } from "./announce.js";
import { addMessageFlags } from "./post-target.js";
import { createReminderSink, type RemindOptions } from "./reminder-sink.js";

export function registerRemind(command: Command, runOf: RunOf): void {
  command
    .argument("[program...]", "after --: program and arguments, run once for each event, without a shell")
    .option("--before <duration>", "announce events that start within this time, such as 15m")
    .option("--grace <duration>", "also announce starts that were missed within this time (default: 1h)")
    .option("--all-day-at <HH:MM>", "announce all-day events too, as if they started at this time of day")
    .option("--post <name>", "post to a saved target instead of running a program")
    .option("--again", "repeat announcements that may not have arrived")
    .option("--at-least-once", "do what --again does in every run, instead of ending with exit 9");
  addTargetFlags(command);
  addMessageFlags(command);
  addCalendarFlag(command);
  command.option("--search <text>", "only events with this text in title, description or location");
  addFilterFlags(command);
  describeCommand(command, {
    examples: () => [
      [
        "Every five minutes from cron: a notice before each event",
        `calctl remind --before 15m --dry-run -- sh -c 'notify-send "$CALCTL_EVENT_TITLE"'`,
      ],
      [
        "All-day events at eight in the morning, by email",
        "calctl remind --before 1m --all-day-at 08:00 --as mail --post ana@example.org --dry-run",
      ],
    ],
  });
  addAction(command, forJobs(runOf), runRemind);
}

/** Announces each start of an event once: to a program, or to the target of messages. */
async function runRemind(run: Run, options: RemindOptions): Promise<void> {
  const before = requireFlags(options);
  requireChosenService(run.config.settings(), { sends: !run.flags.dryRun });
  const window = readWindow(run, options, before);
  const search = options.search === undefined ? null : parseSearch(options.search, "--search");
  const sink = await createReminderSink(run, options);
  const query: EventQuery = {
    days: { first: null, last: null },
    upcoming: reminderQueries(window),
    search,
    filters: options,
  };
  const { failure, ...found } = await readReminders(run, window, query);
  if (!run.flags.dryRun) await announceAll(run, { ...found, sink, window, options });
  else if (failure === null || failure.code === "partial") await showAll(run, { ...found, sink });
  if (failure !== null) throw failure;
}

const DEFAULT_GRACE = "1h";

/** @returns `--before`. @throws CliError usage that names all that is missing */
function requireFlags({ before, program, post, as }: RemindOptions): string {
  const hasSink = program.length > 0 || post !== undefined || as !== undefined;
  const missing = hasSink ? [] : ["--post (or a program after --)"];
  if (before === undefined)
    throw missingFlagsError(["--before", ...missing], "--before is how long before its start, such as 15m");
  if (!hasSink) throw missingFlagsError(missing);
  return before;
}

/** @throws CliError usage */
function readWindow(
  { now, config }: Run,
  { grace = DEFAULT_GRACE, allDayAt }: RemindOptions,
  before: string,
): ReminderWindow {
  const window = {
    now: now(),
    before: parseLead(before, "--before"),
    grace: parseLead(grace, "--grace"),
    allDayAt: allDayAt === undefined ? null : parseTimeOfDay(allDayAt, "--all-day-at"),
    zone: config.settings().timezone,
  };
  checkWindow(window);
  return window;
}

interface FoundReminders extends Pick<Announcing, "reminders" | "late" | "showCalendar"> {
  /** Of calendars that could not be read; null without one. Each was named on stderr. */
  readonly failure: CliError | null;
}

/** Reads the events that are to be announced. Those of a calendar that cannot be read are left for the next run. */
async function readReminders(run: Run, window: ReminderWindow, query: EventQuery): Promise<FoundReminders> {
  const { calendars, events, reportFailures } = await readEvents(run, query);
  let failure: CliError | null = null;
  reportFailures((error) => {
    failure = wrapError(error, error.code, `${nameSingle(calendars)}${error.message}`);
    return null;
  });
  const [reminders, late] = [findReminders(events, window), findLate(events, window)];
  return { reminders, late, showCalendar: calendars.length > 1, failure };
}
