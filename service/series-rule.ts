import { DAY_MS, instantToDate } from "../contract/date-time.js";
import { originalStartText } from "../contract/extensions.js";
import { CliError } from "../src/errors.js";
import { inSlices } from "../src/system/clock.js";
import {
  checkInSteps,
  checkStart,
  MAX_EXCEPTIONS,
  openRecurrence,
  type Starts,
} from "../src/time/recurrence/recurrence.js";
import {
  dateLines,
  MAX_OCCURRENCES,
  type RecurrenceRule,
  readRecurrence,
  writeRule,
} from "../src/time/recurrence/rule.js";
import { badRequest } from "./http/response.js";
import type { SeriesRow } from "./store/schema.js";

/** Load it by `import()`: few requests need the rule engine. */

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
export function parseLines(
  lines: readonly string[],
  times: Omit<SeriesTimes, "recurrences">,
): Promise<string> {
  const series = { ...times, recurrences: lines.join("\n") };
  return refusing("recurrences", async () => {
    for await (const _ of inSlices(checkInSteps(recurrenceOf(series), "recurrences")));
    return changeRule(series, {});
  });
}

/** @throws ProblemError 400 for a series that would start before 1900 or after 2199 */
export async function requireStart({ start_clock }: Pick<SeriesTimes, "start_clock">): Promise<void> {
  await refusing("start_at", async () => checkStart(start_clock, "start_at"));
}

/** Runs a check of a field of the body. @throws ProblemError 400 with the reason if it fails */
async function refusing<T>(field: "recurrences" | "start_at", check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, hint } = error;
    const problem = message.replace(`${field}: `, "");
    throw badRequest({ [field]: [hint === undefined ? problem : `${problem}; ${hint}`] });
  }
}

/** The slots of a series. */
export function openSlots(series: SeriesTimes): Starts {
  return openRecurrence(recurrenceOf(series));
}

/**
 * The slots of a series between two instants, both included. Of its added and excepted dates it reads only those in between: a
 * series can have a thousand, and a list a thousand series.
 */
export function slotsBetween(series: SeriesTimes, from: number, to: number): Iterable<number> {
  const textOf = (time: number) =>
    originalStartText(Math.min(Math.max(time, YEARS.first), YEARS.last), series.all_day === 1);
  const [first, last] = [textOf(from), textOf(to)];
  const lines = series.recurrences.split("\n").flatMap((line) => {
    const [name = "", dates = ""] = line.split(":");
    if (name.startsWith("RRULE")) return [line];
    const near = dates.split(",").filter((date) => date >= first && date <= last);
    return near.length === 0 ? [] : [`${name}:${near.join(",")}`];
  });
  return openSlots({ ...series, recurrences: lines.join("\n") }).between(from, to);
}

/** Times whose years have four digits, so that their texts are in the order of times. */
const YEARS = {
  first: Date.parse("0001-01-01T00:00:00Z"),
  last: Date.parse("9999-12-31T23:59:59Z"),
} as const;

/** Every slot in order, or those from a time on. */
export function slotsOf(series: SeriesTimes, from = Number.NEGATIVE_INFINITY): Iterable<number> {
  return openSlots(series).between(from, Number.POSITIVE_INFINITY);
}

/**
 * The next slots of a series up to a time, and until when they are known then.
 * @param most slots at most; the next call gives the others
 */
export function nextSlots(series: SeriesRow, to: number, most: number) {
  const slots: number[] = [];
  for (const slot of slotsOf(series, series.made_until)) {
    if (slot >= to) return { slots, madeUntil: to };
    if (slots.length === most) return { slots, madeUntil: slot };
    slots.push(slot);
  }
  return { slots, madeUntil: Number.MAX_SAFE_INTEGER };
}

/**
 * The slots of a new series up to a time, or the first one if all are later.
 * @throws ProblemError 400 when there are more than a series may have
 */
export async function firstSlots(series: SeriesTimes, horizon: number) {
  const slots: number[] = [];
  for await (const slot of inSlices(slotsOf(series))) {
    if (slot >= horizon) {
      return slots.length > 0 ? { slots, madeUntil: horizon } : { slots: [slot], madeUntil: slot + 1 };
    }
    slots.push(slot);
    if (slots.length > MAX_OCCURRENCES) {
      const problem = `the rule gives more than ${MAX_OCCURRENCES} dates from its start until two years from now`;
      throw badRequest({ recurrences: [`${problem}; begin it later or end it earlier`] });
    }
  }
  return { slots, madeUntil: Number.MAX_SAFE_INTEGER };
}

