import type { Command } from "commander";
import { parseDays } from "../calendar/dates.js";
import { sortEvents } from "../calendar/event-order.js";
import { localDate } from "../calendar/zoned-time.js";
import { describeCommand } from "../help/facts.js";
import { eventView } from "../output/views/event.js";
import { namedCalendars, resolveCalendars } from "./calendar-choice.js";
import { addAction, type ContextOf } from "./command.js";
import { printEvents, readUpcoming, type UpcomingContext } from "./events/upcoming.js";

export interface AgendaOptions {
  /** As typed. */
  readonly days?: string;
  readonly grid?: boolean;
}

const WEEK = "7";

export function registerAgenda(command: Command, contextOf: ContextOf): void {
  command
    .option("--days <1-7>", `number of days, including today (default: ${WEEK})`)
    .option("--grid", "draw the days side by side");
  describeCommand(command, {
    prints: { view: eventView, count: "list" },
    examples: () => [
      ["The week of every calendar", "calctl agenda"],
      ["The same with the days side by side", "calctl agenda --grid"],
      ["Three days, to paste into a chat", "calctl agenda --days 3 -o markdown"],
    ],
  });
  addAction(command, contextOf, runAgenda);
}

/** Shows the next days of every calendar, or of those of `--calendar`. */
export async function runAgenda(context: UpcomingContext, options: AgendaOptions): Promise<void> {
  // Checks format and fields before any request.
  context.output(eventView);
  const days = parseDays(options.days ?? WEEK, "--days");
  const { timezone: zone } = context.settings();
  const named = namedCalendars(context);
  const { calendars, results, reportFailures } = await context.names.whileReading(async () => {
    const chosen = await resolveCalendars(context, named);
    return { calendars: chosen, ...(await readUpcoming(context, chosen, { days })) };
  });
  if (results.length > 0 || calendars.length === 0) {
    const events = sortEvents(results.flat(), { zone, firstDay: localDate(context.now(), zone) });
    await printEvents(context, events, {
      calendars,
      days,
      layout: options.grid === true ? "grid" : "agenda",
    });
  }
  reportFailures();
}
