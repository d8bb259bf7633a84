import { type SchemaModule, sql } from "kysely";
import type { Transaction } from "../store.js";

/** The size of events, and an index that finds those of some days whatever else the calendar has. */
export async function createWindows(schema: SchemaModule, db: Transaction): Promise<void> {
  await schema
    .alterTable("events")
    .addColumn("bytes", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update events set bytes = 1000
      + octet_length(title) + octet_length(description) + octet_length(location) + octet_length(url)
      + 100 * (select count(*) from attendees where event_id = events.id)`.execute(db);
  await schema
    .createIndex("events_by_length")
    .on("events")
    .column("calendar_id")
    .expression(sql`(case
      when end_at - start_at <= 86400000 then 0
      when end_at - start_at <= 691200000 then 1
      when end_at - start_at <= 5529600000 then 2
      when end_at - start_at <= 44236800000 then 3
      when end_at - start_at <= 353894400000 then 4
      when end_at - start_at <= 2831155200000 then 5
      when end_at - start_at <= 22649241600000 then 6
      else 7 end)`)
    .columns(["start_at", "end_at", "bytes", "creator_id"])
    .execute();
  // It found all events that end after a time.
  await schema.dropIndex("events_by_time").execute();
}
