import { DAY_MS, HOUR_MS, MINUTE_MS, parseWireDateTime } from "../../../contract/date-time.js";
import { usageError } from "../../errors.js";
import { addDuration, instantAt, offsetAt, wallClockAt } from "../../time/zoned-time.js";
import { type ZoneFinder, zoneOfOffset } from "./ics-zones.js";

/** Times of iCalendar. @see RFC 5545 §3.3.5 */

/** A property as ical.js parses it. */
export interface Property {
  readonly name: string;
  /** Names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the values, as `period`. */
  readonly type: string;
  /** Texts unescaped, times with separators: `2026-11-21T15:00:00`. */
  readonly values: readonly unknown[];
  /** The values as the file has them. */
  readonly written: string;
}

export interface IcsTime {
  readonly isDate: boolean;
  /** Whether the file does not name its zone. */
  readonly isFloating: boolean;
  /** What the clock shows, as if it were UTC (ms). */
  readonly wallClock: number;
  /** Milliseconds since the Unix epoch; midnight UTC of a date. */
  readonly instant: number;
  /** IANA name; `UTC` for a date. */
  readonly zone: string;
  /** As the file has it. */
  readonly written: string;
}

/** Where an event, or the first of a series, begins. */
export type Beginning = Pick<IcsTime, "isDate" | "instant" | "zone">;

interface TimeOptions {
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  readonly findZone: ZoneFinder;
  readonly count: (remark: string) => void;
}

/** With the separators of ISO 8601 or without, with a fraction and an offset. */
const TIME =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|[+-]\d{2}(?::?\d{2})?))?)?$/i;

/** A date or time as it is written. */
interface WrittenTime {
  readonly isDate: boolean;
  /** What the clock shows, as if it were UTC (ms). */
  readonly wallClock: number;
  /** How far it is ahead of UTC (ms); null where it does not say. */
  readonly offset: number | null;
}

/** @param name of its property @throws CliError usage for a text that is no date or time */
export function readTime(text: string, name: string): WrittenTime {
  const [, year, , month, day, hour, , minute = "00", second = "00", fraction = "0", zone] =
    TIME.exec(text) ?? [];
  // A leap second is the one before it. @see RFC 5545 §3.3.12
  const clock = `${hour ?? "00"}:${minute}:${second === "60" ? "59" : second}.${fraction}`;
  const wallClock = parseWireDateTime(`${year}-${month}-${day}T${clock}Z`)?.instant;
  const offset = zone === undefined ? null : offsetOf(zone);
  if (wallClock !== undefined && offset !== undefined)
    return { isDate: hour === undefined, wallClock, offset };
  throw usageError(`${name} "${text.slice(0, 40)}" is not a date or time such as 20261121T150000`);
}

