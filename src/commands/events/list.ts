import type { Command } from "commander";
import { parseDays } from "../../calendar/dates.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
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
import { printEvents, readUpcoming } from "./upcoming.js";

export interface EventsListOptions {
  /** Flags as typed. */
  readonly days?: string;
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
    .option("--days <1-7>", "number of days, including today (default: 1)")
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
      ["What is left of today, for a script", "calctl events list --remaining -o json"],
      ["Titles of one calendar, with their times", "calctl events list -c Work --fields start_local,title"],
    ],
  });
  addAction(command, contextOf, runEventsList);
}

/** Lists upcoming events of one or more calendars, by day. */
export async function runEventsList(context: ListContext, options: EventsListOptions): Promise<void> {
  // Checks format and fields before any request.
  context.output(eventView);
  const days = options.days === undefined ? 1 : parseDays(options.days, "--days");
  if (options.label === "") throw emptyValueError("--label");
  const { timezone } = context.settings();
  const { calendars, mine, labelIds, results, reportFailures } = await context.names.whileReading(() =>
    readListed(context, days, options),
  );
  const now = context.now();
  const remaining = options.remaining === true ? { now } : undefined;
  const filter = { category: options.category, labelIds, mine, remaining };
  const firstDay = localDate(now, timezone);
  const events = sortEvents(filterEvents(results.flat(), filter, timezone), { zone: timezone, firstDay });
  if (results.length > 0 || calendars.length === 0) {
    await printEvents(context, events, { calendars, days, layout: "list" });
  }
  reportFailures();
  if (events.length > 0) return;
  if (context.isTerminal) context.note(days === 1 ? "no events today" : `no events in ${days} days`);
  if (options.failEmpty === true) context.setExitCode(EXIT_EMPTY);
}

async function readListed(context: ListContext, days: number, options: EventsListOptions) {
  const calendars = await calendarsOf(context, options);
  const api = await context.api();
  // Requested first: if it failed after the events were read, they could not be filtered.
  const mine = options.mine === true ? { userId: (await api.getCurrentUser()).id } : undefined;
  const labels = createLabelFilter(context, options.label);
  const read = await readUpcoming(context, calendars, { days, before: labels.resolve });
  const labelIds = labels.ids(calendars, {
    allRead: read.results.length === calendars.length,
    warn: context.warn,
  });
  return { calendars, mine, labelIds, ...read };
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
