import { DAY_MS, parseWireDateTime } from "../../contract/date-time.js";
import { addDuration, instantAt, wallClockAt } from "../calendar/zoned-time.js";
import { usageError } from "../errors.js";
import type { ZoneFinder } from "./ics-zones.js";

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
}

/** Where an event, or the first of a series, begins. */
export type Beginning = Pick<IcsTime, "isDate" | "instant" | "zone">;

interface TimeOptions {
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  readonly findZone: ZoneFinder;
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:T::|T(\d{2}:\d{2}(?::\d{2})?):?(Z?))?$/;

/** The times of a property. @throws CliError usage for anything else, and for an unknown zone */
export function readTimes(
  { name, parameters, type, values, written }: Property,
  options: TimeOptions,
): readonly IcsTime[] {
  if (type === "period") throw usageError(`${name} with VALUE=PERIOD is not supported, only dates and times`);
  return values.map((value) => {
    const [, date = "", clock, utc] = TIME.exec(String(value)) ?? [];
    // A leap second is the one before it. @see RFC 5545 §3.3.12
    const wallClock = parseWireDateTime(`${date}T${clock?.replace(/:60$/, ":59") ?? "00:00"}Z`)?.instant;
    if (wallClock === undefined)
      throw usageError(`${name} "${written.slice(0, 40)}" is not a date or time such as 20261121T150000`);
    if (clock === undefined || utc === "Z")
      return {
        ...{ isDate: clock === undefined, isFloating: false, wallClock },
        ...{ instant: wallClock, zone: "UTC" },
      };
    const { tzid } = parameters;
    const zone = tzid === undefined ? options.zone : options.findZone(tzid);
    const instant = instantAt(wallClock, zone);
    return { isDate: false, isFloating: tzid === undefined, wallClock, instant, zone };
  });
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
  return property.values.map((value) => {
    const parts = Array.isArray(value) ? value.map(String) : [];
    const isLength = /^\+?P/i.test(parts[1] ?? "");
    const times = readTimes(
      { ...property, type: "date-time", values: isLength ? parts.slice(0, 1) : parts },
      options,
    );
    const [start, end = start] = times;
    if (parts.length !== 2 || start === undefined || end === undefined)
      throw usageError(`RDATE "${property.written.slice(0, 40)}" is not a period`);
    if (!isLength) return { start, end };
    const instant = addDuration(start.instant, durationOf(parts[1] ?? ""), start.zone);
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

const DURATION = /^\+?P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;

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

/** The date that a time means, as midnight UTC. @param midnights see `startInSeries` */
export function dateOfTime(
  { isDate, isFloating, wallClock, instant, zone }: IcsTime,
  midnights: readonly string[],
): number {
  const isUtc = zone === "UTC" && !isDate && !isFloating;
  const zones = isUtc && wallClock !== dayOf(wallClock) ? midnights : [];
  const clocks = zones.map((each) => wallClockAt(instant, each));
  return dayOf(clocks.find((clock) => clock === dayOf(clock)) ?? wallClock);
}

/** Midnight of a wall clock's day. */
function dayOf(wallClock: number): number {
  return Math.floor(wallClock / DAY_MS) * DAY_MS;
}
