import { sanitizeBlock } from "../../output/sanitize.js";
import { PLAIN_STYLE } from "../../output/style.js";
import { type Clock, type Rendering, showsUnicode, type View, widthOf } from "../../output/view.js";
import { type Day, type DayRange, fillDays, listByDay } from "../day-list.js";
import type { LocalizedEvent } from "../localized-event.js";
import type { EntryOptions } from "./day-entry.js";

export function isOfSeveralCalendars(events: readonly LocalizedEvent[]): boolean {
  return new Set(events.map(({ calendar_id }) => calendar_id)).size > 1;
}

/** Days with events, every day, days side by side, or a month. */
export type DayLayout = "list" | "agenda" | "week" | "month";

export interface DayFormatOptions {
  /** By default the days on which events begin. */
  readonly range?: DayRange;
  /** Whether days without events are listed: not in a list. */
  readonly layout?: DayLayout;
  /** Whether calendars are named; by default if there are several. */
  readonly showCalendar?: boolean;
}

/** Lists of events by day, for reading outside of this terminal: nothing is relative to now, and there are no ids. */
export function createDayFormats(options: DayFormatOptions): NonNullable<View<LocalizedEvent>["formats"]> {
  return {
    async markdown(rendering) {
      const { renderMarkdown } = await import("../../output/formats/markdown.js");
      const { renderDaysAsMarkdown } = await import("./markdown.js");
      if (rendering.single || rendering.fields !== null) return renderMarkdown(rendering);
      return renderDaysAsMarkdown(daysOf(rendering.values, options), dayListOptions(rendering, options));
    },
    async ics({ values, now, note, getEvent, capabilities: { isTerminal } }) {
      const { writeICalendar } = await import("../icalendar/icalendar.js");
      const { withSeries } = await import("../repeat/with-series.js");
      const events = getEvent === undefined ? values : await withSeries(values, getEvent);
      return writeICalendar(events, { now: now(), note, ...(isTerminal && { sanitize: sanitizeBlock }) });
    },
    async text(rendering) {
      if (rendering.single || rendering.fields !== null)
        return (await import("../../output/formats/table.js")).renderText(rendering);
      const { drawDayList } = await import("./day-list.js");
      return drawDayList(daysOf(rendering.values, options), dayListOptions(rendering, options));
    },
  };
}

/** The days of a layout. Without a range they are those on which the events begin. */
export function daysOf(
  values: readonly LocalizedEvent[],
  { range, layout = "list" }: DayFormatOptions,
): readonly Day<LocalizedEvent>[] {
  if (range !== undefined) {
    const days = listByDay(values, range);
    return layout === "list" || layout === "month" ? days : fillDays(days, range);
  }
  const starts = values.flatMap(({ start_local }) => start_local?.slice(0, 10) ?? []).sort();
  return listByDay(values, { first: starts[0] ?? "", last: starts.at(-1) ?? "" });
}

/** How days are drawn outside of this terminal. */
export function dayListOptions(
  {
    values,
    zone,
    hours,
    now,
    capabilities,
  }: Pick<Rendering<LocalizedEvent>, "values" | keyof Clock | "now" | "capabilities">,
  { showCalendar = isOfSeveralCalendars(values) }: Pick<DayFormatOptions, "showCalendar"> = {},
): EntryOptions {
  return {
    style: PLAIN_STYLE,
    width: widthOf(capabilities),
    unicode: showsUnicode(capabilities),
    today: null,
    now: now(),
    zone: zone(),
    hours: hours?.(),
    showCalendar,
    calendarColors: new Map(),
    idOf: () => "",
  };
}
