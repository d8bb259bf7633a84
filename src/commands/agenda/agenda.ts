import type { Command } from "commander";
import { dateToInstant, isCalendarDate } from "../../../contract/date-time.js";
import { addAction, describeCommand, type RunOf } from "../../cli/command.js";
import { CliError, emptyValueError, usageError, wrapError } from "../../errors.js";
import { type DayFlags, readQuery } from "../../events/find/event-query.js";
import { readEvents } from "../../events/find/event-reader.js";
import { printList } from "../../events/find/list.js";
import { addStrictDatesFlag, readDayFlag } from "../../events/input/date-flags.js";
import { type DayLayout, eventView } from "../../events/views/event.js";
import type { Run } from "../../run/run.js";
import { MONTH, MONTHS } from "../../time/date-grammar.js";
import { DAY_HINT, lastOfMonth } from "../../time/dates.js";
import { addDays, localDate } from "../../time/zoned-time.js";

/** As typed. */
interface AgendaOptions {
  readonly days?: string;
  readonly from?: string;
  readonly strictDates?: boolean;
  /** The words of the argument. */
  readonly when?: readonly string[];
}

type Layout = Extract<DayLayout, "agenda" | "week" | "month">;

const WEEK = "7";

export function registerAgenda(command: Command, runOf: RunOf): void {
  command.argument("[when...]", "day, week or month, such as tomorrow, next week or december");
  addFirstDay(command).option("--days <1-366>", `number of days (default: ${WEEK})`);
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The next seven days, in every calendar", "calctl agenda"],
      ["Next weekend", "calctl agenda next weekend"],
      ["Two weeks, starting on Monday", "calctl agenda --from monday --days 14"],
    ],
  });
  addAction(command, runOf, (run, options: AgendaOptions) => runAgenda(run, "agenda", options));
}

export function registerWeek(command: Command, runOf: RunOf): void {
  command.argument("[when...]", "a day in the week, such as next or 24 dec (default: seven days from today)");
  addFirstDay(command);
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The next seven days, in every calendar", "calctl week"],
      ["Next week, from its first day", "calctl week next"],
    ],
  });
  addAction(command, runOf, (run, options: AgendaOptions) => runAgenda(run, "week", options));
}

export function registerMonth(command: Command, runOf: RunOf): void {
  command.argument(
    "[when...]",
    "a month or a day in it, such as next, december or 2027-01 (default: this month)",
  );
  addStrictDatesFlag(command);
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["This month, in every calendar", "calctl month"],
      ["Next December", "calctl month december"],
    ],
  });
  addAction(command, runOf, (run, options: AgendaOptions) => runAgenda(run, "month", options));
}

function addFirstDay(command: Command): Command {
  command.option("--from <date>", "first day: a date, or words such as monday (default: today)");
  return addStrictDatesFlag(command);
}

const WHEN_HINTS: Readonly<Record<Layout, string>> = {
  agenda: DAY_HINT,
  week: "write next, fri, 24 dec or YYYY-MM-DD",
  month: "write next, december, 2027-01 or YYYY-MM-DD",
};

/** Shows days of every calendar, or of those of `--calendar`: as a list, side by side, or as a month. */
async function runAgenda(run: Run, layout: Layout, options: AgendaOptions): Promise<void> {
  // Checks format and fields before any request.
  run.output.of(eventView);
  const allCalendars = run.flags.calendars.length === 0;
  const query = await readQuery(run, { ...(await readDays(run, layout, options)), allCalendars });
  const list = await readEvents(run, query);
  const { weekStart } = run.config.settings();
  await printList(run, list, { days: query.days, layout, weekStart });
}

/** The days that the argument chooses, as flags. @throws CliError usage for words that are not understood */
async function readDays(run: Run, layout: Layout, { when = [], ...flags }: AgendaOptions): Promise<DayFlags> {
  if (when.length === 0 && layout !== "month") return { days: WEEK, ...flags };
  if (flags.from !== undefined) throw usageError("--from: the days are already set", "use only one of them");
  if (when.some((word) => word.trim() === "")) throw emptyValueError("WHEN");
  const { first, last } = await readWhen(run, layout, when.join(" ").trim(), flags.strictDates === true);
  return flags.days === undefined ? { from: first, to: last } : { from: first, days: flags.days };
}

async function readWhen(
  { config, now, output }: Run,
  layout: Layout,
  text: string,
  strict: boolean,
): Promise<Days> {
  const { timezone: zone, weekStart } = config.settings();
  const today = localDate(now(), zone);
  if (text === "") return monthOf(today);
  if (!strict || isMonthNumber(text)) {
    const days =
      layout === "week" ? readWeek(text, today, weekStart) : readMonth(text, today, layout === "month");
    if (days !== null) return days;
  }
  const read = (edge: "first" | "last", echo: (line: string) => void) =>
    readDayFlag(text, { source: "when", zone, now, strict, edge, echo });
  const first = await read("first", output.note).catch((error: unknown) => {
    if (!(error instanceof CliError) || error.hint !== DAY_HINT) throw error;
    throw wrapError(error, error.code, error.message, { hint: WHEN_HINTS[layout] });
  });
  if (layout === "month") return monthOf(first);
  if (layout === "week") return weekOf(first, weekStart);
  return { first, last: await read("last", () => undefined) };
}

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
