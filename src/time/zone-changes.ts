import { DAY_MS } from "../../contract/date-time.js";
import { offsetAt } from "./zoned-time.js";

/** A clock change: when it is, and the offsets before and after it in milliseconds east of UTC. */
export interface ZoneChange {
  readonly instant: number;
  readonly before: number;
  readonly after: number;
}

/** Shorter than any time between two clock changes. */
const STEP = 7 * DAY_MS;
const SECOND_MS = 1000;

/** The clock changes of a zone between two instants, in order. Instants are milliseconds since the Unix epoch. */
export function zoneChanges(zone: string, from: number, to: number): readonly ZoneChange[] {
  const changes: ZoneChange[] = [];
  let before = offsetAt(from, zone);
  for (let start = from; start < to; start += STEP) {
    const end = Math.min(start + STEP, to);
    const after = offsetAt(end, zone);
    if (after !== before) changes.push({ instant: findChange(zone, start, end), before, after });
    before = after;
  }
  return changes;
}

/** The first second at which the zone has the offset that it has at `end`. */
function findChange(zone: string, start: number, end: number): number {
  const after = offsetAt(end, zone);
  let [low, high] = [Math.floor(start / SECOND_MS), Math.ceil(end / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * SECOND_MS, zone) === after) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}
