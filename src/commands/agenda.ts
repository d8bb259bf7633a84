import type { Command } from "commander";
import { lastOfDays, parseDays } from "../calendar/dates.js";
import { sortEvents } from "../calendar/event-order.js";
import { localDate } from "../calendar/zoned-time.js";
import { addAction, type ContextOf } from "../cli/command.js";
import { describeCommand } from "../cli/command-facts.js";
import type { Context } from "../context.js";
import { eventView } from "../output/views/event.js";
import { type CalendarContext, namedCalendars, resolveCalendars } from "./calendar-choice.js";
import { readDayFlags } from "./events/date-flags.js";
import { createEventSource, readEvents } from "./events/event-source.js";
import { printEvents } from "./events/print-events.js";

export interface AgendaOptions {
  /** As typed. */
  readonly days?: string;
  readonly from?: string;
  readonly strictDates?: boolean;
  readonly grid?: boolean;
}

const WEEK = "7";

export function registerAgenda(command: Command, contextOf: ContextOf): void {
  command
    .option("--from <date>", "first day, as a date or in words such as monday (default: today)")
    .option("--days <1-7>", `number of days (default: ${WEEK})`)
    .option("--strict-dates", "read only ISO 8601 dates, no words")
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
export async function runAgenda(
  context: CalendarContext & Pick<Context, "output" | "now">,
  options: AgendaOptions,
): Promise<void> {
  // Checks format and fields before any request.
  context.output.of(eventView);
  const { days: typed = WEEK } = options;
  const chosen = await readDayFlags(context, { ...options, days: typed });
  const count = parseDays(typed, "--days");
  const { timezone: zone } = context.config.settings();
  const today = localDate(context.now(), zone);
  const days = chosen ?? { first: today, last: lastOfDays(today, count) };
  const open = createEventSource(
    context,
    chosen === null ? { kind: "upcoming", days: count } : { kind: "any", days, search: null },
  );
  const named = namedCalendars(context);
  const { calendars, results, reportFailures } = await context.names.withCachedNames(async () => {
    const found = await resolveCalendars(context, named);
    return { calendars: found, ...(await readEvents(context, found, { open })) };
  });
  if (results.length > 0 || calendars.length === 0) {
    const events = sortEvents(results.flat(), { zone, firstDay: days.first });
    await printEvents(context, events, {
      calendars,
      days,
      layout: options.grid === true ? "grid" : "agenda",
    });
  }
  reportFailures();
}
