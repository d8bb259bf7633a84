import { DAY_MS, instantToDate } from "../contract/date-time.js";
import { checkRecurrence, expandRecurrence } from "../src/calendar/recurrence.js";
import { isDate, readRecurrence, wallClockOf } from "../src/calendar/recurrence-lines.js";
import { MAX_OCCURRENCES, type RecurrenceRule, writeRule } from "../src/calendar/recurrence-rule.js";
import { instantAt, wallClockAt } from "../src/calendar/zoned-time.js";
import { CliError } from "../src/errors.js";
import { badRequest } from "./http/response.js";
import type { SeriesRow } from "./store/schema.js";

/** Load it by `import()`: the rule engine is large. */

/** When the occurrences of a series start. */
export type SeriesTimes = Pick<SeriesRow, "all_day" | "start_clock" | "start_timezone" | "recurrences">;

/** What the lines of a series say, as slots. */
interface SeriesRule {
  readonly rule: RecurrenceRule;
  readonly extra: readonly number[];
  readonly excluded: readonly number[];
}

/**
 * The lines of a client as series have them.
 * @throws ProblemError 400 for anything but a rule with its dates, and for one that gives nothing
 */
export function parseLines(lines: readonly string[], times: Omit<SeriesTimes, "recurrences">): string {
  const series = { ...times, recurrences: lines.join("\n") };
  try {
    checkRecurrence(recurrenceOf(series), "recurrences");
    return withRule(series, {});
  } catch (error) {
    throw error instanceof CliError ? badLines(error) : error;
  }
}

function badLines({ message, hint }: CliError) {
  const problem = message.replace(/^recurrences: /, "");
  return badRequest({ recurrences: [hint === undefined ? problem : `${problem}; ${hint}`] });
}

/** Every slot in order, or those from a time on. Endless rules do not end. */
export function slotsOf(series: SeriesTimes, from?: number): Iterable<number> {
  return expandRecurrence(recurrenceOf(series), from);
}

/** The slots from a time to another one, and until when they are known then. */
export function slotsBetween(series: SeriesTimes, from: number, to: number) {
  const slots: number[] = [];
  for (const slot of slotsOf(series, from)) {
    if (slot >= to) return { slots, madeUntil: to };
    slots.push(slot);
  }
  return { slots, madeUntil: Number.MAX_SAFE_INTEGER };
}

/**
 * The slots of a new series up to a time, or the first one if all are later.
 * @throws ProblemError 400 when there are more than a series may have
 */
export function firstSlots(series: SeriesTimes, horizon: number) {
  let count = 0;
  for (const slot of slotsOf(series)) {
    if (count === 0 && slot >= horizon) return slotsBetween(series, slot, slot + 1);
    if (slot >= horizon) break;
    count += 1;
    if (count > MAX_OCCURRENCES) {
      const problem = `the rule gives more than ${MAX_OCCURRENCES} dates from its start until two years from now`;
      throw badRequest({ recurrences: [`${problem}; begin it later or end it earlier`] });
    }
  }
  return slotsBetween(series, Number.NEGATIVE_INFINITY, horizon);
}

/** Whether a slot is one of the series. */
export function isSlot(series: SeriesTimes, slot: number): boolean {
  const [next] = slotsOf(series, slot);
  return next === slot;
}

/** The lines with slots excepted as well; those that the rule does not give are left out. */
export function withExceptions(series: SeriesTimes, slots: readonly number[]): string {
  if (slots.length === 0) return series.recurrences;
  const { excluded } = readRule(series);
  const missing = new Set([...excluded, ...slots]);
  const latest = Math.max(...missing);
  const found: number[] = [];
  for (const slot of slotsOf({ ...series, recurrences: withRule(series, { excluded: [] }) })) {
    if (missing.has(slot)) found.push(slot);
    if (slot >= latest) break;
  }
  return withRule(series, { excluded: found });
}

/** The lines of a series that ends before a slot. */
export function endBefore(series: SeriesTimes, slot: number): string {
  const { rule, extra, excluded } = readRule(series);
  const { COUNT: _, ...parts } = rule;
  const isEarlier = (other: number) => other < slot;
  const end = formatSlot(series, slot - (series.all_day === 1 ? DAY_MS : 1_000));
  const UNTIL = rule.UNTIL !== undefined && rule.UNTIL < end ? rule.UNTIL : end;
  return withRule(series, {
    rule: { ...parts, UNTIL },
    extra: extra.filter(isEarlier),
    excluded: excluded.filter(isEarlier),
  });
}

/** The lines of the series that goes on from a slot. */
export function continueFrom(series: SeriesTimes, slot: number): string {
  const { rule, extra, excluded } = readRule(series);
  let before = 0;
  if (rule.COUNT !== undefined) {
    const alone = { ...series, recurrences: withRule(series, { extra: [], excluded: [] }) };
    for (const start of slotsOf(alone)) {
      if (start >= slot) break;
      before += 1;
    }
  }
  const count = rule.COUNT === undefined ? {} : { COUNT: String(Math.max(1, Number(rule.COUNT) - before)) };
  const isLater = (other: number) => other >= slot;
  return withRule(series, {
    rule: { ...rule, ...count },
    extra: extra.filter(isLater),
    excluded: excluded.filter(isLater),
  });
}

