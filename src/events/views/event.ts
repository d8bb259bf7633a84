import type { ContentField } from "../../../contract/shapes.js";
import { sanitizeBlock } from "../../output/sanitize.js";
import { PLAIN_STYLE } from "../../output/style.js";
import {
  type Clock,
  type Rendering,
  showsUnicode,
  type TableColumn,
  type View,
  widthOf,
} from "../../output/view.js";
import { type Day, type DayRange, fillDays, listByDay } from "../day-list.js";
import { type LocalizedEvent, labelName, labelText, userText } from "../localized-event.js";
import { CREATOR, INSTANT, labelJson, labelView, TIMESTAMPS, userJson, userView } from "./calendar.js";
import type { EntryOptions } from "./days.js";
import { describeOtherZone, describeWhen, type WhenOptions } from "./event-when.js";

function whenColumn(options: WhenOptions): TableColumn<LocalizedEvent> {
  return {
    header: "When",
    cell: (event, { hours, zone }) => {
      const clock = { hours: hours?.(), zone: zone() };
      const note = options.year ? describeOtherZone(event, clock) : "";
      return { text: `${describeWhen(event, { ...options, ...clock })}${note === "" ? "" : `  ${note}`}` };
    },
  };
}

const CALENDAR: TableColumn<LocalizedEvent> = {
  header: "Calendar",
  cell: ({ calendar_id, calendar_name }) => ({ text: calendar_name || calendar_id }),
};

const CALENDAR_IF_SEVERAL: TableColumn<LocalizedEvent> = {
  ...CALENDAR,
  isShown: isOfSeveralCalendars,
};

/** What people read of an event first, in this order. */
const DETAIL: Readonly<Record<ContentField | "when", ContentField | TableColumn<LocalizedEvent>>> = {
  title: "title",
  when: whenColumn({ year: true }),
  recurrences: "recurrences",
  category: "category",
  label: "label",
  location: "location",
  url: "url",
  description: "description",
  attendees: "attendees",
};

/** Events, with their times in the zone that the user chose. */
export const eventView: View<LocalizedEvent> = {
  noun: "event",
  shape: "event",
  keys: {
    id: { type: "string" },
    calendar_id: { type: "string" },
    calendar_name: {
      type: "string?",
      about: "null where finding it would take another request",
      header: "Calendar",
      minWidth: 8,
    },
    category: { type: "string?", about: "schedule or keep" },
    title: { type: "string?", minWidth: 8 },
    all_day: { type: "boolean?" },
    start_at: { type: "string?", about: `${INSTANT}; null for a keep without times` },
    start_timezone: { type: "string?", about: "IANA name" },
    end_at: { type: "string?", about: `${INSTANT}; of an all-day event the midnight after its last day` },
    end_timezone: { type: "string?", about: "IANA name" },
    start_local: {
      type: "string?",
      about: "start_at in the chosen zone, YYYY-MM-DDTHH:mm:ss+HH:mm; of an all-day event its first day",
    },
    end_local: { type: "string?", about: "end_at, the same way; of an all-day event its last day" },
    recurrences: {
      type: "string[]",
      about: "RFC 5545 lines",
      cell: ({ recurrences, start_timezone }, { describeRepeats }) => ({
        text: describeRepeats(recurrences, start_timezone ?? "UTC"),
      }),
      header: "Repeats",
      minWidth: 8,
    },
    description: { type: "string?", minWidth: 8, multiline: true },
    location: { type: "string?", minWidth: 8 },
    url: { type: "string?", cell: ({ url }) => ({ text: url ?? "", url }) },
    ...TIMESTAMPS,
    ...CREATOR,
    label: {
      type: { object: labelView, nullable: true },
      json: ({ label }) => labelJson(label),
      text: ({ label }) => labelText(label),
      cell: ({ label }) => ({ text: labelName(label), color: label?.color ?? null }),
      minWidth: 3,
      shrinksFirst: true,
    },
    attendees: {
      type: { list: userView },
      json: ({ attendees }) => attendees.map(userJson),
      text: ({ attendees }) => attendees.map(userText).join(", "),
      minWidth: 8,
    },
    series_id: {
      type: "string?",
      about: "id of the series that it is an occurrence of; null for a single event",
      header: "Series",
    },
  },
  tsv: ["id", "calendar_id", "start_local", "end_local", "all_day", "category", "label", "title", "location"],
  table: [whenColumn({ year: false }), "title", "label", CALENDAR_IF_SEVERAL, "id"],
  detail: [...Object.values(DETAIL), "creator", "created_at", "updated_at", CALENDAR, "id", "series_id"],
  formats: createDayFormats({}),
};

/** Events of several calendars: a table always has the column Calendar. */
export const severalCalendarsView: View<LocalizedEvent> = {
  ...eventView,
  table: [whenColumn({ year: false }), "title", "label", CALENDAR, "id"],
};

/** Events that were asked for by id: a table shows everything about each. */
export const foundEventsView: View<LocalizedEvent> = {
  ...eventView,
  async draw(rendering, drawing) {
    const { fields, single, values, view } = rendering;
    if (fields !== null || single || values.length === 0) return null;
    const [{ drawDetail }, { columnsOf }] = await Promise.all([
      import("../../output/formats/table.js"),
      import("../../output/formats/table.js"),
    ]);
    return drawDetail(columnsOf(rendering, view.detail ?? []), { ...drawing, skipEmpty: true });
  },
};

interface Deleted {
  /** Ids of the deleted events. */
  readonly deleted: readonly string[];
}

/** The result of `events delete`: JSON only, tables and tsv are empty. */
export const deletedView: View<Deleted> = {
  noun: "deletion",
  shape: "deletion",
  keys: { deleted: { type: "string[]", about: "ids of events" } },
  tsv: [],
};

function isOfSeveralCalendars(events: readonly LocalizedEvent[]): boolean {
  return new Set(events.map(({ calendar_id }) => calendar_id)).size > 1;
}

/** Days with events, every day, days side by side, or a month. */
export type DayLayout = "list" | "agenda" | "week" | "month";

interface DayFormatOptions {
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
      const { drawDayList } = await import("./days.js");
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
