import {
  DAY_MS,
  dateToInstant,
  formatWireDateTime,
  isTimeZone,
  parseWireDateTime,
} from "../../contract/date-time.js";
import type { EventDraft, TimeField } from "../../contract/shapes.js";
import { usageError } from "../errors.js";
import type { DateInput, DurationInput } from "../time/dates.js";
import { addDuration, daySpan, localDate } from "../time/zoned-time.js";
import { type EventPatch, isTyped, type TypedTimes, type WrittenTimes } from "./patch.js";

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

/** The time fields of an event or of a draft. */
type WireTimes = { readonly [K in TimeField]?: EventDraft[K] | null };

/** Reads the times of an event or a draft. Missing and unreadable ones are null. */
export function readSpan(event: WireTimes): EventSpan {
  const { all_day: allDay = null, start_at = null, end_at = null } = event;
  const { start_timezone: startTimezone = null, end_timezone: endTimezone = null } = event;
  const zones = { startTimezone, endTimezone };
  if (allDay !== true) return { allDay, start: instantOf(start_at), end: instantOf(end_at), ...zones };
  const days = daySpan({ start_at, end_at });
  return {
    allDay,
    start: days === null ? null : dateToInstant(days.first),
    end: days === null || days.last === null ? null : dateToInstant(days.last) + DAY_MS,
    ...zones,
  };
}

/** The start alone. */
export function readStart({ all_day, start_at = null }: Pick<WireTimes, "all_day" | "start_at">) {
  if (all_day !== true) return instantOf(start_at);
  const days = daySpan({ start_at, end_at: null });
  return days === null ? null : dateToInstant(days.first);
}

function instantOf(text: string | null): number | null {
  return text === null ? null : (parseWireDateTime(text)?.instant ?? null);
}

/** The span as fields of a draft: UTC with milliseconds and `Z`. */
export function draftTimes({
  allDay,
  start,
  end,
  startTimezone,
  endTimezone,
}: EventSpan): Required<Pick<EventDraft, TimeField>> {
  return {
    // A service may omit it when it is false, but a draft with times must include it.
    all_day: allDay ?? (start === null ? undefined : false),
    start_at: start === null ? undefined : formatWireDateTime(start),
    start_timezone: startTimezone ?? undefined,
    end_at: end === null ? undefined : formatWireDateTime(end),
    end_timezone: endTimezone ?? undefined,
  };
}

/**
 * Changes a span to what a patch says of times. A span that becomes all-day keeps its days, one that is no longer all-day
 * needs new times. @param zone the chosen one @throws CliError usage
 */
export function applyTimes(span: EventSpan, patch: EventPatch<unknown>, zone: string): EventSpan {
  const base = switchAllDay(span, patch.allDay, zone);
  return isTyped(patch) ? applyTyped(base, patch, zone) : applyWritten(base, patch);
}

/**
 * Makes a span all-day or timed. Its days are those in the event's own zones, or in `zone` if this runtime knows none
 * of them. A span that was all-day has no times until new ones are given.
 */
