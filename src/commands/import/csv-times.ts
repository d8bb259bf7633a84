import {
  DAY_MS,
  dateToInstant,
  formatWireDateTime,
  isCalendarDate,
  parseWireDateTime,
} from "../../../contract/date-time.js";
import { usageError } from "../../errors.js";
import type { WrittenTimes } from "../../events/patch.js";
import { addDays, instantAt, readWallClock, wallClockAt } from "../../time/zoned-time.js";
import { wireTime } from "./content.js";
import type { CsvField } from "./csv-columns.js";
import { ENTRY, endAfter, OF_NO_LENGTH, withChangedTime, withoutZone } from "./entry.js";

export const DATE_ORDERS = ["dmy", "mdy", "ymd"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The text of a row for a field; undefined for an empty one. */
export type CellReader = (field: CsvField) => string | undefined;

export interface TimeOptions {
  readonly zone: string;
  readonly dates?: DateOrder | undefined;
  readonly count: (remark: string) => void;
}

/** Whether a cell begins with a date that is not ISO 8601, so that it may be meant in several ways. */
export function needsOrder(cell: string): boolean {
  return /^\d{1,4}([-./])\d{1,2}\1\d{1,4}/.test(cell) && !ISO_DATE.test(cell);
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?!\d)/;

/** The times of a row; all-day if it says so, or has no time of day. @throws CliError usage */
export function readTimes(cell: CellReader, options: TimeOptions): WrittenTimes {
  const start = readMoment(cell("start"), cell("start_time"), options);
  if (start === null) throw usageError("it has no start");
  const isAllDay = readFlag(cell("all_day")) ?? start.instant === null;
  const end = readEnd(cell, start, { ...options, isAllDay });
  if (isAllDay) {
    return readDays(
      dayOf(start, options.zone),
      end === null ? null : dayOf(end, options.zone),
      options.count,
    );
  }
  if (start.instant === null) throw usageError("its start has no time of day, and it is not all-day");
  if (end?.instant === null) throw usageError("its end has no time of day");
  const { zone, count } = options;
  const local = [start, end].flatMap((moment) => (moment?.isLocal ? localTimeOf(moment) : []));
  if (local.length > 0) count(withoutZone(zone));
  countClockChanges(local, options);
  const [first, second] = local;
  const last = first && second ? endAfter(first, second, zone) : end?.instant;
  const isEmpty = last === start.instant;
  if (isEmpty) count(OF_NO_LENGTH);
  const times = {
    start: wireTime(start.instant),
    end: last === undefined || isEmpty ? undefined : wireTime(last),
  };
  return { source: ENTRY, allDay: false, ...times, startTimezone: zone, endTimezone: zone };
}

/** Counts times that a clock change skips or repeats. */
function countClockChanges(
  times: readonly { readonly wallClock: number }[],
  { zone, count }: TimeOptions,
): void {
  const kinds = new Set(times.map(({ wallClock }) => readWallClock(wallClock, zone).kind));
  for (const kind of kinds) if (kind !== "once") count(withChangedTime(kind, zone));
}

function localTimeOf({ date, clock, instant }: Moment) {
  return { wallClock: dateToInstant(date) + (clock ?? 0), instant: instant ?? 0 };
}

/** A time with an offset that is midnight in the zone is of that day, as programs write a date in UTC. */
function dayOf(moment: Moment, zone: string): Moment {
  if (moment.clock === 0 || moment.instant === null) return moment;
  const wallClock = wallClockAt(moment.instant, zone);
  const isMidnight = wallClock % DAY_MS === 0;
  return isMidnight ? { ...moment, date: formatWireDateTime(wallClock).slice(0, 10), clock: 0 } : moment;
}

/** @throws CliError usage for a last day before the first */
function readDays(start: Moment, end: Moment | null, count: TimeOptions["count"]): WrittenTimes {
  // Outlook writes the midnight after the last day, others the last day.
  const isMidnight = end !== null && end.clock === 0 && end.date > start.date;
  const last = isMidnight ? addDays(end.date, -1) : (end ?? start).date;
  if (last < start.date) throw usageError(`the last day ${last} is before the first day ${start.date}`);
  if (start.clock || end?.clock) count("all-day, but with times of day: its days are read");
  return { source: ENTRY, allDay: true, start: midnightOf(start.date), end: midnightOf(addDays(last, 1)) };
}

/** The end of a row; null without one. A time alone is the next one after the start, be it after midnight. */
function readEnd(
  cell: CellReader,
  start: Moment,
  options: TimeOptions & { readonly isAllDay: boolean },
): Moment | null {
  const written = cell("end");
  // A column of ends may have the time of day alone.
  const isClock = written !== undefined && isTimeOfDay(written, cell("start_time"));
  const [date, time] = isClock ? [undefined, written] : [written, cell("end_time")];
  if (date !== undefined || time === undefined) return readMoment(date, time, options);
  const end = readMoment(start.date, time, options);
  const by = start.isLocal && end?.isLocal ? "clock" : "instant";
  if (options.isAllDay || end === null || (end[by] ?? 0) >= (start[by] ?? 0)) return end;
  options.count("with an end time before its start: taken as the next day");
  return readMoment(addDays(start.date, 1), time, options);
}

function midnightOf(date: string): string {
  return wireTime(dateToInstant(date));
}

interface Moment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Milliseconds after midnight; null without a time of day. */
  readonly clock: number | null;
  /** Milliseconds since the Unix epoch; null without a time of day. */
  readonly instant: number | null;
  /** Whether it has a time of day without an offset. */
  readonly isLocal: boolean;
}

