import { dateToInstant } from "../../contract/date-time.js";
import { addDays, instantAt } from "../calendar/zoned-time.js";

/** The days of which occurrences are imported, both included. */
export interface DayWindow {
  readonly first: string;
  readonly last: string;
  /** In which they begin. */
  readonly zone: string;
}

/** When the days begin and end (ms since the Unix epoch). */
export function windowInstants({ first, last, zone }: DayWindow) {
  const startOf = (date: string) => instantAt(dateToInstant(date), zone);
  return { from: startOf(first), to: startOf(addDays(last, 1)) };
}
