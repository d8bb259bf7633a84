import type { Command } from "commander";
import { localizeEvent } from "../../calendar/event-view.js";
import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import { CliError, usageError } from "../../errors.js";
import { describeWhen } from "../../output/views/event.js";
import { deletedView } from "../../output/views/plain.js";
import { type CalendarContext, chooseCalendar } from "../calendar-choice.js";
import type { ContextOf } from "../command.js";
import { processEach } from "../process-each.js";

export interface EventsDeleteOptions {
  readonly ids: readonly string[];
  /** Do not ask. */
  readonly yes: boolean;
}

type DeleteContext = CalendarContext & Pick<Context, "output" | "prompt" | "warn" | "note">;

export function registerEventsDelete(command: Command, contextOf: ContextOf): void {
  command
    .argument("<id...>", "ids of events")
    .option("-y, --yes", "do not ask")
    .action((ids: readonly string[], { yes = false }: { readonly yes?: boolean }) =>
      runEventsDelete(contextOf(command), { ids, yes }),
    );
}

/** Deletes events, after a question unless told not to ask. */
export async function runEventsDelete(
  context: DeleteContext,
  { ids, yes }: EventsDeleteOptions,
): Promise<void> {
  const output = context.output(deletedView);
  for (const id of ids) checkId(id, "ID");
  if (!yes && !context.prompt.available)
    throw usageError("--yes is missing: nobody can be asked here", "add --yes to delete without a question");
  const { id: calendarId } = await chooseCalendar(context);
  if (!yes) await confirm(context, calendarId, ids);
  const api = await context.api();
  const { results, finish } = await processEach([...new Set(ids)], {
    noun: "event",
    verb: "deleted",
    name: (id) => id,
    warn: context.warn,
    // One after the other: it stays clear which was under way when something stops it.
    concurrency: 1,
    work: async (eventId) => {
      await api.deleteEvent({ calendarId, eventId });
      return eventId;
    },
  });
  if (results.length > 0)
    await output.print({ deleted: results }, `these events were deleted: ${results.join(", ")}`);
  finish();
}

/** Asks with the titles: an id says nothing to a person. */
async function confirm(context: DeleteContext, calendarId: string, ids: readonly string[]): Promise<void> {
  const api = await context.api();
  for (const eventId of ids) {
    const event = localizeEvent(await api.getEvent({ calendarId, eventId }), context.settings().timezone);
    context.warn(`  ${event.title ?? eventId}  ${describeWhen(event, { year: true })}`);
  }
  const question = ids.length === 1 ? "Delete this event?" : `Delete these ${ids.length} events?`;
  if (await context.prompt.confirm(question)) return;
  throw new CliError("interrupted", "nothing was deleted");
}
