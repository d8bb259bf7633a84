import type { CalendarEvent } from "../../../contract/shapes.js";
import type { DayRange } from "../../calendar/day-list.js";
import { localizeEvent } from "../../calendar/event-view.js";
import type { Context } from "../../context.js";
import { createEventListView, type EventListViewOptions } from "../../output/views/event-list.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import type { ListedDays } from "./date-flags.js";
import { recentEventOf } from "./event-ids.js";

export interface PrintOptions extends Pick<EventListViewOptions, "layout"> {
  /** Those that were asked. */
  readonly calendars: readonly ChosenCalendar[];
  readonly days: ListedDays;
}

/** Prints the events of some days, and remembers them at a terminal. */
export async function printEvents(
  context: Pick<Context, "config" | "names" | "output">,
  events: readonly CalendarEvent[],
  { calendars, days, layout }: PrintOptions,
): Promise<void> {
  const { timezone } = context.config.settings();
  const recent = context.names.recentEvents();
  const localized = events.map(createLocalizer(calendars, timezone));
  await recent?.remember(localized.map(recentEventOf));
  const shorten = recent?.shorten ?? ((id: string) => id);
  const range = rangeOf(days);
  await context.output.of(createEventListView({ range, calendars, shorten, layout })).print(localized);
}

/** The days for listing. Without an end, each event is listed once. */
export function rangeOf({ first, last }: ListedDays): DayRange {
  return {
    first: first ?? "0000-01-01",
    last: last ?? "9999-12-31",
    once: first === null || last === null,
  };
}

/** Adds to events the times in the zone, and the names of their calendars. */
export function createLocalizer(calendars: readonly ChosenCalendar[], timezone: string) {
  const names = new Map(calendars.map(({ id, name }) => [id, name]));
  return (event: CalendarEvent) => localizeEvent(event, timezone, names.get(event.calendar_id));
}
