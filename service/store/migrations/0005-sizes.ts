import { sql } from "kysely";
import type { Transaction } from "../store.js";

/** The sizes of events that were there before the third migration: JSON has escapes, which it did not count. */
export async function correctSizes(db: Transaction): Promise<void> {
  await sql`
    update events set bytes = 1000
      + octet_length(json_array(title, description, location, url))
      + 100 * (select count(*) from attendees where event_id = events.id)`.execute(db);
}
