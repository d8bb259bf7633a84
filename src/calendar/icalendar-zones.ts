import { isTimeZone, MINUTE_MS } from "../../contract/date-time.js";
import { wallTime } from "./icalendar-text.js";
import { type ZoneChange, zoneChanges } from "./zone-changes.js";
import { offsetAt, readWallClock } from "./zoned-time.js";

/** Zones of iCalendar. @see RFC 5545 §3.6.5 */

/** The time for which a zone must be described, in milliseconds since the Unix epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Notes that a zone is used in a time. */
export function extendSpan(zones: Map<string, Span>, zone: string, { from, to }: Span): void {
  const known = zones.get(zone) ?? { from, to };
  zones.set(zone, { from: Math.min(known.from, from), to: Math.max(known.to, to) });
}

/** Years have four digits. */
const YEAR_10000 = Date.UTC(10_000, 0);

/**
 * The wall clock of an instant; null if the zone is UTC or unknown. Also null for a wall clock that a clock change
 * repeats: RFC 5545 §3.3.5 means the first of the two, but khal and ical.js read the second.
 */
export function zonedTime(instant: number, zone: string): string | null {
  if (!isTimeZone(zone) || /^(?:etc\/)?(?:utc|uct|gmt|universal|zulu)$/i.test(zone)) return null;
  const offset = offsetAt(instant, zone);
  // Local mean times of the 19th century.
  if (offset % MINUTE_MS !== 0) return null;
  const wallClock = instant + offset;
  if (wallClock >= YEAR_10000) return null;
  return readWallClock(wallClock, zone).kind === "once" ? wallTime(wallClock) : null;
}

/** A zone with each of its clock changes in the time that matters. */
export function zoneBlock(zone: string, { from, to }: Span): readonly string[] {
  const start = Date.UTC(new Date(from).getUTCFullYear() - 1, 0);
  const offset = offsetAt(start, zone);
  const changes = [{ instant: start, before: offset, after: offset }, ...zoneChanges(zone, start, to)];
  return [
    "BEGIN:VTIMEZONE",
    `TZID:${zone}`,
    ...changes.flatMap((change) => observanceBlock(change, zone)),
    "END:VTIMEZONE",
  ];
}

function observanceBlock({ instant, before, after }: ZoneChange, zone: string): readonly string[] {
  const year = new Date(instant).getUTCFullYear();
  const standard = Math.min(offsetAt(Date.UTC(year, 0), zone), offsetAt(Date.UTC(year, 6), zone));
  const kind = after > standard ? "DAYLIGHT" : "STANDARD";
  return [
    `BEGIN:${kind}`,
    `DTSTART:${wallTime(instant + before)}`,
    `TZOFFSETFROM:${utcOffset(before)}`,
    `TZOFFSETTO:${utcOffset(after)}`,
    `END:${kind}`,
  ];
}

/** `+0900`; seconds only where there are some. */
function utcOffset(offset: number): string {
  const time = new Date(Math.abs(offset)).toISOString().slice(11, 19).replaceAll(":", "");
  return `${offset < 0 ? "-" : "+"}${time.replace(/00$/, "")}`;
}
