import { type SchemaModule, sql } from "kysely";

/** The table by which a PostgreSQL server is asked whether a write was committed. */
export async function createWrites(schema: SchemaModule): Promise<void> {
  await schema
    .createTable("calctl_writes")
    .addColumn("id", "uuid", (column) => column.primaryKey())
    .addColumn("written_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
    .execute();
  await schema.createIndex("calctl_writes_by_time").on("calctl_writes").column("written_at").execute();
}
