import { parseDateInput, parseDuration, parseTimeZone } from "../../calendar/dates.js";
import type { TimeFlags } from "../../calendar/event-times.js";
import type { Context } from "../../context.js";

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
export function readTimeFlags(
  { settings }: Pick<Context, "settings">,
  { start, end, duration, allDay, ...zones }: TypedTimeFlags,
): TimeFlags {
  const startTimezone = readZoneFlag(zones.startTimezone, "--start-timezone");
  const endTimezone = readZoneFlag(zones.endTimezone, "--end-timezone");
  const readTime = (text: string, source: string, zone = settings().timezone) =>
    parseDateInput(text, { source, zone });
  return {
    start: start === undefined ? undefined : readTime(start, "--start", startTimezone),
    end: end === undefined ? undefined : readTime(end, "--end", endTimezone),
    duration: duration === undefined ? undefined : parseDuration(duration, "--duration"),
    allDay,
    startTimezone,
    endTimezone,
  };
}

function readZoneFlag(name: string | undefined, source: string): string | undefined {
  return name === undefined ? undefined : parseTimeZone(name, source);
}
