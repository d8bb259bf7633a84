import type { Command } from "commander";
import type { Scope } from "../../../contract/extensions.js";
import type { RunOf } from "../../cli/command.js";
import { describeCommand } from "../../cli/command.js";
import { collect } from "../../cli/global-flags.js";
import { addPickAction } from "../../cli/missing-values.js";
import { usageError } from "../../errors.js";
import { checkUnchanged } from "../../events/content.js";
import { changes as changesOf } from "../../events/draft.js";
import { createEventFinder, type FoundEvent } from "../../events/find/calendar-choice.js";
import {
  addScopeFlag,
  chooseEventId,
  createScopeChooser,
  isSingleId,
  STDIN_IDS,
} from "../../events/find/event-ids.js";
import { rememberShown } from "../../events/find/event-reader.js";
import {
  addEventFieldFlags,
  addInputFlag,
  addRepeatFlags,
  CLEARABLE,
  checkRepeatFlags,
  type EventFlags,
  FLAG_GROUPS,
  hasContentFlags,
  namesRepeat,
  readEventFields,
} from "../../events/input/event-flags.js";
import { localizeEvent } from "../../events/localized-event.js";
import { isEmptyPatch, said } from "../../events/patch.js";
import { createResolvers } from "../../events/related.js";
import { eventView } from "../../events/views/event.js";
import { noteMove, updateEvent, withIds, writeEvents } from "../../events/write-events.js";
import type { Run } from "../../run/run.js";
import { parseInstant } from "../../time/dates.js";

/** Flags as typed. */
interface EventsUpdateOptions extends EventFlags {
  /** Empty to pick an event. */
  readonly id: readonly string[];
  /** The `updated_at` that the caller last read. */
  readonly ifUnchanged?: string;
  /** Opens the event in the editor. */
  readonly edit?: boolean;
  readonly scope?: Scope;
}

const UPDATED_IDS = "event ids, or - to read them from stdin, one per line (default: prompt)";

export function registerEventsUpdate(command: Command, runOf: RunOf): void {
  addEventFieldFlags(command.argument("[id...]", UPDATED_IDS))
    .option("--add-attendee <id|name|me>", "add an attendee, repeatable", collect)
    .option("--remove-attendee <id|name|me>", "remove an attendee, repeatable", collect)
    .optionsGroup(FLAG_GROUPS.what)
    .option("--by <+duration>", "move by +1w, +90m or -2d, in local time of the event's zone")
    .option("--no-all-day", "make it an event with times")
    .addOption(
      command
        .createOption("--clear <field>", "clear a field, repeatable; start and end only of a keep")
        .choices(CLEARABLE)
        .argParser(collect),
    );
  addScopeFlag(addRepeatFlags(command));
  addInputFlag(command, "read one event as JSON, as printed by -o json; flags override its values")
    .option("--edit", "edit the event in $VISUAL or $EDITOR, instead of giving flags")
    .option("--if-unchanged <timestamp>", "exit with 13 if updated_at is no longer this");
  describeCommand(command, {
    prints: { view: eventView, count: "one or list" },
    examples: () => [
      [
        "Rename today's first event",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events update "$id" --title "Release day, at last"',
      ],
      [
        "Move a new event by half an hour, with its end",
        'id="$(calctl events create -c Work --title Lunch --start "tomorrow 12:00" --duration 1h --fields id)"',
        'calctl events update "$id" --start "tomorrow 12:30"',
      ],
      [
        "Move today's events to the same time next week",
        "calctl events list --fields id | calctl events update - --by +1w --scope this",
      ],
    ],
  });
  addPickAction(command, runOf, runEventsUpdate);
}

