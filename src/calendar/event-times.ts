import { DAY_MS, dateToInstant, formatWireDateTime, parseWireDateTime } from "../contract/date-time.js";
import { usageError } from "../errors.js";
import { parseDateInput, parseDuration, parseTimeZone } from "./dates.js";
import {
  carryZones,
  checkSpan,
  closeSpan,
  type DraftTimes,
  draftTimes,
  EMPTY_SPAN,
  type EventSpan,
  knownZone,
  missingInSpan,
  readSpan,
  switchAllDay,
} from "./event-span.js";
import { missingFlags } from "./event-text.js";
import { addDuration } from "./zoned-time.js";

/** Flags about the times of an event, as typed. */
export interface TimeFlags {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly duration?: string | undefined;
  /** True for `--all-day`, false for `--no-all-day`. */
  readonly allDay?: boolean | undefined;
  readonly startTimezone?: string | undefined;
  readonly endTimezone?: string | undefined;
}

/** The time fields of an input object, as the contract writes them. */
export interface InputTimes {
  readonly all_day?: boolean | undefined;
  readonly start_at?: string | undefined;
  readonly start_timezone?: string | undefined;
  readonly end_at?: string | undefined;
  readonly end_timezone?: string | undefined;
}

export interface TimePlan extends TimeFlags {
  /** `schedule` or `keep`. */
  readonly category: string;
  /** The chosen zone, in which times without an offset are read. */
  readonly zone: string;
}

/**
 * The times of a new event from flags, on top of those an input object gave (`from`). For all-day a person names
 * the last day while the wire carries the midnight after it, and the zone is `UTC`; else the event carries the
 * zones its times were read in. All fields are undefined for a keep without times.
 * @throws CliError usage for what cannot be read, does not fit together or is missing
 */
export function planTimes({ category, zone, ...flags }: TimePlan, from: EventSpan = EMPTY_SPAN): DraftTimes {
  const base = from.allDay === true && flags.allDay === false ? EMPTY_SPAN : from;
  const span = closeSpan(applyTimeFlags(base, flags, zone));
  const missing = missingInSpan(span, category);
  if (missing.length > 0) throw missingFlags(missing);
  checkSpan(span, zone);
  if (span.start === null) return draftTimes(EMPTY_SPAN);
  const zones = span.allDay === true ? { startTimezone: "UTC", endTimezone: "UTC" } : {};
  return draftTimes(carryZones({ ...span, ...zones }, zone));
}

/**
 * Changes a span as an input object says; what it does not name stays. An event that becomes all-day keeps its
 * days, one that is all-day no more needs new times.
 * @throws CliError usage when a time of an all-day event is not midnight
 */
export function applyInputTimes(span: EventSpan, input: InputTimes, zone: string): EventSpan {
  const base = switchAllDay(span, input.all_day, zone);
  if (base.allDay === true) checkMidnights(input);
  const named = readSpan({
    all_day: base.allDay,
    // The start counts for the end too, which for a single day may equal it.
    start_at: input.start_at ?? (base.start === null ? null : formatWireDateTime(base.start)),
    start_timezone: input.start_timezone ?? base.startTimezone,
    end_at: input.end_at ?? null,
    end_timezone: input.end_timezone ?? base.endTimezone,
  });
  return { ...named, end: named.end ?? base.end };
}

function checkMidnights(input: InputTimes): void {
  for (const field of ["start_at", "end_at"] as const) {
    const text = input[field];
    if (text === undefined || parseWireDateTime(text)?.midnight === true) continue;
    throw usageError(
      `--input: ${field} ${text} has a clock time, but the event is all-day`,
      "write it at 00:00:00, or set all_day to false",
    );
  }
}

/**
 * Changes a span as the flags say. `--start` alone keeps the end, `--duration` counts the end from the start,
 * `--all-day` alone keeps the days, and a zone flag alone keeps the instants.
 * @throws CliError usage
 */
export function applyTimeFlags(span: EventSpan, flags: TimeFlags, zone: string): EventSpan {
  const { start: startText, end: endText, duration } = flags;
  if (endText !== undefined && duration !== undefined) {
    throw usageError("--duration stands for --end", "give one of the two");
  }
  const startZone = zoneFlag(flags.startTimezone, "--start-timezone");
  const endZone = zoneFlag(flags.endTimezone, "--end-timezone");
  const base = switchAllDay(span, flags.allDay, zone);
  const read = (text: string, source: string, readZone: string | null): number =>
    readMoment(text, {
      source,
      zone: readZone ?? zone,
      allDay: base.allDay === true,
      switched: flags.allDay,
    });
  const start = startText === undefined ? base.start : read(startText, "--start", startZone);
  if (start === null) {
    const [useless] = timeFlagsGiven(flags);
    if (useless === undefined) return base;
    throw usageError(`missing --start: ${useless} says nothing without it`);
  }
  const changed = {
    ...base,
    start,
    startTimezone: startZone ?? base.startTimezone,
    endTimezone: endZone ?? base.endTimezone ?? (duration === undefined ? null : startZone),
  };
  if (endText !== undefined) {
    const end = read(endText, "--end", endZone);
    return { ...changed, end: base.allDay === true ? end + DAY_MS : end };
  }
  return duration === undefined ? changed : { ...changed, end: endAfter(changed, duration, zone) };
}

function zoneFlag(name: string | undefined, source: string): string | null {
  return name === undefined ? null : parseTimeZone(name, source);
}

interface MomentOptions {
  readonly source: string;
  readonly zone: string;
  readonly allDay: boolean;
  /** What `--all-day` or `--no-all-day` said. */
  readonly switched: boolean | undefined;
}

/** One time as the event needs it: midnight UTC of a date for all-day, an instant otherwise. */
function readMoment(text: string, { source, zone, allDay, switched }: MomentOptions): number {
  const input = parseDateInput(text, { source, zone });
  if (allDay && input.kind === "date-time") {
    throw usageError(
      `${source}: "${text}" has a clock time, but the event is all-day`,
      `write a date alone, or ${switched === true ? "leave --all-day out" : "give --no-all-day"}`,
    );
  }
  if (!allDay && input.kind === "date") {
    throw usageError(
      `${source}: "${text}" is a date without a time`,
      `write ${input.date}T15:00, or give ${switched === false ? "--all-day instead of --no-all-day" : "--all-day"}`,
    );
  }
  return input.kind === "date" ? dateToInstant(input.date) : input.instant;
}

/** Whether any flag is about times. `--no-all-day` alone says nothing of an event that has none. */
export function namesTimes(flags: TimeFlags): boolean {
  return timeFlagsGiven(flags).length > 0;
}

function timeFlagsGiven(flags: TimeFlags): readonly string[] {
  const given = {
    "--start": flags.start !== undefined,
    "--end": flags.end !== undefined,
    "--duration": flags.duration !== undefined,
    "--all-day": flags.allDay === true,
    "--start-timezone": flags.startTimezone !== undefined,
    "--end-timezone": flags.endTimezone !== undefined,
  };
  return Object.entries(given).flatMap(([flag, isGiven]) => (isGiven ? [flag] : []));
}

function endAfter(
  { allDay, start, startTimezone }: EventSpan & { start: number },
  text: string,
  zone: string,
): number {
  const duration = parseDuration(text, "--duration");
  if (allDay !== true) return addDuration(start, duration, knownZone(startTimezone, zone));
  if (duration.minutes > 0) {
    throw usageError(
      `--duration: "${text}" has hours or minutes, but the event is all-day`,
      "write days such as 2d",
    );
  }
  return start + duration.days * DAY_MS;
}
