import { dateToInstant, isCalendarDate } from "../../../contract/date-time.js";
import { usageError } from "../../errors.js";
import { MONTH, MONTHS } from "../../time/date-grammar.js";
import { lastOfMonth } from "../../time/dates.js";
import { addDays } from "../../time/zoned-time.js";

/** What only `agenda`, `week` and `month` understand of their WHEN: whole months, and `next` alone. */

/** First and last day, as `YYYY-MM-DD`. */
export interface Days {
  readonly first: string;
  readonly last: string;
}

const MONTH_NUMBER = /^(?<year>\d{4})-(?<month>\d\d)$/;
const MONTH_NAME = new RegExp(`^${MONTH}(?:,?\\s+(?<year>(?:19|20|21)\\d\\d))?$`, "i");
const STEPS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

/** Whether a text is a month in digits, such as `2027-01`. */
export function isMonthNumber(text: string): boolean {
  return MONTH_NUMBER.test(text);
}

/**
 * Reads a month: `2027-01`, `december`, `dec 2027`, `next month`; with `isMonth` also `next` alone. A name without a year is
 * the current month or the next one of that name.
 * @param today `YYYY-MM-DD`
 * @returns null for anything else
 * @throws CliError usage for a month that does not exist
 */
export function readMonth(text: string, today: string, isMonth: boolean): Days | null {
  const steps = stepsOf(text, "month", isMonth);
  if (steps !== null) return monthOf(addMonths(today, steps));
  const { year, month = "" } = (MONTH_NUMBER.exec(text) ?? MONTH_NAME.exec(text))?.groups ?? {};
  if (month === "") return null;
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const number = named === 0 ? month : String(named).padStart(2, "0");
  const thisYear = Number(today.slice(0, 4));
  const inYear = year ?? (number < today.slice(5, 7) ? thisYear + 1 : thisYear);
  const first = `${inYear}-${number}-01`;
  if (!isCalendarDate(first)) throw usageError(`"${text}" is not a month`, "write one such as 2027-01");
  return monthOf(first);
}

/**
 * Reads `next`, `this week` and the like.
 * @param weekStart as `Date` counts: 0 is Sunday
 * @returns null for anything else
 */
export function readWeek(text: string, today: string, weekStart: number): Days | null {
  const steps = stepsOf(text, "week", true);
  return steps === null ? null : weekOf(addDays(today, 7 * steps), weekStart);
}

function stepsOf(text: string, unit: string, alone: boolean): number | null {
  const [, step = "", named] = /^(this|next|last)(?:\s+(\w+))?$/i.exec(text) ?? [];
  const isMeant = named === undefined ? alone : named.toLowerCase() === unit;
  return isMeant ? (STEPS[step.toLowerCase()] ?? null) : null;
}

/** The month of a day. @param date `YYYY-MM-DD` */
export function monthOf(date: string): Days {
  const month = date.slice(0, "YYYY-MM".length);
  return { first: `${month}-01`, last: lastOfMonth(month) };
}

/** The week of a day. @param date `YYYY-MM-DD` @param weekStart as `Date` counts: 0 is Sunday */
export function weekOf(date: string, weekStart: number): Days {
  const weekday = new Date(dateToInstant(date)).getUTCDay();
  const first = addDays(date, -((weekday - weekStart + 7) % 7));
  return { first, last: addDays(first, 6) };
}

/** The first day of a month before or after. */
function addMonths(date: string, months: number): string {
  const count = 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1 + months;
  const year = String(Math.floor(count / 12)).padStart(4, "0");
  return `${year}-${String((count % 12) + 1).padStart(2, "0")}-01`;
}
