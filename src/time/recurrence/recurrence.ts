import { DAY_MS } from "../../../contract/date-time.js";
import { usageError } from "../../errors.js";
import { instantAt, readWallClock } from "../zoned-time.js";
import {
  checkRuleBounds,
  isDate,
  type ReadRecurrence,
  type Recurrence,
  readRecurrence,
  untilOf,
} from "./rule.js";
import { type ClockSpan, openRule, type RuleStarts } from "./rule-starts.js";

/** The starts of what repeats. */
export interface Starts {
  /** In order, each once, in milliseconds since the Unix epoch: those between two instants, both included. */
  between(from: number, to: number): Iterable<number>;
  /** Whether an instant is one of them: checks the days around it only, however far ahead they are. */
  has(instant: number): boolean;
}

/**
 * The starts of a recurrence (all-day: midnight UTC of the date). The start itself is one only if the rule gives it. One that a
 * clock change skips is read with the offset before it, of one that it repeats the earlier is meant. An UNTIL or EXDATE of
 * another type than the start is read, too. Rules without an end have hundreds of years of starts: the caller stops.
 * @throws CliError usage for lines that cannot be read
 */
export function openRecurrence(recurrence: Recurrence): Starts {
  return createStarts(readRecurrence(recurrence, "recurrences"));
}

/** The starts in order, see `openRecurrence`. @param from starts before it are left out (ms) */
export function expandRecurrence(recurrence: Recurrence, from = Number.NEGATIVE_INFINITY): Iterable<number> {
  return openRecurrence(recurrence).between(from, Number.POSITIVE_INFINITY);
}

function createStarts(written: ReadRecurrence): Starts {
  const read = { ...written, extra: inOrder(written.extra), wallClocks: openWallClocks(written) };
  const lastClock = openLastClock(read);
  function* between(from: number, to: number): Iterable<number> {
    // A clock shows at most a day more or less than UTC.
    const end = to + 2 * DAY_MS;
    const span = { from: from - 2 * DAY_MS, to: Math.min(end, lastClock(end)) };
    const extra = read.extra.filter((date) => date >= from && date <= to);
    for (const start of startsOf({ ...read, extra }, span)) {
      if (start > to) return;
      if (start >= from && !read.excluded.has(start)) yield start;
    }
  }
  return {
    between,
    has(instant) {
      // Many instants are asked for.
      lastClock(EVER.to);
      const [found] = between(instant, instant);
      return found !== undefined;
    },
  };
}

/**
 * Gives the wall clock of the last start that COUNT allows, so that a search may begin after the first; Infinity where that is
 * later than a time. The starts are counted up to that time only, and not again.
 */
function openLastClock({ rule, wallClocks }: OpenRecurrence): (to: number) => number {
  let last = Number.POSITIVE_INFINITY;
  let counted = rule?.COUNT === undefined ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return (to) => {
    if (to <= counted) return last;
    counted = to;
    let count = 0;
    for (const clock of wallClocks({ from: EVER.from, to })) {
      count += 1;
      if (count < Number(rule?.COUNT)) continue;
      [last, counted] = [clock, Number.POSITIVE_INFINITY];
      break;
    }
    return last;
  };
}

const EVER: ClockSpan = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/**
 * Whether a clock change skips the time of day of the first start. A series that began with it would have the time of day
 * that the clock shows then for good: services count from what the clock shows at a start.
 */
export function isFirstSkipped(recurrence: Recurrence): boolean {
  const read = readRecurrence(recurrence, "recurrences");
  const [first = read.start] = openWallClocks(read)(EVER);
  return readWallClock(first, read.zone).kind === "skipped";
}

/** Dates of EXDATE, or of RDATE, at most in what is sent. */
const MAX_DATES = 500;

/** Exceptions of a series at most, with the occurrences that were deleted or changed on their own: each write goes through all. */
export const MAX_EXCEPTIONS = 1_000;

/**
 * @param source how messages name where the lines are written
 * @throws CliError usage naming what is wrong and what is right
 */
export function checkRecurrence(recurrence: Recurrence, source: string): void {
  for (const _ of checkInSteps(recurrence, source));
}

