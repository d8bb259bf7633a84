import { advanceDetails } from "./revisions.js";
import type { CalendarRow, LabelRow } from "./schema.js";
import { allWithIds, insert } from "./sql.js";
import type { Transaction } from "./store.js";
import type { ShownUser } from "./users.js";

export type Member = ShownUser & { readonly calendar_id: string };

/** A calendar with its position in the list of one of its members, from 0. */
export type CalendarOfUser = CalendarRow & { readonly position: number };

const CALENDAR = `calendars.id, calendars.name, calendars.description, calendars.color, calendars.image_url,
  calendars.created_at, calendars.revision, calendars.details_revision, calendars.changes_from`;

/** Every calendar, oldest first. */
export function listAllCalendars(db: Transaction): Promise<CalendarRow[]> {
  return db.all(`select ${CALENDAR} from calendars order by created_at, id`);
}

/** The calendars that a user is a member of, in the user's order; only one of them, if it is named. */
export function listCalendarsOfUser(
  db: Transaction,
  userId: string,
  calendarId?: string,
): Promise<CalendarOfUser[]> {
  const isNamed = calendarId !== undefined;
  return db.all(
    `select ${CALENDAR}, members.position
    from members join calendars on calendars.id = members.calendar_id
    where members.user_id = ? ${isNamed ? "and calendars.id = ?" : ""}
    order by members.position`,
    userId,
    ...(isNamed ? [calendarId] : []),
  );
}

/** The labels of the calendars with these ids, those of each ordered by number. */
export function listLabels(db: Transaction, calendarIds: Iterable<string>): Promise<LabelRow[]> {
  return allWithIds(
    db,
    calendarIds,
    (ids) => `
      select calendar_id, number, name, color from labels
      where calendar_id in (${ids})
      order by number`,
  );
}

/** The members of the calendars with these ids, those of each in the order in which they joined. */
export function listMembers(db: Transaction, calendarIds: Iterable<string>): Promise<Member[]> {
  return allWithIds(
    db,
    calendarIds,
    (ids) => `
      select members.calendar_id, users.id, users.name, users.description, users.image_url
      from members join users on users.id = members.user_id
      where members.calendar_id in (${ids})
      order by members.rank`,
  );
}

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
  await insert(db, "calendars", [calendar]);
  const labels = LABEL_PALETTE.map((label, index) => ({
    ...label,
    calendar_id: calendar.id,
    number: index + 1,
  }));
  await insert(db, "labels", labels);
}

/** Deletes a calendar with its events, comments, labels and memberships. */
export async function deleteCalendar(db: Transaction, calendarId: string): Promise<void> {
  for (const { id } of await listMembers(db, [calendarId]))
    await removeMember(db, { calendarId, userId: id });
  await db.run("delete from events where calendar_id = ?", calendarId);
  await db.run("delete from series where calendar_id = ?", calendarId);
  await db.run("delete from deleted_events where calendar_id = ?", calendarId);
  await db.run("delete from labels where calendar_id = ?", calendarId);
  await db.run("delete from calendars where id = ?", calendarId);
}

export interface Membership {
  readonly calendarId: string;
  readonly userId: string;
}

/** Adds a member and puts the calendar last in the user's list. Does nothing if the user is already a member. */
export async function addMember(db: Transaction, { calendarId, userId }: Membership): Promise<void> {
  await advanceDetails(db, calendarId);
  await db.run(
    `insert into members (calendar_id, user_id, position, rank)
    values (?, ?,
      (select count(*) from members where user_id = ?),
      (select coalesce(max(rank), 0) + 1 from members where calendar_id = ?))
    on conflict do nothing`,
    calendarId,
    userId,
    userId,
    calendarId,
  );
}

/** Removes a member and closes the gap in the user's list. Events and comments of the user stay. */
export async function removeMember(db: Transaction, { calendarId, userId }: Membership): Promise<void> {
  await advanceDetails(db, calendarId);
  const [removed] = await db.all<{ readonly position: number }>(
    "delete from members where calendar_id = ? and user_id = ? returning position",
    calendarId,
    userId,
  );
  if (removed === undefined) return;
  await db.run(
    "update members set position = position - 1 where user_id = ? and position > ?",
    userId,
    removed.position,
  );
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
  const rows = await db.all<{ readonly color: string; readonly uses: number }>(
    "select lower(color) as color, count(*) as uses from calendars group by lower(color)",
  );
  const counts = new Map(rows.map(({ color, uses }) => [color, uses]));
  const uses = (color: string) => counts.get(color) ?? 0;
  const colors = LABEL_PALETTE.map(({ color }) => color);
  return colors.reduce((least, color) => (uses(color) < uses(least) ? color : least));
}
