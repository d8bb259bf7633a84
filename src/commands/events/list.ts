import type { Command } from "commander";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { CATEGORY_CHOICES } from "../../calendar/event-text.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import type { Category } from "../../contract/shapes.js";
import { EXIT_EMPTY, emptyValueError, usageError } from "../../errors.js";
import { describeCommand } from "../../help/facts.js";
import { eventView } from "../../output/views/event.js";
import {
  type CalendarContext,
  type ChosenCalendar,
  chooseCalendars,
  resolveCalendars,
} from "../calendar-choice.js";
import { addAction, type ContextOf } from "../command.js";
import {
  describeEmpty,
  type EventSelection,
  readSelection,
  type SelectionFlags,
  selectedDays,
} from "./event-selection.js";
import { createEventSource, readEvents } from "./event-source.js";
import { createLabelFilter } from "./label-filter.js";
import { printEvents } from "./print-events.js";
import { type EventListing, type OpenListing, openStream } from "./stream.js";

export interface EventsListOptions extends SelectionFlags {
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
    days: selectedDays(selection, localDate(context.now(), context.settings().timezone)),
    open: createEventSource(context, selection),
    before: labels.resolve,
    filterOf: (allRead) => ({ ...filter, labelIds: labels.ids(calendars, { allRead, warn }) }),
  };
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
