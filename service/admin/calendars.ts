import { formatWireDateTime } from "../../contract/date-time.js";
import { compositeId } from "../../contract/ids.js";
import { MAX_DESCRIPTION } from "../../contract/limits.js";
import type { Calendar, Label, User } from "../../contract/shapes.js";
import { usageError } from "../../src/errors.js";
import { createCalendarId } from "../secrets.js";
import {
  addMember,
  deleteCalendar,
  groupByCalendar,
  insertCalendar,
  LABEL_PALETTE,
  listAllCalendars,
  listLabels,
  listMembers,
  type Member,
  nextCalendarColor,
  removeMember,
} from "../store/calendars.js";
import { advanceDetails } from "../store/revisions.js";
import type { CalendarRow, LabelRow } from "../store/schema.js";
import { creationTime, type Transaction } from "../store/store.js";
import {
  type AdminOptions,
  checkColor,
  checkName,
  checkSingleLine,
  checkText,
  onlyUser,
  resolveAmong,
  resolveCalendar,
  resolveUser,
} from "./input.js";

/** A calendar and how many events it has, a series being one. */
export interface CalendarContent {
  readonly calendar: Calendar;
  readonly events: number;
}

/** What `set` changes; undefined stays. */
export interface CalendarChanges {
  readonly name?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | undefined;
}

interface NewServiceCalendar {
  readonly name: string;
  /** The only user by default. */
  readonly owner?: string | undefined;
  /** The next one of the palette by default. */
  readonly color?: string | undefined;
}

export function createCalendarAdmin({ store, now }: AdminOptions) {
  return {
    /** Adds a calendar with its ten labels; the owner is its first member. */
    async add({ name, owner, color }: NewServiceCalendar): Promise<Calendar> {
      checkName(name);
      if (color !== undefined) checkColor(color);
      return store.write(async (db) => {
        const { id: ownerId } =
          owner === undefined ? await onlyUser(db, "--owner") : await resolveUser(db, owner, "--owner");
        return shapeOf(db, await addCalendar(db, { name, ownerId, color, now: now() }));
      });
    },
    list: () =>
      store.read(async (db) => {
        const rows = await listAllCalendars(db);
        return rows.map(await shaperOf(db, rows));
      }),
    inspect: (calendar: string) =>
      store.read(async (db) => contentOf(db, await resolveCalendar(db, calendar, "CALENDAR"))),
    async set(calendar: string, changes: CalendarChanges) {
      checkChanges(changes);
      return store.write(async (db) => {
        const row = await resolveCalendar(db, calendar, "CALENDAR");
        const { name = row.name, color = row.color, description = row.description } = changes;
        const changed = { name, color, description };
        await advanceDetails(db, row.id);
        await db.run(
          "update calendars set name = ?, color = ?, description = ? where id = ?",
          name,
          color,
          description,
          row.id,
        );
        return shapeOf(db, { ...row, ...changed });
      });
    },
    /** Removes a calendar with its events, comments, labels and memberships. Resolves with what there was. */
    remove: (calendar: string) =>
      store.write(async (db) => {
        const row = await resolveCalendar(db, calendar, "CALENDAR");
        const content = await contentOf(db, row);
        await deleteCalendar(db, row.id);
        return content;
      }),
  };
}

function checkChanges({ name, color, description }: CalendarChanges): void {
  if (name !== undefined) checkName(name);
  if (color !== undefined) checkColor(color);
  if (description !== undefined) checkText(description, "description", MAX_DESCRIPTION);
}

async function contentOf(db: Transaction, row: CalendarRow): Promise<CalendarContent> {
  const [count] = await db.all<{ readonly events: number }>(
    "select count(distinct coalesce(series_id, id)) as events from events where calendar_id = ?",
    row.id,
  );
  return { calendar: await shapeOf(db, row), events: count?.events ?? 0 };
}

export interface NewCalendar {
  readonly name: string;
  readonly ownerId: string;
  /** The next one of the palette by default. */
  readonly color?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Adds a calendar with its labels and its first member. */
export async function addCalendar(db: Transaction, options: NewCalendar): Promise<CalendarRow> {
  const { name, ownerId, now, color = await nextCalendarColor(db) } = options;
  const created_at = await creationTime(db, "calendars", now);
  const start = { revision: 1, details_revision: 1, changes_from: 1 };
  const row = { id: createCalendarId(), name, description: "", color, image_url: "", created_at, ...start };
  await insertCalendar(db, row);
  await addMember(db, { calendarId: row.id, userId: ownerId });
  return row;
}

export function createLabelAdmin({ store }: AdminOptions) {
  return {
    async set(calendar: string, number: number, { name, color }: Omit<CalendarChanges, "description">) {
      checkLabelNumber(number);
      if (name === undefined && color === undefined) {
        throw usageError("nothing to change", "give --name, --label-color or both");
      }
      if (name !== undefined) checkSingleLine(name, "name");
      if (color !== undefined) checkColor(color);
      return store.write(async (db) => {
        const { id } = await resolveCalendar(db, calendar);
        await advanceDetails(db, id);
        const [label] = await db.all<LabelRow>(
          `update labels set name = coalesce(?, name), color = coalesce(?, color)
          where calendar_id = ? and number = ?
          returning calendar_id, number, name, color`,
          name ?? null,
          color ?? null,
          id,
          number,
        );
        if (label === undefined) throw new Error(`the calendar ${id} lacks its label ${number}`);
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

export function createMemberAdmin({ store }: AdminOptions) {
  return {
    add: (user: string, calendar: string) =>
      store.write(async (db) => {
        const { id: calendarId } = await resolveCalendar(db, calendar);
        const added = await resolveUser(db, user);
        await addMember(db, { calendarId, userId: added.id });
        return memberShape({ ...added, calendar_id: calendarId });
      }),
    /** @throws CliError usage for the last member */
    remove: (user: string, calendar: string) =>
      store.write(async (db) => {
        const { id: calendarId, name } = await resolveCalendar(db, calendar);
        const members = await listMembers(db, [calendarId]);
        const removed = await resolveAmong(members, user, { db, noun: "member", source: "user" });
        if (members.length === 1) {
          throw usageError(
            `"${removed.name}" is the last member of "${name}", and a calendar needs a member`,
            `add another one first, or remove the calendar: calctl service calendars remove ${calendarId}`,
          );
        }
        await removeMember(db, { calendarId, userId: removed.id });
        return memberShape(removed);
      }),
    list: (calendar: string) =>
      store.read(async (db) => {
        const { id } = await resolveCalendar(db, calendar);
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

async function shapeOf(db: Transaction, row: CalendarRow): Promise<Calendar> {
  return (await shaperOf(db, [row]))(row);
}

/** What makes shapes of these calendars, without an order: that differs from user to user. */
async function shaperOf(
  db: Transaction,
  rows: readonly CalendarRow[],
): Promise<(row: CalendarRow) => Calendar> {
  const ids = rows.map(({ id }) => id);
  const labelsOf = groupByCalendar(await listLabels(db, ids));
  const membersOf = groupByCalendar(await listMembers(db, ids));
  return ({ id, name, description, color, image_url, created_at }) => ({
    id,
    name,
    description,
    color,
    order: null,
    image_url,
    created_at: formatWireDateTime(created_at),
    labels: labelsOf(id).map(labelShape),
    members: membersOf(id).map(memberShape),
  });
}
