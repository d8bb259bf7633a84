import type { Command } from "commander";
import { type ContextOf, describeCommand, requireConfirmation } from "../../cli/command.js";
import { CliError } from "../../errors.js";
import { deletedView } from "../../output/views/event.js";
import { createEventFinder, type EventFinder } from "../calendar-choice.js";
import { addPickAction } from "../missing-values.js";
import { processEach } from "../process-each.js";
import { chooseEventId, readEventIds, STDIN_IDS } from "./event-ids.js";
import type { EventContext } from "./event-reader.js";
import { describeFound } from "./found-event.js";

export interface EventsDeleteOptions {
  readonly id: readonly string[];
  /** Skips the confirmation. */
  readonly yes?: boolean;
}

export function registerEventsDelete(command: Command, contextOf: ContextOf): void {
  command
    .argument(
      "[id...]",
      "ids of events; - reads them from stdin, one per line, and needs --yes; without one, pick an event",
    )
    .option("-y, --yes", "skip the confirmation");
  describeCommand(command, {
    prints: { view: deletedView, count: "one" },
    examples: () => [
      [
        "The first event of today, without a question",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events delete "$id" --yes',
      ],
      [
        "Every event of the week with this label",
        "calctl events list --days 7 --label 2 --fields id | calctl events delete - --yes",
      ],
    ],
  });
  addPickAction(command, contextOf, runEventsDelete);
}

/** Deletes events, after a confirmation. */
export async function runEventsDelete(
  context: EventContext,
  { id: given, yes: confirmed = false }: EventsDeleteOptions,
): Promise<void> {
  const output = context.output.of(deletedView);
  const yes = confirmed || context.flags.dryRun;
  const typed = given.length > 0 ? given : [await chooseEventId(context, undefined)];
  const fromStdin = typed.includes(STDIN_IDS);
  const canAsk = context.terminal.prompt.available && !fromStdin;
  // Before someone types ids. A pipe may have none: then there is nothing to confirm.
  if (fromStdin && context.terminal.input.isTerminal) requireConfirmation(yes, canAsk);
  const ids = [...new Set(await readEventIds(context, typed))];
  if (ids.length === 0) return output.print({ deleted: [] });
  requireConfirmation(yes, canAsk);
  const finder = await createEventFinder(context);
  const notFound = yes ? new Map<string, CliError>() : await confirm(context, finder, ids);
  const api = await context.api();
  const { results, reportFailures } = await processEach(ids, {
    noun: "event",
    verb: "deleted",
    name: (id) => id,
    warn: context.output.warn,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    work: async (eventId) => {
      const error = notFound.get(eventId);
      if (error !== undefined) throw error;
      const { id: calendarId } = await finder.findCalendar(eventId);
      await api.deleteEvent({ calendarId, eventId });
      return eventId;
    },
  });
  await context.names.recentEvents()?.forget(results);
  if (results.length > 0)
    await output.print({ deleted: results }, `these events were deleted: ${results.join(", ")}`);
  reportFailures();
}

/**
 * Shows titles, times and calendars, since an id says nothing to a person, and asks about the events that exist.
 * @returns the errors of the others by id
 */
async function confirm(
  context: EventContext,
  finder: EventFinder,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CliError>> {
  const notFound = new Map<string, CliError>();
  for (const eventId of ids) {
    try {
      context.output.warn(describeFound(await finder.read(eventId), context.config.settings().timezone));
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== "not_found") throw error;
      notFound.set(eventId, error);
      if (ids.length > 1) context.output.warn(`  ${eventId}  not found`);
    }
  }
  const count = ids.length - notFound.size;
  if (count === 0) return notFound;
  const question = count === 1 ? "Delete this event?" : `Delete these ${count} events?`;
  if (await context.terminal.prompt.confirm(question)) return notFound;
  throw new CliError("interrupted", "nothing was deleted");
}