/** Checks a recurrence as `checkRecurrence` does, in steps of a few milliseconds at most. */
export function* checkInSteps(recurrence: Recurrence, source: string): Iterable<void> {
  // Before the lines are read, which takes long.
  checkNumber(recurrence.lines, source);
  const read = readRecurrence(recurrence, source);
  const { rule, isAllDay } = read;
  if (rule === null) throw usageError(`${source}: there is no RRULE`, "write RRULE:FREQ=WEEKLY;BYDAY=MO");
  checkRuleBounds(rule, source);
  checkStart(read.start, source);
  const date = isAllDay ? "20261231" : "20261231T225959Z";
  if (rule.UNTIL !== undefined && (isAllDay ? !isDate(rule.UNTIL) : !rule.UNTIL.endsWith("Z"))) {
    const problem = isAllDay ? "a time, but the start is a date" : "not a time in UTC";
    throw usageError(`${source}: UNTIL=${rule.UNTIL} is ${problem}`, `write UNTIL=${date}`);
  }
  const other = read.dates.find((text) => isDate(text) !== isAllDay);
  if (other !== undefined) {
    const is = isAllDay ? "a time, but the start is a date" : "a date, but the start is a time";
    throw usageError(`${source}: ${other} is ${is}`, `write EXDATE${isAllDay ? ";VALUE=DATE" : ""}:${date}`);
  }
  yield;
  checkAdded(read, source);
  yield* checkOccurrences(read, source);
}

/**
 * Refuses an RDATE before the first date of the rule: the series would be shown from there, and the rule would count from
 * there.
 * @throws CliError usage
 */
function checkAdded(read: ReadRecurrence, source: string): void {
  if (read.extra.length === 0) return;
  const alone = { ...read, extra: [], wallClocks: openWallClocks(read) };
  const [first = instantAt(read.start, read.zone)] = startsOf(alone, EVER);
  const early = read.extra.find((date) => date < first);
  if (early === undefined) return;
  throw usageError(
    `${source}: RDATE ${writtenDate(early, read)} is before the first date of the rule`,
    "leave it out, or begin the series there",
  );
}

function writtenDate(instant: number, { isAllDay }: ReadRecurrence): string {
  const written = new Date(instant).toISOString();
  return isAllDay ? written.slice(0, 10) : written.replace(".000", "");
}

/** @throws CliError usage for more dates than a series may have */
function checkNumber(lines: readonly string[], source: string): void {
  for (const name of ["EXDATE", "RDATE"]) {
    const dates = lines.filter((line) => line.trim().slice(0, name.length).toUpperCase() === name);
    const count = dates.reduce((sum, line) => sum + line.split(",").length, 0);
    if (count <= MAX_DATES) continue;
    const problem = `${source}: there are more than ${MAX_DATES} exceptions`;
    throw usageError(problem, "end the series and begin another");
  }
}

/**
 * @param start what the clock shows then, as if it were UTC (ms)
 * @throws CliError usage for a start before 1900 or after 2199
 */
export function checkStart(start: number, source: string): void {
  const year = new Date(start).getUTCFullYear();
  if (year >= 1900 && year <= 2199) return;
  throw usageError(`${source}: the series would start in ${year}`, "begin it between 1900 and 2199");
}

/** @throws CliError usage when there is no occurrence, and for an exception that is none */
function* checkOccurrences(read: ReadRecurrence, source: string): Iterable<void> {
  const [first] = createStarts(read).between(EVER.from, EVER.to);
  if (first === undefined) throw usageError(`${source}: the rule gives no date`, "write one that gives some");
  yield;
  const every = createStarts({ ...read, excluded: new Set() });
  // In order, since neighbors are found fast.
  for (const start of inOrder([...read.excluded])) {
    yield;
    if (every.has(start)) continue;
    const shown = writtenDate(start, read);
    throw usageError(`${source}: the exception ${shown} is not a date of the rule`, "leave it out");
  }
}

/** The starts with those of RDATE, whatever EXDATE says, in order, each once. */
function* startsOf(read: OpenRecurrence, span: ClockSpan): Iterable<number> {
  let last: number | undefined;
  for (const start of startsInOrder(read, span)) {
    if (start !== last) yield start;
    last = start;
  }
}

function* startsInOrder(read: OpenRecurrence, span: ClockSpan): Iterable<number> {
  const until = untilOf(read);
  const waiting = [...read.extra];
  for (const wallClock of read.wallClocks({ ...span, to: Math.min(span.to, until + 2 * DAY_MS) })) {
    const reading = readWallClock(wallClock, read.zone);
    // What is skipped may be later than what the clock shows next.
    if (reading.kind === "skipped") {
      const start = wallClock - reading.before;
      if (start <= until) waiting.push(start);
      waiting.sort((one, other) => one - other);
      continue;
    }
    const start = reading.kind === "once" ? reading.instant : wallClock - reading.before;
    if (start > until) break;
    for (; waiting[0] !== undefined && waiting[0] <= start; waiting.shift()) yield waiting[0];
    yield start;
  }
  yield* waiting;
}

function inOrder(instants: readonly number[]): readonly number[] {
  return [...instants].sort((one, other) => one - other);
}

/** The wall clock of each start of the rule; without a rule, of the one start. */
function openWallClocks({ rule, start }: ReadRecurrence): RuleStarts {
  return rule === null ? () => [start] : openRule(rule, start);
}

interface OpenRecurrence extends ReadRecurrence {
  readonly wallClocks: RuleStarts;
}
