import type { Command } from "commander";
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
import type { Context, ProgramCall } from "../context.js";
import type { CalendarEvent } from "../contract/shapes.js";
import { CliError, emptyValueError, missingFlagsError, usageError, wrapError } from "../errors.js";
import { describeCommand } from "../help/facts.js";
import { createReminder } from "../messages/message.js";
import { renderMessage } from "../messages/render.js";
import type { Target } from "../messages/target.js";
import { jsonObject, keysOf, textOf } from "../output/view.js";
import { eventView } from "../output/views/event.js";
import { JSON_DOCUMENT } from "../output/views/plain.js";
import { addSilentAction, type ContextOf, forJobs, requireChosenService } from "./command.js";
import type { OpenEvents } from "./events/event-source.js";
import {
  addCalendarFlag,
  addFilterFlags,
  createListing,
  type FilterFlags,
  type ListingContext,
  type ReadListing,
  readListing,
} from "./events/listing.js";
import { createLocalizer } from "./events/print-events.js";
import { ledgerKey } from "./post/ledger-key.js";
import { addTargetFlags, type TargetFlags } from "./post/target.js";
import { processEach } from "./process-each.js";

export interface RemindOptions extends FilterFlags, TargetFlags {
  readonly before?: string;
  readonly grace?: string;
  readonly allDayAt?: string;
  readonly search?: string;
  /** A saved webhook, or addresses of mail. */
  readonly post?: string;
  /** The program and its arguments. */
  readonly program: readonly string[];
}

type RemindContext = ListingContext &
  Pick<Context, "webhooks" | "ledger" | "dryRun" | "isTerminal" | "printDocument" | "runProgram">;

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
  requireChosenService(context.settings());
  const window = readWindow(context, options);
  const matches = searchOf(options);
  const announcer = await createAnnouncer(context, options);
  const { reminders, reportFailures } = await readReminders(context, { window, matches }, options);
  if (context.dryRun) {
    await context.printDocument(
      JSON_DOCUMENT,
      reminders.map(({ event }) => jsonObject(eventView, event)),
    );
    return reportFailures();
  }
  await announceAll(context, { reminders, announcer, window });
  reportFailures();
}

const DEFAULT_GRACE = "1h";

/** @throws CliError usage */
function readWindow({ now, settings }: RemindContext, options: RemindOptions): ReminderWindow {
  const { before, grace = DEFAULT_GRACE, allDayAt } = options;
  if (before === undefined)
    throw missingFlagsError(["--before"], "write how long before its start, such as 15m");
  const window = {
    now: now(),
    before: parseLead(before, "--before"),
    grace: parseLead(grace, "--grace"),
    allDayAt: allDayAt === undefined ? null : parseTimeOfDay(allDayAt, "--all-day-at"),
    zone: settings().timezone,
  };
  checkWindow(window);
  return window;
}

function searchOf({ search }: RemindOptions): (event: CalendarEvent) => boolean {
  return search === undefined ? () => true : createEventSearch(parseSearch(search, "--search"));
}

/** What an event is announced to. */
interface Announcer {
  /** The same in every run. */
  readonly id: string;
  /** @throws CliError when it failed; a certain failure is tried again at the next run */
  announce(event: LocalizedEvent): Promise<void>;
}

async function createAnnouncer(context: RemindContext, options: RemindOptions): Promise<Announcer> {
  const { program: words, post, as, chat } = options;
  const [program, ...args] = words;
  const hasTarget = post !== undefined || as !== undefined;
  if (program === undefined) {
    if (!hasTarget)
      throw usageError("a program or --post is missing", "write the program and its arguments after --");
    return targetAnnouncer(context, await (await context.webhooks()).open({ to: post, as, chat }));
  }
  if (hasTarget) throw usageError("give either a program or a target of messages, not both");
  if (program === "") throw emptyValueError("the program");
  return {
    id: `run ${JSON.stringify(words)}`,
    announce: (event) => context.runProgram(programCall(program, args, event)),
  };
}

