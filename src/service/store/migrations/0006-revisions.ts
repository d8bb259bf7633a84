import type { SchemaModule } from "kysely";
import { eventJson } from "../../resources.js";
import type { Transaction } from "../store.js";

/** Revisions of calendars, what was deleted, and events as they are in answers. */
export async function createRevisions(schema: SchemaModule, db: Transaction): Promise<void> {
  for (const column of ["revision", "details_revision", "changes_from"]) {
    await schema
      .alterTable("calendars")
      .addColumn(column, "bigint", (definition) => definition.notNull().defaultTo(1))
      .execute();
  }
  await schema
    .alterTable("events")
    .addColumn("revision", "bigint", (column) => column.notNull().defaultTo(1))
    .execute();
  await schema
    .alterTable("events")
    .addColumn("json", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await schema
    .createTable("deleted_events")
    .addColumn("calendar_id", "text", (column) => column.notNull().references("calendars.id"))
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("event_id", "text", (column) => column.notNull())
    .addColumn("deleted_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("deleted_events_key", ["calendar_id", "revision"])
    .execute();
  await renderEvents(db);
  await schema.createIndex("events_by_revision").on("events").columns(["calendar_id", "revision"]).execute();
}

/** Events that are rendered at a time: the largest take about 8 MiB. */
const BATCH = 100;

/** Writes the JSON of every event. */
async function renderEvents(db: Transaction): Promise<void> {
  let last = "";
  for (;;) {
    const rows = await db
      .selectFrom("events")
      .selectAll()
      .where("id", ">", last)
      .orderBy("id")
      .limit(BATCH)
      .execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    const attendees = await db
      .selectFrom("attendees")
      .selectAll()
      .where("event_id", "in", ids)
      .orderBy("position")
      .execute();
    for (const row of rows) {
      const own = attendees.filter(({ event_id }) => event_id === row.id);
      const json = eventJson(
        row,
        own.map(({ user_id }) => user_id),
      );
      await db.updateTable("events").set({ json }).where("id", "=", row.id).execute();
    }
    last = ids.at(-1) ?? last;
  }
}
