import type { Command } from "commander";
import type { CalendarEvent } from "../../../contract/shapes.js";
import { parseInstant } from "../../calendar/dates.js";
import {
  CLEARABLE,
  draftForUpdate,
  type EventChanges,
  hasChanges,
  movesEvent,
  parseClearField,
} from "../../calendar/event-update.js";
import { fillRelated, type LocalizedEvent, localizeEvent, relatedOf } from "../../calendar/event-view.js";
import { checkUnchanged, wasUpdated } from "../../calendar/if-unchanged.js";
import { describeLocal } from "../../calendar/zoned-time.js";
import type { ContextOf } from "../../cli/command.js";
import { describeCommand } from "../../cli/command.js";
import { collect } from "../../cli/global-flags.js";
import { usageError } from "../../errors.js";
import { eventView } from "../../output/views/event.js";
import { createEventFinder, type FoundEvent } from "../calendar-choice.js";
import { addPickAction } from "../missing-values.js";
import type { EditedUpdate } from "./edit.js";
import {
  addEventFieldFlags,
  chosenLabelId,
  createRelatedResolver,
  type EventFieldFlags,
  type EventFields,
  hasContentFlags,
  namedValues,
  type RelatedResolver,
  readEventFields,
} from "./event-flags.js";
import { chooseEventId, readEventId } from "./event-ids.js";
import { type EventContext, rememberShown } from "./event-reader.js";

/** Flags as typed. */
export interface EventsUpdateOptions extends EventFieldFlags {
  /** Undefined to pick an event. */
  readonly id?: string;
  readonly clear?: readonly string[];
  readonly addAttendee?: readonly string[];
  readonly removeAttendee?: readonly string[];
  /** The `updated_at` that the caller last read. */
  readonly ifUnchanged?: string;
  /** Opens the event in the editor. */
  readonly edit?: boolean;
}

export function registerEventsUpdate(command: Command, contextOf: ContextOf): void {
  addEventFieldFlags(command.argument("[id]", "id of the event; without it, pick an event"))
    .option("--no-all-day", "use times instead of whole days")
    .addOption(
      command
        .createOption("--clear <field>", "clear a field, repeatable; start and end only of a keep")
        .choices(CLEARABLE)
        .argParser(collect),
    )
    .option("--add-attendee <id|name|me>", "add an attendee, repeatable", collect)
    .option("--remove-attendee <id|name|me>", "remove an attendee, repeatable", collect)
    .option("--edit", "edit the event in $VISUAL or $EDITOR, instead of the flags above")
    .option("--if-unchanged <timestamp>", "stop with exit code 13 unless updated_at is still this");
  describeCommand(command, {
    prints: { view: eventView, count: "one" },
    examples: () => [
      [
        "Rename the first event of today",
        'id="$(calctl events list --fields id | head -n 1)"',
        'calctl events update "$id" --title "Release day, at last"',
      ],
      [
        "Move a new event by half an hour; it stays as long as it is",
        'id="$(calctl events create -c Work --title Lunch --start "tomorrow 12:00" --duration 1h --fields id)"',
        'calctl events update "$id" --start "tomorrow 12:30"',
      ],
    ],
  });
  addPickAction(command, contextOf, runEventsUpdate);
}

/** Reads an event, merges the changes and replaces it, since the service cannot update single fields. */
export async function runEventsUpdate(context: EventContext, options: EventsUpdateOptions): Promise<void> {
  if (options.edit === true) return runEventsEdit(context, options);
  const output = context.output.of(eventView);
  const typedId = options.id === undefined ? undefined : readEventId(context, options.id);
  const { timezone } = context.config.settings();
  const { addAttendee, removeAttendee, clear, ifUnchanged, id: _, ...typed } = options;
  const seen = ifUnchanged === undefined ? null : parseInstant(ifUnchanged, "--if-unchanged");
  const fields = await readEventFields(context, typed);
  const changes = { ...fields.flags, input: fields.input ?? undefined, clear: clear?.map(parseClearField) };
  const related = [fields.label, fields.attendees, addAttendee, removeAttendee];
  if (!hasChanges(changes) && related.every((relation) => relation === undefined)) {
    if (context.terminal.prompt.available) return runUpdateForm(context, options);
    throw usageError("nothing to change", "give at least one field; see calctl events update --help");
  }
  const eventId = await chooseEventId(context, typedId);
  const found = await (await createEventFinder(context)).read(eventId);
  const { event: current } = found;
  if (seen !== null) checkUnchanged(current, seen, "--if-unchanged");
  const resolver = createRelatedResolver(context, found.calendar.id);
  const labelId = await chosenLabelId(context, { ...fields, resolver }, "the event keeps its own");
  const relations = await resolveRelations(resolver, current, { ...fields, addAttendee, removeAttendee });
  const draft = draftForUpdate(current, { ...changes, ...relations, labelId }, timezone);
  const updated = await writeUpdate(context, { ...found, draft, seen, resolver });
  if (movesEvent(changes) && updated.end_local !== null) {
    context.output.note(`end: ${describeLocal(updated.end_local, timezone)}`);
  }
  await output.print(updated, `event ${eventId} was updated`);
}

