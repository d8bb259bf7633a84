import { DAY_MS, isTimeZone, MINUTE_MS } from "../../../contract/date-time.js";
import { WEEKDAYS } from "../../time/recurrence/rule-starts.js";
import { offsetAt, readWallClock, type ZoneChange, zoneChanges } from "../../time/zoned-time.js";
import { wallTime } from "./text.js";

/** Zones of iCalendar. @see RFC 5545 §3.6.5 */

/** The time for which a zone must be described, in milliseconds since the Unix epoch; Infinity for a rule without end. */
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
 * @param repeats whether a rule starts there: in UTC it would ignore clock changes, so the first of the two is given
 */
export function zonedTime(instant: number, zone: string, repeats = false): string | null {
  if (!isTimeZone(zone) || /^(?:etc\/)?(?:utc|uct|gmt|universal|zulu)$/i.test(zone)) return null;
  const offset = offsetAt(instant, zone);
  // Local mean times of the 19th century.
  if (offset % MINUTE_MS !== 0) return null;
  const wallClock = instant + offset;
  if (wallClock >= YEAR_10000) return null;
  const reading = readWallClock(wallClock, zone);
  const isMeant =
    reading.kind === "once" || (repeats && reading.kind === "twice" && reading.before === offset);
  return isMeant ? wallTime(wallClock) : null;
}

/** An offset of a zone, until another observance begins: from one instant, or every year by a rule. */
interface Observance extends ZoneChange {
  readonly rule?: string;
}

interface ZoneOptions {
  /** Milliseconds since the Unix epoch: zones are described with the rules of the year after. */
  readonly now: number;
  /** Lets others run. */
  readonly pause: () => Promise<void>;
}

/**
 * A zone, described for a span of time. If its clock changes by a rule, it has that rule, without an end: Outlook reads no more than
 * one STANDARD and one DAYLIGHT, so earlier changes are included only if the span begins before the rule applies.
 */
export async function zoneBlock(zone: string, span: Span, options: ZoneOptions): Promise<readonly string[]> {
  const observances = await observancesOf(zone, span, options);
  return [
    "BEGIN:VTIMEZONE",
    `TZID:${zone}`,
    ...observances.flatMap((observance) => observanceBlock(observance, zone)),
    "END:VTIMEZONE",
  ];
}

async function observancesOf(zone: string, span: Span, options: ZoneOptions): Promise<readonly Observance[]> {
  const { from, to } = span;
  const first = yearOf(from) - 1;
  const nextYear = yearOf(options.now) + 1;
  const rules = yearlyChanges(zone, nextYear);
  const isRuled = rules !== null && rules.length > 0;
  const ruleYear = isRuled ? ruledSince(zone, rules, { first, last: nextYear }) : Number.POSITIVE_INFINITY;
  const start = Date.UTC(first, 0);
  const end = isRuled ? Date.UTC(ruleYear, 0) : lastListed(span, rules === null, nextYear);
  const changes = await listChanges(zone, { from: start, to: Math.min(to, end) }, options);
  const yearly = isRuled ? rules.map((rule) => ({ ...rule, ...changeIn(rule, ruleYear) })) : [];
  const offset = offsetAt(start, zone);
  const all: readonly Observance[] = [
    { instant: start, before: offset, after: offset },
    ...changes,
    ...(yearly.some(({ instant }) => instant <= to) ? yearly : []),
  ];
  const isOver = (index: number) => (all[index + 1]?.instant ?? Number.POSITIVE_INFINITY) <= from;
  return all.filter(({ rule }, index) => rule !== undefined || !isOver(index));
}

/** Years from today for which the clock changes of a zone without a rule are listed, for a series without an end. */
const YEARS_LISTED = 20;

/** Until when clock changes are listed of a zone that has no rule, or whose clock no longer changes. */
function lastListed({ from, to }: Span, isIrregular: boolean, nextYear: number): number {
  if (Number.isFinite(to)) return to;
  return Date.UTC(isIrregular ? Math.max(nextYear, yearOf(from)) + YEARS_LISTED : nextYear, 0);
}

/** Years that are searched for clock changes before others may run: a few milliseconds. */
const YEARS_AT_ONCE = 5;

async function listChanges(zone: string, { from, to }: Span, { pause }: ZoneOptions) {
  const changes: ZoneChange[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(to, Date.UTC(yearOf(start) + YEARS_AT_ONCE, 0));
    changes.push(...zoneChanges(zone, start, end));
    start = end;
    await pause();
  }
  return changes;
}

function yearOf(instant: number): number {
  return new Date(instant).getUTCFullYear();
}

function observanceBlock({ instant, before, after, rule }: Observance, zone: string): readonly string[] {
  const year = yearOf(instant);
  const standard = Math.min(offsetAt(Date.UTC(year, 0), zone), offsetAt(Date.UTC(year, 6), zone));
  const kind = after > standard ? "DAYLIGHT" : "STANDARD";
  return [
    `BEGIN:${kind}`,
    `DTSTART:${wallTime(instant + before)}`,
    `TZOFFSETFROM:${utcOffset(before)}`,
    `TZOFFSETTO:${utcOffset(after)}`,
    ...(rule === undefined ? [] : [rule]),
    `END:${kind}`,
  ];
}

/** `+0900`; seconds only where there are some. */
function utcOffset(offset: number): string {
  const time = new Date(Math.abs(offset)).toISOString().slice(11, 19).replaceAll(":", "");
  return `${offset < 0 ? "-" : "+"}${time.replace(/00$/, "")}`;
}

/** A clock change that a zone has every year. Offsets are milliseconds east of UTC. */
interface YearlyChange extends Pick<ZoneChange, "before" | "after"> {
  /** The RRULE line. @see RFC 5545 §3.3.10 */
  readonly rule: string;
  /** What the clock shows at the change of a year, as if it were UTC. */
  readonly wallClockIn: (year: number) => number;
}

/**
 * The rules by which a zone changes its clock from a year on: two, or none if its clock does not change. Null if the changes
 * follow no rule, such as those around Ramadan.
 */
function yearlyChanges(zone: string, year: number): readonly YearlyChange[] | null {
  const changes = zoneChanges(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0));
  const rules = changes.flatMap((change) => findRule(zone, change, year) ?? []);
  return changes.length === rules.length && (rules.length === 0 || rules.length === 2) ? rules : null;
}

/** The earliest year from `first` to `last` since which a zone has changed its clock by these rules alone. */
function ruledSince(
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
function changeIn({ before, after, wallClockIn }: YearlyChange, year: number): ZoneChange {
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
