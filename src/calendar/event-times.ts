import { DAY_MS, dateToInstant, formatWireDateTime, parseWireDateTime } from "../../contract/date-time.js";
import type { EventDraft } from "../../contract/shapes.js";
import { missingFlagsError, usageError } from "../errors.js";
import type { DateInput, DurationInput } from "./dates.js";
import {
  checkSpan,
  type DraftTimes,
  draftTimes,
  EMPTY_SPAN,
  type EventSpan,
  type EventTimeFields,
  fillEnd,
  fillZones,
  knownZone,
  missingInSpan,
  readSpan,
  switchAllDay,
} from "./event-span.js";
import { addDuration } from "./zoned-time.js";

/** Flags about the times of an event. */
export interface TimeFlags {
  readonly start?: DateInput | undefined;
  readonly end?: DateInput | undefined;
  readonly duration?: DurationInput | undefined;
  /** True for `--all-day`, false for `--no-all-day`. */
  readonly allDay?: boolean | undefined;
  /** IANA names. */
  readonly startTimezone?: string | undefined;
  readonly endTimezone?: string | undefined;
}

/** The time fields of an input object, as the contract writes them. */
export type InputTimes = Pick<EventDraft, keyof EventTimeFields>;

/**
 * The times of a new event from flags, on top of those of an input object (`from`). The `--end` of an all-day event
 * is its last day, while its `end_at` is the midnight after it and its zone `UTC`; other events get the zones their
 * times were read in. All fields are undefined for a keep without times.
 * @param flags with the chosen zone, `schedule` or `keep`, and the length of a timed event without an end
 * @throws CliError usage for times that are missing or do not fit together
 */
export function planTimes(
  {
    category,
    zone,
    length,
    ...flags
  }: TimeFlags & { readonly category: string; readonly zone: string; readonly length?: DurationInput },
  from: EventSpan = EMPTY_SPAN,
): DraftTimes {
  const base = from.allDay === true && flags.allDay === false ? EMPTY_SPAN : from;
  const given = fillEnd(applyTimeFlags(base, flags, zone));
  const { start, end } = given;
  const span =
    start !== null && end === null && length !== undefined
      ? { ...given, end: afterStart({ ...given, start }, length, { zone, flag: "--duration" }) }
      : given;
  const missing = missingInSpan(span, category);
  if (missing.length > 0) throw missingFlagsError(missing);
  checkSpan(span, zonesOf(span, zone));
  if (span.start === null) return draftTimes(EMPTY_SPAN);
  if (span.allDay !== true) return draftTimes(fillZones(span, zone));
  const useless = timeFlagsGiven(flags).find((flag) => flag.endsWith("-timezone"));
  if (useless !== undefined) {
    throw usageError(`${useless} has no effect on an all-day event`, "days are the same in every zone");
  }
  return draftTimes({ ...span, startTimezone: "UTC", endTimezone: "UTC" });
}

/** The zones in which given times are shown, or `zone`. */
export function zonesOf(
  {
    startTimezone,
    endTimezone,
  }: { readonly [K in "startTimezone" | "endTimezone"]?: string | null | undefined },
  zone: string,
) {
  return { start: knownZone(startTimezone ?? null, zone), end: knownZone(endTimezone ?? null, zone) };
}

/**
 * Changes a span to the times of an input object; those it does not have are kept. An event that becomes all-day
 * keeps its days, one that is no longer all-day needs new times.
 * @throws CliError usage when a time of an all-day event is not midnight
 */
export function applyInputTimes(span: EventSpan, input: InputTimes, zone: string): EventSpan {
  const base = switchAllDay(span, input.all_day, zone);
  if (base.allDay === true) checkMidnights(input);
  const named = readSpan({
    all_day: base.allDay,
    // The end needs the start too: for a single day it may equal it.
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
 * Changes a span to the times of flags. Only `--start` keeps the end, `--duration` counts the end from the start, only
 * `--all-day` keeps the days, and only a zone flag keeps the instants.
 * @throws CliError usage
 */
export function applyTimeFlags(span: EventSpan, flags: TimeFlags, zone: string): EventSpan {
  const { duration, startTimezone = null, endTimezone = null } = flags;
  if (flags.end !== undefined && duration !== undefined) {
    throw usageError("--end and --duration are both given", "use only one of them");
  }
  const base = switchAllDay(span, flags.allDay, zone);
  const kind = { allDay: base.allDay === true, allDayFlag: flags.allDay };
  const start = flags.start === undefined ? base.start : instantOfFlag(flags.start, "--start", kind);
  if (start === null) {
    const [useless] = timeFlagsGiven(flags);
    if (useless === undefined) return base;
    throw usageError(`missing --start: ${useless} has no effect without it`);
  }
  const changed = {
    ...base,
    start,
    startTimezone: startTimezone ?? base.startTimezone,
    endTimezone: endTimezone ?? base.endTimezone ?? (flags.end === undefined ? startTimezone : null),
  };
  if (flags.end !== undefined) {
    const end = instantOfFlag(flags.end, "--end", kind);
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

/** Whether flags are given, read or not. */
export type GivenFlags<T> = { readonly [K in keyof T]?: unknown };

/** The flags about times that are given; `--no-all-day` does not count. */
export function timeFlagsGiven(flags: GivenFlags<TimeFlags>): readonly string[] {
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
