import { creationTime } from "./events.js";
import type { UserRow } from "./schema.js";
import type { Queries } from "./sqlite/open.js";

/** The users of these ids. */
export async function listUsers(db: Queries, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom("users").selectAll().where("id", "in", ids).orderBy("id").execute();
}

/** Every user, the first one made first. */
export function listAllUsers(db: Queries): Promise<UserRow[]> {
  return db.selectFrom("users").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** A login as it is compared: without regard to case and to the way its letters are composed. */
export function loginKey(login: string): string {
  return login.normalize("NFC").toLowerCase();
}

/** Whether a user signs in by this login. */
export async function isLoginTaken(db: Queries, login: string): Promise<boolean> {
  return (await findUserByLogin(db, login)) !== undefined;
}

/** The user who signs in by this login; undefined when nobody does. */
export function findUserByLogin(db: Queries, login: string): Promise<UserRow | undefined> {
  return db.selectFrom("users").selectAll().where("login_key", "=", loginKey(login)).executeTakeFirst();
}

export type NewUser = Pick<UserRow, "id" | "name" | "login" | "password_hash" | "created_at">;

/** Adds a user, last in the list; the login must be free. */
export async function insertUser(db: Queries, user: NewUser): Promise<void> {
  const created_at = await creationTime(db, "users", user.created_at);
  const login_key = loginKey(user.login);
  await db
    .insertInto("users")
    .values({ ...user, created_at, login_key, description: "", image_url: "", disabled: 0 })
    .execute();
}
