import type { Command } from "commander";
import type { RunOf } from "../../cli/command.js";
import { describeCommand } from "../../cli/command.js";
import { processEach } from "../../cli/items.js";
import { addPickAction } from "../../cli/missing-values.js";
import { createEventFinder } from "../../events/find/calendar-choice.js";
import { chooseEventId, isSingleId, readEventIds } from "../../events/find/event-ids.js";
import { rememberShown } from "../../events/find/event-reader.js";
import { localizeEvent } from "../../events/localized-event.js";
import { eventView, foundEventsView } from "../../events/views/event.js";
import type { Run } from "../../run/run.js";

interface EventsGetOptions {
  readonly id: readonly string[];
}

export function registerEventsGet(command: Command, runOf: RunOf): void {
  const ids = "event ids, or - to read them from stdin, one per line (default: prompt)";
  describeCommand(command, {
    prints: { view: eventView, count: "one or list" },
    examples: () => [
      [
        "Show today's first event in full",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events get "$id"',
      ],
      [
        "The events of the next three days, as Markdown",
        "calctl events list --days 3 --fields id | calctl events get - -o markdown",
      ],
    ],
  });
  addPickAction(command.argument("[id...]", ids), runOf, runEventsGet);
}

/** Shows events: an object for one id, a list for several and for those from stdin. */
async function runEventsGet(run: Run, { id: given }: EventsGetOptions): Promise<void> {
  const output = run.output.of(foundEventsView);
  const typed = given.length > 0 ? given : [await chooseEventId(run, undefined)];
  const ids = await readEventIds(run, typed);
  if (ids.length === 0) return output.print([]);
  const { timezone } = run.config.settings();
  const finder = await createEventFinder(run);
  const { results, reportFailures } = await processEach(ids, {
    noun: "event",
    verb: "read",
    name: (id) => id,
    warn: run.output.warn,
    // Each search reads several calendars at the same time already.
    ...(finder.several ? { concurrency: 1 } : {}),
    work: async (eventId) => {
      const { calendar, event } = await finder.read(eventId);
      return localizeEvent(event, timezone, calendar.name);
    },
  });
  await rememberShown(run, results);
  const [first] = results;
  // A command that failed completely prints nothing.
  if (first !== undefined) await output.print(isSingleId(typed) ? first : results);
  reportFailures();
}
