import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../contract/date-time.js";
import type { RecurrenceRule } from "./rule.js";

/**
 * The starts of a rule on a clock without a zone, in milliseconds as if it were UTC. Each day is checked on its own, so a search
 * can begin anywhere; months, weeks and years that the rule leaves out are skipped. Days are numbered from 1970-01-01.
 * @see RFC 5545 §3.3.10
 */

/** The wall clocks between which starts are wanted, both included. */
export interface ClockSpan {
  readonly from: number;
  readonly to: number;
}

/** The days of 400 years, after which the calendar repeats. */
const CYCLE = 146_097;

const YEAR_2300 = Date.UTC(2300, 0) / DAY_MS;

/**
 * The starts in order. COUNT and UNTIL are left to the caller. A rule without an end ends 400 years after the start, but not before
 * 2300, and with the last date that can be written.
 * @param start of the series, before which there are none
 */
export function openRule(rule: RecurrenceRule, start: number): RuleStarts {
  const days = createDays(rule, start);
  const times = createTimes(rule, start);
  function* everyTime({ first, last }: DaySpan): Iterable<number> {
    for (let day = first; day <= last; ) {
      const next = days.nextActive(day);
      if (next === day && days.isDay(day)) yield* times.on(day);
      day = Math.max(next, day + 1);
    }
  }
  const positions = numbersOf(rule.BYSETPOS);
  const chosen =
    positions === null
      ? everyTime
      : createSelection(positions, { ...days, everyTime, periodOf: times.periodOf });
  const last = Math.min(YEAR_10000, Math.max(YEAR_2300, dayOf(start) + CYCLE)) - 1;
  return function* startsBetween(span) {
    const first = Math.max(start, span.from);
    for (const at of chosen({ first: dayOf(first), last: Math.min(last, dayOf(span.to)) })) {
      if (at > span.to) return;
      if (at >= first) yield at;
    }
  };
}

/** The starts of a rule in a span. What it needs to know of the rule is read once: it may be asked for many spans. */
export type RuleStarts = (span: ClockSpan) => Iterable<number>;

/** Days, both included. */
interface DaySpan {
  readonly first: number;
  readonly last: number;
}

/**
 * What BYSETPOS selects, from each year, month, week, day, hour or minute. Keeps the times of the last one: exceptions are looked
 * up one after the other.
 */
function createSelection(
  positions: ReadonlySet<number>,
  { nextActive, periodAround, everyTime, periodOf }: SelectionOptions,
) {
  // In steps of the members: there may be hundreds of positions for a few of them.
  const select = (members: readonly number[]): readonly number[] =>
    members.filter((_, place) => positions.has(place + 1) || positions.has(place - members.length));
  let kept: { readonly first: number; readonly times: readonly number[] } | undefined;
  const timesIn = (span: DaySpan): readonly number[] => {
    if (kept?.first === span.first) return kept.times;
    const times: number[] = [];
    let members: number[] = [];
    for (const at of everyTime(span)) {
      if (members.length > 0 && periodOf(at) !== periodOf(members[0] ?? at)) {
        times.push(...select(members));
        members = [];
      }
      members.push(at);
    }
    times.push(...select(members));
    kept = { first: span.first, times };
    return times;
  };
  return function* timesOf({ first, last }: DaySpan): Iterable<number> {
    for (let day = nextActive(first); day <= last; ) {
      const span = periodAround(day);
      yield* timesIn(span).filter((at) => at >= first * DAY_MS);
      day = nextActive(span.last + 1);
    }
  };
}

interface SelectionOptions extends Pick<Days, "nextActive" | "periodAround"> {
  /** The times from which is selected, in order. */
  readonly everyTime: (span: DaySpan) => Iterable<number>;
  readonly periodOf: Times["periodOf"];
}

const YEAR_10000 = Date.UTC(10_000, 0) / DAY_MS;

