import type { Command } from "commander";
import { lastOfDays, parseDays } from "../../calendar/dates.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { parseSearch } from "../../calendar/event-search.js";
import { CATEGORY_CHOICES } from "../../calendar/event-text.js";
import { resolveLabel } from "../../calendar/names.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import type { Category } from "../../contract/shapes.js";
import { CliError, EXIT_EMPTY, emptyValueError, usageError } from "../../errors.js";
import { describeCommand } from "../../help/facts.js";
import { eventView } from "../../output/views/event.js";
import {
  type CalendarContext,
  type ChosenCalendar,
  chooseCalendars,
  resolveCalendars,
} from "../calendar-choice.js";
import { addAction, type ContextOf } from "../command.js";
import { type ListedDays, readDayFlags } from "./date-flags.js";
import { createEventSource, type EventSelection, readEvents } from "./event-source.js";
import { printEvents } from "./print-events.js";
import { type EventListing, type OpenListing, openStream } from "./stream.js";

export interface EventsListOptions {
  /** Flags as typed. */
  readonly days?: string;
  readonly on?: string;
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
  readonly strictDates?: boolean;
  readonly allCalendars?: boolean;
  readonly category?: Category;
  readonly label?: string;
  /** Created or attended by the current user. */
  readonly mine?: boolean;
  /** Omit events that are over. */
  readonly remaining?: boolean;
  readonly failEmpty?: boolean;
}

type ListContext = CalendarContext &
  Pick<Context, "output" | "warn" | "note" | "now" | "isTerminal" | "setExitCode">;

export function registerEventsList(command: Command, contextOf: ContextOf): void {
  command
    .option("-A, --all-calendars", "list every calendar, even if there is a default one")
    .option("--days <1-7>", "number of days, including today or the day of --from (default: 1)")
    .option("--on <date>", "events of this day: a date, or words such as tomorrow or fri")
    .option("--from <date>", "events of this day and later, up to --to")
    .option("--to <date>", "events up to this day, from --from on (default: today)")
    .option("--search <text>", "events with this text in title, description or location, of any day")
    .option("--strict-dates", "read only ISO 8601 dates, no words")
    .addOption(
      command.createOption("--category <category>", "only events of this category").choices(CATEGORY_CHOICES),
    )
    .option("--label <number|id|name>", "only events with this label")
    .option("--mine", "only events that I created or attend")
    .option("--remaining", "omit events that are over")
    .option("--fail-empty", "exit with code 3 when there are no events");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The next seven days of every calendar", "calctl events list -A --days 7"],
      [
        "Every event of December, for a spreadsheet",
        "calctl events list --from 2026-12-01 --to 2026-12-31 -o csv",
      ],
      ["Every event about one thing, for a script", "calctl events list --search dentist -o json"],
    ],
  });
  addAction(command, contextOf, runEventsList);
}

/** Lists events of one or more calendars, by day. */
export async function runEventsList(context: ListContext, options: EventsListOptions): Promise<void> {
  // Checks format and fields before any request.
  const { stream } = context.output(eventView);
  const selection = await readSelection(context, options);
  if (options.label === "") throw emptyValueError("--label");
  const listing = await context.names.whileReading(async () => {
    const list = await createListing(context, selection, options);
    return stream === null || selection.kind === "upcoming"
      ? readList(context, list)
      : openStream(context, list, stream);
  });
  const isEmpty = await listing.print();
  if (!isEmpty) return;
  if (context.isTerminal) context.note(describeEmpty(selection));
  if (options.failEmpty === true) context.setExitCode(EXIT_EMPTY);
}

async function createListing(
  context: ListContext,
  selection: EventSelection,
  options: EventsListOptions,
): Promise<EventListing> {
  const calendars = await calendarsOf(context, options);
  const api = await context.api();
  // Requested first: if it failed after the events were read, they could not be filtered.
  const mine = options.mine === true ? { userId: (await api.getCurrentUser()).id } : undefined;
  const labels = createLabelFilter(context, options.label);
  const { warn } = context;
  const remaining = options.remaining === true ? { now: context.now() } : undefined;
  const filter = { category: options.category, mine, remaining };
  return {
    calendars,
    days: daysOf(selection, localDate(context.now(), context.settings().timezone)),
    open: createEventSource(context, selection),
    before: labels.resolve,
    filterOf: (allRead) => ({ ...filter, labelIds: labels.ids(calendars, { allRead, warn }) }),
  };
}

