import { formatWireDateTime } from "../../contract/date-time.js";
import { compositeId } from "../../contract/ids.js";
import type { Calendar, Label, User } from "../../contract/shapes.js";
import type { ServiceUser } from "../admin.js";
import type { Member } from "../store/calendars.js";
import type { CalendarRow, LabelRow, UserRow } from "../store/schema.js";

/** Rows of the store as the flat shapes that commands print. */

export function serviceUser({ id, name, login }: Pick<UserRow, "id" | "name" | "login">): ServiceUser {
  return { id, name, login };
}

export function memberShape({ calendar_id, id, name, description, image_url }: Member): User {
  return { id: compositeId(calendar_id, id), type: "user", name, description, image_url };
}

export function labelShape({ calendar_id, number, name, color }: LabelRow): Label {
  return { id: compositeId(calendar_id, String(number)), number, name, color };
}

export interface CalendarHoldings {
  readonly labels: readonly LabelRow[];
  readonly members: readonly Member[];
}

/** A calendar as nobody's in particular: its place differs from user to user, so it has no order. */
export function calendarShape(row: CalendarRow, { labels, members }: CalendarHoldings): Calendar {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    color: row.color,
    order: null,
    image_url: row.image_url,
    created_at: formatWireDateTime(row.created_at),
    labels: labels.filter(({ calendar_id }) => calendar_id === row.id).map(labelShape),
    members: members.filter(({ calendar_id }) => calendar_id === row.id).map(memberShape),
  };
}
