import { compileForIds } from "./compiled-query.js";
import { advanceDetails } from "./revisions.js";
import type { CalendarRow, UserRow } from "./schema.js";
import type { Transaction } from "./store.js";

export type Member = Pick<UserRow, "id" | "name" | "description" | "image_url"> & {
  readonly calendar_id: string;
};

/** A calendar with its position in the list of one of its members, from 0. */
export type CalendarOfUser = CalendarRow & { readonly position: number };

/** Every calendar, oldest first. */
export function listAllCalendars(db: Transaction): Promise<CalendarRow[]> {
  return db.selectFrom("calendars").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** The calendars that a user is a member of, in the user's order; only one of them, if it is named. */
export function listCalendarsOfUser(
  db: Transaction,
  userId: string,
  calendarId?: string,
): Promise<CalendarOfUser[]> {
  const calendars = db
    .selectFrom("members")
    .innerJoin("calendars", "calendars.id", "members.calendar_id")
    .selectAll("calendars")
    .select("members.position")
    .where("members.user_id", "=", userId)
    .orderBy("members.position");
  return (calendarId === undefined ? calendars : calendars.where("calendars.id", "=", calendarId)).execute();
}

/** The labels of the calendars with these ids, those of each ordered by number. */
export const listLabels = compileForIds((db, calendarIds) =>
  db.selectFrom("labels").selectAll().where("calendar_id", "in", calendarIds).orderBy("number"),
);

/** The members of the calendars with these ids, those of each in the order in which they joined. */
export const listMembers = compileForIds((db, calendarIds) =>
  db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["members.calendar_id", "users.id", "users.name", "users.description", "users.image_url"])
    .where("members.calendar_id", "in", calendarIds)
    .orderBy("members.rank"),
);

/** Finds the rows of a calendar, which keep their order. */
export function groupByCalendar<T extends { readonly calendar_id: string }>(
  rows: readonly T[],
): (calendarId: string) => readonly T[] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.calendar_id);
    if (group === undefined) groups.set(row.calendar_id, [row]);
    else group.push(row);
  }
  return (calendarId) => groups.get(calendarId) ?? [];
}

/** Inserts a calendar with its labels and without members. */
export async function insertCalendar(db: Transaction, calendar: CalendarRow): Promise<void> {
  await db.insertInto("calendars").values(calendar).execute();
  const labels = LABEL_PALETTE.map((label, index) => ({
    ...label,
    calendar_id: calendar.id,
    number: index + 1,
  }));
  await db.insertInto("labels").values(labels).execute();
}

/** Deletes a calendar with its events, comments, labels and memberships. */
export async function deleteCalendar(db: Transaction, calendarId: string): Promise<void> {
  for (const { id } of await listMembers(db, [calendarId]))
    await removeMember(db, { calendarId, userId: id });
  await db.deleteFrom("events").where("calendar_id", "=", calendarId).execute();
  await db.deleteFrom("series").where("calendar_id", "=", calendarId).execute();
  await db.deleteFrom("deleted_events").where("calendar_id", "=", calendarId).execute();
  await db.deleteFrom("labels").where("calendar_id", "=", calendarId).execute();
  await db.deleteFrom("calendars").where("id", "=", calendarId).execute();
}

export interface Membership {
  readonly calendarId: string;
  readonly userId: string;
}

/** Adds a member and puts the calendar last in the user's list. Does nothing if the user is already a member. */
export async function addMember(db: Transaction, { calendarId, userId }: Membership): Promise<void> {
  await advanceDetails(db, calendarId);
  const { position } = await db
    .selectFrom("members")
    .select(({ fn }) => fn.countAll<number>().as("position"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  const { last } = await db
    .selectFrom("members")
    .select(({ fn }) => fn.max("rank").as("last"))
    .where("calendar_id", "=", calendarId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("members")
    .values({ calendar_id: calendarId, user_id: userId, position: Number(position), rank: (last ?? 0) + 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a member and closes the gap in the user's list. Events and comments of the user stay. */
export async function removeMember(db: Transaction, { calendarId, userId }: Membership): Promise<void> {
  await advanceDetails(db, calendarId);
  const removed = await db
    .deleteFrom("members")
    .where("calendar_id", "=", calendarId)
    .where("user_id", "=", userId)
    .returning("position")
    .executeTakeFirst();
  if (removed === undefined) return;
  await db
    .updateTable("members")
    .set((row) => ({ position: row("position", "-", 1) }))
    .where("user_id", "=", userId)
    .where("position", ">", removed.position)
    .execute();
}

/** The ten labels of a new calendar. The first one is the default label, which has no name. */
export const LABEL_PALETTE: readonly { readonly name: string; readonly color: string }[] = [
  { name: "", color: "#2ecc87" },
  { name: "modern cyan", color: "#3dc2c8" },
  { name: "deep sky blue", color: "#47b2f7" },
  { name: "pastel brown", color: "#948078" },
  { name: "midnight black", color: "#212121" },
  { name: "apple red", color: "#e73b3b" },
  { name: "french rose", color: "#f35f8c" },
  { name: "coral pink", color: "#fb7f77" },
  { name: "bright orange", color: "#fdc02d" },
  { name: "soft violet", color: "#b38bdc" },
];

/** The color of a new calendar: the one of the palette that the fewest calendars have, the first of several. */
export async function nextCalendarColor(db: Transaction): Promise<string> {
  const rows = await db
    .selectFrom("calendars")
    .select(({ fn }) => [fn<string>("lower", ["color"]).as("color"), fn.countAll<number>().as("uses")])
    .groupBy(({ fn }) => fn("lower", ["color"]))
    .execute();
  const counts = new Map(rows.map(({ color, uses }) => [color, Number(uses)]));
  const uses = (color: string) => counts.get(color) ?? 0;
  const colors = LABEL_PALETTE.map(({ color }) => color);
  return colors.reduce((least, color) => (uses(color) < uses(least) ? color : least));
}
