import type { SchemaModule } from "kysely";

/** The order of lists that are read in pages, and what keeps an event that is moved in between from being in two. */
export async function createLists(schema: SchemaModule): Promise<void> {
  await schema
    .alterTable("events")
    .addColumn("moved_at", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("events").addColumn("moved_from", "bigint").execute();
  await schema
    .createIndex("events_by_start")
    .on("events")
    .columns(["calendar_id", "start_at", "id"])
    .execute();
  await schema
    .createIndex("activities_by_time")
    .on("activities")
    .columns(["event_id", "created_at", "id"])
    .execute();
  await schema.dropIndex("activities_by_event").execute();
}
