import { createHash } from "node:crypto";
import type { Command } from "commander";
import type { LocalizedEvent } from "../calendar/event-view.js";
import { localDate } from "../calendar/zoned-time.js";
import type { Context } from "../context.js";
import { DAY_MS } from "../contract/date-time.js";
import { CliError, emptyValueError, usageError, wrapError } from "../errors.js";
import { describeCommand } from "../help/facts.js";
import { createDigest, createTextMessage, type Message } from "../messages/message.js";
import { renderMessage } from "../messages/render.js";
import type { Target } from "../messages/target.js";
import { TARGET_KINDS, type TargetKind } from "../messages/target-kinds.js";
import { describeDayRange } from "../output/event-when.js";
import { eventView } from "../output/views/event.js";
import { PAYLOAD_DOCUMENT } from "../output/views/plain.js";
import { addSilentAction, type ContextOf, requireChosenService } from "./command.js";
import { type EventSelection, readSelection, type SelectionFlags } from "./events/event-selection.js";
import {
  addCalendarFlag,
  addFilterFlags,
  createListing,
  type FilterFlags,
  type ListingContext,
  listedEvents,
  readListing,
} from "./events/listing.js";
import { createLocalizer, rangeOf } from "./events/print-events.js";
import type { EventListing } from "./events/stream.js";

/** The flags that choose where messages go, as typed. */
export interface TargetFlags {
  readonly as?: TargetKind;
  readonly chat?: string;
}

export interface PostOptions extends Omit<SelectionFlags, "to">, FilterFlags, TargetFlags {
  /** A saved webhook, or addresses of mail. */
  readonly to?: string;
  readonly ifEmpty?: "skip" | "say";
  readonly title?: string;
  readonly once?: boolean;
  readonly again?: boolean;
}

type PostContext = ListingContext &
  Pick<Context, "webhooks" | "ledger" | "dryRun" | "isTerminal" | "renderTemplate" | "printDocument">;

/** Adds `--as` and `--chat`. */
export function addTargetFlags(command: Command): void {
  command
    .addOption(
      command
        .createOption("--as <kind>", "what the webhook of the environment takes, or mail")
        .choices(TARGET_KINDS),
    )
    .option("--chat <id>", "chat of telegram, if it is not the saved one");
}

export function registerPost(command: Command, contextOf: ContextOf): void {
  command.option("--to <name>", "a webhook saved with webhooks add, or with --as mail an address");
  addTargetFlags(command);
  addCalendarFlag(command);
  command
    .option("--days <1-7>", "number of days, including today or the day of --from (default: 1)")
    .option("--on <date>", "events of this day: a date, or words such as tomorrow or fri")
    .option("--from <date>", "events of this day and later")
    .option("--search <text>", "events with this text in title, description or location, of any day")
    .option("--strict-dates", "read only ISO 8601 dates, no words");
  addFilterFlags(command);
  command
    .addOption(
      command
        .createOption("--if-empty <what>", "without events, post nothing or say so (default: skip)")
        .choices(["skip", "say"]),
    )
    .option("--title <text>", "title of the message (default: calendar and days)")
    .option("--once", "post the same days of the same calendars to the same target at most once")
    .option("--again", "with --once: post all the same");
  describeCommand(command, {
    examples: () => [
      ["What would be posted?", "calctl post --as slack --dry-run"],
      [
        "The week of every calendar, as mail",
        "calctl post --as mail --to ana@example.org -A --days 7 --dry-run",
      ],
      [
        "One line for each event, in one's own words",
        "calctl post --as json --template '{{ title }}: {{ location }}' --dry-run",
      ],
    ],
  });
  addSilentAction(command, contextOf, runPost, ["template"]);
}

/** Sends the events that `events list` would show as one message. Unless all of them can be read, nothing is sent. */
export async function runPost(context: PostContext, options: PostOptions): Promise<void> {
  if (options.again === true && options.once !== true)
    throw usageError("--again: only what --once remembers can be posted again", "add --once");
  if (options.title === "") throw emptyValueError("--title");
  requireChosenService(context.settings());
  const { to, as, chat } = options;
  const target = await (await context.webhooks()).open({ to, as, chat });
  // How dates in words were read is for a person; cron would mail it.
  const note = context.isTerminal ? context.note : () => undefined;
  const { settings, now } = context;
  const selection = await readSelection({ settings, now, note }, withoutTarget(options));
  const { listing, events } = await readEventsToPost(context, selection, options);
  if (events.length === 0 && options.ifEmpty !== "say") {
    if (context.isTerminal) context.note("no events: nothing was posted");
    return;
  }
  const message = await createMessage(context, { events, listing, title: options.title });
  const payload = await renderMessage(target.kind, message, target);
  if (context.dryRun) return context.printDocument(PAYLOAD_DOCUMENT, payload);
  const send = () => target.deliver(payload);
  const sent =
    options.once === true ? await sendOnce(context, send, { options, listing, target }) : await send();
  if (!context.isTerminal) return;
  context.note(sent === "already_sent" ? `already posted to ${target.name}` : `posted to ${target.name}`);
}

