import { isTimeZone, MINUTE_MS } from "../../../contract/date-time.js";
import { type ZoneChange, zoneChanges } from "../../time/zone-changes.js";
import { offsetAt, readWallClock } from "../../time/zoned-time.js";
import { wallTime } from "./text.js";
import { changeIn, ruledSince, yearlyChanges } from "./zone-rules.js";

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

export interface ZoneOptions {
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
