import type { CalendarEvent } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { lastUpcomingDay, upcomingDays } from "../../calendar/dates.js";
import { isOnDays } from "../../calendar/day-list.js";
import { createEventSearch } from "../../calendar/event-search.js";
import { localizeEvent } from "../../calendar/event-view.js";
import { describeCandidate } from "../../calendar/names.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { CliError } from "../../errors.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { type Processed, processEach } from "../process-each.js";
import { type EventSelection, selectedDays } from "./event-selection.js";

/** Opens the events of calendars in pages; those of a calendar are requested when they are asked for. */
export type OpenEvents = (calendarId: string) => Promise<AsyncIterable<readonly CalendarEvent[]>>;

/** Asks for keeps without times too, which come after those of the days. */
export interface KeepsWithoutTimes {
  /** Called when a service does not list them. */
  readonly onMissing: () => void;
}

/**
 * Opens the events of a selection, one calendar at a time. A service that cannot list any days is asked for the next
 * ones, as long as the selection is among them; otherwise opening throws CliError rejected.
 */
export function createEventSource(
  { api, config, now }: Pick<Context, "api" | "config" | "now">,
  selection: EventSelection,
  keeps?: KeepsWithoutTimes,
): OpenEvents {
  return async (calendarId) => {
    const { timezone } = config.settings();
    const client = await api();
    if (selection.kind === "upcoming" && keeps === undefined) {
      const { events } = await client.listUpcomingEvents({ calendarId, timezone, days: selection.days });
      return onePage(events);
    }
    const today = localDate(now(), timezone);
    const days = selectedDays(selection, today);
    const search = selection.kind === "any" ? selection.search : null;
    const list = await client.listEvents({
      ...{ calendarId, timezone, from: days.first, to: days.last, search },
      category: keeps && "keep",
    });
    const pages =
      list?.pages ?? onePage(await findInWeek(client, { calendarId, timezone, today }, { days, search }));
    if (list?.hasKeepsWithoutTimes !== true) keeps?.onMissing();
    return pages;
  };
}

/** Events that were read already. */
export async function* onePage(events: readonly CalendarEvent[]): AsyncGenerator<readonly CalendarEvent[]> {
  yield events;
}

/**
 * The same events from a service that lists only the next days.
 * @throws CliError rejected for other days, not_found when there is no such calendar
 */
async function findInWeek(
  client: Api,
  { calendarId, timezone, today }: { calendarId: string; timezone: string; today: string },
  { days: { first, last }, search }: Omit<Extract<EventSelection, { readonly kind: "any" }>, "kind">,
): Promise<readonly CalendarEvent[]> {
  const days = upcomingDays(first, last, today);
  if (days === null) {
    await client.getCalendar(calendarId);
    const week = `days from ${today} to ${lastUpcomingDay(today)}`;
    throw new CliError("rejected", "this service lists only the next 7 days", {
      hint: search === null ? `give --days, or ${week}` : `add --days 7 to search those, or ${week}`,
    });
  }
  const matches = search === null ? () => true : createEventSearch(search);
  const { events } = await client.listUpcomingEvents({ calendarId, timezone, days });
  return events.filter(
    (event) => matches(event) && isOnDays(localizeEvent(event, timezone), { first, last }),
  );
}

export interface ReadOptions {
  readonly open: OpenEvents;
  /** Called first for each calendar. */
  readonly before?: (calendarId: string) => Promise<void>;
}

/** Reads the events of each calendar. */
export function readEvents(
  { output }: Pick<Context, "output">,
  calendars: readonly ChosenCalendar[],
  options: ReadOptions,
): Promise<Processed<readonly CalendarEvent[]>> {
  return processEach(calendars, {
    ...CALENDARS_READ,
    warn: output.warn,
    work: ({ id }) => readCalendar(id, options),
  });
}

/** Reads the events of one calendar. */
export async function readCalendar(
  calendarId: string,
  { open, before }: ReadOptions,
): Promise<readonly CalendarEvent[]> {
  await before?.(calendarId);
  const pages: (readonly CalendarEvent[])[] = [];
  for await (const page of await open(calendarId)) pages.push(page);
  return pages.flat();
}

/** How messages name what `processEach` does. */
export const CALENDARS_READ = {
  noun: "calendar",
  verb: "read",
  name: (calendar: ChosenCalendar): string => describeCandidate(calendar),
  id: ({ id }: ChosenCalendar): string => id,
} as const;

/** Begins a message about a single calendar, which the failure to read it does not name; empty for several. */
export function nameSingle(calendars: readonly ChosenCalendar[]): string {
  const [only, another] = calendars;
  return only === undefined || another !== undefined ? "" : `calendar ${describeCandidate(only)}: `;
}
