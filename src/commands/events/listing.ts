import type { Command } from "commander";
import type { CalendarEvent, Category } from "../../../contract/shapes.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { CATEGORY_CHOICES } from "../../calendar/event-text.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { emptyValueError, usageError } from "../../errors.js";
import {
  type CalendarContext,
  type ChosenCalendar,
  chooseCalendars,
  resolveCalendars,
} from "../calendar-choice.js";
import { type EventSelection, selectedDays } from "./event-selection.js";
import { createEventSource, type KeepsWithoutTimes, readEvents } from "./event-source.js";
import { createLabelFilter } from "./label-filter.js";
import type { EventListing } from "./stream.js";

/** The flags that choose calendars and filter their events, as typed. */
export interface FilterFlags {
  readonly allCalendars?: boolean;
  readonly category?: Category;
  readonly label?: string;
  /** Created or attended by the current user. */
  readonly mine?: boolean;
  /** Omit events that are over. */
  readonly remaining?: boolean;
}

export type ListingContext = CalendarContext & Pick<Context, "output" | "now">;

/** Adds `--all-calendars`. */
export function addCalendarFlag(command: Command): void {
  command.option("-A, --all-calendars", "list every calendar, even if there is a default one");
}

/** Adds the flags that filter events. */
export function addFilterFlags(command: Command, category = "only events of this category"): void {
  command
    .addOption(command.createOption("--category <category>", category).choices(CATEGORY_CHOICES))
    .option("--label <number|id|name>", "only events with this label")
    .option("--mine", "only events that I created or attend")
    .option("--remaining", "omit events that are over");
}

/** The days whose events are listed, and what reads the events of a calendar. */
export type ListedEvents = Pick<EventListing, "days" | "open">;

/** The events of a selection, and keeps without times if they are asked for. */
export function listedEvents(
  context: ListingContext,
  selection: EventSelection,
  keeps?: KeepsWithoutTimes,
): ListedEvents {
  const today = localDate(context.now(), context.config.settings().timezone);
  return { days: selectedDays(selection, today), open: createEventSource(context, selection, keeps) };
}

/** Finds the calendars, and what their events are filtered by. @throws CliError usage for wrong flags */
export async function createListing(
  context: ListingContext,
  listed: ListedEvents,
  options: FilterFlags,
): Promise<EventListing> {
  const calendars = await calendarsOf(context, options);
  const api = await context.api();
  // Requested first: if it failed after the events were read, they could not be filtered.
  const mine = options.mine === true ? { userId: (await api.getCurrentUser()).id } : undefined;
  const labels = createLabelFilter(context, options.label);
  const { output } = context;
  const remaining = options.remaining === true ? { now: context.now() } : undefined;
  const filter = { category: options.category, mine, remaining };
  return {
    ...listed,
    calendars,
    before: labels.resolve,
    filterOf: (allRead) => ({ ...filter, labelIds: labels.ids(calendars, { allRead, warn: output.warn }) }),
  };
}

async function calendarsOf(
  context: ListingContext,
  { allCalendars = false, label }: FilterFlags,
): Promise<readonly ChosenCalendar[]> {
  if (label === "") throw emptyValueError("--label");
  if (!allCalendars) return chooseCalendars(context);
  if (context.flags.calendars.length > 0)
    throw usageError("give either --calendar or --all-calendars, not both");
  return resolveCalendars(context, []);
}

/** The events of a listing, in its order. */
export interface ReadListing {
  readonly events: readonly CalendarEvent[];
  /** How many calendars could be read. */
  readonly calendarsRead: number;
  /** Reports the calendars that could not be read. @throws CliError if there are any */
  readonly reportFailures: () => void;
}

/** Reads everything. */
export async function readListing(
  context: Pick<Context, "config" | "output">,
  list: EventListing,
): Promise<ReadListing> {
  const { calendars, days, filterOf } = list;
  const { timezone: zone } = context.config.settings();
  const { results, reportFailures } = await readEvents(context, calendars, list);
  const filter = filterOf(results.length === calendars.length);
  const events = sortEvents(filterEvents(results.flat(), filter, zone), { zone, firstDay: days.first });
  return { events, calendarsRead: results.length, reportFailures };
}