/**
 * The lines with slots excepted as well; those that the rule does not give are left out.
 * @throws ProblemError 400 when there would be more exceptions than a series may have
 */
export async function exceptSlots(series: SeriesTimes, slots: readonly number[]): Promise<string> {
  if (slots.length === 0) return series.recurrences;
  const { excluded } = readSeriesRule(series);
  const every = openSlots({ ...series, recurrences: changeRule(series, { excluded: [] }) });
  const given: number[] = [];
  for await (const slot of inSlices(new Set([...excluded, ...slots]))) if (every.has(slot)) given.push(slot);
  // A series of before that has more keeps them.
  if (given.length > Math.max(MAX_EXCEPTIONS, excluded.length)) {
    throw badRequest({
      recurrences: [
        "a series can have at most 1,000 exceptions; end it here with scope=following and begin another",
      ],
    });
  }
  return changeRule(series, { excluded: given });
}

/** The lines without the exception of a slot; null where the rule does not give it. */
export function includeSlot(series: SeriesTimes, slot: number): string | null {
  const excluded = readSeriesRule(series).excluded.filter((other) => other !== slot);
  const recurrences = changeRule(series, { excluded });
  return openSlots({ ...series, recurrences }).has(slot) ? recurrences : null;
}

/** The lines of a series that ends before a slot. */
export function endBefore(series: SeriesTimes, slot: number): string {
  const { rule, extra, excluded } = readSeriesRule(series);
  const { COUNT: _, ...parts } = rule;
  const isEarlier = (other: number) => other < slot;
  const isAllDay = series.all_day === 1;
  const end = originalStartText(slot - (isAllDay ? DAY_MS : 1_000), isAllDay);
  const UNTIL = rule.UNTIL !== undefined && rule.UNTIL < end ? rule.UNTIL : end;
  return changeRule(series, {
    rule: { ...parts, UNTIL },
    extra: extra.filter(isEarlier),
    excluded: excluded.filter(isEarlier),
  });
}

/**
 * Requires a slot at which a series can be split: one that goes on from a date that was added would repeat that.
 * @throws ProblemError 400
 */
export function requireRuleSlot(series: SeriesTimes, slot: number): void {
  const alone = { ...series, recurrences: changeRule(series, { extra: [], excluded: [] }) };
  if (openSlots(alone).has(slot)) return;
  throw badRequest({
    scope: ["cannot be following for a date that was added by RDATE; send this, or a later date of the rule"],
  });
}

/** The lines of the series that goes on from a slot. */
export async function continueFrom(series: SeriesTimes, slot: number): Promise<string> {
  const { rule, extra, excluded } = readSeriesRule(series);
  let before = 0;
  if (rule.COUNT !== undefined) {
    const alone = { ...series, recurrences: changeRule(series, { extra: [], excluded: [] }) };
    for await (const start of inSlices(slotsOf(alone))) {
      if (start >= slot) break;
      before += 1;
    }
  }
  const count = rule.COUNT === undefined ? {} : { COUNT: String(Math.max(1, Number(rule.COUNT) - before)) };
  const isLater = (other: number) => other >= slot;
  return changeRule(series, {
    rule: { ...rule, ...count },
    extra: extra.filter(isLater),
    excluded: excluded.filter(isLater),
  });
}

/** What the lines of a series say. */
export function readSeriesRule(series: SeriesTimes): SeriesRule {
  const { rule, extra, excluded } = readRecurrence(recurrenceOf(series), "recurrences");
  if (rule === null) throw new Error("a series has no rule");
  return { rule, extra, excluded: [...excluded] };
}

/** The lines of a series with some of what they say replaced. */
export function changeRule(series: SeriesTimes, changes: Partial<SeriesRule>): string {
  const { rule, extra, excluded } = { ...readSeriesRule(series), ...changes };
  const isAllDay = series.all_day === 1;
  const dates = [...dateLines("RDATE", extra, { isAllDay }), ...dateLines("EXDATE", excluded, { isAllDay })];
  return [`RRULE:${writeRule(rule)}`, ...dates].join("\n");
}

function recurrenceOf({ all_day, start_clock, start_timezone, recurrences }: SeriesTimes) {
  const lines = recurrences.split("\n");
  if (all_day === 1) return { lines, start: instantToDate(start_clock), timezone: null };
  return { lines, start: new Date(start_clock).toISOString().slice(0, 19), timezone: start_timezone };
}
