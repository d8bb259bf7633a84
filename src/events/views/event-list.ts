import type { View } from "../../output/view.js";
import { localDate } from "../../time/zoned-time.js";
import { type DayRange, datesFrom } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import { createDayFormats, type DayLayout, daysOf, eventView, severalCalendarsView } from "./event.js";
import type { GridCalendar } from "./grid-blocks.js";

export interface EventListViewOptions {
  /** The first and the last day listed, as `YYYY-MM-DD`. */
  readonly range: DayRange;
  /** The calendars that were asked. */
  readonly calendars: readonly GridCalendar[];
  readonly layout: DayLayout;
  /** The first day of a week in a month, as `Date` counts: 0 is Sunday. */
  readonly weekStart?: number;
  /** The id as people may type it. */
  readonly shorten: (id: string) => string;
  /** What else is noted beside an event. */
  readonly noteOf?: (event: LocalizedEvent) => string;
}

/** Events as a list by day on terminals; in columns where `--fields` chooses them. */
export function createEventListView(options: EventListViewOptions): View<LocalizedEvent> {
  const { range, calendars, shorten, layout, weekStart = 1, noteOf = () => "" } = options;
  return {
    ...(calendars.length > 1 ? severalCalendarsView : eventView),
    formats: {
      ...eventView.formats,
      ...createDayFormats({ range, layout, showCalendar: calendars.length > 1 }),
    },
    isTableInPipes: layout === "week" || layout === "month",
    async draw({ values, fields, single, now, zone, capabilities, note, hours }, drawing) {
      if (fields !== null || single) return null;
      const time = { today: localDate(now(), zone()), now: now(), zone: zone(), hours: hours?.() };
      if (layout === "week") {
        const { drawWeekGrid, narrowestGrid } = await import("./week-grid.js");
        const dates = datesFrom(range);
        const options = { ...drawing, unicode: capabilities.unicode, ...time, dates, calendars };
        const grid = drawWeekGrid(daysOf(values, { range }), options);
        if (grid !== null) return grid;
        const [days, needed] = [dates.length, narrowestGrid(dates.length)];
        note(
          `${days} days side by side need ${needed} columns, and there are ${drawing.width}; this is the list`,
        );
      }
      if (layout === "month") {
        const { drawMonth, NARROWEST_MONTH } = await import("./month-grid.js");
        const { first, last } = range;
        const options = { ...drawing, unicode: capabilities.unicode, ...time, calendars, weekStart };
        const month = drawMonth(daysOf(values, { range }), {
          ...options,
          first: first ?? "",
          last: last ?? "",
        });
        if (month !== null) return month;
        note(`a month needs ${NARROWEST_MONTH} columns, and there are ${drawing.width}; this is the list`);
      }
      const { drawDayList } = await import("./days.js");
      return drawDayList(daysOf(values, { range, layout }), {
        ...drawing,
        ...time,
        showCalendar: calendars.length > 1,
        calendarColors: new Map(calendars.map(({ id, color = null }) => [id, color])),
        noteOf,
        idOf: ({ id }) => (capabilities.isTerminal ? shorten(id) : id),
      });
    },
  };
}
