import { isPostgresUrl } from "../../src/system/database-location.js";
import { openStore as openSqliteStore } from "./sqlite/open.js";
import { type OpenStoreOptions, readSetting, type Store, unfinishedError } from "./store.js";

/**
 * Opens a database, creates it or migrates it.
 * @param database path of an SQLite file, `:memory:`, or `postgres://…`
 * @throws CliError configuration when it cannot be used or is an unfinished copy, unavailable when it is busy for too long
 */
export async function openStore(database: string, options: OpenStoreOptions): Promise<Store> {
  const store = await openAny(database, options);
  if (options.allowUnfinished === true || store.created !== null) return store;
  try {
    if ((await store.read((db) => readSetting(db, "copy"))) !== undefined) throw unfinishedError();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openAny(database: string, options: OpenStoreOptions): Promise<Store> {
  if (!isPostgresUrl(database)) return openSqliteStore(database, options);
  const { openPostgresStore } = await import("./postgres/open.js");
  return openPostgresStore(database, options);
}
