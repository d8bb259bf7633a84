import type { AdminOptions, LocalUser } from "../admin.js";
import { createUserId } from "../secrets.js";
import type { Queries } from "../store/open.js";
import { insertUser, isLoginTaken } from "../store/users.js";
import { addCalendar } from "./calendars.js";
import { checkName, NAME_MAX } from "./naming.js";

const CALENDAR_NAME = "Personal";

/** The user of the profile `local`; the first call on a database makes it, with one calendar. */
export async function ensureLocalUser({ store, now }: AdminOptions, accountName: string): Promise<LocalUser> {
  const known = await store.read(findLocalUser);
  if (known !== undefined) return { userId: known, created: null };
  // Nobody can choose the name of their account, and with that of a domain it may be longer than names here.
  const name = [...accountName].slice(0, NAME_MAX).join("");
  checkName(name);
  return store.write(async (db) => {
    // Another process may have made it since.
    const made = await findLocalUser(db);
    if (made !== undefined) return { userId: made, created: null };
    const userId = createUserId();
    const login = await freeLogin(db, name);
    await insertUser(db, { id: userId, name, login, password_hash: null, created_at: now() });
    await addCalendar(db, { name: CALENDAR_NAME, ownerId: userId, now: now() });
    await db.insertInto("settings").values({ name: "local_user_id", value: userId }).execute();
    return { userId, created: { user: name, calendar: CALENDAR_NAME } };
  });
}

/** Id of the user of the profile `local`; undefined before its first use. */
export async function findLocalUser(db: Queries): Promise<string | undefined> {
  const setting = await db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", "local_user_id")
    .executeTakeFirst();
  return setting?.value;
}

/** The name, or the name with the first number behind it that nobody signs in by. */
async function freeLogin(db: Queries, name: string): Promise<string> {
  let login = name;
  for (let number = 2; await isLoginTaken(db, login); number += 1) login = `${name}-${number}`;
  return login;
}
