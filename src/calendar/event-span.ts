import {
  DAY_MS,
  dateToInstant,
  formatWireDateTime,
  instantToDate,
  isTimeZone,
  parseWireDateTime,
} from "../../contract/date-time.js";
import type { CalendarEvent, EventDraft } from "../../contract/shapes.js";
import { usageError } from "../errors.js";
import { missingTimes } from "./event-text.js";
import { addDays, addDuration, daySpan, formatLocal, formatTyped, localDate } from "./zoned-time.js";

/** The times of an event while they are put together. Null means not given. */
export interface EventSpan {
  readonly allDay: boolean | null;
  /** Milliseconds since the Unix epoch; for an all-day event midnight UTC of its first day. */
  readonly start: number | null;
  /** The same; for an all-day event midnight UTC after its last day. */
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

/** The time fields of a draft, each present, possibly undefined. */
export type DraftTimes = Required<Pick<EventDraft, keyof EventTimeFields>>;

/** Reads the times of an event. Missing and unreadable ones are null. */
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

/** The start alone. */
export function readStart({
  all_day,
  start_at,
}: Pick<EventTimeFields, "all_day" | "start_at">): number | null {
  if (all_day !== true) return instantOf(start_at);
  const days = daySpan({ start_at, end_at: null });
  return days === null ? null : dateToInstant(days.first);
}

function instantOf(text: string | null): number | null {
  return text === null ? null : (parseWireDateTime(text)?.instant ?? null);
}

/**
 * Makes a span all-day or timed. Its days are those in the event's own zones, or in `zone` if this runtime knows none
 * of them. A span that was all-day has no times until new ones are given.
 */
export function switchAllDay(span: EventSpan, allDay: boolean | undefined, zone: string): EventSpan {
  if (allDay === undefined || allDay === (span.allDay ?? false)) {
    return { ...span, allDay: allDay ?? span.allDay };
  }
  if (!allDay) return { ...span, allDay, start: null, end: null };
  const startZone = knownZone(span.startTimezone, zone);
  const endZone = knownZone(span.endTimezone, startZone);
  const start = span.start === null ? null : dateToInstant(localDate(span.start, startZone));
  // An event that ends at midnight does not include the day that starts then.
  const last = span.end === null ? null : dateToInstant(localDate(span.end - 1, endZone));
  return {
    ...span,
    allDay,
    start,
    // From one zone to another the clock may go back, but there is at least one day.
    end: last === null ? null : Math.max(last, start ?? last) + DAY_MS,
  };
}

/** Fills missing zones: `UTC` for all-day, otherwise `zone`. */
export function fillZones(span: EventSpan, zone: string): EventSpan {
  const filled = span.allDay === true ? "UTC" : zone;
  return {
    ...span,
    startTimezone: span.startTimezone ?? filled,
    endTimezone: span.endTimezone ?? filled,
  };
}

/** Fills the missing end of an all-day event: it lasts one day. */
export function fillEnd(span: EventSpan): EventSpan {
  if (span.allDay !== true || span.start === null || span.end !== null) return span;
  return { ...span, end: span.start + DAY_MS };
}

const FIRST_INSTANT = dateToInstant("0000-01-01");
const LAST_INSTANT = dateToInstant("9999-12-31") + DAY_MS - 1;

/** The flags that would complete the span: a schedule needs both times, anything else both or neither. */
export function missingInSpan({ start, end }: EventSpan, category: string | null): readonly string[] {
  const hasStart = start !== null;
  const hasEnd = end !== null;
  return missingTimes({ needed: category === "schedule" || hasStart || hasEnd, hasStart, hasEnd });
}

/**
 * Checks that the end is after the start and both have a four-digit year.
 * @param zones in which messages show them
 * @throws CliError usage
 */
export function checkSpan(
  { allDay, start, end }: EventSpan,
  zones: { readonly start: string; readonly end: string },
): void {
  if (start === null || end === null) return;
  if (allDay === true && start >= FIRST_INSTANT && end === LAST_INSTANT + 1) {
    throw usageError(
      "an event of 9999-12-31 ends after the year 9999, at the midnight after it",
      "the last day of an all-day event can be 9999-12-30",
    );
  }
  if (start < FIRST_INSTANT || end > LAST_INSTANT) {
    const problem = end > LAST_INSTANT ? "ends after the year 9999" : "begins before the year 0000";
    throw usageError(`the event ${problem}`, "write dates from 0000-01-01 to 9999-12-31");
  }
  if (end > start) return;
  if (allDay === true) {
    const last = addDays(instantToDate(end), -1);
    throw usageError(
      `the last day ${last} is before the first day ${instantToDate(start)}`,
      "--start names the first day, --end the last",
    );
  }
  const nextDay = addDuration(end, { days: 1, minutes: 0 }, zones.end);
  const isNight = nextDay > start && end < start;
  throw usageError(
    `the end ${formatLocal(end, zones.end)} is not after the start ${formatLocal(start, zones.start)}`,
    isNight
      ? `for an end on the next day, write --end ${formatTyped(formatLocal(nextDay, zones.end), zones.end)}`
      : "give an --end after --start, or --duration",
  );
}

/** The span as fields of a draft: UTC with milliseconds and `Z`. */
export function draftTimes({ allDay, start, end, startTimezone, endTimezone }: EventSpan): DraftTimes {
  return {
    // A service may omit it when it is false, but a draft with times must include it.
    all_day: allDay ?? (start === null ? undefined : false),
    start_at: start === null ? undefined : formatWireDateTime(start),
    start_timezone: startTimezone ?? undefined,
    end_at: end === null ? undefined : formatWireDateTime(end),
    end_timezone: endTimezone ?? undefined,
  };
}

/** The zone, or `fallback` if this runtime does not know it. */
export function knownZone(name: string | null, fallback: string): string {
  return name !== null && isTimeZone(name) ? name : fallback;
}
