import { DAY_MS } from "../../contract/date-time.js";
import { plainId } from "../../contract/ids.js";
import type { CalendarEvent } from "../../contract/shapes.js";
import { readSpan } from "./event-span.js";
import { zoneChanges } from "./zone-changes.js";
import { offsetAt } from "./zoned-time.js";

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

/** When an event takes up time; null for all-day events, keeps, and those without readable times. */
export function busyTime(event: CalendarEvent): TimeSpan | null {
  const { allDay, start, end } = readSpan(event);
  return allDay === true || event.category === "keep" || start === null || end === null
    ? null
    : { start, end };
}

/** Whether one of some users attends an event or, where nobody attends, created it. @param userIds plain */
export function takesPart(
  { attendees, creator }: Pick<CalendarEvent, "attendees" | "creator">,
  userIds: ReadonlySet<string>,
): boolean {
  const people = attendees.length === 0 && creator !== null ? [creator] : attendees;
  return people.some(({ id, type }) => type === "user" && userIds.has(plainId(id)));
}
