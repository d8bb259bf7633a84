import { DAY_MS, formatWireDateTime } from "../../../contract/date-time.js";
import { instantAt, wallClockAt } from "../../time/zoned-time.js";

/** Series that move as one of their events does. */

/** When an event begins; both have times. */
interface Start {
  readonly start_at?: string | null | undefined;
  readonly start_timezone?: string | null | undefined;
}

interface ShownStart extends Start {
  readonly all_day?: boolean | null | undefined;
}

/** How far an event is moved by the clock of its zone: in milliseconds, and in days. */
export interface Shift {
  readonly clock: number;
  readonly days: number;
}

/** From an event to what is written to it. */
export function shiftBetween(event: Start, draft: Start): Shift {
  const from = wallClockOf(event);
  const to = wallClockOf(draft);
  return { clock: to - from, days: Math.floor(to / DAY_MS) - Math.floor(from / DAY_MS) };
}

function wallClockOf({ start_at: start, start_timezone: zone }: Start): number {
  return wallClockAt(Date.parse(start ?? ""), zone ?? "UTC");
}

/** The start of a series that moves with one of its events. @param zone which is written, IANA */
export function shiftedStart(series: Start, { clock }: Shift, zone: string): string {
  return formatWireDateTime(instantAt(wallClockOf(series) + clock, zone));
}

/**
 * Lines that stay as they are, also where their series moves: with names in small letters, they are not those of a GET,
 * which would move, too.
 * @param written what is written with them
 */
export function linesFor(
  lines: readonly string[],
  current: ShownStart,
  written: ShownStart,
): readonly string[] {
  if (written.start_at === current.start_at && written.all_day === current.all_day) return lines;
  return lines.map((line) => line.replace(/^[A-Z]+/, (name) => name.toLowerCase()));
}
