import type { SchemaModule } from "kysely";

/** Revisions of calendars, what was deleted, and events as they are in answers, which `migrate` fills in. */
export async function createRevisions(schema: SchemaModule): Promise<void> {
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
  await schema.createIndex("events_by_revision").on("events").columns(["calendar_id", "revision"]).execute();
}
