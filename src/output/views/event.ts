import { type Day, type DayRange, datesFrom, fillDays, listByDay } from "../../calendar/day-list.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import { formatLocal, localDate } from "../../calendar/zoned-time.js";
import { parseWireDateTime } from "../../contract/date-time.js";
import type { Activity } from "../../contract/shapes.js";
import { PLAIN_STYLE } from "../style.js";
import type { EntryOptions } from "../table/day-entry.js";
import { type DayName, dayOf, describeDay } from "../table/day-names.js";
import { type Cell, type Rendering, type TableColumn, type View, widthOf } from "../view.js";
import { labelCell, labelJson, labelText, userJson, userText } from "./calendar.js";

function whenColumn(options: WhenOptions): TableColumn<LocalizedEvent> {
  return { header: "When", cell: (event) => ({ text: describeWhen(event, options) }) };
}

const CALENDAR: TableColumn<LocalizedEvent> = {
  header: "Calendar",
  cell: ({ calendar_id, calendar_name }) => ({ text: calendar_name || calendar_id }),
};

const CALENDAR_IF_SEVERAL: TableColumn<LocalizedEvent> = {
  ...CALENDAR,
  isShown: (events) => new Set(events.map(({ calendar_id }) => calendar_id)).size > 1,
};

/** Events, with their times in the zone that the user chose. */
export const eventView: View<LocalizedEvent> = {
  noun: "event",
  keys: {
    id: {},
    calendar_id: {},
    calendar_name: { header: "Calendar", minWidth: 8 },
    category: {},
    title: { minWidth: 8 },
    all_day: {},
    start_at: {},
    start_timezone: {},
    end_at: {},
    end_timezone: {},
    start_local: {},
    end_local: {},
    recurrences: { header: "Repeats", minWidth: 8 },
    description: { minWidth: 8, multiline: true },
    location: { minWidth: 8 },
    url: {},
    created_at: { header: "Created", cell: ({ created_at }, zone) => instantCell(created_at, zone) },
    updated_at: { header: "Updated", cell: ({ updated_at }, zone) => instantCell(updated_at, zone) },
    creator: {
      json: ({ creator }) => userJson(creator),
      text: ({ creator }) => userText(creator),
      minWidth: 8,
    },
    label: {
      json: ({ label }) => labelJson(label),
      text: ({ label }) => labelText(label),
      cell: ({ label }) => labelCell(label),
      minWidth: 3,
      shrinksFirst: true,
    },
    attendees: {
      json: ({ attendees }) => attendees.map(userJson),
      text: ({ attendees }) => attendees.map(userText).join(", "),
      minWidth: 8,
    },
  },
  tsv: ["id", "calendar_id", "start_local", "end_local", "all_day", "category", "label", "title", "location"],
  table: [whenColumn({ year: false }), "title", "label", CALENDAR_IF_SEVERAL, "id"],
  detail: [
    "title",
    whenColumn({ year: true }),
    "recurrences",
    "category",
    "label",
    "location",
    "url",
    "description",
    "attendees",
    "creator",
    "created_at",
    "updated_at",
    CALENDAR,
    "id",
  ],
  formats: dayFormats({}),
};

/** Events of several calendars: a table always has the column Calendar. */
export const severalCalendarsView: View<LocalizedEvent> = {
  ...eventView,
  table: [whenColumn({ year: false }), "title", "label", CALENDAR, "id"],
};

export interface EventListOptions {
  /** The first and the last day listed, as `YYYY-MM-DD`. */
  readonly range: DayRange;
  /** The calendars that were asked. */
  readonly calendars: readonly { readonly id: string; readonly color?: string | null }[];
  /** Days with events, every day, or days side by side. */
  readonly layout: "list" | "agenda" | "grid";
  /** The id as people may type it. */
  readonly shorten: (id: string) => string;
}

/** Events as a list by day on terminals; in columns where `--fields` chooses them. */
export function createEventListView(options: EventListOptions): View<LocalizedEvent> {
  const { range, calendars, shorten, layout } = options;
  return {
    ...(calendars.length > 1 ? severalCalendarsView : eventView),
    formats: { ...eventView.formats, ...dayFormats({ range, layout, showCalendar: calendars.length > 1 }) },
    async draw({ values, fields, single, now, zone, surface }, canvas) {
      if (fields !== null || single) return null;
      const days = listByDay(values, range);
      const time = { today: localDate(now(), zone()), now: now(), zone: zone() };
      if (layout === "grid") {
        const { drawWeekGrid } = await import("../table/week-grid.js");
        const dates = datesFrom(range.first, range.last);
        const grid = drawWeekGrid(days, { ...canvas, ...time, dates });
        if (grid !== null) return grid;
      }
      const { drawDayList } = await import("../table/day-list.js");
      return drawDayList(layout === "list" ? days : fillDays(days, range), {
        ...canvas,
        ...time,
        showCalendar: calendars.length > 1,
        calendarColors: new Map(calendars.map(({ id, color = null }) => [id, color])),
        idOf: ({ id }) => (surface.isTerminal ? shorten(id) : id),
      });
    },
  };
}

interface DayFormatOptions {
  /** By default the days on which events begin. */
  readonly range?: DayRange;
  /** Whether days without events are listed: not in a list. */
  readonly layout?: EventListOptions["layout"];
  /** Whether calendars are named; by default if there are several. */
  readonly showCalendar?: boolean;
}