function dayOf(clock: number): number {
  return Math.floor(clock / DAY_MS);
}

interface Month {
  /** The first day of the month, and how many it has. */
  readonly first: number;
  readonly length: number;
  readonly year: number;
  /** From 0. */
  readonly index: number;
  readonly yearFirst: number;
  readonly yearLength: number;
}

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function readMonth(day: number): Month {
  const date = new Date(day * DAY_MS);
  const [year, index] = [date.getUTCFullYear(), date.getUTCMonth()];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const first = day - date.getUTCDate() + 1;
  date.setUTCMonth(0, 1);
  const length = (MONTH_LENGTHS[index] ?? 31) + (isLeap && index === 1 ? 1 : 0);
  return {
    first,
    length,
    year,
    index,
    yearFirst: date.getTime() / DAY_MS,
    yearLength: isLeap ? 366 : 365,
  };
}

/** The first day of a month of a year; the month may be beyond 11. */
function firstOfMonth(year: number, month: number): number {
  // Date.UTC takes 99 for 1999.
  return new Date(0).setUTCFullYear(year, month, 1) / DAY_MS;
}

/** As BYDAY names them. */
export const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];

/** 0 for Sunday. */
function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

function remainder(number: number, divisor: number): number {
  return ((number % divisor) + divisor) % divisor;
}

/** The numbers of a part, null if it is missing. A number may be written in several ways: 1, +1, 01. */
function numbersOf(value: string | undefined): ReadonlySet<number> | null {
  return value === undefined ? null : new Set(value.split(",").map(Number));
}

/** Whether a part has a number from 1 to `last`, or no numbers at all; negative ones count from the end. */
function isListed(list: ReadonlySet<number> | null, number: number, last: number): boolean {
  return list === null || list.has(number) || list.has(number - last - 1);
}

/** The rule; if it names no days, with the day of the start. */
function withDaysOf(rule: RecurrenceRule, start: number): RecurrenceRule {
  const { FREQ, BYDAY, BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO } = rule;
  const date = new Date(start);
  const weekday = WEEKDAYS[date.getUTCDay()] ?? "MO";
  if ([BYDAY, BYMONTHDAY, BYYEARDAY].some((part) => part !== undefined)) return rule;
  if (FREQ === "WEEKLY" || (FREQ === "YEARLY" && BYWEEKNO !== undefined)) return { ...rule, BYDAY: weekday };
  if (FREQ !== "YEARLY" && FREQ !== "MONTHLY") return rule;
  const month = FREQ === "YEARLY" ? { BYMONTH: BYMONTH ?? `${date.getUTCMonth() + 1}` } : {};
  return { ...rule, ...month, BYMONTHDAY: `${date.getUTCDate()}` };
}

/**
 * The weekdays of BYDAY, and for each which ones of the month or year, counted from its end if negative; 0 for all. Null if the
 * part is missing.
 */
function weekdaysOf(value: string | undefined): ReadonlyMap<number, ReadonlySet<number>> | null {
  if (value === undefined) return null;
  const weekdays = new Map<number, Set<number>>();
  for (const text of value.split(",")) {
    const weekday = WEEKDAYS.indexOf(text.slice(-2));
    weekdays.set(weekday, (weekdays.get(weekday) ?? new Set()).add(Number(text.slice(0, -2))));
  }
  return weekdays;
}

/** Finds the month and the week of a day. Keeps the last month and year, since days are checked in order. */
function createCalendar({ WKST = "MO" }: RecurrenceRule) {
  const weekStart = WEEKDAYS.indexOf(WKST);
  let month = readMonth(0);
  const weekOf = (day: number) => day - remainder(weekdayOf(day) - weekStart, 7);
  let { yearFirst, yearLength, year } = month;
  return {
    monthOf(day: number): Month {
      if (day < month.first || day >= month.first + month.length) month = readMonth(day);
      return month;
    },
    /** The first day of the week. */
    weekOf,
    /** The first day of the week, its number in the year that has most of its days, and the number of the last week of that year. */
    readWeek(day: number) {
      const first = weekOf(day);
      const middle = first + 3;
      if (middle < yearFirst || middle >= yearFirst + yearLength)
        ({ yearFirst, yearLength, year } = readMonth(middle));
      const dayOfYear = middle - yearFirst;
      const number = Math.floor(dayOfYear / 7) + 1;
      return { first, year, number, last: number + Math.floor((yearLength - 1 - dayOfYear) / 7) };
    },
  };
}

