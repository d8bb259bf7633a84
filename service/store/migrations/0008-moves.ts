import type { SchemaModule } from "kysely";

/**
 * Moves of events by revision. `moved_at` and `moved_from`, which had them by the clock, are no longer used. They stay for a
 * process of the version before that goes on with a file: it could write nothing without them.
 */
export async function createMoves(schema: SchemaModule): Promise<void> {
  await schema
    .alterTable("events")
    .addColumn("moves", "text", (column) => column.notNull().defaultTo(""))
    .execute();
}
