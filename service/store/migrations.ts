import type { SchemaModule } from "kysely";
import { createCalendars } from "./migrations/0001-calendars.js";
import { createSignIn } from "./migrations/0002-sign-in.js";
import { createWindows } from "./migrations/0003-windows.js";
import { createLists } from "./migrations/0004-lists.js";
import { correctSizes } from "./migrations/0005-sizes.js";
import { createRevisions } from "./migrations/0006-revisions.js";
import { createWrites } from "./migrations/0007-writes.js";
import { createMoves } from "./migrations/0008-moves.js";
import { SCHEMA_VERSION } from "./schema.js";
import { type Engine, otherVersionError, type Store, type Transaction } from "./store.js";
import { renderStoredEvents } from "./stored-events.js";

/**
 * The migrations in order. A released migration never changes; a new one is appended. No database on PostgreSQL is older than
 * the fifth one, so there is nothing that it corrects.
 */
export const MIGRATIONS: readonly ((
  schema: SchemaModule,
  db: Transaction,
  engine: Engine,
) => Promise<void>)[] = [
  createCalendars,
  createSignIn,
  createWindows,
  createLists,
  (_, db, engine) => (engine === "sqlite" ? correctSizes(db) : Promise.resolve()),
  createRevisions,
  (schema, _, engine) => (engine === "postgres" ? createWrites(schema) : Promise.resolve()),
  createMoves,
];

/** The schema version of a database: the number of migrations that it has run. */
export interface SchemaVersion {
  readonly engine: Engine;
  /** 0 for an empty database. @throws CliError configuration when the database belongs to another program */
  read(db: Transaction): Promise<number>;
  write(db: Transaction, version: number): Promise<void>;
}

/**
 * Runs the migrations that a database lacks, in one transaction: another process may be migrating the same database.
 * Resolves with the version that it had.
 * @param options.database the database as messages name it
 * @throws CliError configuration when a newer version of this program has migrated the database
 */
export function migrate(
  { write }: Pick<Store, "write">,
  { database, version }: { readonly database: string; readonly version: SchemaVersion },
): Promise<number> {
  return write(async (db) => {
    const found = await version.read(db);
    if (found > SCHEMA_VERSION) throw otherVersionError(database, found);
    if (found === SCHEMA_VERSION) return found;
    for (const run of MIGRATIONS.slice(found)) await run(db.schema, db, version.engine);
    // By the last one, since the program renders events from the columns of the newest version.
    if (found > 0) await renderStoredEvents(db);
    await version.write(db, SCHEMA_VERSION);
    return found;
  });
}
