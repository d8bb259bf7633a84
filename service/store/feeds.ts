import type { CalendarRow, FeedRow } from "./schema.js";
import { insert } from "./sql.js";
import { creationTime, type Transaction } from "./store.js";

/** Feeds that a user may have, and removed ones that are remembered. */
export const MAX_FEEDS = 100;

const FEED = "id, user_id, name, calendars, busy_only, timezone, hash, created_at, last_used_at, removed_at";

/** The feeds of a user, oldest first, without removed ones. */
export function listFeeds(db: Transaction, userId: string): Promise<FeedRow[]> {
  return db.all(
    `select ${FEED} from feeds where user_id = ? and removed_at is null order by created_at, id`,
    userId,
  );
}

/** Inserts a feed. @returns it as it was stored */
export async function insertFeed(
  db: Transaction,
  feed: Omit<FeedRow, "last_used_at" | "removed_at">,
): Promise<FeedRow> {
  const created_at = await creationTime(db, "feeds", feed.created_at);
  const row = { ...feed, created_at, last_used_at: null, removed_at: null };
  await insert(db, "feeds", [row]);
  return row;
}

/** Remembers that a feed is used today. @param day midnight UTC (ms since the epoch) */
export async function noteUse(db: Transaction, { id }: Pick<FeedRow, "id">, day: number): Promise<void> {
  await db.run("update feeds set last_used_at = ? where id = ?", day, id);
}

/** A feed of a user. */
export interface FeedAddress {
  readonly id: string;
  readonly userId: string;
}

/** Ends a feed, and forgets the earliest ones that were removed. Resolves with whether there was one. */
export async function removeFeed(
  db: Transaction,
  { id, userId }: FeedAddress,
  now: number,
): Promise<boolean> {
  const removed = await db.run(
    "update feeds set removed_at = ? where id = ? and user_id = ? and removed_at is null",
    now,
    id,
    userId,
  );
  await db.run(
    `delete from feeds where user_id = ? and removed_at is not null and id not in (
      select id from feeds where user_id = ? and removed_at is not null
      order by removed_at desc, id limit ${MAX_FEEDS})`,
    userId,
    userId,
  );
  return removed > 0;
}

/** A feed that is there, and the calendars of it that its maker may see now, in the maker's order; none of a disabled user. */
export interface OpenFeed {
  readonly feed: FeedRow;
  readonly calendars: readonly FeedCalendar[];
}

type FeedCalendar = Pick<CalendarRow, "id" | "name" | "color" | "revision">;

/** Asks the one question of each use of a feed. Null without such a feed; no calendars where nothing of it is to be seen. */
export async function findFeed(db: Transaction, hash: string): Promise<OpenFeed | null> {
  const [feed] = await db.all<FeedRow>(`select ${FEED} from feeds where hash = ?`, hash);
  if (feed === undefined) return null;
  if (feed.removed_at !== null) return { feed, calendars: [] };
  const ids = new Set(feed.calendars.split(" "));
  const calendars = await db.all<FeedCalendar>(
    `select calendars.id, calendars.name, calendars.color, calendars.revision
    from members
    join users on users.id = members.user_id
    join calendars on calendars.id = members.calendar_id
    where users.id = ? and users.disabled = 0
    order by members.position`,
    feed.user_id,
  );
  return { feed, calendars: calendars.filter(({ id }) => ids.has(id)) };
}
