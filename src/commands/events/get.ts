import type { Command } from "commander";
import { localizeEvent } from "../../calendar/event-view.js";
import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { eventView } from "../../output/views/event.js";
import { type CalendarContext, chooseCalendar } from "../calendar-choice.js";
import { addAction, type ContextOf } from "../command.js";
import { processEach } from "../process-each.js";

export interface EventsGetOptions {
  readonly id: readonly string[];
}

export function registerEventsGet(command: Command, contextOf: ContextOf): void {
  addAction(command.argument("<id...>", "ids of events"), contextOf, runEventsGet);
}

/** Shows events: an object for one id, a list for several. */
export async function runEventsGet(
  context: CalendarContext & Pick<Context, "output" | "warn">,
  { id: ids }: EventsGetOptions,
): Promise<void> {
  const output = context.output(eventView);
  for (const id of ids) checkId(id, "ID");
  const { timezone } = context.settings();
  const { id: calendarId } = await chooseCalendar(context);
  const api = await context.api();
  const { results, reportFailures } = await processEach(ids, {
    noun: "event",
    verb: "read",
    name: (id) => id,
    warn: context.warn,
    work: async (eventId) => localizeEvent(await api.getEvent({ calendarId, eventId }), timezone),
  });
  const [only] = results;
  // A command that failed completely prints nothing.
  if (only !== undefined) await output.print(ids.length > 1 ? results : only);
  reportFailures();
}
