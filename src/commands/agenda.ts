import type { Command } from "commander";
import { addAction, type ContextOf, describeCommand } from "../cli/command.js";
import { eventView } from "../output/views/event.js";
import { readQuery } from "./events/event-query.js";
import { type EventContext, readEvents } from "./events/event-reader.js";
import { printList } from "./events/list.js";

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
    .option("--days <1-366>", `number of days (default: ${WEEK})`)
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
export async function runAgenda(context: EventContext, { grid, ...flags }: AgendaOptions): Promise<void> {
  // Checks format and fields before any request.
  context.output.of(eventView);
  const allCalendars = context.flags.calendars.length === 0;
  const query = await readQuery(context, { days: WEEK, ...flags, allCalendars });
  const list = await readEvents(context, query);
  await printList(context, list, { days: query.days, layout: grid === true ? "grid" : "agenda" });
}
