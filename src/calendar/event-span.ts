import {
  DAY_MS,
  dateToInstant,
  formatWireDateTime,
  instantToDate,
  isTimeZone,
  parseWireDateTime,
} from "../contract/date-time.js";
import type { CalendarEvent, EventDraft } from "../contract/shapes.js";
import { usageError } from "../errors.js";
import { missingTimes } from "./event-text.js";
import { addDays, daySpan, formatLocal, localDate } from "./zoned-time.js";

/** The times of an event while they are put together. Null is what nobody said. */
export interface EventSpan {
  readonly allDay: boolean | null;
  /** Milliseconds since the Unix epoch; of an all-day event the midnight UTC of its first day. */
  readonly start: number | null;
  /** The same; of an all-day event the midnight UTC after its last day. */
  readonly end: number | null;
  readonly startTimezone: string | null;
  readonly endTimezone: string | null;
}

export const EMPTY_SPAN: EventSpan = {
  allDay: null,
  start: null,
  end: null,
  startTimezone: null,
  endTimezone: null,
};

/** The time fields of an event as the contract has them. */
export type EventTimeFields = Pick<
  CalendarEvent,
  "all_day" | "start_at" | "start_timezone" | "end_at" | "end_timezone"
>;

/** The time fields of a draft, each there, though maybe undefined. */
export type DraftTimes = Required<Pick<EventDraft, keyof EventTimeFields>>;

/** Reads the times of an event. Those that are missing or cannot be read are null. */
export function readSpan(event: EventTimeFields): EventSpan {
  const zones = { startTimezone: event.start_timezone, endTimezone: event.end_timezone };
  if (event.all_day !== true) {
    return {
      allDay: event.all_day,
      start: instantOf(event.start_at),
      end: instantOf(event.end_at),
      ...zones,
    };
  }
  const days = daySpan(event);
  return {
    allDay: true,
    start: days === null ? null : dateToInstant(days.first),
    end: days === null || days.last === null ? null : dateToInstant(days.last) + DAY_MS,
    ...zones,
  };
}

function instantOf(text: string | null): number | null {
  return text === null ? null : (parseWireDateTime(text)?.instant ?? null);
}

/**
 * Makes a span all-day or timed. All-day takes its days in the event's own zones, `zone` where it has none that
 * this runtime knows; timed again, it has no times until new ones are given.
 */
export function switchAllDay(span: EventSpan, allDay: boolean | undefined, zone: string): EventSpan {
  if (allDay === undefined || allDay === (span.allDay ?? false)) {
    return { ...span, allDay: allDay ?? span.allDay };
  }
  if (!allDay) return { ...span, allDay, start: null, end: null };
  const startZone = knownZone(span.startTimezone, zone);
  const endZone = knownZone(span.endTimezone, startZone);
  const start = span.start === null ? null : dateToInstant(localDate(span.start, startZone));
  // An event until midnight does not touch the day that begins then.
  const last = span.end === null ? null : dateToInstant(localDate(span.end - 1, endZone));
  return {
    ...span,
    allDay,
    start,
    // Between two zones the clock may go back: a first day it has in any case.
    end: last === null ? null : Math.max(last, start ?? last) + DAY_MS,
  };
}

/** Fills the zones nobody named: `UTC` for all-day, else the zone the times were read in. */
export function carryZones(span: EventSpan, zone: string): EventSpan {
  const carried = span.allDay === true ? "UTC" : zone;
  return {
    ...span,
    startTimezone: span.startTimezone ?? carried,
    endTimezone: span.endTimezone ?? carried,
  };
}

/** Gives an all-day event without an end one day. */
export function closeSpan(span: EventSpan): EventSpan {
  if (span.allDay !== true || span.start === null || span.end !== null) return span;
  return { ...span, end: span.start + DAY_MS };
}

const FIRST_INSTANT = dateToInstant("0000-01-01");
const LAST_INSTANT = dateToInstant("9999-12-31") + DAY_MS - 1;

/** The flags that would complete the span: a schedule has both times, anything else both or none. */
export function missingInSpan({ start, end }: EventSpan, category: string | null): readonly string[] {
  const hasStart = start !== null;
  const hasEnd = end !== null;
  return missingTimes({ needed: category === "schedule" || hasStart || hasEnd, hasStart, hasEnd });
}

/** Checks that the end is after the start and both can be written. @throws CliError usage */
export function checkSpan({ allDay, start, end, ...zones }: EventSpan, zone: string): void {
  if (start === null || end === null) return;
  if (start < FIRST_INSTANT || end > LAST_INSTANT) {
    throw usageError("--start and --end must lie in the years 0000 to 9999");
  }
  if (end > start) return;
  if (allDay === true) {
    const last = addDays(instantToDate(end), -1);
    throw usageError(
      `the last day ${last} is before the first day ${instantToDate(start)}`,
      "--start names the first day, --end the last",
    );
  }
  const from = formatLocal(start, knownZone(zones.startTimezone, zone));
  const to = formatLocal(end, knownZone(zones.endTimezone, zone));
  throw usageError(
    `the end ${to} is not after the start ${from}`,
    "give an --end after --start, or --duration",
  );
}

/** The span as a draft carries it: UTC with milliseconds and `Z`. */
export function draftTimes({ allDay, start, end, startTimezone, endTimezone }: EventSpan): DraftTimes {
  return {
    // A service may leave it out where it is false, but an event with times must say it.
    all_day: allDay ?? (start === null ? undefined : false),
    start_at: start === null ? undefined : formatWireDateTime(start),
    start_timezone: startTimezone ?? undefined,
    end_at: end === null ? undefined : formatWireDateTime(end),
    end_timezone: endTimezone ?? undefined,
  };
}

/** The zone, if this runtime knows it. */
export function knownZone(name: string | null, fallback: string): string {
  return name !== null && isTimeZone(name) ? name : fallback;
}
