import { codePointLength, MAX_LOGIN } from "../../contract/limits.js";
import { usageError } from "../../src/errors.js";
import { createUserId, hashPassword, type PasswordCost, passwordProblem } from "../secrets.js";
import { findLocalUser, insertLocalUser } from "../store/local-user.js";
import type { UserRow } from "../store/schema.js";
import { unlockLogin } from "../store/sign-in-attempts.js";
import type { Transaction } from "../store/store.js";
import { endSessions, insertUser, isLoginTaken, listAllUsers, renameUser } from "../store/users.js";
import type { AdminOptions, LocalUser, ServiceUser, UserAdmin } from "./admin.js";
import { addCalendar } from "./calendars.js";
import { checkName, MAX_NAME, resolveUser } from "./input.js";

/** Minimum length of new passwords in Unicode code points. @see NIST SP 800-63B §5.1.1.2 */
const MIN_PASSWORD = 8;

export function createUserAdmin({ store, now, passwordCost }: AdminOptions): UserAdmin {
  return {
    async add({ name, login = name, password }) {
      checkName(name);
      checkName(login, "login", MAX_LOGIN);
      const password_hash = password === undefined ? null : await hashNewPassword(password, passwordCost);
      return store.write(async (db) => {
        if (await isLoginTaken(db, login)) {
          throw usageError(`the login "${login}" is taken`, "choose another one with --login");
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
        const found = await resolveUser(db, user);
        await db.updateTable("users").set({ password_hash }).where("id", "=", found.id).execute();
        await endSessions(db, found.id);
        return serviceUser(found);
      });
    },
    async rename(user, name) {
      checkName(name);
      return store.write(async (db) => {
        const found = await resolveUser(db, user);
        await renameUser(db, found.id, name);
        return serviceUser({ ...found, name });
      });
    },
    disable: (user) =>
      store.write(async (db) => {
        const found = await resolveUser(db, user);
        if (found.id === (await findLocalUser(db))) {
          throw usageError(`"${found.name}" is the user of the profile local and cannot be disabled`);
        }
        await db.updateTable("users").set({ disabled: 1 }).where("id", "=", found.id).execute();
        await endSessions(db, found.id);
        return serviceUser(found);
      }),
    enable: (user) =>
      store.write(async (db) => {
        const found = await resolveUser(db, user);
        await db.updateTable("users").set({ disabled: 0 }).where("id", "=", found.id).execute();
        return serviceUser(found);
      }),
    unlock: (user) =>
      store.write(async (db) => {
        const found = await resolveUser(db, user);
        return {
          ...serviceUser(found),
          wasLocked: await unlockLogin(db, { login: found.login, now: now() }),
        };
      }),
  };
}

function serviceUser({ id, name, login }: Pick<UserRow, "id" | "name" | "login">): ServiceUser {
  return { id, name, login };
}

async function hashNewPassword(password: string, cost: PasswordCost | undefined): Promise<string> {
  requireNewPassword(password);
  return hashPassword(password, cost);
}

/** @throws CliError usage for a password that nobody may choose */
export function requireNewPassword(password: string): void {
  if (password === "") throw usageError("the password is empty");
  if (codePointLength(password) < MIN_PASSWORD) {
    throw usageError(`the password must have at least ${MIN_PASSWORD} characters`, "several words are good");
  }
  const problem = passwordProblem(password);
  if (problem !== null) throw usageError(`the password ${problem}`);
}

const CALENDAR_NAME = "Personal";

/** The user of the profile `local`. The first call on a database creates the user and a calendar. */
export async function ensureLocalUser({ store, now }: AdminOptions, accountName: string): Promise<LocalUser> {
  // Account names are given by the system and, with a domain, may be longer than names here.
  const name = [...accountName].slice(0, MAX_NAME).join("");
  checkName(name);
  return store.write(async (db) => {
    // Another process may have created it in the meantime.
    const concurrent = await findLocalUser(db);
    if (concurrent !== undefined) return { userId: concurrent, created: null };
    const userId = createUserId();
    const login = await freeLogin(db, name);
    await insertUser(db, { id: userId, name, login, password_hash: null, created_at: now() });
    await addCalendar(db, { name: CALENDAR_NAME, ownerId: userId, now: now() });
    await insertLocalUser(db, userId);
    return { userId, created: { user: name, calendar: CALENDAR_NAME } };
  });
}

/** The name if no user has it as a login, otherwise the name with the first free number: `ana-2`. */
async function freeLogin(db: Transaction, name: string): Promise<string> {
  let login = name;
  for (let number = 2; await isLoginTaken(db, login); number += 1) login = `${name}-${number}`;
  return login;
}
