import type { AdminOptions, CalendarAdmin } from "../admin.js";
import { CALENDAR_COLOR } from "../palette.js";
import { createCalendarId } from "../secrets.js";
import { addMember, insertCalendar, listLabels, listMembers } from "../store/calendars.js";
import { creationTime } from "../store/creation-time.js";
import type { Queries } from "../store/open.js";
import type { CalendarRow } from "../store/schema.js";
import { checkColor, checkName, requireUser } from "./naming.js";
import { type CalendarHoldings, calendarShape } from "./shapes.js";

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
