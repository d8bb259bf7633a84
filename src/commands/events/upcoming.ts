import { localizeEvent } from "../../calendar/event-view.js";
import { addDays, localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import type { CalendarEvent } from "../../contract/shapes.js";
import { createEventListView, type EventListOptions } from "../../output/views/event-list.js";
import type { CalendarContext, ChosenCalendar } from "../calendar-choice.js";
import { type Processed, processEach } from "../process-each.js";
import { recentEventOf } from "./event-ids.js";

export type UpcomingContext = CalendarContext & Pick<Context, "output" | "warn" | "now">;

/** Reads the events of each calendar, from today on. @param before is called first for each calendar */
export function readUpcoming(
  { api, settings, warn }: UpcomingContext,
  calendars: readonly ChosenCalendar[],
  { days, before }: { readonly days: number; readonly before?: (calendarId: string) => Promise<void> },
): Promise<Processed<readonly CalendarEvent[]>> {
  return processEach(calendars, {
    noun: "calendar",
    verb: "read",
    name: ({ id }) => id,
    warn,
    work: async ({ id }) => {
      await before?.(id);
      return (await api()).listUpcomingEvents({ calendarId: id, timezone: settings().timezone, days });
    },
  });
}

export interface PrintOptions extends Pick<EventListOptions, "layout"> {
  /** Those that were asked. */
  readonly calendars: readonly ChosenCalendar[];
  readonly days: number;
}

/** Prints events that begin today or later, and remembers them at a terminal. */
export async function printEvents(
  context: UpcomingContext,
  events: readonly CalendarEvent[],
  { calendars, days, layout }: PrintOptions,
): Promise<void> {
  const { timezone } = context.settings();
  const first = localDate(context.now(), timezone);
  const recent = context.recentEvents();
  await recent?.remember(events.map(recentEventOf));
  const shorten = recent?.shorten ?? ((id: string) => id);
  const names = new Map(calendars.map(({ id, name }) => [id, name]));
  const range = { first, last: addDays(first, days - 1) };
  await context
    .output(createEventListView({ range, calendars, shorten, layout }))
    .print(events.map((event) => localizeEvent(event, timezone, names.get(event.calendar_id))));
}