type Calendar = ReturnType<typeof createCalendar>;

/** Which days the rule gives, without regard to the start. */
function createDays(written: RecurrenceRule, start: number) {
  const rule = withDaysOf(written, start);
  const calendar = createCalendar(rule);
  const { monthOf, weekOf, readWeek } = calendar;
  const isByWeek = rule.BYWEEKNO !== undefined;
  const skip = createSkip(rule, dayOf(start), calendar);
  const months = numbersOf(rule.BYMONTH);
  return {
    /** The day itself, or a later one before which the rule gives no day. */
    nextActive(day: number): number {
      const next = skip(day);
      const { index, first, length } = monthOf(day);
      return next === day && months?.has(index + 1) === false ? first + length : next;
    },
    isDay: createFilter(rule, calendar),
    /** The days of the year, month or week of a day, or the day itself. */
    periodAround(day: number): DaySpan {
      const { first, length, yearFirst, yearLength } = monthOf(day);
      const spanOf = (start: number, end: number) => ({ first: start, last: end - 1 });
      if (rule.FREQ === "MONTHLY") return spanOf(first, first + length);
      if (rule.FREQ === "WEEKLY") return spanOf(weekOf(day), weekOf(day) + 7);
      if (rule.FREQ !== "YEARLY") return spanOf(day, day + 1);
      if (!isByWeek) return spanOf(yearFirst, yearFirst + yearLength);
      const { year } = readWeek(day);
      // January 4 is always in the first week of its year.
      return spanOf(weekOf(firstOfMonth(year, 0) + 3), weekOf(firstOfMonth(year + 1, 0) + 3));
    },
  };
}

type Days = ReturnType<typeof createDays>;

/**
 * Skips the years, months, weeks and days that INTERVAL leaves out, and the weeks that BYWEEKNO leaves out: gives the day itself,
 * or a later one before which all are left out.
 */
function createSkip(
  { FREQ, BYWEEKNO, INTERVAL = "1" }: RecurrenceRule,
  startDay: number,
  calendar: Calendar,
): (day: number) => number {
  const { monthOf, weekOf } = calendar;
  const interval = Number(INTERVAL);
  const start = readMonth(startDay);
  /** How many units there are until the next that is not left out. */
  const wait = (units: number) => remainder(-units, interval);
  if (FREQ === "DAILY") return (day) => day + wait(day - startDay);
  if (FREQ === "WEEKLY")
    return (day) => {
      const weeks = wait((weekOf(day) - weekOf(startDay)) / 7);
      return weeks === 0 ? day : weekOf(day) + 7 * weeks;
    };
  if (FREQ === "MONTHLY")
    return (day) => {
      const { year, index } = monthOf(day);
      const months = wait((year - start.year) * 12 + index - start.index);
      return months === 0 ? day : firstOfMonth(year, index + months);
    };
  if (FREQ !== "YEARLY") return (day) => day;
  if (BYWEEKNO !== undefined) return createWeekSkip(BYWEEKNO, { startDay, wait, calendar });
  return (day) => {
    const { year } = monthOf(day);
    const years = wait(year - start.year);
    return years === 0 ? day : firstOfMonth(year + years, 0);
  };
}

interface WeekSkipOptions {
  readonly startDay: number;
  /** How many years there are until the next that INTERVAL does not leave out. */
  readonly wait: (years: number) => number;
  readonly calendar: Calendar;
}