/** `--to` names the target here, and a day elsewhere. */
function withoutTarget({ to: _target, ...options }: PostOptions): SelectionFlags {
  return options;
}

interface EventsToPost {
  readonly listing: EventListing;
  readonly events: readonly LocalizedEvent[];
}

/** @throws CliError unless every calendar could be read */
async function readEventsToPost(
  context: PostContext,
  selection: EventSelection,
  options: FilterFlags,
): Promise<EventsToPost> {
  return context.names.whileReading(async () => {
    const listing = await createListing(context, listedEvents(context, selection), options);
    const { events, reportFailures } = await readListing(context, listing);
    try {
      reportFailures();
    } catch (error) {
      if (!(error instanceof CliError) || error.code === "interrupted") throw error;
      throw wrapError(error, error.code, `nothing was posted: ${error.message}`);
    }
    const localize = createLocalizer(listing.calendars, context.settings().timezone);
    return { listing, events: events.map(localize) };
  });
}

async function createMessage(
  { settings, now, renderTemplate }: Pick<Context, "settings" | "now" | "renderTemplate">,
  { events, listing: { calendars, days }, title }: EventsToPost & { readonly title: string | undefined },
): Promise<Message> {
  const { timezone: zone } = settings();
  const heading = title ?? defaultTitle({ calendars, days }, localDate(now(), zone));
  const text = events.length === 0 ? null : renderTemplate(eventView, events);
  if (text !== null) return createTextMessage(heading, text);
  const showCalendar = calendars.length > 1;
  return createDigest(events, { title: heading, zone, now: now(), range: rangeOf(days), showCalendar });
}

/** `Family: Mon 23 Nov`, `Mon 23 – Sun 29 Nov`. @param today `YYYY-MM-DD` */
function defaultTitle({ calendars, days }: Pick<EventListing, "calendars" | "days">, today: string): string {
  const [calendar, another] = calendars;
  const name = another === undefined ? calendar?.name : null;
  const range = describeDayRange(days, { year: today.slice(0, 4) !== (days.last ?? today).slice(0, 4) });
  return [name ?? "", range].filter((part) => part !== "").join(": ") || "Events";
}

/** A digest can be posted for days that are far ahead. */
const KEEP_FOR = 400 * DAY_MS;

interface OnceOptions {
  readonly options: PostOptions;
  readonly listing: EventListing;
  readonly target: Target;
}

async function sendOnce(
  context: Pick<Context, "ledger" | "settings" | "calendarFlags">,
  send: () => Promise<void>,
  { options, listing, target }: OnceOptions,
): Promise<"sent" | "already_sent" | "being_sent"> {
  const ledger = await context.ledger();
  const key = digestKey(context, { options, listing, target });
  return ledger.sendOnce(key, send, { again: options.again === true, keepFor: KEEP_FOR });
}

/** What makes two digests the same: profile, target, calendars, zone, days and filters. */
function digestKey(
  { settings, calendarFlags }: Pick<Context, "settings" | "calendarFlags">,
  { options, listing: { calendars, days }, target }: OnceOptions,
): string {
  const { profile, service, timezone, defaultCalendar } = settings();
  const { category, label, mine, remaining, search, allCalendars } = options;
  // All of them stays the same when there is another one.
  const isAll = allCalendars === true || (calendarFlags.length === 0 && defaultCalendar === undefined);
  const parts = {
    profile,
    service: service.kind === "local" ? null : service.baseUrl.value,
    target: target.id,
    calendars: isAll ? "all" : calendars.map(({ id }) => id).sort(),
    timezone,
    days,
    filters: { category, label, mine, remaining, search },
  };
  return `post ${createHash("sha256").update(JSON.stringify(parts)).digest("base64url")}`;
}
