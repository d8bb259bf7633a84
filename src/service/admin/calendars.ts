import { resolveName } from "../../calendar/names.js";
import { formatWireDateTime } from "../../contract/date-time.js";
import { compositeId } from "../../contract/ids.js";
import type { Calendar, Label, User } from "../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { createCalendarId } from "../secrets.js";
import {
  addMember,
  CALENDAR_COLOR,
  insertCalendar,
  LABEL_PALETTE,
  listAllCalendars,
  listLabels,
  listMembers,
  type Member,
  removeMember,
} from "../store/calendars.js";
import type { CalendarRow, LabelRow } from "../store/schema.js";
import { creationTime, type Queries } from "../store/store.js";
import type { AdminOptions, CalendarAdmin, LabelAdmin, MemberAdmin } from "./admin.js";
import { checkColor, checkLine, checkName, requireCalendar, requireUser } from "./input.js";

export function createCalendarAdmin({ store, now }: AdminOptions): CalendarAdmin {
  return {
    async add({ name, owner, color = CALENDAR_COLOR }) {
      checkName(name);
      checkColor(color);
      return store.write(async (db) => {
        const { id: ownerId } = await requireUser(db, owner, "--owner");
        const calendar = await addCalendar(db, { name, ownerId, color, now: now() });
        return calendarShape(calendar, await listRelated(db, [calendar]));
      });
    },
    list: () =>
      store.read(async (db) => {
        const rows = await listAllCalendars(db);
        const related = await listRelated(db, rows);
        return rows.map((row) => calendarShape(row, related));
      }),
  };
}

export interface NewCalendar {
  readonly name: string;
  readonly ownerId: string;
  readonly color?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Adds a calendar with its labels and its first member. */
export async function addCalendar(db: Queries, options: NewCalendar): Promise<CalendarRow> {
  const { name, ownerId, color = CALENDAR_COLOR, now } = options;
  const created_at = await creationTime(db, "calendars", now);
  const row = { id: createCalendarId(), name, description: "", color, image_url: "", created_at };
  await insertCalendar(db, row);
  await addMember(db, { calendarId: row.id, userId: ownerId });
  return row;
}

async function listRelated(db: Queries, calendars: readonly CalendarRow[]): Promise<RelatedRows> {
  const ids = calendars.map(({ id }) => id);
  return { labels: await listLabels(db, ids), members: await listMembers(db, ids) };
}

export function createLabelAdmin({ store }: AdminOptions): LabelAdmin {
  return {
    async set(calendar, number, { name, color }) {
      checkLabelNumber(number);
      if (name === undefined && color === undefined) {
        throw usageError("nothing to change", "give --name, --label-color or both");
      }
      if (name !== undefined) checkLine(name, "name");
      if (color !== undefined) checkColor(color);
      return store.write(async (db) => {
        const { id } = await requireCalendar(db, calendar);
        const label = await db
          .updateTable("labels")
          .set({ ...(name !== undefined && { name }), ...(color !== undefined && { color }) })
          .where("calendar_id", "=", id)
          .where("number", "=", number)
          .returningAll()
          .executeTakeFirstOrThrow();
        return labelShape(label);
      });
    },
  };
}

function checkLabelNumber(number: number): void {
  if (!Number.isInteger(number) || number < 1 || number > LABEL_PALETTE.length) {
    throw usageError(`"${number}" is not a label number`, `write a number from 1 to ${LABEL_PALETTE.length}`);
  }
}

export function createMemberAdmin({ store }: AdminOptions): MemberAdmin {
  return {
    add: (user, calendar) =>
      store.write(async (db) => {
        const { id: calendarId } = await requireCalendar(db, calendar);
        const added = await requireUser(db, user);
        await addMember(db, { calendarId, userId: added.id });
        return memberShape({ ...added, calendar_id: calendarId });
      }),
    remove: (user, calendar) =>
      store.write(async (db) => {
        const { id: calendarId } = await requireCalendar(db, calendar);
        const members = await listMembers(db, [calendarId]);
        const removed = resolveName(user, members, { noun: "member", source: "user" });
        await removeMember(db, { calendarId, userId: removed.id });
        return memberShape(removed);
      }),
    list: (calendar) =>
      store.read(async (db) => {
        const { id } = await requireCalendar(db, calendar);
        return (await listMembers(db, [id])).map(memberShape);
      }),
  };
}

function memberShape({ calendar_id, id, name, description, image_url }: Member): User {
  return { id: compositeId(calendar_id, id), type: "user", name, description, image_url };
}

function labelShape({ calendar_id, number, name, color }: LabelRow): Label {
  return { id: compositeId(calendar_id, String(number)), number, name, color };
}

interface RelatedRows {
  readonly labels: readonly LabelRow[];
  readonly members: readonly Member[];
}

/** A calendar without an order: that differs from user to user. */
function calendarShape(row: CalendarRow, { labels, members }: RelatedRows): Calendar {
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
