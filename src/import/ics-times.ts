import { DAY_MS, parseWireDateTime } from "../../contract/date-time.js";
import { instantAt, wallClockAt } from "../calendar/zoned-time.js";
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