/** @throws CliError usage */
async function readSelection(context: ListContext, options: EventsListOptions): Promise<EventSelection> {
  const { days } = options;
  const search = options.search === undefined ? null : parseSearch(options.search, "--search");
  const chosen = await readDayFlags(context, options);
  if (chosen !== null) return { kind: "any", days: chosen, search };
  const count = days === undefined ? 1 : parseDays(days, "--days");
  if (search === null) return { kind: "upcoming", days: count };
  const first = localDate(context.now(), context.settings().timezone);
  const listed = days === undefined ? EVERY_DAY : { first, last: lastOfDays(first, count) };
  return { kind: "any", days: listed, search };
}

const EVERY_DAY: ListedDays = { first: null, last: null };

function daysOf(selection: EventSelection, today: string): ListedDays {
  if (selection.kind === "any") return selection.days;
  return { first: today, last: lastOfDays(today, selection.days) };
}

function describeEmpty(selection: EventSelection): string {
  if (selection.kind === "upcoming")
    return selection.days === 1 ? "no events today" : `no events in ${selection.days} days`;
  const { first, last } = selection.days;
  const days = [
    ...(first === null || first === last ? [] : [`from ${first}`]),
    ...(last === null ? [] : [`${first === last ? "on" : "to"} ${last}`]),
  ];
  const found = selection.search === null ? [] : ["found"];
  return ["no events", ...found, ...days].join(" ");
}

/** Reads everything. */
async function readList(context: ListContext, list: EventListing): Promise<OpenListing> {
  const { calendars, days, filterOf } = list;
  const { timezone: zone } = context.settings();
  const { results, reportFailures } = await readEvents(context, calendars, list);
  const filter = filterOf(results.length === calendars.length);
  const events = sortEvents(filterEvents(results.flat(), filter, zone), { zone, firstDay: days.first });
  return {
    async print() {
      if (results.length > 0 || calendars.length === 0) {
        await printEvents(context, events, { calendars, days, layout: "list" });
      }
      reportFailures();
      return events.length === 0;
    },
  };
}

async function calendarsOf(
  context: ListContext,
  { allCalendars = false }: EventsListOptions,
): Promise<readonly ChosenCalendar[]> {
  if (!allCalendars) return chooseCalendars(context);
  if (context.calendarFlags.length > 0)
    throw usageError("give either --calendar or --all-calendars, not both");
  return resolveCalendars(context, []);
}

/** The label to filter by, which each calendar may have under another id. */
interface LabelFilter {
  /** Looks for the label in a calendar. A calendar without it is not an error yet. */
  resolve(calendarId: string): Promise<void>;
  /**
   * Composite ids of the label; undefined when the filter is not used. When no calendar has the label, that is only a
   * warning if some calendars could not be read.
   * @throws CliError not_found when all calendars were read and none has it
   */
  ids(
    calendars: readonly ChosenCalendar[],
    reading: { readonly allRead: boolean; readonly warn: (text: string) => void },
  ): ReadonlySet<string> | undefined;
}

function createLabelFilter({ names }: Pick<Context, "names">, value: string | undefined): LabelFilter {
  const ids = new Set<string>();
  const missing = new Map<string, CliError>();
  return {
    async resolve(calendarId) {
      if (value === undefined) return;
      const labels = await names.labels(calendarId, value);
      try {
        ids.add(resolveLabel(value, labels, { calendarId, source: "--label" }).id);
      } catch (error) {
        if (!(error instanceof CliError) || error.code !== "not_found") throw error;
        missing.set(calendarId, error);
      }
    },
    ids(calendars, { allRead, warn }) {
      const [first] = calendars.flatMap(({ id }) => missing.get(id) ?? []);
      if (ids.size === 0 && first !== undefined) {
        if (allRead) throw first;
        warn(first.message);
      }
      return value === undefined ? undefined : ids;
    },
  };
}
