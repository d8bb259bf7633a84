import { DAY_MS, formatWireDateTime, isTimeZone, parseLenientDateTime } from "../../../contract/date-time.js";
import { slotText } from "../../../contract/extensions.js";
import type { EventDraft } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { instantAt, wallClockAt } from "../zoned-time.js";
import { type RecurrenceRule, readRule } from "./rule.js";

/** When an event repeats. */
export interface Recurrence {
  /** One RRULE, EXDATE and RDATE lines of RFC 5545. Without an RRULE the start itself is an occurrence. */
  readonly lines: readonly string[];
  /** Local start: `YYYY-MM-DDTHH:mm:ss`, or `YYYY-MM-DD` for all-day. */
  readonly start: string;
  /** IANA; null for all-day. */
  readonly timezone: string | null;
}

/** When an event repeats by some lines. @throws CliError usage for one without times */
export function recurrenceOf(
  { start_at, start_timezone, all_day }: Pick<EventDraft, "start_at" | "start_timezone" | "all_day">,
  lines: readonly string[],
): Recurrence {
  if (start_at === undefined) throw usageError("it repeats, but has no start");
  const timezone = all_day === true ? null : (start_timezone ?? "UTC");
  const local = formatWireDateTime(wallClockAt(Date.parse(start_at), timezone ?? "UTC"));
  return {
    lines,
    start: local.slice(0, (timezone === null ? "YYYY-MM-DD" : "YYYY-MM-DDTHH:mm:ss").length),
    timezone,
  };
}

export interface ReadRecurrence {
  /** Null where there is none. */
  readonly rule: RecurrenceRule | null;
  /** Instants of RDATE and EXDATE. */
  readonly extra: readonly number[];
  readonly excluded: ReadonlySet<number>;
  /** Both as written. */
  readonly dates: readonly string[];
  readonly isAllDay: boolean;
  /** What the clock shows at the start, as if it were UTC. */
  readonly start: number;
  /** `UTC` for all-day. */
  readonly zone: string;
}

const LINE = /^(RRULE|EXDATE|RDATE)((?:;[^:]*)?):(.*)$/i;

/** @param source how messages name where the lines are written @throws CliError usage for lines that cannot be read */
export function readRecurrence({ lines, start, timezone }: Recurrence, source: string): ReadRecurrence {
  const zone = timezone ?? "UTC";
  const found: Record<string, { text: string; zone: string }[]> = { RRULE: [], EXDATE: [], RDATE: [] };
  for (const line of lines) {
    const [, name = "", parameters = "", value = ""] = LINE.exec(line.trim()) ?? [];
    const property = name.toUpperCase();
    const values = property === "RRULE" ? [value] : value.split(",");
    if (property === "")
      throw usageError(`${source}: "${line}" is not read`, "write RRULE, EXDATE and RDATE");
    const written = /;TZID="?([^;"]*)/i.exec(parameters)?.[1] ?? zone;
    if (!isTimeZone(written))
      throw usageError(`${source}: ${written} is not a timezone`, "write an IANA name");
    addAll(
      found[property],
      values.map((text) => ({ text, zone: written })),
    );
  }
  const textsOf = (name: string) => (found[name] ?? []).map(({ text }) => text);
  const instantsOf = (name: string) =>
    (found[name] ?? []).map((each) => instantOf(each.text, each.zone, source));
  const RRULE = textsOf("RRULE");
  const [rule, second] = RRULE;
  if (second !== undefined) throw usageError(`${source}: there are several RRULEs`, "write one");
  return {
    rule: rule === undefined ? null : readRule(rule, source),
    extra: instantsOf("RDATE"),
    excluded: new Set(instantsOf("EXDATE")),
    dates: [...textsOf("RDATE"), ...textsOf("EXDATE")],
    isAllDay: timezone === null,
    start: parseLenientDateTime(start)?.instant ?? Number.NaN,
    zone,
  };
}

/** Not as arguments of one call: they may be too many for the stack. */
function addAll<T>(list: T[] | undefined, values: readonly T[]): void {
  for (const value of values) list?.push(value);
}

/** Whether a date or time of RFC 5545 is a date. */
export function isDate(text: string): boolean {
  return !text.includes("T");
}

function instantOf(text: string, zone: string, source: string): number {
  const wallClock = wallClockOf(text, source);
  return text.endsWith("Z") ? wallClock : instantAt(wallClock, zone);
}

/** What the clock shows at a date or time of RFC 5545, as if it were UTC. @throws CliError usage */
export function wallClockOf(text: string, source: string): number {
  const time = /^\d{8}(?:T\d{6}Z?)?$/.test(text) ? parseLenientDateTime(text) : null;
  if (time !== null) return time.instant;
  throw usageError(`${source}: "${text}" is not a date or time`, "write 20261231T140000Z or 20261231");
}

/** The last instant at which the rule may give a start. */
export function untilOf({ rule, isAllDay, zone }: ReadRecurrence): number {
  const text = rule?.UNTIL;
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const wallClock = wallClockOf(text, "UNTIL");
  if (isAllDay || text.endsWith("Z")) return wallClock;
  return isDate(text) ? instantAt(wallClock + DAY_MS, zone) - 1 : instantAt(wallClock, zone);
}

/** Starts as a line of RFC 5545, sorted and without duplicates; no line if there are none. */
export function dateLines(
  name: "EXDATE" | "RDATE",
  starts: readonly number[],
  { isAllDay }: { readonly isAllDay: boolean },
): readonly string[] {
  if (starts.length === 0) return [];
  const texts = [...new Set(starts)]
    .sort((one, other) => one - other)
    .map((start) => slotText(start, isAllDay));
  return [`${name}${isAllDay ? ";VALUE=DATE" : ""}:${texts.join(",")}`];
}