/** Characters of a cell with a date. */
const MAX_CELL = 40;

const ISO =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:(?:T|\s+)(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:(Z)|([+-]\d{2}):?(\d{2})?)?)?$/i;

/** ISO 8601 in any of its forms, as `2027-01-24T15:00:00.000+01:00`; any other text as it is. @see ISO 8601 §5.4 */
function plainIso(text: string): string {
  const match = ISO.exec(text);
  if (match === null) return text;
  const [, year, , month, day, hour, minute, second = "00", fraction = "", utc, offset, minutes = "00"] =
    match;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const clock = `${hour}:${minute}:${second}${fraction === "" ? "" : `.${fraction}`}`;
  return `${date}T${clock}${utc === undefined ? "" : "Z"}${offset === undefined ? "" : `${offset}:${minutes}`}`;
}

/** A date and a time of day in one cell or in two; null for an empty cell. */
function readMoment(
  text: string | undefined,
  time: string | undefined,
  { zone, dates }: TimeOptions,
): Moment | null {
  if (text === undefined) return null;
  checkRange(text);
  checkRange(time ?? "");
  if (text.length > MAX_CELL) throw usageError(`"${text.slice(0, MAX_CELL)}…" is not a date`);
  const [, written = "", rest = ""] = /^(.+?)(?:(?<=\d)T|\s+|$)(?=\d|$)(.*)$/.exec(plainIso(text)) ?? [];
  const date = readDate(written, dates);
  if (date === null)
    throw usageError(
      `"${text}" is not a date ${dates === undefined ? "in the form YYYY-MM-DD" : `in the order ${dates} with a year of four digits`}`,
    );
  const [own, other] = [readTime(rest), readTime(time ?? "")];
  // A cell of dates may be formatted with a time, which is midnight.
  const isDay = own === null || (other !== null && own.clock === 0);
  const found = isDay ? other : own;
  if (found === null) return { date, clock: null, instant: null, isLocal: false };
  const { clock, offset } = found;
  if (other !== null && other.clock !== clock) throw usageError(`"${text}" and "${time}" are two times`);
  const wallClock = dateToInstant(date) + clock;
  const instant = offset === "" ? instantAt(wallClock, zone) : instantAhead(wallClock, offset);
  return { date, clock, instant, isLocal: offset === "" };
}

/** @param offset how far the clock is ahead of UTC: `+01:00` @throws CliError usage for one that is none */
function instantAhead(wallClock: number, offset: string): number {
  const time = parseWireDateTime(formatWireDateTime(wallClock).replace("Z", offset));
  if (time === null) throw usageError(`"${offset}" is not an offset of UTC`);
  return time.instant;
}

