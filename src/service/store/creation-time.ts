import type { Queries } from "./open.js";

/**
 * When a row that is made now is said to be made: the next millisecond at which no other row of the table was. Lists go
 * by it, so what is made within one millisecond stays in the order of making.
 * @param now milliseconds since the epoch, as the result
 */
export async function creationTime(
  db: Queries,
  table: "users" | "calendars" | "tokens" | "clients",
  now: number,
): Promise<number> {
  const rows = await db
    .selectFrom(table)
    .select("created_at")
    .where("created_at", ">=", now)
    .orderBy("created_at")
    .execute();
  // Not behind the newest of all: a clock that was once wrong would be followed for ever.
  return rows.reduce((time, { created_at }) => (created_at === time ? time + 1 : time), now);
}
