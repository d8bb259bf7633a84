import { compositeId, plainId } from "../../contract/ids.js";
import type { CalendarEvent, EventDraft, User } from "../../contract/shapes.js";
import { draftForUpdate, type EventChanges } from "./event-update.js";

export interface CopyOptions {
  readonly calendarId: string;
  readonly labelId: string;
  /** Of that calendar; those of nobody else attend the copy. */
  readonly members: readonly User[];
  readonly times: Pick<EventChanges, "start" | "by">;
  /** The chosen zone. */
  readonly zone: string;
}

/**
 * An event as a new one of a calendar, and who cannot attend it there.
 * @throws CliError usage for times that do not fit the event
 */
export function draftForCopy(
  event: CalendarEvent,
  { calendarId, labelId, members, times, zone }: CopyOptions,
): { readonly draft: EventDraft; readonly leftOut: readonly User[] } {
  const isMember = (user: User) => members.some(({ id }) => plainId(id) === plainId(user.id));
  const attendees = event.attendees
    .filter(isMember)
    .map((user) => ({ ...user, id: compositeId(calendarId, plainId(user.id)) }));
  const copied = { ...event, calendar_id: calendarId, attendees };
  return {
    draft: draftForUpdate(copied, { ...times, labelId }, zone),
    leftOut: event.attendees.filter((user) => !isMember(user)),
  };
}
