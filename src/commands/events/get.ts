import type { Command } from "commander";
import { localizeEvent } from "../../calendar/event-view.js";
import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { eventView } from "../../output/views/event.js";
import { type CalendarContext, chooseCalendar } from "../calendar-choice.js";
import type { ContextOf } from "../command.js";
import { processEach } from "../process-each.js";

export interface EventsGetOptions {
  readonly ids: readonly string[];
}

export function registerEventsGet(command: Command, contextOf: ContextOf): void {
  command
    .argument("<id...>", "ids of events")
    .action((ids: readonly string[]) => runEventsGet(contextOf(command), { ids }));
}

/** Shows events: one id gives one object, several a list. */
export async function runEventsGet(
  context: CalendarContext & Pick<Context, "output" | "warn">,
  { ids }: EventsGetOptions,
): Promise<void> {
  const output = context.output(eventView);
  for (const id of ids) checkId(id, "ID");
  const { timezone } = context.settings();
  const { id: calendarId } = await chooseCalendar(context);
  const api = await context.api();
  const { results, finish } = await processEach(ids, {
    noun: "event",
    verb: "read",
    name: (id) => id,
    warn: context.warn,
    work: async (eventId) => localizeEvent(await api.getEvent({ calendarId, eventId }), timezone),
  });
  const [only] = results;
  if (ids.length > 1) await printSome(results, output.print);
  else if (only !== undefined) await output.print(only);
  finish();
}

/** A command that failed as a whole prints nothing on stdout. */
async function printSome<T>(
  results: readonly T[],
  print: (results: readonly T[]) => Promise<void>,
): Promise<void> {
  if (results.length > 0) await print(results);
}
