import { instantToDate } from "../../contract/date-time.js";
import { wallClockAt } from "../calendar/zoned-time.js";
import { usageError } from "../errors.js";
import type { ImportEntry } from "./entry.js";

/** When a repeating event starts, and its rule. @throws CliError usage for one without times */
export function repetitionOf({ recurrences, content }: ImportEntry) {
  const { all_day: isAllDay = false, start_at, end_at, start_timezone: zone = "UTC" } = content;
  if (start_at === undefined || end_at === undefined) throw usageError("it repeats, but has no start");
  const start = Date.parse(start_at);
  const local = isAllDay ? start : wallClockAt(start, zone);
  const recurrence = {
    lines: recurrences,
    start: isAllDay ? instantToDate(start) : new Date(local).toISOString().slice(0, 19),
    timezone: isAllDay ? null : zone,
  };
  return { start, recurrence };
}
