import { plainId } from "../contract/ids.js";
import type { CalendarEvent, Label, User } from "../contract/shapes.js";

/** Labels and users that were read on the way. */
export interface KnownRelated {
  readonly labels: readonly Label[];
  /** Members, or the current user with its plain id. */
  readonly users: readonly User[];
}

/** Fills in what is known of an event's label and users, since the answer to a write has their ids alone. */
export function fillRelated(event: CalendarEvent, { labels, users }: KnownRelated): CalendarEvent {
  const fillUser = (user: User): User => {
    if (user.name !== null || user.type !== "user") return user;
    const known = users.find(({ id }) => plainId(id) === plainId(user.id));
    return known === undefined ? user : { ...known, id: user.id };
  };
  const label = event.label?.name === null ? labels.find(({ id }) => id === event.label?.id) : undefined;
  return {
    ...event,
    creator: event.creator === null ? null : fillUser(event.creator),
    label: label ?? event.label,
    attendees: event.attendees.map(fillUser),
  };
}

/** What an event that was read with its related objects makes known. */
export function relatedOf({ label, creator, attendees }: CalendarEvent): KnownRelated {
  return {
    labels: label === null ? [] : [label],
    users: creator === null ? attendees : [creator, ...attendees],
  };
}