function switchAllDay(span: EventSpan, allDay: boolean | undefined, zone: string): EventSpan {
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

/** Times that are not written are kept. @throws CliError usage when a time of an all-day event is not midnight */
function applyWritten(base: EventSpan, patch: WrittenTimes): EventSpan {
  if (base.allDay === true) checkMidnights(patch);
  const named = readSpan({
    all_day: base.allDay,
    // The end needs the start too: for a single day it may equal it.
    start_at: patch.start ?? (base.start === null ? null : formatWireDateTime(base.start)),
    start_timezone: patch.startTimezone ?? base.startTimezone,
    end_at: patch.end ?? null,
    end_timezone: patch.endTimezone ?? base.endTimezone,
  });
  return { ...named, end: named.end ?? base.end };
}

function checkMidnights({ source, start, end }: WrittenTimes): void {
  for (const [field, text] of Object.entries({ start_at: start, end_at: end })) {
    if (text === undefined || parseWireDateTime(text)?.midnight === true) continue;
    throw usageError(
      `${source}: ${field} ${text} has a clock time, but the event is all-day`,
      "write it at 00:00:00, or set all_day to false",
    );
  }
}

/**
 * A start alone keeps the end, a duration counts the end from the start, and a zone alone keeps the instants.
 * @throws CliError usage
 */
function applyTyped(base: EventSpan, patch: TypedTimes, zone: string): EventSpan {
  const { duration, startTimezone = null, endTimezone = null } = patch;
  if (patch.end && duration !== undefined) {
    throw usageError("--end and --duration are both given", "use only one of them");
  }
  const kind = { allDay: base.allDay === true, allDayFlag: patch.allDay };
  const start = patch.start ? instantOfFlag(patch.start, "--start", kind) : base.start;
  if (start === null) {
    const [useless] = namedTimes(patch);
    if (useless === undefined) return base;
    throw usageError(`missing --start: ${useless} has no effect without it`);
  }
  const changed = {
    ...base,
    start,
    startTimezone: startTimezone ?? base.startTimezone,
    endTimezone: endTimezone ?? base.endTimezone ?? (patch.end ? null : startTimezone),
  };
  if (patch.end) {
    const end = instantOfFlag(patch.end, "--end", kind);
    return { ...changed, end: kind.allDay ? end + DAY_MS : end };
  }
  return duration === undefined
    ? changed
    : { ...changed, end: afterStart(changed, duration, { zone, flag: "--duration" }) };
}

interface EventKind {
  readonly allDay: boolean;
  /** True for `--all-day`, false for `--no-all-day`. */
  readonly allDayFlag: boolean | undefined;
}

/** The start or end of a span: midnight UTC of a date for an all-day event, an instant otherwise. */
function instantOfFlag(input: DateInput, source: string, { allDay, allDayFlag }: EventKind): number {
  if (allDay && input.kind === "date-time") {
    const written = parseWireDateTime(input.text.trim());
    // Not for an end at midnight: it could mean the day that starts or the one that ends.
    if (source === "--start" && allDayFlag === true && written?.midnight === true)
      return dateToInstant(written.date);
    throw usageError(
      `${source}: "${input.text}" has a clock time, but the event is all-day`,
      `write only a date, or ${allDayFlag === true ? "remove --all-day" : "add --no-all-day"}`,
    );
  }
  if (!allDay && input.kind === "date") {
    const instead = allDayFlag === false ? "use --all-day instead of --no-all-day" : "add --all-day";
    throw usageError(
      `${source}: "${input.text}" is a date without a time`,
      `write ${input.date}T15:00, or ${instead}`,
    );
  }
  return input.kind === "date" ? dateToInstant(input.date) : input.instant;
}

/** The flags about times that are given, read or not; `--no-all-day` does not count. */
export function namedTimes(patch: { readonly [K in keyof TypedTimes]?: unknown }): readonly string[] {
  const { start, end, duration, allDay, startTimezone, endTimezone } = patch;
  const given = {
    "--start": start,
    "--end": end,
    "--duration": duration,
    "--all-day": allDay === true || null,
    "--start-timezone": startTimezone,
    "--end-timezone": endTimezone,
  };
  return Object.entries(given).flatMap(([flag, value]) => ((value ?? null) === null ? [] : [flag]));
}

/**
 * The instant a duration after the start, by the clock of the start's zone.
 * @param options.flag with the duration, for messages
 * @throws CliError usage for minutes of an all-day event
 */
export function afterStart(
  { allDay, start, startTimezone }: EventSpan & { readonly start: number },
  duration: DurationInput,
  { zone, flag }: { readonly zone: string; readonly flag: "--duration" | "--by" },
): number {
  if (allDay !== true) return addDuration(start, duration, knownZone(startTimezone, zone));
  if (duration.minutes !== 0) {
    throw usageError(
      `${flag}: "${duration.text}" has hours or minutes, but the event is all-day`,
      `write days such as ${flag === "--by" ? "+2d" : "2d"}`,
    );
  }
  return start + duration.days * DAY_MS;
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

/** The zone, or `fallback` if this runtime does not know it. */
export function knownZone(name: string | null | undefined, fallback: string): string {
  return name && isTimeZone(name) ? name : fallback;
}
