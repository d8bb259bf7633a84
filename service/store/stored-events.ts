import { eventJson } from "../resources.js";
import type { EventWithAttendees } from "./events.js";
import type { EventRow } from "./schema.js";
import type { Transaction } from "./store.js";

/** An event with everything that is stored of it. */
interface StoredEvent extends EventWithAttendees {
  readonly row: EventRow;
}

/** Events that are read at a time: the largest take about 40 MiB. */
const BATCH = 500;

/** Every event of the database in batches, ordered by id. */
async function* readStoredEvents(db: Transaction): AsyncGenerator<readonly StoredEvent[]> {
  for (let last = ""; ; ) {
    const rows = await db
      .selectFrom("events")
      .selectAll()
      .where("id", ">", last)
      .orderBy("id")
      .limit(BATCH)
      .execute();
    const next = rows.at(-1)?.id;
    if (next === undefined) return;
    yield await withAttendees(db, rows);
    last = next;
  }
}

async function withAttendees(db: Transaction, rows: readonly EventRow[]): Promise<StoredEvent[]> {
  const attendees = new Map<string, string[]>(rows.map(({ id }) => [id, []]));
  const found = await db
    .selectFrom("attendees")
    .selectAll()
    .where("event_id", "in", [...attendees.keys()])
    .orderBy("position")
    .execute();
  for (const { event_id, user_id } of found) attendees.get(event_id)?.push(user_id);
  return rows.map((row) => ({ row, attendeeIds: attendees.get(row.id) ?? [] }));
}

/** Stores events as responses have them, where what is stored differs. */
export async function renderStoredEvents(db: Transaction): Promise<void> {
  for await (const events of readStoredEvents(db)) {
    for (const { row, attendeeIds } of events) {
      const json = eventJson(row, attendeeIds);
      if (json !== row.json) await db.updateTable("events").set({ json }).where("id", "=", row.id).execute();
    }
  }
}
