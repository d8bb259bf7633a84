import { DAY_MS, dateToInstant, formatWireDateTime, MINUTE_MS } from "../../../contract/date-time.js";
import { plainId } from "../../../contract/ids.js";
import type { Event } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { readSpan } from "../../events/times.js";
import { readClock } from "../../time/date-grammar.js";
import { type Duration, formatLocal, instantAt, offsetAt, zoneChanges } from "../../time/zoned-time.js";

/** When people are free, and which of their events overlap. */

/** In milliseconds since the Unix epoch, without its end. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

export interface FreeTimeOptions extends TimeSpan {
  /** The zone of `between`. */
  readonly zone: string;
  /** Times of day, in milliseconds since midnight; over midnight where the end is not after the start. */
  readonly between: TimeSpan;
  /** The shortest time that counts (ms). */
  readonly atLeast: number;
}

/** The longest possible stretches of a time, within some hours of the day, in which nothing takes place. In order. */
export function findFreeTimes(busy: readonly TimeSpan[], options: FreeTimeOptions): readonly TimeSpan[] {
  const sorted = busy.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start);
  return openTimes(options)
    .flatMap((open) => freeTimesIn(open, sorted))
    .filter(({ start, end }) => end - start >= options.atLeast);
}

/** What is left of a time. @param busy by start */
function freeTimesIn({ start, end }: TimeSpan, busy: readonly TimeSpan[]): readonly TimeSpan[] {
  const free: TimeSpan[] = [];
  let from = start;
  for (const each of busy) {
    if (each.start >= end) break;
    if (each.start > from) free.push({ start: from, end: each.start });
    from = Math.max(from, each.end);
  }
  return from < end ? [...free, { start: from, end }] : free;
}

/** The parts of a time in which the clock shows one of the hours. Between two clock changes its days are equally long. */
function openTimes({ start, end, zone, between }: FreeTimeOptions): readonly TimeSpan[] {
  const open: { start: number; end: number }[] = [];
  const length = between.end - between.start + (between.end > between.start ? 0 : DAY_MS);
  const changes = zoneChanges(zone, start, end).map(({ instant }) => instant);
  for (const [index, from] of [start, ...changes].entries()) {
    const to = changes[index] ?? end;
    const offset = offsetAt(from, zone);
    const yesterday = Math.floor((from + offset) / DAY_MS - 1) * DAY_MS - offset;
    for (let opens = yesterday + between.start; opens < to; opens += DAY_MS) {
      const part = { start: Math.max(opens, from), end: Math.min(opens + length, to) };
      if (part.start >= part.end) continue;
      const last = open.at(-1);
      if (last?.end === part.start) last.end = part.end;
      else open.push(part);
    }
  }
  return open;
}

/** Each pair of spans that have some time in common, by their starts. */
export function findOverlaps<T extends TimeSpan>(spans: readonly T[]): readonly (readonly [T, T])[] {
  const sorted = spans.filter(({ start, end }) => start < end).sort((one, other) => one.start - other.start);
  return sorted.flatMap((one, index) => {
    const others = sorted.slice(index + 1);
    const next = others.findIndex(({ start }) => start >= one.end);
    return others.slice(0, next === -1 ? undefined : next).map((other) => [one, other] as const);
  });
}

/**
 * When an event takes up time; null for keeps and those without readable times, and for all-day events unless they count.
 * @param options.allDay whether all-day events count, as the days of `zone`
 */
export function busyTime(
  event: Event,
  { allDay, zone }: { readonly allDay: boolean; readonly zone: string },
): TimeSpan | null {
  const span = readSpan(event);
  const { start, end } = span;
  if (event.category === "keep" || start === null || end === null) return null;
  if (span.allDay !== true) return { start, end };
  return allDay ? { start: instantAt(start, zone), end: instantAt(end, zone) } : null;
}

/** Later ones cannot be written with four digits of a year. */
const LAST_MINUTE = dateToInstant("9999-12-31") + DAY_MS - MINUTE_MS;

/** The time of some days in a zone, from now on; a minute that has begun is over. */
export function timeOfDays(
  { first, last }: { readonly first: string; readonly last: string },
  { zone, now }: { readonly zone: string; readonly now: number },
): TimeSpan {
  const next = Math.ceil(now / MINUTE_MS) * MINUTE_MS;
  return {
    start: Math.max(next, instantAt(dateToInstant(first), zone)),
    end: Math.min(instantAt(Math.min(dateToInstant(last) + DAY_MS, LAST_MINUTE), zone), LAST_MINUTE),
  };
}

/** A duration in milliseconds, of days with 24 hours. */
export function lengthOf({ days, minutes }: Duration): number {
  return days * DAY_MS + minutes * MINUTE_MS;
}

/** A time in UTC and in the chosen zone, as an event has it. */
export function localizeTime({ start, end }: TimeSpan, zone: string) {
  return {
    start_at: formatWireDateTime(start),
    end_at: formatWireDateTime(end),
    start_local: formatLocal(start, zone),
    end_local: formatLocal(end, zone),
  };
}

const TIME_OF_DAY = "(\\d{1,2})(?::(\\d\\d))?(?:\\s?([ap]m))?";
const BETWEEN = new RegExp(`^${TIME_OF_DAY}\\s*[-–—]\\s*${TIME_OF_DAY}$`, "i");

/**
 * Reads `09:00-18:00`, `9-18` or `9am-6pm`, in milliseconds since midnight; over midnight where the end is earlier.
 * @throws CliError usage
 */
export function parseBetween(text: string, source: string): TimeSpan {
  const [, hour, minute, half, endHour, endMinute, endHalf] = BETWEEN.exec(text.trim()) ?? [];
  if (endHour === undefined)
    throw usageError(
      `${source}: "${text}" is not two times of day`,
      "write 09:00-18:00, or 22:00-06:00 for over midnight",
    );
  const start = readClock({ hour, minute, half }, source).clock;
  const end = /(^|\D)24(:00)?$/.test(text.trim())
    ? DAY_MS
    : readClock({ hour: endHour, minute: endMinute, half: endHalf }, source).clock;
  const isHour = (endMinute ?? endHalf) === undefined;
  if ((half === undefined) !== (endHalf === undefined) || (isHour && end <= start && start <= DAY_MS / 2))
    throw usageError(
      `${source}: "${text}" may be before or after noon`,
      "write both times as 09:00-17:00 or 9am-5pm",
    );
  if (start === end) throw usageError(`${source}: "${text}" has no length`, "the whole day is 00:00-24:00");
  return { start, end };
}

/** Whether one of some users attends an event or, where nobody attends, created it. */
export function takesPart(
  { attendees, creator }: Pick<Event, "attendees" | "creator">,
  userIds: readonly string[],
): boolean {
  const people = attendees.length === 0 && creator !== null ? [creator] : attendees;
  const ids = userIds.map(plainId);
  return people.some(({ id, type }) => type === "user" && ids.includes(plainId(id)));
}
