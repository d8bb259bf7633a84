import { compileOnce, type Placeholders } from "./compiled-query.js";
import type { CalendarRow, FeedRow } from "./schema.js";
import { creationTime, type Transaction } from "./store.js";

/** Feeds that a user may have, and removed ones that are remembered. */
export const MAX_FEEDS = 100;

/** The feeds of a user, oldest first, without removed ones. */
export function listFeeds(db: Transaction, userId: string): Promise<FeedRow[]> {
  return db
    .selectFrom("feeds")
    .selectAll()
    .where("user_id", "=", userId)
    .where("removed_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

/** Inserts a feed. @returns it as it was stored */
export async function insertFeed(
  db: Transaction,
  feed: Omit<FeedRow, "last_used_at" | "removed_at">,
): Promise<FeedRow> {
  const created_at = await creationTime(db, "feeds", feed.created_at);
  const row = { ...feed, created_at, last_used_at: null, removed_at: null };
  await db.insertInto("feeds").values(row).execute();
  return row;
}

/** Remembers that a feed is used today. @param day midnight UTC (ms since the epoch) */
export async function noteUse(db: Transaction, { id }: Pick<FeedRow, "id">, day: number): Promise<void> {
  await db.updateTable("feeds").set({ last_used_at: day }).where("id", "=", id).execute();
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
  const { numUpdatedRows } = await db
    .updateTable("feeds")
    .set({ removed_at: now })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("removed_at", "is", null)
    .executeTakeFirstOrThrow();
  const removed = db
    .selectFrom("feeds")
    .select("id")
    .where("user_id", "=", userId)
    .where("removed_at", "is not", null)
    .orderBy("removed_at", "desc")
    .orderBy("id");
  // An offset needs a limit.
  const forgotten = removed.limit(Number.MAX_SAFE_INTEGER).offset(MAX_FEEDS);
  await db.deleteFrom("feeds").where("id", "in", forgotten).execute();
  return numUpdatedRows > 0n;
}

/** A feed that is there, and the calendars of it that its maker may see now, in the maker's order; none of a disabled user. */
export interface OpenFeed {
  readonly feed: FeedRow;
  readonly calendars: readonly FeedCalendar[];
}

type FeedCalendar = Pick<CalendarRow, "id" | "name" | "color" | "revision">;

/** Asks the one question of each use of a feed. Null without such a feed; no calendars where nothing of it is to be seen. */
export async function findFeed(db: Transaction, hash: string): Promise<OpenFeed | null> {
  const [feed] = await selectFeed(db, { hash });
  if (feed === undefined) return null;
  if (feed.removed_at !== null) return { feed, calendars: [] };
  const ids = new Set(feed.calendars.split(" "));
  const calendars = await selectVisible(db, { userId: feed.user_id });
  return { feed, calendars: calendars.filter(({ id }) => ids.has(id)) };
}

const selectFeed = compileOnce((db, { hash }: Placeholders<Pick<FeedRow, "hash">>) =>
  db.selectFrom("feeds").selectAll().where("hash", "=", hash),
);

const selectVisible = compileOnce((db, { userId }: Placeholders<{ readonly userId: string }>) =>
  db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .innerJoin("calendars", "calendars.id", "members.calendar_id")
    .select(["calendars.id", "calendars.name", "calendars.color", "calendars.revision"])
    .where("users.id", "=", userId)
    .where("users.disabled", "=", 0)
    .orderBy("members.position"),
);