/** Lists of events by day, for reading outside of this terminal: nothing is relative to now, and there are no ids. */
function dayFormats(options: DayFormatOptions): NonNullable<View<LocalizedEvent>["formats"]> {
  return {
    async markdown(rendering) {
      const { renderDaysAsMarkdown, renderMarkdown } = await import("../formats/markdown.js");
      if (rendering.single || rendering.fields !== null) return renderMarkdown(rendering);
      return renderDaysAsMarkdown(daysOf(rendering, options), dayListOptions(rendering, options));
    },
    ics: async (rendering) => (await import("../formats/ics.js")).renderIcs(rendering),
    async text(rendering) {
      if (rendering.single || rendering.fields !== null)
        return (await import("../formats/table.js")).renderText(rendering);
      const { drawDayList } = await import("../table/day-list.js");
      return drawDayList(daysOf(rendering, options), dayListOptions(rendering, options));
    },
  };
}

function daysOf(
  { values }: Rendering<LocalizedEvent>,
  { range, layout = "list" }: DayFormatOptions,
): readonly Day<LocalizedEvent>[] {
  if (values.length === 0) return [];
  if (range !== undefined) {
    const days = listByDay(values, range);
    return layout === "list" ? days : fillDays(days, range);
  }
  const starts = values.flatMap(({ start_local }) => start_local?.slice(0, 10) ?? []).sort();
  return listByDay(values, { first: starts[0] ?? "", last: starts.at(-1) ?? "" });
}

function dayListOptions(
  { values, zone, now, surface }: Rendering<LocalizedEvent>,
  { showCalendar = new Set(values.map(({ calendar_id }) => calendar_id)).size > 1 }: DayFormatOptions,
): EntryOptions {
  return {
    style: PLAIN_STYLE,
    width: widthOf(surface),
    unicode: surface.unicode,
    today: null,
    now: now(),
    zone: zone(),
    showCalendar,
    calendarColors: new Map(),
    idOf: () => "",
  };
}

export interface Deleted {
  /** Ids of the deleted events. */
  readonly deleted: readonly string[];
}

/** The result of `events delete`: JSON only, tables and tsv are empty. */
export const deletedView: View<Deleted> = { noun: "deletion", keys: { deleted: {} }, tsv: [] };

/** Comments on an event. */
export const activityView: View<Activity> = {
  noun: "comment",
  keys: {
    id: {},
    event_id: { header: "Event" },
    calendar_id: { header: "Calendar" },
    content: { header: "Comment", minWidth: 8, multiline: true },
    created_at: { header: "Created", cell: ({ created_at }, zone) => instantCell(created_at, zone) },
    updated_at: { header: "Updated", cell: ({ updated_at }, zone) => instantCell(updated_at, zone) },
  },
  tsv: ["id", "event_id", "content", "created_at"],
  table: ["created_at", "content", "id"],
  detail: ["content", "created_at", "event_id", "calendar_id", "id"],
};

/** When something was written, in the chosen zone: `Sat 21 Nov 2026 15:00`. */
function instantCell(text: string | null, zone: () => string): Cell {
  const time = parseWireDateTime(text ?? "");
  if (time === null) return { text: text ?? "" };
  const local = formatLocal(time.instant, zone());
  return { text: `${describeDay(dayOf(local.slice(0, 10)), { year: true })} ${local.slice(11, 16)}` };
}

/** Number of following days for which a weekday is enough to name the day. */
const WEEK_DAYS = 6;

export interface WhenOptions {
  /** Whether the year is always shown; otherwise only when start and end are in different years. */
  readonly year: boolean;
}

/** A day in the chosen zone, with a time of day unless it is a whole day. */
interface DisplayTime extends DayName {
  /** `HH:mm` */
  readonly time: string | null;
}

/**
 * When an event takes place, for reading: `Sat 21 Nov 15:00–16:00`, `Sat 21 Nov  all day`, `Sat 21 – Sun 22 Nov`,
 * `Sat 21 Nov 22:00 – Sun 02:00`. Empty for a keep without times.
 */
export function describeWhen(
  { start_local, end_local }: Pick<LocalizedEvent, "start_local" | "end_local">,
  options: WhenOptions,
): string {
  const start = readLocal(start_local);
  const end = readLocal(end_local);
  if (start === null) return start_local ?? "";
  const hasEnd = end !== null && end_local !== start_local;
  if (start.time === null) {
    return hasEnd ? describeDays(start, end, options) : `${describeDay(start, options)}  all day`;
  }
  const from = `${describeDay(start, options)} ${start.time}`;
  if (!hasEnd || end.time === null) return from;
  const days = end.day - start.day;
  if (days === 0) return `${from}–${end.time}`;
  if (days > 0 && days <= WEEK_DAYS) return `${from} – ${end.weekday} ${end.time}`;
  const years = { year: options.year || start.year !== end.year };
  return `${describeDay(start, years)} ${start.time} – ${describeDay(end, years)} ${end.time}`;
}

function describeDays(first: DisplayTime, last: DisplayTime, options: WhenOptions): string {
  if (first.year !== last.year)
    return `${describeDay(first, { year: true })} – ${describeDay(last, { year: true })}`;
  const from =
    first.month === last.month ? `${first.weekday} ${first.date}` : describeDay(first, { year: false });
  return `${from} – ${describeDay(last, options)}`;
}

function readLocal(text: string | null): DisplayTime | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?/.exec(text ?? "");
  if (match === null) return null;
  const [, date = "", time = null] = match;
  return { ...dayOf(date), time };
}
