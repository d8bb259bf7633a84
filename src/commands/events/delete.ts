import type { Command } from "commander";
import { localizeEvent } from "../../calendar/event-view.js";
import type { Context } from "../../context.js";
import { CliError, usageError } from "../../errors.js";
import { describeWhen } from "../../output/views/event.js";
import { deletedView } from "../../output/views/plain.js";
import { type CalendarContext, createEventFinder, type EventFinder } from "../calendar-choice.js";
import { addAction, type ContextOf } from "../command.js";
import { processEach } from "../process-each.js";
import { readEventIds, STDIN_IDS } from "./event-ids.js";

export interface EventsDeleteOptions {
  readonly id: readonly string[];
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

type DeleteContext = CalendarContext & Pick<Context, "output" | "input" | "prompt" | "warn" | "note">;

export function registerEventsDelete(command: Command, contextOf: ContextOf): void {
  command
    .argument("<id...>", "ids of events; - reads them from stdin, one per line, and needs --yes")
    .option("-y, --yes", "skip the confirmation");
  addAction(command, contextOf, runEventsDelete);
}

/** Deletes events, after a confirmation. */
export async function runEventsDelete(
  context: DeleteContext,
  { id: typed, yes = false }: EventsDeleteOptions,
): Promise<void> {
  const output = context.output(deletedView);
  if (!yes && (!context.prompt.available || typed.includes(STDIN_IDS)))
    throw usageError("--yes is required where calctl cannot prompt", "add --yes to skip the confirmation");
  const ids = [...new Set(await readEventIds(context, typed))];
  if (ids.length === 0) return output.print({ deleted: [] });
  const finder = await createEventFinder(context);
  if (!yes) await confirm(context, finder, ids);
  const api = await context.api();
  const { results, reportFailures } = await processEach(ids, {
    noun: "event",
    verb: "deleted",
    name: (id) => id,
    warn: context.warn,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    work: async (eventId) => {
      const { id: calendarId } = await finder.findCalendar(eventId);
      await api.deleteEvent({ calendarId, eventId });
      return eventId;
    },
  });
  if (results.length > 0)
    await output.print({ deleted: results }, `these events were deleted: ${results.join(", ")}`);
  reportFailures();
}

/** Shows titles and times, since an id says nothing to a person. */
async function confirm(context: DeleteContext, finder: EventFinder, ids: readonly string[]): Promise<void> {
  for (const eventId of ids) {
    const { event: found } = await finder.read(eventId);
    const event = localizeEvent(found, context.settings().timezone);
    context.warn(`  ${event.title ?? eventId}  ${describeWhen(event, { year: true })}`);
  }
  const question = ids.length === 1 ? "Delete this event?" : `Delete these ${ids.length} events?`;
  if (await context.prompt.confirm(question)) return;
  throw new CliError("interrupted", "nothing was deleted");
}
