import { compositeId, plainId } from "../../../contract/ids.js";
import type { CalendarEvent, EventDraft, User } from "../../../contract/shapes.js";
import { draftForUpdate, type EventChanges } from "../../calendar/event-update.js";
import type { Context } from "../../context.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { DEFAULT_LABEL, type RelatedResolver } from "./event-flags.js";

interface PlacedCopy {
  readonly calendar: ChosenCalendar;
  /** Of that calendar. */
  readonly resolver: RelatedResolver;
  readonly times: Pick<EventChanges, "start" | "by">;
}

/**
 * An event as a new one of a calendar: with the label of the same name, otherwise the default one, and the attendees who are
 * members there. What it loses is said on stderr.
 * @throws CliError usage for times that do not fit the event
 */
export async function placeCopy(
  { config, output }: Pick<Context, "config" | "output">,
  event: CalendarEvent,
  { calendar, resolver, times }: PlacedCopy,
): Promise<EventDraft> {
  const { label, recurrences, title } = event;
  const place = calendar.name || calendar.id;
  const isElsewhere = calendar.id !== event.calendar_id;
  const labelId = label !== null && isElsewhere ? await resolver.printedLabelId(label) : label?.id;
  if (labelId === null)
    output.note(`${title}: ${place} has no label "${label?.name || label?.number}": it gets the default one`);
  const members = event.attendees.length === 0 ? [] : await resolver.members();
  const isMember = (user: User) => members.some(({ id }) => plainId(id) === plainId(user.id));
  const attendees = event.attendees
    .filter(isMember)
    .map((user) => ({ ...user, id: compositeId(calendar.id, plainId(user.id)) }));
  const copied = { ...event, calendar_id: calendar.id, attendees };
  const changes = { ...times, labelId: labelId ?? DEFAULT_LABEL };
  const draft = draftForUpdate(copied, changes, config.settings().timezone);
  const leftOut = event.attendees.filter((user) => !isMember(user)).map(({ name, id }) => name || id);
  if (leftOut.length > 0) output.note(`${title}: left out, as no members of ${place}: ${leftOut.join(", ")}`);
  if (recurrences.length > 0) output.note(`${title}: a new event does not repeat`);
  return draft;
}