/** Undefined for one that no clock has. */
function offsetOf(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0;
  const [, sign, hours, minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const offset = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  if (Number(minutes) > 59 || offset > MAX_OFFSET) return undefined;
  return sign === "-" ? -offset : offset;
}

/** No clock is more ahead of UTC, or behind it (ms). */
const MAX_OFFSET = 16 * HOUR_MS;

/** The times of a property. @throws CliError usage for anything else, and for an unknown zone */
export function readTimes(property: Property, options: TimeOptions): readonly IcsTime[] {
  const { name, type, written } = property;
  if (type === "period") throw usageError(`${name} with VALUE=PERIOD is not supported, only dates and times`);
  // A comma may also begin a fraction, and vCalendar 1.0 has semicolons.
  const texts = written.split(/[,;](?=\d{8}|\d{4}-|$)/).filter((text) => text !== "");
  return texts.map((text) => timeOf(text, property, options));
}

function timeOf(written: string, { name, parameters, type }: Property, options: TimeOptions): IcsTime {
  const { isDate, wallClock, offset } = readTime(written, name);
  if (type === "date" && wallClock !== dayOf(wallClock))
    throw usageError(`${name} "${written.slice(0, 40)}" is not a date`);
  const time = { isDate: false, isFloating: false, wallClock, written };
  if (isDate || type === "date") return { ...time, isDate: true, instant: wallClock, zone: "UTC" };
  const tzid = parameters["tzid"]?.trim() || undefined;
  if (offset === null) {
    const zone = tzid === undefined ? options.zone : options.findZone(tzid, wallClock);
    return { ...time, isFloating: tzid === undefined, instant: instantAt(wallClock, zone), zone };
  }
  const instant = wallClock - offset;
  const isUtc = /z$/i.test(written);
  if (isUtc && tzid !== undefined && options.findZone.known(tzid) !== "UTC")
    options.count("with a TZID beside a time in UTC: read in UTC");
  if (tzid === undefined || isUtc) return { ...time, instant, zone: zoneOfOffset(offset) ?? "UTC" };
  const zone = options.findZone(tzid, wallClock);
  if (offsetAt(instant, zone) !== offset)
    throw usageError(`${name} "${written.slice(0, 40)}" has another offset than its zone ${zone}`);
  return { ...time, instant, zone };
}

/** An added occurrence with its own end. @see RFC 5545 §3.3.9 */
interface Period {
  readonly start: IcsTime;
  readonly end: IcsTime;
}

/** Whether an RDATE has occurrences with their ends. */
export function isPeriods({ name, type }: Property): boolean {
  return name === "RDATE" && type === "period";
}

/** @throws CliError usage for what is no period, and for an unknown zone */
export function readPeriods(property: Property, options: TimeOptions): readonly Period[] {
  return property.written.split(",").map((text) => {
    const [from = "", to, other] = text.split("/");
    if (to === undefined || other !== undefined)
      throw usageError(`RDATE "${text.slice(0, 40)}" is not a period`);
    const timed = { ...property, type: "date-time" };
    const start = timeOf(from, timed, options);
    if (!/^\+?P/i.test(to)) return { start, end: timeOf(to, timed, options) };
    const instant = addDuration(start.instant, durationOf(to), start.zone);
    return { start, end: { ...start, instant, wallClock: wallClockAt(instant, start.zone) } };
  });
}

/**
 * The start of an added occurrence that is as long as its event.
 * @param length of the event (ms)
 * @throws CliError usage for one of another length
 */
export function startOfPeriod(
  period: Period,
  {
    start,
    length,
    midnights,
  }: { readonly start: Beginning; readonly length: number; readonly midnights: readonly string[] },
): number {
  const [from, to] = [period.start, period.end].map((time) => startInSeries(time, start, midnights));
  if (from !== undefined && to !== undefined && to - from === length) return from;
  throw usageError("RDATE has a length other than that of its event, which is not supported");
}

const DURATION =
  /^\+?P(?=T?\d)(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;

/** A length of time, of DURATION or of a period. @throws CliError usage */
export function durationOf(text: string) {
  const match = DURATION.exec(text);
  if (match === null) throw usageError(`DURATION "${text.slice(0, 40)}" is not a length of time`);
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return { days: weeks * 7 + days, minutes: hours * 60 + minutes + seconds / 60 };
}

/**
 * RDATE, EXDATE or RECURRENCE-ID as a start of the series: a date, or a time. Programs mix them, leave out the zone, and write the
 * dates of an all-day series as midnight in a zone or in UTC.
 * @param midnights zones whose midnight a time in UTC may be
 * @returns milliseconds since the Unix epoch; midnight UTC of a date
 */
export function startInSeries(time: IcsTime, beginning: Beginning, midnights: readonly string[]): number {
  const { zone } = beginning;
  if (beginning.isDate) return dateOfTime(time, midnights);
  if (time.isFloating) return instantAt(time.wallClock, zone);
  if (!time.isDate) return time.instant;
  const startClock = wallClockAt(beginning.instant, zone);
  return instantAt(time.instant + startClock - dayOf(startClock), zone);
}

/** The remark on an RDATE with a time in an all-day series, or with a date in a timed one; null for any other. */
export function remarkOnAdded(
  time: IcsTime,
  { isDate }: Beginning,
  { name, midnights }: { readonly name: "RDATE" | "EXDATE"; readonly midnights: readonly string[] },
): string | null {
  if (isDate && midnightOf(time, midnights) === undefined)
    return `all-day, but with times of day in ${name}: their days are read`;
  if (name === "EXDATE") return null;
  return time.isDate && !isDate ? "with dates without a time of day in RDATE: at the time of DTSTART" : null;
}

/** The date that a time means, as midnight UTC. @param midnights see `startInSeries` */
export function dateOfTime(time: Omit<IcsTime, "written">, midnights: readonly string[]): number {
  return midnightOf(time, midnights) ?? dayOf(time.wallClock);
}

/** The date of which a time is midnight; undefined for any other time. */
function midnightOf(
  { isDate, isFloating, wallClock, instant, zone }: Omit<IcsTime, "written">,
  midnights: readonly string[],
): number | undefined {
  const isUtc = zone === "UTC" && !isDate && !isFloating;
  const others = isUtc ? midnights.map((each) => wallClockAt(instant, each)) : [];
  return [wallClock, ...others].find((clock) => clock === dayOf(clock));
}

/** In milliseconds. */
const LAST_MINUTE = DAY_MS - MINUTE_MS;

/**
 * The days of an event that its program marks as all-day, with its times as dates; an end in the last minute of a day is its end. Null
 * where it does not begin and end at midnight in its zone: for times in UTC, in one of `midnights`.
 */
export function daysOf(times: readonly IcsTime[], midnights: readonly string[]): readonly IcsTime[] | null {
  const zones = ["UTC", ...midnights];
  const clockIn = (time: IcsTime, zone: string) =>
    time.zone === "UTC" && !time.isFloating ? wallClockAt(time.instant, zone) : time.wallClock;
  const dayIn = (time: IcsTime, index: number, zone: string): number | null => {
    const clock = clockIn(time, zone);
    const day = dayOf(clock);
    if (index > 0 && clock - day >= LAST_MINUTE) return day + DAY_MS;
    return clock === day ? day : null;
  };
  for (const zone of zones) {
    const days = times.map((time, index) => (time.isDate ? time.instant : dayIn(time, index, zone)));
    const dates = times.flatMap((time, index): readonly IcsTime[] => {
      const day = days[index] ?? null;
      return day === null
        ? []
        : [{ ...time, isDate: true, isFloating: false, wallClock: day, instant: day, zone: "UTC" }];
    });
    if (dates.length === times.length) return dates;
  }
  return null;
}

/** Midnight of a wall clock's day. */
function dayOf(wallClock: number): number {
  return Math.floor(wallClock / DAY_MS) * DAY_MS;
}
