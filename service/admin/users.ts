import { codePointLength, MAX_LOGIN } from "../../contract/limits.js";
import { usageError } from "../../src/errors.js";
import { createUserId, hashPassword, type PasswordCost, passwordProblem } from "../secrets.js";
import type { UserRow } from "../store/schema.js";
import { unlockLogin } from "../store/sign-in-attempts.js";
import { readSetting, type Transaction } from "../store/store.js";
import { endSessions, findUserByLogin, insertUser, listAllUsers, renameUser } from "../store/users.js";
import { addCalendar } from "./calendars.js";
import { type AdminOptions, checkName, MAX_NAME, resolveUser } from "./input.js";

export type ServiceUser = Pick<UserRow, "id" | "name" | "login">;

export interface NewServiceUser {
  readonly name: string;
  /** The name by default; unique, case does not matter. */
  readonly login?: string | undefined;
  /** At least 8 characters. */
  readonly password?: string | undefined;
}

/** Minimum length of new passwords in Unicode code points. @see NIST SP 800-63B §5.1.1.2 */
const MIN_PASSWORD = 8;

export function createUserAdmin({ store, now, passwordCost }: AdminOptions) {
  const change = (user: string, work: (db: Transaction, found: UserRow) => Promise<void>) =>
    store.write(async (db) => {
      const found = await resolveUser(db, user);
      await work(db, found);
      return serviceUser(found);
    });
  return {
    async add({ name, login = name, password }: NewServiceUser): Promise<ServiceUser> {
      checkName(name);
      checkName(login, "login", MAX_LOGIN);
      const password_hash = password === undefined ? null : await hashNewPassword(password, passwordCost);
      return store.write(async (db) => {
        if (await findUserByLogin(db, login)) {
          throw usageError(`the login "${login}" is taken`, "choose another one with --login");
        }
        const user = { id: createUserId(), name, login, password_hash, created_at: now() };
        await insertUser(db, user);
        return serviceUser(user);
      });
    },
    list: () => store.read(async (db) => (await listAllUsers(db)).map(serviceUser)),
    /** Also ends the browser sessions of the user. @param password at least 8 characters */
    async setPassword(user: string, password: string) {
      const password_hash = await hashNewPassword(password, passwordCost);
      return change(user, async (db, { id }) => {
        await db.run("update users set password_hash = ? where id = ?", password_hash, id);
        await endSessions(db, id);
      });
    },
    /** Changes the name that others see; the login stays. Resolves with the user as it is now. */
    async rename(user: string, name: string) {
      checkName(name);
      return { ...(await change(user, (db, { id }) => renameUser(db, id, name))), name };
    },
    /** Ends all access of a user, who cannot be the one of the profile `local`. Events and comments of the user stay. */
    disable: (user: string) =>
      change(user, async (db, { id, name }) => {
        if (id === (await readSetting(db, "local_user_id")))
          throw usageError(`"${name}" is the user of the profile local and cannot be disabled`);
        await db.run("update users set disabled = 1 where id = ?", id);
        await endSessions(db, id);
      }),
    enable: (user: string) =>
      change(user, async (db, { id }) => {
        await db.run("update users set disabled = 0 where id = ?", id);
      }),
    /** Lifts the lock that failed sign-ins put on the login of a user. Resolves with whether there was one. */
    unlock: (user: string) =>
      store.write(async (db) => {
        const found = await resolveUser(db, user);
        const wasLocked = await unlockLogin(db, { login: found.login, now: now() });
        return { ...serviceUser(found), wasLocked };
      }),
  };
}

function serviceUser({ id, name, login }: ServiceUser): ServiceUser {
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

export interface LocalUser {
  readonly userId: string;
  /** Names of the user and the calendar if they were created just now, otherwise null. */
  readonly created: { readonly user: string; readonly calendar: string } | null;
}

/** The user of the profile `local`. The first call on a database creates the user and a calendar. */
export async function ensureLocalUser({ store, now }: AdminOptions, accountName: string): Promise<LocalUser> {
  // Account names are given by the system and, with a domain, may be longer than names here.
  const name = [...accountName].slice(0, MAX_NAME).join("");
  checkName(name);
  return store.write(async (db) => {
    // Another process may have created it in the meantime.
    const concurrent = await readSetting(db, "local_user_id");
    if (concurrent !== undefined) return { userId: concurrent, created: null };
    const userId = createUserId();
    const login = await freeLogin(db, name);
    await insertUser(db, { id: userId, name, login, password_hash: null, created_at: now() });
    await addCalendar(db, { name: CALENDAR_NAME, ownerId: userId, now: now() });
    await db.run("insert into settings (name, value) values ('local_user_id', ?)", userId);
    return { userId, created: { user: name, calendar: CALENDAR_NAME } };
  });
}

/** The name if no user has it as a login, otherwise the name with the first free number: `ana-2`. */
async function freeLogin(db: Transaction, name: string): Promise<string> {
  let login = name;
  for (let number = 2; await findUserByLogin(db, login); number += 1) login = `${name}-${number}`;
  return login;
}
