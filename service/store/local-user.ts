import type { Transaction } from "./store.js";

const SETTING = "local_user_id";

/** Id of the user of the profile `local`; undefined before the first use of the profile. */
export async function findLocalUser(db: Transaction): Promise<string | undefined> {
  const setting = await db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", SETTING)
    .executeTakeFirst();
  return setting?.value;
}

/** There must be none yet. */
export async function insertLocalUser(db: Transaction, userId: string): Promise<void> {
  await db.insertInto("settings").values({ name: SETTING, value: userId }).execute();
}
