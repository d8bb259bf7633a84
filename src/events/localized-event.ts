import {
  DAY_MS,
  dateToInstant,
  formatWireDateTime,
  isWireDateTime,
  parseWireDateTime,
} from "../../contract/date-time.js";
import { plainId } from "../../contract/ids.js";
import type { Event, Label, User } from "../../contract/shapes.js";
import { daySpan, formatLocal } from "../time/zoned-time.js";
import { DEFAULT_LABEL_NAME } from "./names.js";

/** An event with its times in the chosen zone. */
export interface LocalizedEvent extends Event {
  /** Null when it is not known without another request. */
  readonly calendar_name: string | null;
  /** `2026-11-21T15:00:00+09:00`, for all-day events the first day; null when missing or unreadable. */
  readonly start_local: string | null;
  /** The same; for all-day events the last day. */
  readonly end_local: string | null;
}

/** Adds the times in `zone`. All-day events are the same in every zone. Keys are in the order of the output. */
export function localizeEvent(
  event: Event,
  zone: string,
  calendarName: string | null = null,
): LocalizedEvent {
  const { start_local, end_local } = localTimes(event, zone);
  return {
    id: event.id,
    calendar_id: event.calendar_id,
    calendar_name: calendarName,
    category: event.category,
    title: event.title,
    all_day: event.all_day,
    start_at: event.start_at,
    start_timezone: event.start_timezone,
    end_at: endOf(event),
    end_timezone: event.end_timezone,
    start_local,
    end_local,
    recurrences: event.recurrences,
    description: event.description,
    location: event.location,
    url: event.url,
    created_at: event.created_at,
    updated_at: event.updated_at,
    creator: event.creator,
    label: event.label,
    attendees: event.attendees,
    // What an earlier version has stored has none.
    series_id: event.series_id ?? null,
  };
}

/** The end. Some services end a one-day event where it starts; its end is then the midnight after that day. */
function endOf({ all_day, start_at, end_at }: Event): string | null {
  const day = all_day === true && end_at === start_at ? parseWireDateTime(start_at ?? "") : null;
  return day === null ? end_at : formatWireDateTime(dateToInstant(day.date) + DAY_MS);
}

/** The times in `zone`; the days of an all-day event. */
export function localTimes(
  event: Pick<Event, "all_day" | "start_at" | "end_at">,
  zone: string,
): Pick<LocalizedEvent, "start_local" | "end_local"> {
  if (event.all_day !== true) {
    return { start_local: localTime(event.start_at, zone), end_local: localTime(event.end_at, zone) };
  }
  const days = daySpan(event);
  return { start_local: days?.first ?? null, end_local: days?.last ?? null };
}

function localTime(text: string | null, zone: string): string | null {
  // The zone of servers, where lists of thousands are read.
  if (zone === "UTC" && text !== null && isWireDateTime(text)) return `${text.slice(0, 19)}+00:00`;
  const time = text === null ? null : parseWireDateTime(text);
  return time === null ? null : formatLocal(time.instant, zone);
}

/** Labels and users that were already read. */
export interface RelatedResources {
  readonly labels: readonly Label[];
  /** Members, and possibly the current user with its plain id. */
  readonly users: readonly User[];
}

/** Fills in label and users of an event, since the response to a write has only their ids. */
export function fillRelated(event: Event, { labels, users }: RelatedResources): Event {
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

/** The label and the users of an event. */
export function relatedOf({ label, creator, attendees }: Event): RelatedResources {
  return {
    labels: label === null ? [] : [label],
    users: creator === null ? attendees : [creator, ...attendees],
  };
}

/** Whether an event is a series or one of its occurrences. */
export function isRepeating({ recurrences, series_id }: Pick<Event, "recurrences" | "series_id">): boolean {
  return recurrences.length > 0 || series_id !== null;
}

/** A label inside another object as text: the name or, if that is empty, the number. */
export function labelText(label: Label | null): string {
  return label?.name || String(label?.number ?? "");
}

/** A label for people: the name, `default` for the default label without one, or the number. */
export function labelName(label: Label | null): string {
  return label?.name || (label?.number === 1 ? DEFAULT_LABEL_NAME : labelText(label));
}

/** A user inside another object as text: the name, or the id if the name is unknown. */
export function userText(user: User | null): string {
  return user?.name || user?.id || "";
}
