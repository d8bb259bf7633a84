import { isPostgresUrl } from "../../src/system/database-location.js";
import { openStore as openSqliteStore } from "./sqlite/open.js";
import type { OpenStoreOptions, Store } from "./store.js";

/**
 * Opens a database, creates it or migrates it.
 * @param database path of an SQLite file, `:memory:`, or `postgres://…`
 * @throws CliError configuration when it cannot be used, unavailable when it is busy for too long
 */
export async function openStore(database: string, options: OpenStoreOptions): Promise<Store> {
  if (!isPostgresUrl(database)) return openSqliteStore(database, options);
  const { openPostgresStore } = await import("./postgres/open.js");
  return openPostgresStore(database, options);
}
