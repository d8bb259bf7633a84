import {
  type DateInput,
  type DurationInput,
  parseDateInput,
  parseDuration,
  parseTimeZone,
} from "../../calendar/dates.js";
import type { TimeFlags } from "../../calendar/event-times.js";
import type { Context } from "../../context.js";

/** Reads dates, times and durations of flags where commands start, so that `src/calendar` gets parsed values. */

/** How the text of a flag is read. */
export interface FlagReading {
  /** How messages name the flag. */
  readonly source: string;
  /** The zone of a time without an offset. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch, for texts relative to today. */
  readonly now: () => number;
  /** Prints on stderr how a text was understood; ISO 8601 needs no such line. */
  readonly echo: (line: string) => void;
}

/** Asynchronous, so that a reader of other texts than ISO 8601 is loaded only for them. @throws CliError usage */
export async function readDateFlag(text: string, reading: FlagReading): Promise<DateInput> {
  return parseDateInput(text, reading);
}

/** @throws CliError usage */
export async function readDurationFlag(text: string, { source }: FlagReading): Promise<DurationInput> {
  return parseDuration(text, source);
}

/** The flags about the times of an event, as typed. */
export interface TypedTimeFlags {
  readonly start?: string;
  readonly end?: string;
  readonly duration?: string;
  readonly allDay?: boolean;
  readonly startTimezone?: string;
  readonly endTimezone?: string;
}

/** Reads each time in its own zone, by default the chosen one. @throws CliError usage */
export async function readTimeFlags(
  { settings, now, note }: Pick<Context, "settings" | "now" | "note">,
  { start, end, duration, allDay, ...zones }: TypedTimeFlags,
): Promise<TimeFlags> {
  const startTimezone = readZoneFlag(zones.startTimezone, "--start-timezone");
  const endTimezone = readZoneFlag(zones.endTimezone, "--end-timezone");
  const reading = (source: string, zone = settings().timezone) => ({ source, zone, now, echo: note });
  return {
    start: start === undefined ? undefined : await readDateFlag(start, reading("--start", startTimezone)),
    end: end === undefined ? undefined : await readDateFlag(end, reading("--end", endTimezone)),
    duration: duration === undefined ? undefined : await readDurationFlag(duration, reading("--duration")),
    allDay,
    startTimezone,
    endTimezone,
  };
}

function readZoneFlag(name: string | undefined, source: string): string | undefined {
  return name === undefined ? undefined : parseTimeZone(name, source);
}
