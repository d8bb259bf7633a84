import type { Command } from "commander";
import type { Scope } from "../../../contract/extensions.js";
import { describeCommand, pathOf, type RunOf, requireConfirmation } from "../../cli/command.js";
import { failUnread, processEach } from "../../cli/items.js";
import { addPickAction } from "../../cli/missing-values.js";
import { CliError, hasCode } from "../../errors.js";
import { createEventFinder, type EventFinder, type FoundEvent } from "../../events/find/calendar-choice.js";
import {
  addScopeFlag,
  type ChooseScope,
  chooseEventId,
  createScopeChooser,
  describeFound,
  readEventIds,
  STDIN_IDS,
} from "../../events/find/event-ids.js";
import { SCOPE_CHOICES } from "../../events/repeat/series.js";
import { deletedView } from "../../events/views/event.js";
import { write } from "../../events/write.js";
import type { Run } from "../../run/run.js";

interface EventsDeleteOptions {
  readonly id: readonly string[];
  /** Skips the confirmation. */
  readonly yes?: boolean;
  readonly scope?: Scope;
}

export function registerEventsDelete(command: Command, runOf: RunOf): void {
  command
    .argument(
      "[id...]",
      "event ids, or - to read them from stdin, one per line, with --yes (default: prompt)",
    )
    .option("-y, --yes", "skip the confirmation");
  addScopeFlag(command);
  describeCommand(command, {
    prints: { view: deletedView, count: "one" },
    examples: () => [
      [
        "Delete today's first event without confirmation",
        'id="$(calctl events list --fields id | head -n 1)"',
        `${pathOf(command)} "$id" --yes`,
      ],
      [
        "Delete the next seven days' events with a label",
        `calctl events list --days 7 --label 2 --fields id | ${pathOf(command)} - --yes --scope this`,
      ],
    ],
  });
  addPickAction(command, runOf, runEventsDelete);
}

/** Deletes events, after a confirmation. */
async function runEventsDelete(
  run: Run,
  { id: given, yes = false, scope }: EventsDeleteOptions,
): Promise<void> {
  const output = run.output.of(deletedView);
  const typed = given.length > 0 ? given : [await chooseEventId(run, undefined)];
  const fromStdin = typed.includes(STDIN_IDS);
  const canAsk = run.terminal.prompt.available && !fromStdin;
  // Before someone types ids. A pipe may have none: then there is nothing to confirm.
  if (fromStdin && run.terminal.input.isTerminal) requireConfirmation(yes, canAsk);
  const ids = [...new Set(await readEventIds(run, typed))];
  if (ids.length === 0) return output.print({ deleted: [] });
  requireConfirmation(yes, canAsk);
  const finder = await createEventFinder(run);
  const found = new Map<string, FoundEvent | CliError>();
  const texts = {
    noun: "event",
    verb: "deleted",
    name: (id: string) => id,
    warn: run.output.warn,
  };
  for (const id of ids) {
    const read = readFound(finder, id);
    found.set(id, await read.catch((error) => failUnread(error, { item: id, items: ids, ...texts })));
  }
  const scopes = await chooseScopes(found, createScopeChooser(run, scope, typed));
  if (!yes) await confirm(run, found, scopes);
  const { results, reportFailures } = await processEach(ids, {
    ...texts,
    // One at a time, so that an interruption leaves at most one in doubt.
    concurrency: 1,
    work: async (eventId) => {
      const each = found.get(eventId);
      if (hasCode(each, "not_found")) throw each;
      const { id: calendarId } = await finder.findCalendar(eventId);
      const event = each instanceof CliError ? null : (each?.event ?? null);
      await write(run, { kind: "delete", calendarId, eventId, event, scope: scopes.get(eventId) });
      return eventId;
    },
  });
  if (results.length > 0)
    await output.print({ deleted: results }, `these events were deleted: ${results.join(", ")}`);
  reportFailures();
}

/** Of the events that could be read, by id. */
async function chooseScopes(
  found: ReadonlyMap<string, FoundEvent | CliError>,
  choose: ChooseScope,
): Promise<ReadonlyMap<string, Scope | undefined>> {
  const scopes = new Map<string, Scope | undefined>();
  for (const [id, each] of found) if (!(each instanceof CliError)) scopes.set(id, await choose(each.event));
  return scopes;
}

/** An event that may not be read can perhaps be deleted all the same. */
async function readFound(finder: EventFinder, id: string): Promise<FoundEvent | CliError> {
  try {
    return await finder.read(id);
  } catch (error) {
    if (hasCode(error, "not_found", "forbidden", "rejected")) return error;
    throw error;
  }
}

const QUESTIONS: Readonly<Record<Scope, string>> = {
  this: "Delete this event?",
  following: "Delete this event and all that follow?",
  all: "Delete all events of this series?",
};

/** What more than the events that are named is deleted, as a question about several says it. */
const MORE: Readonly<Record<Scope, string>> = {
  this: "",
  following: ", and all that follow in their series",
  all: ", and all others of their series",
};

/** Shows titles, times and calendars, since an id says nothing to a person, and asks about the events that exist. */
async function confirm(
  run: Run,
  found: ReadonlyMap<string, FoundEvent | CliError>,
  scopes: ReadonlyMap<string, Scope | undefined>,
): Promise<void> {
  let count = 0;
  for (const [id, each] of found) {
    if (each instanceof CliError) {
      if (each.code !== "not_found") throw each;
      if (found.size > 1) run.output.warn(`  ${id}  not found`);
      continue;
    }
    count += 1;
    run.output.warn(describeFound(each, run.config.settings().timezone));
  }
  if (count === 0) return;
  const said = new Set(scopes.values());
  const scope = SCOPE_CHOICES.findLast((each) => said.has(each)) ?? "this";
  const question = count === 1 ? QUESTIONS[scope] : `Delete these ${count} events${MORE[scope]}?`;
  if (await run.terminal.prompt.confirm(question)) return;
  throw new CliError("interrupted", "nothing was deleted");
}
