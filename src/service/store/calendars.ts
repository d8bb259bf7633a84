import type { CalendarRow, LabelRow, UserRow } from "./schema.js";
import type { Transaction } from "./store.js";

export type Member = Pick<UserRow, "id" | "name" | "description" | "image_url"> & {
  readonly calendar_id: string;
};

/** A calendar with its position in the list of one of its members, from 0. */
export type CalendarOfUser = CalendarRow & { readonly position: number };

/** A calendar with its position in a user's list, null if the user is not a member; undefined if it does not exist. */
export function findCalendar(
  db: Transaction,
  calendarId: string,
  userId: string,
): Promise<(CalendarRow & { readonly position: number | null }) | undefined> {
  return db
    .selectFrom("calendars")
    .leftJoin("members", (join) =>
      join.onRef("members.calendar_id", "=", "calendars.id").on("members.user_id", "=", userId),
    )
    .selectAll("calendars")
    .select("members.position")
    .where("calendars.id", "=", calendarId)
    .executeTakeFirst();
}

/** Every calendar, oldest first. */
export function listAllCalendars(db: Transaction): Promise<CalendarRow[]> {
  return db.selectFrom("calendars").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** The calendars that a user is a member of, in the user's order. */
export function listCalendarsOfUser(db: Transaction, userId: string): Promise<CalendarOfUser[]> {
  return db
    .selectFrom("members")
    .innerJoin("calendars", "calendars.id", "members.calendar_id")
    .selectAll("calendars")
    .select("members.position")
    .where("members.user_id", "=", userId)
    .orderBy("members.position")
    .execute();
}

/** The labels of some calendars, ordered by number. */
export async function listLabels(db: Transaction, calendarIds: readonly string[]): Promise<LabelRow[]> {
  if (calendarIds.length === 0) return [];
  return db
    .selectFrom("labels")
    .selectAll()
    .where("calendar_id", "in", calendarIds)
    .orderBy("number")
    .execute();
}

/** The members of some calendars, in the order in which they joined. */
export async function listMembers(db: Transaction, calendarIds: readonly string[]): Promise<Member[]> {
  if (calendarIds.length === 0) return [];
  return db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["members.calendar_id", "users.id", "users.name", "users.description", "users.image_url"])
    .where("members.calendar_id", "in", calendarIds)
    .orderBy("members.rank")
    .execute();
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
  await db.deleteFrom("labels").where("calendar_id", "=", calendarId).execute();
  await db.deleteFrom("calendars").where("id", "=", calendarId).execute();
}

export interface Membership {
  readonly calendarId: string;
  readonly userId: string;
}

/** Adds a member and puts the calendar last in the user's list. Does nothing if the user is already a member. */
export async function addMember(db: Transaction, { calendarId, userId }: Membership): Promise<void> {
  const position = (await listCalendarsOfUser(db, userId)).length;
  const { last } = await db
    .selectFrom("members")
    .select(({ fn }) => fn.max("rank").as("last"))
    .where("calendar_id", "=", calendarId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("members")
    .values({ calendar_id: calendarId, user_id: userId, position, rank: (last ?? 0) + 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a member and closes the gap in the user's list. Events and comments of the user stay. */
export async function removeMember(db: Transaction, { calendarId, userId }: Membership): Promise<void> {
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
  const used = (await listAllCalendars(db)).map(({ color }) => color.toLowerCase());
  const uses = (color: string) => used.filter((other) => other === color).length;
  const colors = LABEL_PALETTE.map(({ color }) => color);
  return colors.reduce((least, color) => (uses(color) < uses(least) ? color : least));
}