/** How the slots of a series are moved: by a step of the clock, to a series of other times. */
export interface SeriesMove {
  readonly from: SeriesTimes;
  readonly to: Omit<SeriesTimes, "recurrences">;
  /** What the clock shows later (ms). */
  readonly step: number;
  /** How many days later it is then (ms). */
  readonly days: number;
}

/** Where a slot is moved. */
export function moveSlot(slot: number, { from, to, step }: SeriesMove): number {
  const clock = clockOf(slot, from) + step;
  return to.all_day === 1 ? clock : instantAt(clock, to.start_timezone);
}

/** The days and times that a rule names by itself. */
const DAY_PARTS = ["BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH"] as const;
const TIME_PARTS = ["BYHOUR", "BYMINUTE", "BYSECOND"] as const;

/** The lines of the series after a move. @throws ProblemError 400 when the rule names days or times that it leaves */
export function moveLines(move: SeriesMove): string {
  const { from, to, step, days } = move;
  const { rule, extra, excluded } = readRule(from);
  const left = [...(days === 0 ? [] : DAY_PARTS), ...(step === days ? [] : TIME_PARTS)];
  const part = left.find((name) => rule[name] !== undefined);
  if (part !== undefined) {
    const problem = `the rule has ${part}=${rule[part]}, which the new start is not; send the new rule as well`;
    throw badRequest({ recurrences: [problem] });
  }
  const UNTIL = rule.UNTIL === undefined ? {} : { UNTIL: moveEnd(rule.UNTIL, move) };
  const moved = (slots: readonly number[]) => slots.map((slot) => moveSlot(slot, move));
  return withRule(
    { ...to, recurrences: from.recurrences },
    { rule: { ...rule, ...UNTIL }, extra: moved(extra), excluded: moved(excluded) },
  );
}

/** The end of a day stays one. */
function moveEnd(text: string, { from, to, step, days }: SeriesMove): string {
  const end = wallClockOf(text, "UNTIL");
  const clock = isDate(text) ? end + DAY_MS - 1_000 : wallClockAt(end, from.start_timezone);
  const isEndOfDay = (clock + 1_000) % DAY_MS === 0;
  const moved = clock + (isEndOfDay ? days : step);
  return formatSlot(to, to.all_day === 1 ? moved : instantAt(moved, to.start_timezone));
}

/** What the clock is meant to show at a slot: where a change of the clock skips that, the slot is another time. */
export function clockOf(
  slot: number,
  { all_day, start_timezone: zone, start_clock }: Omit<SeriesTimes, "recurrences">,
) {
  if (all_day === 1) return slot;
  const shown = wallClockAt(slot, zone);
  const meant = shown - timeOfDay(shown) + timeOfDay(start_clock);
  return instantAt(meant, zone) === slot ? meant : shown;
}

/** The time of the day. */
function timeOfDay(clock: number): number {
  return ((clock % DAY_MS) + DAY_MS) % DAY_MS;
}

function readRule(series: SeriesTimes): SeriesRule {
  const { rule, extra, excluded } = readRecurrence(recurrenceOf(series), "recurrences");
  if (rule === null) throw new Error("a series has no rule");
  return { rule, extra, excluded: [...excluded] };
}

/** The lines of a series with some of what they say replaced. */
function withRule(series: SeriesTimes, changes: Partial<SeriesRule>): string {
  const { rule, extra, excluded } = { ...readRule(series), ...changes };
  const dates = (name: string, slots: readonly number[]) => {
    if (slots.length === 0) return [];
    const sorted = [...new Set(slots)].sort((one, other) => one - other);
    const type = series.all_day === 1 ? ";VALUE=DATE" : "";
    return [`${name}${type}:${sorted.map((slot) => formatSlot(series, slot)).join(",")}`];
  };
  return [`RRULE:${writeRule(rule)}`, ...dates("RDATE", extra), ...dates("EXDATE", excluded)].join("\n");
}

/** `20261231T080000Z`, all-day `20261231`. */
function formatSlot({ all_day }: Pick<SeriesTimes, "all_day">, slot: number): string {
  const text = new Date(slot).toISOString().replace(/[-:]|\.\d{3}/g, "");
  return all_day === 1 ? text.slice(0, 8) : text;
}

function recurrenceOf({ all_day, start_clock, start_timezone, recurrences }: SeriesTimes) {
  const lines = recurrences.split("\n");
  if (all_day === 1) return { lines, start: instantToDate(start_clock), timezone: null };
  return { lines, start: new Date(start_clock).toISOString().slice(0, 19), timezone: start_timezone };
}
