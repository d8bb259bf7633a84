import type { Command } from "commander";
import { parseMonth } from "../calendar/dates.js";
import { localDate } from "../calendar/zoned-time.js";
import { addAction, type ContextOf, describeCommand } from "../cli/command.js";
import { usageError } from "../errors.js";
import { eventView } from "../output/views/event.js";
import { type DayFlags, readQuery } from "./events/event-query.js";
import { type EventContext, readEvents } from "./events/event-reader.js";
import { printList } from "./events/list.js";

export interface AgendaOptions {
  /** As typed. */
  readonly days?: string;
  readonly from?: string;
  readonly strictDates?: boolean;
  readonly grid?: boolean;
  /** True without a value. */
  readonly month?: string | true;
}

const WEEK = "7";

export function registerAgenda(command: Command, contextOf: ContextOf): void {
  addFirstDay(command)
    .option("--days <1-366>", `number of days (default: ${WEEK})`)
    .option("--grid", "draw the days side by side")
    .option("--month [YYYY-MM]", "draw a month, by default this one");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The week of every calendar", "calctl agenda"],
      ["The same with the days side by side", "calctl agenda --grid"],
      ["A month", "calctl agenda --month 2026-12"],
    ],
  });
  addAction(command, contextOf, runAgenda);
}

/** `agenda --grid`, by a shorter name. */
export function registerWeek(command: Command, contextOf: ContextOf): void {
  addFirstDay(command);
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [["The next seven days of every calendar", "calctl week"]],
  });
  addAction(command, contextOf, (context, options: Pick<AgendaOptions, "from" | "strictDates">) =>
    runAgenda(context, { ...options, grid: true }),
  );
}

function addFirstDay(command: Command): Command {
  return command
    .option("--from <date>", "first day, as a date or in words such as monday (default: today)")
    .option("--strict-dates", "read only ISO 8601 dates, no words");
}

/** `agenda --month`, by a shorter name. */
export function registerMonth(command: Command, contextOf: ContextOf): void {
  command.argument("[month]", "as YYYY-MM; by default this one");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [["This month in every calendar", "calctl month"]],
  });
  addAction(command, contextOf, (context, { month = true }: Pick<AgendaOptions, "month">) =>
    runAgenda(context, { month }),
  );
}

/** Shows the next days of every calendar, or of those of `--calendar`. */
export async function runAgenda(
  context: EventContext,
  { grid, month, ...flags }: AgendaOptions,
): Promise<void> {
  // Checks format and fields before any request.
  context.output.of(eventView);
  const allCalendars = context.flags.calendars.length === 0;
  const days =
    month === undefined
      ? { days: WEEK, ...flags }
      : readMonth(context, month, { ...flags, ...(grid === true && { grid }) });
  const query = await readQuery(context, { ...days, allCalendars });
  const list = await readEvents(context, query);
  const { weekStart } = context.config.settings();
  const layout = month !== undefined ? "month" : grid === true ? "grid" : "agenda";
  await printList(context, list, { days: query.days, layout, weekStart });
}

/** The days of a month. @throws CliError usage for a wrong one, and for other flags of days */
function readMonth(
  { config, now }: Pick<EventContext, "config" | "now">,
  month: string | true,
  flags: object,
): DayFlags {
  const [other] = Object.keys(flags).filter((flag) => flag in { days: 0, from: 0, grid: 0 });
  if (other !== undefined) throw usageError(`give either --month or --${other}, not both`);
  const today = localDate(now(), config.settings().timezone);
  const { first, last } = parseMonth(month === true ? today.slice(0, 7) : month);
  return { from: first, to: last };
}
