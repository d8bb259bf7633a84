import { formatWireDateTime } from "../contract/date-time.js";
import { compositeId } from "../contract/ids.js";
import type {
  ActivityResource,
  CalendarResource,
  EventResource,
  FeedResource,
  LabelResource,
  ListedActivityResource,
  UserResource,
} from "../contract/resources.js";
import type { CalendarOfUser } from "./store/calendars.js";
import type { ShownEvent } from "./store/events.js";
import type { ActivityRow, FeedRow, LabelRow, UserRow } from "./store/schema.js";

/** Converts rows of the store to resource objects. @see contract section 2 */

type UserFields = Pick<UserRow, "id" | "name" | "description" | "image_url">;

/** A user with the plain id: the current user. */
export function userResource({ id, name, description, image_url }: UserFields): UserResource {
  return { id, type: "user", attributes: { name, description, image_url } };
}

/** A user with the composite id: a member of a calendar. */
export function memberResource(calendarId: string, user: UserFields): UserResource {
  return { ...userResource(user), id: compositeId(calendarId, user.id) };
}

export function labelResource({ calendar_id, number, name, color }: LabelRow): LabelResource {
  return { id: compositeId(calendar_id, String(number)), type: "label", attributes: { name, color } };
}

/** @param row `position` is that in the user's list, from 0 */
export function calendarResource(
  row: CalendarOfUser,
  labels: readonly LabelResource[],
  members: readonly UserResource[],
): CalendarResource {
  const { id, name, description, color, position: order, image_url, created_at } = row;
  return {
    id,
    type: "calendar",
    attributes: { name, description, color, order, image_url, created_at: formatWireDateTime(created_at) },
    relationships: { labels: { data: labels.map(identifier) }, members: { data: members.map(identifier) } },
  };
}

/** @param attendeeIds plain ids in order */
export function eventResource(
  row: Omit<ShownEvent, "attendees">,
  attendeeIds: readonly string[],
): EventResource {
  const { id, calendar_id: calendarId, category, title, description, location, url } = row;
  const user = (userId: string) => ({ id: compositeId(calendarId, userId), type: "user" as const });
  const created_at = formatWireDateTime(row.created_at);
  return {
    id,
    type: "event",
    attributes: {
      category,
      title,
      all_day: row.all_day === 1,
      start_at: row.start_at === null ? null : formatWireDateTime(row.start_at),
      start_timezone: row.start_timezone,
      end_at: row.end_at === null ? null : formatWireDateTime(row.end_at),
      end_timezone: row.end_timezone,
      recurrences: row.recurrences === "" ? [] : row.recurrences.split("\n"),
      description,
      location,
      url,
      updated_at: row.updated_at === row.created_at ? created_at : formatWireDateTime(row.updated_at),
      created_at,
      ...(row.series_id !== null && { recurring_uuid: row.series_id }),
    },
    relationships: {
      creator: { data: user(row.creator_id) },
      label: { data: { id: compositeId(calendarId, String(row.label_number)), type: "label" } },
      attendees: { data: attendeeIds.map(user) },
    },
  };
}

/** The response to what concerns one event. @param rest further members of the document */
export function eventDocument(
  row: Omit<ShownEvent, "attendees">,
  attendeeIds: readonly string[],
  rest: object = {},
): object {
  return { data: eventResource(row, attendeeIds), ...rest };
}

export function activityResource({ id, content, created_at, updated_at }: ActivityRow): ActivityResource {
  return {
    id,
    type: "activity",
    attributes: {
      content,
      updated_at: formatWireDateTime(updated_at),
      created_at: formatWireDateTime(created_at),
    },
  };
}

/** A comment in a list. */
export function listedActivityResource(calendarId: string, row: ActivityRow): ListedActivityResource {
  const creator = { id: compositeId(calendarId, row.user_id), type: "user" as const };
  return { ...activityResource(row), relationships: { creator: { data: creator } } };
}

export function feedResource(row: FeedRow): FeedResource {
  const { id, name, timezone, created_at, last_used_at } = row;
  return {
    id,
    type: "feed",
    attributes: {
      name,
      busy_only: row.busy_only === 1,
      timezone,
      created_at: formatWireDateTime(created_at),
      last_used_at: last_used_at === null ? null : formatWireDateTime(last_used_at),
    },
    relationships: {
      calendars: { data: row.calendars.split(" ").map((calendar) => ({ id: calendar, type: "calendar" })) },
    },
  };
}

function identifier<T extends string>({ id, type }: { readonly id: string; readonly type: T }) {
  return { id, type };
}
