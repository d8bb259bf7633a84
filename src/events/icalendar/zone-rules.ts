import { DAY_MS } from "../../../contract/date-time.js";
import { WEEKDAYS } from "../../time/recurrence/rule-starts.js";
import { type ZoneChange, zoneChanges } from "../../time/zone-changes.js";
import { offsetAt } from "../../time/zoned-time.js";

/** A clock change that a zone has every year. Offsets are milliseconds east of UTC. */
export interface YearlyChange extends Pick<ZoneChange, "before" | "after"> {
  /** The RRULE line. @see RFC 5545 §3.3.10 */
  readonly rule: string;
  /** What the clock shows at the change of a year, as if it were UTC. */
  readonly wallClockIn: (year: number) => number;
}

/**
 * The rules by which a zone changes its clock from a year on: two, or none if its clock does not change. Null if the changes
 * follow no rule, such as those around Ramadan.
 */
export function yearlyChanges(zone: string, year: number): readonly YearlyChange[] | null {
  const changes = zoneChanges(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0));
  const rules = changes.flatMap((change) => findRule(zone, change, year) ?? []);
  return changes.length === rules.length && (rules.length === 0 || rules.length === 2) ? rules : null;
}

/** The earliest year from `first` to `last` since which a zone has changed its clock by these rules alone. */
export function ruledSince(
  zone: string,
  rules: readonly YearlyChange[],
  { first, last }: { readonly first: number; readonly last: number },
): number {
  let year = Math.max(first, last);
  while (year > first && isRuled(zone, rules, year - 1)) year -= 1;
  return year;
}

const MONTHS = Array.from({ length: 12 }, (_, month) => month);

function isRuled(zone: string, rules: readonly YearlyChange[], year: number): boolean {
  const changes = rules.map((rule) => changeIn(rule, year)).sort((one, other) => one.instant - other.instant);
  return (
    changes.every((change) => isChange(zone, change)) &&
    MONTHS.every((month) => {
      const instant = Date.UTC(year, month, 15);
      const last = changes.findLast((change) => change.instant <= instant);
      return offsetAt(instant, zone) === (last?.after ?? changes[0]?.before);
    })
  );
}

/** The change of a year. */
export function changeIn({ before, after, wallClockIn }: YearlyChange, year: number): ZoneChange {
  return { instant: wallClockIn(year) - before, before, after };
}

const SECOND_MS = 1000;

function isChange(zone: string, { instant, before, after }: ZoneChange): boolean {
  return offsetAt(instant - SECOND_MS, zone) === before && offsetAt(instant, zone) === after;
}

/** Years after which weekdays are on the same dates again. */
const CYCLE = 28;

function findRule(zone: string, change: ZoneChange, year: number): YearlyChange | null {
  const { instant, before, after } = change;
  const years = Array.from({ length: CYCLE }, (_, index) => year + index);
  // A change at 24:00 may be in the next month: RFC 5545 has no such time, and names the last second of the day.
  for (const early of [0, SECOND_MS]) {
    const pattern = candidates(instant + before - early).find((candidate) =>
      years.every((each) => {
        const wallClock = wallClockOf(candidate, each) + early;
        return isChange(zone, { instant: wallClock - before, before, after });
      }),
    );
    if (pattern !== undefined)
      return { before, after, rule: ruleOf(pattern), wallClockIn: (each) => wallClockOf(pattern, each) };
  }
  return null;
}

/** The first weekday of its kind on or after a day of a month. */
interface Pattern {
  /** From 0. */
  readonly month: number;
  /** Sunday is 0. */
  readonly weekday: number;
  /** From 1; `LAST_WEEK` for the last seven days. */
  readonly firstDay: number;
  /** Milliseconds since midnight. */
  readonly time: number;
}

const LAST_WEEK = -7;

/** The patterns that a wall clock may follow, those that programs know best first. */
function candidates(wallClock: number): readonly Pattern[] {
  const date = new Date(wallClock);
  const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
  const lastWeek = daysIn(date.getUTCFullYear(), month) - 6;
  const week = day - ((day - 1) % 7);
  const others = Array.from({ length: 7 }, (_, index) => day - index);
  const firstDays = [...(day >= lastWeek ? [LAST_WEEK] : []), week, ...others];
  return firstDays
    .filter((firstDay) => firstDay === LAST_WEEK || (firstDay >= 1 && firstDay <= lastWeek))
    .map((firstDay) => ({ month, weekday: date.getUTCDay(), firstDay, time: wallClock % DAY_MS }));
}

function wallClockOf({ month, weekday, firstDay, time }: Pattern, year: number): number {
  const day = firstDay === LAST_WEEK ? daysIn(year, month) - 6 : firstDay;
  const first = Date.UTC(year, month, day);
  return first + ((weekday - new Date(first).getUTCDay() + 7) % 7) * DAY_MS + time;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function ruleOf({ month, weekday, firstDay }: Pattern): string {
  const yearly = `RRULE:FREQ=YEARLY;BYMONTH=${month + 1}`;
  const name = WEEKDAYS[weekday];
  if (firstDay === LAST_WEEK) return `${yearly};BYDAY=-1${name}`;
  if (firstDay % 7 === 1) return `${yearly};BYDAY=${(firstDay + 6) / 7}${name}`;
  const days = Array.from({ length: 7 }, (_, index) => firstDay + index);
  return `${yearly};BYMONTHDAY=${days.join(",")};BYDAY=${name}`;
}