/** Reads events, merges the changes and replaces them, since the service cannot update single fields. */
async function runEventsUpdate(run: Run, options: EventsUpdateOptions): Promise<void> {
  if (options.edit === true) return runEventsEdit(run, options);
  run.output.of(eventView);
  const { ifUnchanged, scope, id: given, ...typed } = options;
  const isSingle = isSingleId(given);
  checkOptions(options);
  const { timezone } = run.config.settings();
  const expectedUpdatedAt = ifUnchanged === undefined ? null : parseInstant(ifUnchanged, "--if-unchanged");
  const ends = [typed.end, typed.duration, typed.allDay, typed.input];
  const addsTime = ends.every((flag) => flag === undefined);
  checkRepeatFlags(typed, { hasRule: true });
  const rules = namesRepeat(typed) ? await import("../../events/repeat/repeat.js") : null;
  const patches = await readEventFields(run, { ...typed, addsTime });
  if (said(patches, "recurrences") !== undefined)
    run.output.note("--input: recurrences are ignored: --repeat changes the rule");
  if (patches.every(isEmptyPatch) && rules === null) {
    if (run.terminal.prompt.available && isSingle) return runUpdateForm(run, options);
    throw usageError("nothing to change", "set at least one field; see calctl events update --help");
  }
  const resolverOf = createResolvers(run);
  const ids = given.length === 0 ? [await chooseEventId(run, undefined)] : given;
  const chooseScope = createScopeChooser(run, scope, given);
  await writeEvents(run, ids, {
    verb: "updated",
    async prepare({ calendar, event }) {
      const chosen = await chooseScope(event);
      if (expectedUpdatedAt !== null) checkUnchanged(event, expectedUpdatedAt, "--if-unchanged");
      const resolver = resolverOf(calendar.id);
      const found = await withIds(run, patches, { event, resolver });
      const draft = changesOf(event, found, timezone);
      const recurrences = await rules?.planRule(run, typed, { event, draft, scope: chosen });
      return async (read) => {
        const current = await read();
        const draft = { ...changesOf(current, found, timezone), recurrences };
        const update = { calendar, event: current, draft, expectedUpdatedAt, resolver, scope: chosen };
        const updated = await updateEvent(run, update);
        noteMove(run, updated, { patches, isSingle });
        return updated;
      };
    },
  });
}

/** @throws CliError usage for options that exclude each other */
function checkOptions({ id, input, descriptionFile, ifUnchanged }: EventsUpdateOptions): void {
  if (id.includes(STDIN_IDS) && [input, descriptionFile].includes("-"))
    throw usageError("ids and another flag both read stdin", "use only one -");
  if (ifUnchanged !== undefined && !isSingleId(id))
    throw usageError("--if-unchanged takes one event", "update events one by one");
}

/** Asks for the event again, and changes what the answers change. */
async function runUpdateForm(run: Run, options: EventsUpdateOptions): Promise<void> {
  const id = await chooseEventId(run, options.id[0]);
  const found = await (await createEventFinder(run)).read(id);
  const { ifUnchanged } = options;
  if (ifUnchanged !== undefined)
    checkUnchanged(found.event, parseInstant(ifUnchanged, "--if-unchanged"), "--if-unchanged");
  const { askChanges } = await import("../../events/input/event-form.js");
  const changes = await askChanges(run, found.event, options);
  if (Object.keys(changes).length === 0) return printUnchanged(run, found);
  return runEventsUpdate(run, { ...options, ...changes, id: [id] });
}

async function printUnchanged(run: Run, { calendar, event }: FoundEvent): Promise<void> {
  run.output.note("nothing was changed");
  await run.output.of(eventView).print(localizeEvent(event, run.config.settings().timezone, calendar.name));
}

/** Everything is changed in the editor. @throws CliError usage for flags that change something, too */
async function runEventsEdit(run: Run, options: EventsUpdateOptions): Promise<void> {
  const { ifUnchanged, strictDates = false } = options;
  if (hasContentFlags(options) || ifUnchanged !== undefined)
    throw usageError("--edit cannot be combined with field flags", "change these fields in the editor");
  if (!isSingleId(options.id)) throw usageError("--edit takes one event", "use one id");
  const output = run.output.of(eventView);
  (await run.terminal.openEditor()).requireCommand("--edit");
  const id = await chooseEventId(run, options.id[0]);
  const { editEvent } = await import("./edit.js");
  const chooseScope = createScopeChooser(run, options.scope, options.id);
  const unchanged = await editEvent(run, { id, strictDates, chooseScope }, async (update) => {
    const updated = await updateEvent(run, update);
    await rememberShown(run, [updated]);
    await output.print(updated, `event ${id} was updated`);
  });
  if (unchanged !== null) await printUnchanged(run, unchanged);
}
