import type { LocalizedEvent } from "../../calendar/event-view.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { CliError, usageError, wrapError } from "../../errors.js";
import { createDigest, createTextMessage, type Message } from "../../messages/message.js";
import type { Target } from "../../messages/target.js";
import { describeDayRange } from "../../output/event-when.js";
import { eventView } from "../../output/views/event.js";
import { type EventSelection, readSelection, type SelectionFlags } from "../events/event-selection.js";
import { nameSingle } from "../events/event-source.js";
import {
  createListing,
  type FilterFlags,
  type ListingContext,
  listedEvents,
  readListing,
} from "../events/listing.js";
import { createLocalizer, rangeOf } from "../events/print-events.js";
import type { EventListing } from "../events/stream.js";
import { ledgerKey } from "./ledger-key.js";
import type { PostContext, PostOptions } from "./options.js";
import { postMessage } from "./target.js";

/** Sends the events that `events list` would show. Unless all of them can be read, nothing is sent. */
export async function postDigest(context: PostContext, options: PostOptions, target: Target): Promise<void> {
  if (options.again === true && options.once !== true)
    throw usageError("--again: only what --once remembers can be posted again", "add --once");
  // How dates in words were read is for a person; cron would mail it.
  const note = context.terminal.isTerminal ? context.output.note : () => undefined;
  const { config, now } = context;
  const selection = await readSelection({ config, now, output: { note } }, withoutTarget(options));
  const { listing, events } = await readEventsToPost(context, selection, options);
  if (events.length === 0 && options.ifEmpty !== "say") {
    if (context.terminal.isTerminal) context.output.note("no events: nothing was posted");
    return;
  }
  const message = createMessage(context, { events, listing, title: options.title });
  await postMessage(context, message, {
    target,
    sendMessage: (send) =>
      options.once === true ? sendOnce(context, send, { options, listing, target }) : send(),
  });
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
  context: ListingContext,
  selection: EventSelection,
  options: FilterFlags,
): Promise<EventsToPost> {
  return context.names.withCachedNames(async () => {
    const listing = await createListing(context, listedEvents(context, selection), options);
    const { events, reportFailures } = await readListing(context, listing);
    try {
      reportFailures();
    } catch (error) {
      if (!(error instanceof CliError) || error.code === "interrupted") throw error;
      const message = `${nameSingle(listing.calendars)}${error.message}`;
      throw wrapError(error, error.code, `nothing was posted: ${message}`);
    }
    const localize = createLocalizer(listing.calendars, context.config.settings().timezone);
    return { listing, events: events.map(localize) };
  });
}

function createMessage(
  { config, now, output }: Pick<Context, "config" | "now" | "output">,
  { events, listing: { calendars, days }, title }: EventsToPost & { readonly title: string | undefined },
): Message {
  const { timezone: zone } = config.settings();
  const heading = title ?? defaultTitle({ calendars, days }, localDate(now(), zone));
  const text = events.length === 0 ? null : output.template(eventView, events);
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
const KEEP_DAYS = 400;

interface OnceOptions {
  readonly options: PostOptions;
  readonly listing: EventListing;
  readonly target: Target;
}

async function sendOnce(
  context: Pick<Context, "messages" | "config" | "flags" | "now">,
  send: () => Promise<void>,
  { options, listing, target }: OnceOptions,
): Promise<"sent" | "already_sent" | "being_sent"> {
  const ledger = await context.messages.ledger();
  const key = digestKey(context, { options, listing, target });
  return ledger.sendOnce(key, send, { again: options.again === true, keepDays: KEEP_DAYS });
}

/** What makes two digests the same: profile, target, calendars, zone, days and filters. */
function digestKey(
  { config, flags, now }: Pick<Context, "config" | "flags" | "now">,
  { options, listing: { calendars, days }, target }: OnceOptions,
): string {
  const { timezone, defaultCalendar } = config.settings();
  const { category, label, mine, remaining, search, allCalendars } = options;
  // All of them stays the same when there is another one.
  const isAll = allCalendars === true || (flags.calendars.length === 0 && defaultCalendar === undefined);
  return ledgerKey({ config }, "digest", {
    target: target.id,
    calendars: isAll ? "all" : calendars.map(({ id }) => id).sort(),
    timezone,
    // Without a last day, every day has a digest of its own.
    days: days.last === null ? { ...days, today: localDate(now(), timezone) } : days,
    filters: { category, label, mine, remaining, search },
  });
}