/** `createSkip` of a yearly rule with BYWEEKNO. */
function createWeekSkip(
  BYWEEKNO: string,
  { startDay, wait, calendar: { readWeek } }: WeekSkipOptions,
): (day: number) => number {
  const weeks = numbersOf(BYWEEKNO);
  const { year: startYear } = readWeek(startDay);
  return (day) => {
    const { year, number, last, first } = readWeek(day);
    const years = wait(year - startYear);
    if (years === 0) return isListed(weeks, number, last) ? day : first + 7;
    // The weeks of a year may begin in the one before it.
    return Math.max(first + 7, firstOfMonth(year + years, 0) - 7);
  };
}

/** Whether the rule gives a day that was not skipped. */
function createFilter(rule: RecurrenceRule, { monthOf }: Calendar): (day: number) => boolean {
  const monthDays = numbersOf(rule.BYMONTHDAY);
  const yearDays = numbersOf(rule.BYYEARDAY);
  const weekdays = weekdaysOf(rule.BYDAY);
  const isNumberedByYear = rule.FREQ === "YEARLY" && rule.BYMONTH === undefined;
  const isWeekday = (day: number, { first, length, yearFirst, yearLength }: Month): boolean => {
    if (weekdays === null) return true;
    const numbers = weekdays.get(weekdayOf(day));
    if (numbers === undefined || numbers.has(0)) return numbers !== undefined;
    const from = isNumberedByYear ? yearFirst : first;
    const end = from + (isNumberedByYear ? yearLength : length);
    return numbers.has(Math.floor((day - from) / 7) + 1) || numbers.has(-Math.floor((end - 1 - day) / 7) - 1);
  };
  return (day) => {
    const month = monthOf(day);
    return (
      isListed(monthDays, day - month.first + 1, month.length) &&
      isListed(yearDays, day - month.yearFirst + 1, month.yearLength) &&
      isWeekday(day, month)
    );
  };
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);

function sorted(numbers: Iterable<number>): readonly number[] {
  return [...numbers].sort((one, other) => one - other);
}

/** The times of a day that the rule gives. Only imported files have several. */
function createTimes(rule: RecurrenceRule, start: number) {
  const { FREQ, INTERVAL = "1" } = rule;
  const date = new Date(start);
  const [isHourly, isMinutely] = [FREQ === "HOURLY", FREQ === "MINUTELY"];
  const isFrequent = isHourly || isMinutely;
  const hours = numbersOf(rule.BYHOUR) ?? (isFrequent ? upTo(24) : [date.getUTCHours()]);
  const minutes = numbersOf(rule.BYMINUTE) ?? (isMinutely ? upTo(60) : [date.getUTCMinutes()]);
  const seconds = numbersOf(rule.BYSECOND) ?? [date.getUTCSeconds()];
  const clocks = sorted(hours).flatMap((hour) =>
    sorted(minutes).map((minute) => hour * HOUR_MS + minute * MINUTE_MS),
  );
  const ordered = sorted(seconds);
  if (!isFrequent) {
    const times = clocks.flatMap((clock) => ordered.map((second) => clock + second * 1_000));
    return {
      on: (day: number): Iterable<number> => times.map((time) => day * DAY_MS + time),
      periodOf: () => 0,
    };
  }
  const unit = isHourly ? HOUR_MS : MINUTE_MS;
  const periodOf = (at: number) => Math.floor(at / unit);
  const isActive = (at: number) => remainder(periodOf(at) - periodOf(start), Number(INTERVAL)) === 0;
  return {
    *on(day: number): Iterable<number> {
      for (const at of clocks.map((clock) => day * DAY_MS + clock).filter(isActive))
        for (const second of ordered) yield at + second * 1_000;
    },
    /** The hour or minute; 0 where periods are days. */
    periodOf,
  };
}

type Times = ReturnType<typeof createTimes>;
