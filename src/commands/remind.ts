import type { Command } from "commander";
import type { CalendarEvent } from "../../contract/shapes.js";
import { createEventSearch, parseSearch } from "../calendar/event-search.js";
import type { LocalizedEvent } from "../calendar/event-view.js";
import {
  checkWindow,
  findReminders,
  parseLead,
  parseTimeOfDay,
  type Reminder,
  type ReminderWindow,
  reminderQueries,
} from "../calendar/reminders.js";
import { addSilentAction, type ContextOf, forJobs, requireChosenService } from "../cli/command.js";
import { describeCommand } from "../cli/command-facts.js";
import { CliError, missingFlagsError, wrapError } from "../errors.js";
import { jsonObject } from "../output/view.js";
import { eventView } from "../output/views/event.js";
import { JSON_DOCUMENT } from "../output/views/plain.js";
import { nameSingle, type OpenEvents } from "./events/event-source.js";
import {
  addCalendarFlag,
  addFilterFlags,
  createListing,
  type FilterFlags,
  readListing,
} from "./events/listing.js";
import { createLocalizer } from "./events/print-events.js";
import { addTargetFlags } from "./post/target.js";
import { announceAll } from "./remind/announce.js";
import { createAnnouncer } from "./remind/announcer.js";
import type { RemindContext, RemindOptions } from "./remind/options.js";

export function registerRemind(command: Command, contextOf: ContextOf): void {
  command
    .argument("[program...]", "after --: program and arguments, run once for each event, without a shell")
    .option("--before <duration>", "how long before its start an event is announced, such as 15m")
    .option(
      "--grace <duration>",
      "how long after its start an event is announced that was missed (default: 1h)",
    )
    .option("--all-day-at <HH:MM>", "announce all-day events too, as if they started at this time of day")
    .option("--post <name>", "post to a saved webhook instead of running a program");
  addTargetFlags(command);
  addCalendarFlag(command);
  command.option("--search <text>", "only events with this text in title, description or location");
  addFilterFlags(command);
  describeCommand(command, {
    examples: () => [
      [
        "Every five minutes from cron: a notice before each event",
        'calctl remind --before 15m --dry-run -- notify-send "In 15 minutes"',
      ],
      [
        "All-day events at eight in the morning, by mail",
        "calctl remind --before 1m --all-day-at 08:00 --as mail --post ana@example.org --dry-run",
      ],
    ],
  });
  addSilentAction(command, forJobs(contextOf), runRemind);
}

/** Announces each start of an event once: to a program, or to the target of messages. */
export async function runRemind(context: RemindContext, options: RemindOptions): Promise<void> {
  const before = requireFlags(options);
  requireChosenService(context.config.settings());
  const window = readWindow(context, options, before);
  const matches = searchOf(options);
  const announcer = await createAnnouncer(context, options);
  const { reminders, showCalendar, failure } = await readReminders(context, { window, matches }, options);
  if (!context.flags.dryRun) {
    await announceAll(context, { reminders, announcer, window, showCalendar });
  } else if (failure === null || failure.code === "partial") {
    const events = reminders.map(({ event }) => jsonObject(eventView, event));
    await context.output.document(JSON_DOCUMENT, events);
  }
  if (failure !== null) throw failure;
}

const DEFAULT_GRACE = "1h";

/** @returns `--before`. @throws CliError usage that names all that is missing */
function requireFlags({ before, program, post, as }: RemindOptions): string {
  const hasAnnouncer = program.length > 0 || post !== undefined || as !== undefined;
  const announcer = hasAnnouncer ? [] : ["--post (or a program after --)"];
  if (before === undefined)
    throw missingFlagsError(["--before", ...announcer], "--before is how long before its start, such as 15m");
  if (!hasAnnouncer) throw missingFlagsError(announcer);
  return before;
}

/** @throws CliError usage */
function readWindow(
  { now, config }: RemindContext,
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

function searchOf({ search }: RemindOptions): (event: CalendarEvent) => boolean {
  return search === undefined ? () => true : createEventSearch(parseSearch(search, "--search"));
}

interface FoundReminders {
  readonly reminders: readonly Reminder<LocalizedEvent>[];
  /** Whether there are several calendars. */
  readonly showCalendar: boolean;
  /** Of calendars that could not be read; null without one. Each was named on stderr. */
  readonly failure: CliError | null;
}

/** Reads the events that are to be announced. Those of a calendar that cannot be read are left for the next run. */
async function readReminders(
  context: RemindContext,
  {
    window,
    matches,
  }: { readonly window: ReminderWindow; readonly matches: (event: CalendarEvent) => boolean },
  options: FilterFlags,
): Promise<FoundReminders> {
  const { timezone } = context.config.settings();
  return context.names.withCachedNames(async () => {
    const listed = { days: { first: null, last: null }, open: openUpcoming(context, window) };
    const listing = await createListing(context, listed, options);
    const { events, reportFailures } = await readListing(context, listing);
    const localize = createLocalizer(listing.calendars, timezone);
    const found = findReminders(events.filter(matches), window);
    return {
      reminders: found.map((reminder) => ({ ...reminder, event: localize(reminder.event) })),
      showCalendar: listing.calendars.length > 1,
      failure: failureOf(reportFailures, nameSingle(listing.calendars)),
    };
  });
}

/** Reports what could not be read. @param prefix of the message. @throws an interruption or an unexpected error */
function failureOf(reportFailures: () => void, prefix: string): CliError | null {
  try {
    reportFailures();
    return null;
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    return wrapError(error, error.code, `${prefix}${error.message}`);
  }
}

/** The events of a window, each once although two lists may have it. */
function openUpcoming({ api }: RemindContext, window: ReminderWindow): OpenEvents {
  return async (calendarId) => {
    const client = await api();
    const found = new Map<string, CalendarEvent>();
    for (const query of reminderQueries(window)) {
      const { events } = await client.listUpcomingEvents({ calendarId, ...query });
      for (const event of events) found.set(event.id, event);
    }
    return (async function* () {
      yield [...found.values()];
    })();
  };
}
