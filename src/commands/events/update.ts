import type { Command } from "commander";
import { parseInstant } from "../../calendar/dates.js";
import { checkFlagTexts } from "../../calendar/event-draft.js";
import {
  changedSince,
  draftForUpdate,
  type EventChanges,
  hasChanges,
  parseClearField,
} from "../../calendar/event-update.js";
import { fillRelated, localizeEvent, relatedOf } from "../../calendar/event-view.js";
import { checkId } from "../../calendar/names.js";
import type { Context } from "../../context.js";
import type { CalendarEvent } from "../../contract/shapes.js";
import { CliError, usageError } from "../../errors.js";
import { eventView } from "../../output/views/event.js";
import { type CalendarContext, chooseCalendar } from "../calendar-choice.js";
import type { ContextOf } from "../command.js";
import {
  addEventFieldFlags,
  collect,
  createRelatedFinder,
  type EventFieldFlags,
  type EventFields,
  namedValues,
  type RelatedFinder,
  readEventFields,
} from "./event-flags.js";

/** Flags as typed. */
export interface EventsUpdateOptions extends EventFieldFlags {
  readonly id: string;
  readonly clear?: readonly string[];
  readonly addAttendee?: readonly string[];
  readonly removeAttendee?: readonly string[];
  /** The `updated_at` the caller saw. */
  readonly ifUnchanged?: string;
}

type UpdateContext = CalendarContext & Pick<Context, "output" | "input" | "note">;

export function registerEventsUpdate(command: Command, contextOf: ContextOf): void {
  addEventFieldFlags(command.argument("<id>", "id of the event"))
    .option("--no-all-day", "times instead of whole days")
    .option(
      "--clear <field>",
      "empty a field, repeatable: description, location, url, attendees; start and end of a keep",
      collect,
    )
    .option("--add-attendee <id|name|me>", "add an attendee, repeatable", collect)
    .option("--remove-attendee <id|name|me>", "remove an attendee, repeatable", collect)
    .option("--if-unchanged <timestamp>", "stop with exit 13 unless updated_at is still this")
    .action((id: string, options: Omit<EventsUpdateOptions, "id">) =>
      runEventsUpdate(contextOf(command), { ...options, id }),
    );
}

/** Reads an event, merges what is named and replaces it: what is not named stays as it was. */
export async function runEventsUpdate(context: UpdateContext, options: EventsUpdateOptions): Promise<void> {
  const output = context.output(eventView);
  const eventId = checkId(options.id, "ID");
  const { timezone } = context.settings();
  const { addAttendee, removeAttendee, clear, ifUnchanged, id: _, ...typed } = options;
  const seen = ifUnchanged === undefined ? null : parseInstant(ifUnchanged, "--if-unchanged");
  const fields = await readEventFields(context, typed);
  checkFlagTexts(fields.flags);
  const named = { ...fields.flags, input: fields.input ?? undefined, clear: clear?.map(parseClearField) };
  const related = [fields.label, fields.attendees, addAttendee, removeAttendee];
  if (!hasChanges(named) && related.every((relation) => relation === undefined)) {
    throw usageError("nothing to change: no flag names a field", "see `calctl events update --help`");
  }
  const { id: calendarId } = await chooseCalendar(context);
  const api = await context.api();
  const current = await api.getEvent({ calendarId, eventId });
  if (seen !== null && changedSince(current.updated_at, seen))
    throw changedError(eventId, current.updated_at);
  const finder = createRelatedFinder(context, calendarId);
  const relations = await findRelations(finder, current, { ...fields, addAttendee, removeAttendee });
  const draft = draftForUpdate(current, { ...named, ...relations }, { zone: timezone });
  const event = await api.updateEvent({ calendarId, eventId }, draft);
  const filled = fillRelated(fillRelated(event, relatedOf(current)), finder.known());
  await output.print(localizeEvent(filled, timezone), `event ${eventId} was updated`);
}

interface NamedRelations extends Pick<EventFields, "label" | "attendees"> {
  readonly addAttendee: readonly string[] | undefined;
  readonly removeAttendee: readonly string[] | undefined;
}

async function findRelations(
  finder: RelatedFinder,
  { attendees: present }: CalendarEvent,
  { label, attendees, addAttendee, removeAttendee }: NamedRelations,
): Promise<Pick<EventChanges, "labelId" | "attendeeIds" | "addAttendeeIds" | "removeAttendeeIds">> {
  return {
    labelId: label === undefined ? undefined : await finder.labelId(label),
    attendeeIds: await finder.attendeeIds(attendees),
    addAttendeeIds: await finder.attendeeIds(namedValues(addAttendee, "--add-attendee")),
    // An attendee need not be a member any more.
    removeAttendeeIds: await finder.attendeeIds(namedValues(removeAttendee, "--remove-attendee", present)),
  };
}

function changedError(eventId: string, updatedAt: string | null): CliError {
  return new CliError(
    "changed",
    `event ${eventId} has changed since: it was updated at ${updatedAt ?? "an unknown time"}`,
    {
      hint: "read it again with `calctl events get` before you decide",
      details: { updated_at: updatedAt },
    },
  );
}