/** Asks for the event again, and changes what the answers change. */
async function runUpdateForm(context: EventContext, options: EventsUpdateOptions): Promise<void> {
  const id = await chooseEventId(context, options.id);
  const found = await (await createEventFinder(context)).read(id);
  const { ifUnchanged } = options;
  if (ifUnchanged !== undefined)
    checkUnchanged(found.event, parseInstant(ifUnchanged, "--if-unchanged"), "--if-unchanged");
  const { askChanges } = await import("./event-form.js");
  const changes = await askChanges(context, found.event, options);
  if (Object.keys(changes).length === 0) return printUnchanged(context, found);
  return runEventsUpdate(context, { ...options, ...changes, id });
}

async function printUnchanged(context: EventContext, { calendar, event }: FoundEvent): Promise<void> {
  context.output.note("nothing was changed");
  // --dry-run prints requests, and there is none.
  if (context.flags.dryRun) return;
  await context.output
    .of(eventView)
    .print(localizeEvent(event, context.config.settings().timezone, calendar.name));
}

/** @param update `seen` is null to replace whatever is there */
async function writeUpdate(
  context: EventContext,
  update: Omit<EditedUpdate, "seen"> & { readonly seen: number | null },
): Promise<LocalizedEvent> {
  const { calendar, event: current, draft, seen, resolver } = update;
  const address = { calendarId: calendar.id, eventId: current.id };
  const isApplied = seen === null ? undefined : (found: CalendarEvent) => wasUpdated(found, { seen, draft });
  const event = await (await context.api()).updateEvent(address, draft, isApplied);
  const filled = fillRelated(fillRelated(event, relatedOf(current)), resolver.resources());
  const updated = localizeEvent(filled, context.config.settings().timezone, calendar.name);
  await rememberShown(context, [updated]);
  return updated;
}

/** Everything is changed in the editor. @throws CliError usage for flags that change something, too */
async function runEventsEdit(context: EventContext, options: EventsUpdateOptions): Promise<void> {
  const { clear, addAttendee, removeAttendee, ifUnchanged, strictDates = false } = options;
  const others = [clear, addAttendee, removeAttendee, ifUnchanged];
  if (hasContentFlags(options) || others.some((flag) => flag !== undefined))
    throw usageError("--edit: what changes is written in the editor", "give no other flags about the event");
  const output = context.output.of(eventView);
  context.terminal.editor.requireCommand("--edit");
  const id = await chooseEventId(context, options.id);
  const { editEvent } = await import("./edit.js");
  const unchanged = await editEvent(context, { id, strictDates }, async (update) => {
    await output.print(await writeUpdate(context, update), `event ${id} was updated`);
  });
  if (unchanged !== null) await printUnchanged(context, unchanged);
}

interface NamedRelations extends Pick<EventFields, "attendees"> {
  readonly addAttendee: readonly string[] | undefined;
  readonly removeAttendee: readonly string[] | undefined;
}

async function resolveRelations(
  resolver: RelatedResolver,
  { attendees: present }: CalendarEvent,
  { attendees, addAttendee, removeAttendee }: NamedRelations,
): Promise<Pick<EventChanges, "attendeeIds" | "addAttendeeIds" | "removeAttendeeIds">> {
  return {
    attendeeIds: await resolver.attendeeIds(attendees),
    addAttendeeIds: await resolver.attendeeIds(namedValues(addAttendee, "--add-attendee")),
    // An attendee may no longer be a member.
    removeAttendeeIds: await resolver.attendeeIds(namedValues(removeAttendee, "--remove-attendee", present)),
  };
}