/** A time of day, and how far it is ahead of UTC; null for none. @throws CliError usage */
function readTime(text: string) {
  const [, local = "", offset = ""] = /^(.*?)(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  return local === "" ? null : { clock: readClock(local), offset };
}

/** @throws CliError usage for `10:00-12:00`, whose end may also be an offset: after a date and `T`, or with seconds, it is one */
function checkRange(cell: string): void {
  if (!/(?:^|\s)\d{1,2}[:.]\d{2}\s*-\s*\d{1,2}[:.]?\d{2}$/.test(cell)) return;
  throw usageError(`"${cell}" may be a range of times: write the end in a column of its own`);
}

function readDate(text: string, order: DateOrder | undefined): string | null {
  const parts = /^(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})\.?$/.exec(text);
  const numbers = [parts?.[1], parts?.[3], parts?.[4]];
  const part = (unit: string) =>
    numbers[ISO_DATE.test(text) ? "ymd".indexOf(unit) : (order ?? "").indexOf(unit)] ?? "";
  const date = `${part("y")}-${part("m").padStart(2, "0")}-${part("d").padStart(2, "0")}`;
  return isCalendarDate(date) ? date : null;
}

const CLOCK =
  /^(\d{1,2})(?:[:.](\d{2})(?:[:.](\d{2})(?:(?<=:\d{2})[.,](\d{1,9}))?)?)?\s*([ap])?\.?(?:m\.?)?$/i;

/** 14h30, 9 h, 9 Uhr and 14.30 Uhr with a colon; any other text as it is. */
function plainClock(text: string): string {
  return text
    .replace(/^(\d{1,2})\s*(?:h|Uhr)\s*(\d{2})?$/i, (_, hour, minute = "00") => `${hour}:${minute}`)
    .replace(/^(\d{1,2})[.:](\d{2})\s*(?:h|Uhr)$/i, "$1:$2");
}

/** Whether a text is a time of day, or begins as one, and no date: 5.12 may be one, unless the start is written so, too. */
function isTimeOfDay(written: string, start = ""): boolean {
  const text = plainClock(written);
  if (/^\d{1,2}:/.test(text)) return true;
  if (!CLOCK.test(text)) return false;
  return /[ap]/i.test(text) || DOTTED.test(start) || /^\d{1,2}\.(?:00|1[3-9]|[2-5]\d)$/.test(text);
}

/** 9.30 */
const DOTTED = /^\d{1,2}\.\d{2}$/;

/** Of a spreadsheet, as a part of the day. */
const FRACTION = /^0\.\d+$/;

/** Milliseconds after midnight. */
function readClock(text: string): number {
  const [, hours = "", minutes = "00", seconds = "00", fraction = "0", half] =
    CLOCK.exec(FRACTION.test(text) ? "" : plainClock(text)) ?? [];
  const isTwelve = half !== undefined;
  const hour = (Number(hours) % (isTwelve ? 12 : 24)) + (half?.toLowerCase() === "p" ? 12 : 0);
  const time = parseWireDateTime(
    `1970-01-01T${String(hour).padStart(2, "0")}:${minutes}:${seconds}.${fraction}Z`,
  );
  const isTime = hours !== "" && Number(hours) < 24 && (/[:.h]/i.test(text) || isTwelve);
  if (time === null || !isTime || (isTwelve && (Number(hours) > 12 || hours === "0")))
    throw usageError(`"${text.slice(0, MAX_CELL)}" is not a time of day`);
  return time.instant;
}

/** As spreadsheets and Outlook write it in English, German and French. */
const [YES, NO] = [
  /^(?:true|yes|1|x|on|wahr|ja|ein|vrai|oui)$/i,
  /^(?:false|no|0|off|falsch|nein|aus|faux|non)$/i,
];

/** Undefined for an empty cell. */
function readFlag(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (YES.test(text)) return true;
  if (NO.test(text)) return false;
  throw usageError(`all-day "${text}" is neither true, yes or 1 nor false, no or 0`);
}
