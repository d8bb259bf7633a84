import { RRuleTemporal } from "rrule-temporal";
import { DAY_MS } from "../../contract/date-time.js";
import { usageError } from "../errors.js";
import { isDate, type ReadRecurrence, type Recurrence, readRecurrence, untilOf } from "./recurrence-lines.js";
import { MAX_OCCURRENCES, writeRule } from "./recurrence-rule.js";
import { readWallClock } from "./zoned-time.js";

/** Load it by `import()`: the rule engine is large. */

/**
 * The starts in order, each once, in milliseconds since the Unix epoch (all-day: midnight UTC of the date). Endless rules do
 * not end: the caller stops. The start itself is one only if the rule gives it. One that a clock change skips is read with the
 * offset before it, of one that it repeats the earlier is meant. An UNTIL or EXDATE of another type than the start is read, too.
 * @param from starts before it are left out (ms)
 * @throws CliError usage for lines that cannot be read
 */
export function* expandRecurrence(recurrence: Recurrence, from = Number.NEGATIVE_INFINITY): Iterable<number> {
  const read = readRecurrence(recurrence, "recurrences");
  for (const start of startsOf(read, from)) if (start >= from && !read.excluded.has(start)) yield start;
}

/**
 * Whether a clock change skips the time of day of the first start. A series that began with it would have the time of day
 * that the clock shows then for good: services count from what the clock shows at a start.
 */
export function isFirstSkipped(recurrence: Recurrence): boolean {
  const read = readRecurrence(recurrence, "recurrences");
  const [first = read.start] = wallClocks(read);
  return readWallClock(first, read.zone).kind === "skipped";
}

const MAX_DATES = 500;

/**
 * @param source how messages name where the lines are written
 * @throws CliError usage naming what is wrong and what is right
 */
export function checkRecurrence(recurrence: Recurrence, source: string): void {
  const read = readRecurrence(recurrence, source);
  const { rule, extra, excluded, isAllDay } = read;
  if (rule === null) throw usageError(`${source}: there is no RRULE`, "write RRULE:FREQ=WEEKLY;BYDAY=MO");
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
  if (excluded.size > MAX_DATES || extra.length > MAX_DATES) {
    throw usageError(
      `${source}: there are more than ${MAX_DATES} exceptions`,
      "end the series and begin another",
    );
  }
  checkOccurrences(read, source);
}

/** @throws CliError usage when there is no occurrence, and for an exception that is none */
function checkOccurrences(read: ReadRecurrence, source: string): void {
  const missing = new Set(read.excluded);
  const last = Math.max(...missing);
  let count = 0;
  for (const start of startsOf(read)) {
    count += missing.delete(start) ? 0 : 1;
    if ((start >= last && count > 0) || count === MAX_OCCURRENCES) break;
  }
  if (count === 0) throw usageError(`${source}: the rule gives no date`, "write one that gives some");
  const [first] = missing;
  if (first === undefined) return;
  const written = new Date(first).toISOString();
  const shown = read.isAllDay ? written.slice(0, 10) : written.replace(".000", "");
  throw usageError(`${source}: the exception ${shown} is no date of the rule`, "leave it out");
}

/** The starts with those of RDATE, whatever EXDATE says, in order, each once. */
function* startsOf(read: ReadRecurrence, from?: number): Iterable<number> {
  let last: number | undefined;
  for (const start of startsInOrder(read, from)) {
    if (start !== last) yield start;
    last = start;
  }
}

function* startsInOrder(read: ReadRecurrence, from?: number): Iterable<number> {
  const until = untilOf(read);
  let waiting = inOrder(read.extra);
  for (const wallClock of wallClocks(read, from)) {
    const reading = readWallClock(wallClock, read.zone);
    // What is skipped may be later than what the clock shows next.
    if (reading.kind === "skipped") {
      const start = wallClock - reading.before;
      if (start <= until) waiting = inOrder([...waiting, start]);
      continue;
    }
    const start = reading.kind === "once" ? reading.instant : wallClock - reading.before;
    if (start > until) break;
    yield* waiting.filter((other) => other <= start);
    waiting = waiting.filter((other) => other > start);
    yield start;
  }
  yield* waiting;
}

function inOrder(instants: readonly number[]): readonly number[] {
  return [...instants].sort((one, other) => one - other);
}

/**
 * What the clock shows at each start of the rule. The engine knows no zone: it leaves out times that are skipped. COUNT and
 * UNTIL are none of its business either, so that it need not know where the rule began.
 */
function* wallClocks({ rule, start }: ReadRecurrence, from = start): Iterable<number> {
  if (rule === null) return yield start;
  const { COUNT = Number.POSITIVE_INFINITY, UNTIL: _until, ...parts } = rule;
  const dtstart = `${new Date(start).toISOString().slice(0, -1)}+00:00[UTC]`;
  const engine = new RRuleTemporal({
    rruleString: writeRule(parts),
    dtstart: { timeZoneId: "UTC", toString: () => dtstart },
    maxIterations: MAX_PERIODS[rule.FREQ] ?? 10_000,
  });
  // A clock shows at most a day more or less than UTC; a COUNT must count all.
  const first = COUNT === Number.POSITIVE_INFINITY ? Math.max(start, from - 2 * DAY_MS) : start;
  let next = startAfter(engine, first, true);
  for (let count = 1; next !== null && count <= Number(COUNT); count += 1) {
    yield next;
    next = startAfter(engine, next, false);
  }
}

/** How many periods without a start end a rule, if not 10,000: 29 February may be 8 years away, or 40 on one weekday. */
const MAX_PERIODS: Readonly<Record<string, number>> = { YEARLY: 400, MONTHLY: 1200 };

const YEAR_10000 = Date.UTC(10_000, 0);

/** Null where the engine has found none in so many periods, or before the last date that can be written. */
function startAfter(engine: RRuleTemporal, wallClock: number, isIncluded: boolean): number | null {
  try {
    const next = engine.next(new Date(wallClock), isIncluded)?.epochMilliseconds ?? YEAR_10000;
    return next < YEAR_10000 ? next : null;
  } catch (_exhausted) {
    return null;
  }
}