function targetAnnouncer({ settings, now }: RemindContext, target: Target): Announcer {
  return {
    id: `post ${target.id}`,
    async announce(event) {
      const message = createReminder(event, { zone: settings().timezone, now: now() });
      await target.deliver(await renderMessage(target.kind, message, target));
    },
  };
}

/** The event as JSON on stdin, and each key as a variable: lists and objects as tsv has them. */
function programCall(program: string, args: readonly string[], event: LocalizedEvent): ProgramCall {
  const variables = keysOf(eventView).map((key) => [
    `CALCTL_EVENT_${key.toUpperCase()}`,
    textOf(eventView, key, event),
  ]);
  return {
    program,
    args,
    input: `${JSON.stringify(jsonObject(eventView, event))}\n`,
    variables: Object.fromEntries(variables),
  };
}

interface FoundReminders extends Pick<ReadListing, "reportFailures"> {
  readonly reminders: readonly Reminder<LocalizedEvent>[];
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
  const { timezone } = context.settings();
  return context.names.whileReading(async () => {
    const listed = { days: { first: null, last: null }, open: openUpcoming(context, window) };
    const listing = await createListing(context, listed, options);
    const { events, reportFailures } = await readListing(context, listing);
    const localize = createLocalizer(listing.calendars, timezone);
    const found = findReminders(events.filter(matches), window);
    return {
      reminders: found.map((reminder) => ({ ...reminder, event: localize(reminder.event) })),
      reportFailures,
    };
  });
}

/** The events of a window, each once although two lists may have it. */
function openUpcoming({ api }: RemindContext, window: ReminderWindow): OpenEvents {
  return async (calendarId) => {
    const client = await api();
    const found = new Map<string, CalendarEvent>();
    for (const query of reminderQueries(window)) {
      for (const event of await client.listUpcomingEvents({ calendarId, ...query }))
        found.set(event.id, event);
    }
    return (async function* () {
      yield [...found.values()];
    })();
  };
}

/** A key is kept for longer than the window, since a clock may be wrong for a while. */
const KEEP_DAYS = 30;

interface Announcing {
  readonly reminders: readonly Reminder<LocalizedEvent>[];
  readonly announcer: Announcer;
  readonly window: ReminderWindow;
}

/**
 * One after the other, by start.
 * @throws CliError outcome_unknown if that is so of one of them, otherwise the failure, partial when others worked
 */
async function announceAll(
  context: RemindContext,
  { reminders, announcer, window }: Announcing,
): Promise<void> {
  if (reminders.length === 0) return;
  const ledger = await context.ledger();
  // An event that moves is announced anew.
  const keyOf = ({ event, start }: Reminder<LocalizedEvent>) =>
    ledgerKey(context, "reminder", {
      target: announcer.id,
      before: window.before,
      event: [event.calendar_id, event.id],
      start,
    });
  let isUnknown = false;
  const { reportFailures, results } = await processEach(reminders, {
    noun: "event",
    verb: "announced",
    name: ({ event }) => event.id,
    warn: context.warn,
    concurrency: 1,
    work: async (reminder) => {
      try {
        return await ledger.sendOnce(keyOf(reminder), () => announcer.announce(reminder.event), {
          keepDays: KEEP_DAYS,
          forgetUnknown: true,
          skipBusy: true,
        });
      } catch (error) {
        isUnknown ||= error instanceof CliError && error.code === "outcome_unknown";
        throw error;
      }
    },
  });
  if (context.isTerminal) {
    const sent = results.filter((result) => result === "sent").length;
    context.note(`announced ${sent} of ${reminders.length} events, the others before`);
  }
  try {
    reportFailures();
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    // An unknown outcome is reported only once, while other failures are tried again by themselves.
    const code = isUnknown ? "outcome_unknown" : error.code;
    const [only, another] = reminders;
    const event = another === undefined ? `event ${only?.event.id}: ` : "";
    throw wrapError(error, code, `${event}${error.message}`);
  }
}
