import { usageError } from "../../errors.js";
import type { AdminOptions, LocalUser, UserAdmin } from "../admin.js";
import { hashPassword, type PasswordCost } from "../passwords.js";
import { createUserId } from "../secrets.js";
import { endSignIns } from "../store/sessions.js";
import type { Queries } from "../store/sqlite/open.js";
import { insertUser, isLoginTaken, listAllUsers } from "../store/users.js";
import { addCalendar } from "./calendars.js";
import { checkName, NAME_MAX, requireUser } from "./naming.js";
import { serviceUser } from "./shapes.js";

/** The longest login in Unicode code points: the length of the longest mail address. */
const LOGIN_MAX = 254;

export function createUserAdmin({ store, now, passwordCost }: AdminOptions): UserAdmin {
  return {
    async add({ name, login = name, password }) {
      checkName(name);
      checkName(login, "login", LOGIN_MAX);
      const password_hash = password === undefined ? null : await hashNewPassword(password, passwordCost);
      return store.write(async (db) => {
        if (await isLoginTaken(db, login)) {
          throw usageError(`the login "${login}" is taken`, "give another one with --login");
        }
        const user = { id: createUserId(), name, login, password_hash, created_at: now() };
        await insertUser(db, user);
        return serviceUser(user);
      });
    },
    list: () => store.read(async (db) => (await listAllUsers(db)).map(serviceUser)),
    async setPassword(user, password) {
      const password_hash = await hashNewPassword(password, passwordCost);
      return store.write(async (db) => {
        const found = await requireUser(db, user);
        await db.updateTable("users").set({ password_hash }).where("id", "=", found.id).execute();
        await endSignIns(db, found.id);
        return serviceUser(found);
      });
    },
    disable: (user) =>
      store.write(async (db) => {
        const found = await requireUser(db, user);
        if (found.id === (await findLocalUser(db))) {
          throw usageError(`"${found.name}" is the user of the profile local, who cannot be disabled`);
        }
        await db.updateTable("users").set({ disabled: 1 }).where("id", "=", found.id).execute();
        await endSignIns(db, found.id);
        return serviceUser(found);
      }),
  };
}

async function hashNewPassword(password: string, cost: PasswordCost | undefined): Promise<string> {
  if (password === "") throw usageError("the password is empty");
  return hashPassword(password, cost);
}

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
