import { resolveName } from "../../calendar/names.js";
import { usageError } from "../../errors.js";
import type { AdminOptions, CalendarAdmin, LabelAdmin, MemberAdmin } from "../admin.js";
import { createCalendarId } from "../secrets.js";
import {
  addMember,
  CALENDAR_COLOR,
  insertCalendar,
  LABEL_PALETTE,
  listLabels,
  listMembers,
  removeMember,
} from "../store/calendars.js";
import { creationTime } from "../store/events.js";
import type { CalendarRow } from "../store/schema.js";
import type { Queries } from "../store/sqlite/open.js";
import { checkColor, checkLine, checkName, requireCalendar, requireUser } from "./naming.js";
import { type CalendarHoldings, calendarShape, labelShape, memberShape } from "./shapes.js";

export function createCalendarAdmin({ store, now }: AdminOptions): CalendarAdmin {
  return {
    async add({ name, owner, color = CALENDAR_COLOR }) {
      checkName(name);
      checkColor(color);
      return store.write(async (db) => {
        const { id: ownerId } = await requireUser(db, owner, "--owner");
        const calendar = await addCalendar(db, { name, ownerId, color, now: now() });
        return calendarShape(calendar, await listHoldings(db, [calendar]));
      });
    },
    list: () =>
      store.read(async (db) => {
        const rows = await db
          .selectFrom("calendars")
          .selectAll()
          .orderBy("created_at")
          .orderBy("id")
          .execute();
        const holdings = await listHoldings(db, rows);
        return rows.map((row) => calendarShape(row, holdings));
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

/** Adds a calendar, last in the list, with its labels and its first member. */
export async function addCalendar(db: Queries, options: NewCalendar): Promise<CalendarRow> {
  const { name, ownerId, color = CALENDAR_COLOR, now } = options;
  const created_at = await creationTime(db, "calendars", now);
  const row = { id: createCalendarId(), name, description: "", color, image_url: "", created_at };
  await insertCalendar(db, row);
  await addMember(db, { calendarId: row.id, userId: ownerId });
  return row;
}

async function listHoldings(db: Queries, calendars: readonly CalendarRow[]): Promise<CalendarHoldings> {
  const ids = calendars.map(({ id }) => id);
  return { labels: await listLabels(db, ids), members: await listMembers(db, ids) };
}

export function createLabelAdmin({ store }: AdminOptions): LabelAdmin {
  return {
    async set(calendar, number, { name, color }) {
      checkNumber(number);
      if (name === undefined && color === undefined) {
        throw usageError("there is nothing to set", "give --name or --label-color");
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

function checkNumber(number: number): void {
  if (!Number.isInteger(number) || number < 1 || number > LABEL_PALETTE.length) {
    throw usageError(`there is no label ${number}`, `labels are numbered from 1 to ${LABEL_PALETTE.length}`);
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
