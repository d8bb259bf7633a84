import { type CliError, configurationError } from "../../src/errors.js";
import type { Store, Transaction } from "./store.js";

/** The setting of a database that is an unfinished copy; its value says of what. */
export const UNFINISHED = "copy";

/** @throws CliError configuration while the database is an unfinished copy */
export async function requireFinished(store: Pick<Store, "read">): Promise<void> {
  if ((await store.read(readMark)) !== undefined) throw unfinishedError();
}

/** What the database is an unfinished copy of; undefined if it is none. */
export async function readMark(db: Transaction): Promise<string | undefined> {
  const row = await db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", UNFINISHED)
    .executeTakeFirst();
  return row?.value;
}

export function unfinishedError(message = "the database is an unfinished copy"): CliError {
  return configurationError(message, { hint: "finish it: calctl service copy, as it was begun" });
}
