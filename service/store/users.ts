import { HOUR_MS } from "../../contract/date-time.js";
import { hashSecret } from "../secrets.js";
import { compileForIds } from "./compiled-query.js";
import { advanceDetails } from "./revisions.js";
import type { UserRow } from "./schema.js";
import { creationTime, type Transaction } from "./store.js";

/** The users with these ids, each once, ordered by id. */
export const listUsers = compileForIds((db, ids) =>
  db.selectFrom("users").selectAll().where("id", "in", ids).orderBy("id"),
);

/** Every user, oldest first. */
export function listAllUsers(db: Transaction): Promise<UserRow[]> {
  return db.selectFrom("users").selectAll().orderBy("created_at").orderBy("id").execute();
}

/**
 * A login in the form that is compared: case and Unicode composition do not matter.
 * @param login of at most MAX_LOGIN characters: the time may grow with the square of its length
 */
export function loginKey(login: string): string {
  return login.normalize("NFC").toLowerCase();
}

/** The user with this login; undefined if there is none. */
export function findUserByLogin(db: Transaction, login: string): Promise<UserRow | undefined> {
  return db.selectFrom("users").selectAll().where("login_key", "=", loginKey(login)).executeTakeFirst();
}

export type NewUser = Pick<UserRow, "id" | "name" | "login" | "password_hash" | "created_at">;

/** Inserts a user. The login must not be taken. */
export async function insertUser(db: Transaction, user: NewUser): Promise<void> {
  const created_at = await creationTime(db, "users", user.created_at);
  const login_key = loginKey(user.login);
  await db
    .insertInto("users")
    .values({ ...user, created_at, login_key, description: "", image_url: "", disabled: 0 })
    .execute();
}

/** Changes the name of a user, in every calendar that shows it: clients that know the old one must read it again. */
export async function renameUser(db: Transaction, userId: string, name: string): Promise<void> {
  for (const calendarId of await listCalendarsWithUser(db, userId)) await advanceDetails(db, calendarId);
  await db.updateTable("users").set({ name }).where("id", "=", userId).execute();
}

/** Calendars with a user as a member, or with what a user has left behind there; always in the same order, as locks need. */
async function listCalendarsWithUser(db: Transaction, userId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("members")
    .select("calendar_id")
    .where("user_id", "=", userId)
    .union(db.selectFrom("events").select("calendar_id").where("creator_id", "=", userId))
    .union(
      db
        .selectFrom("attendees")
        .innerJoin("events", "events.id", "attendees.event_id")
        .select("calendar_id")
        .where("user_id", "=", userId),
    )
    .union(
      db
        .selectFrom("activities")
        .innerJoin("events", "events.id", "activities.event_id")
        .select("calendar_id")
        .where("user_id", "=", userId),
    )
    .execute();
  return rows.map(({ calendar_id }) => calendar_id).sort();
}

/** How long a browser stays signed in (ms). Its cookie ends earlier, when the browser is closed. */
const SESSION_LIFETIME = 8 * HOUR_MS;

/** Inserts a browser session and deletes those that have expired. */
export async function insertSession(
  db: Transaction,
  { secret, userId, now }: { readonly secret: string; readonly userId: string; readonly now: number },
): Promise<void> {
  await db.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  await db
    .insertInto("sessions")
    .values({ hash: hashSecret(secret), user_id: userId, expires_at: now + SESSION_LIFETIME })
    .execute();
}

export type SignedInUser = Pick<UserRow, "id" | "name" | "login">;

/** The user of a browser session; undefined if it does not exist or has expired. */
export function findSessionUser(
  db: Transaction,
  secret: string,
  now: number,
): Promise<SignedInUser | undefined> {
  return db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["users.id", "users.name", "users.login"])
    .where("sessions.hash", "=", hashSecret(secret))
    .where("sessions.expires_at", ">", now)
    .executeTakeFirst();
}

export async function deleteSession(db: Transaction, secret: string): Promise<void> {
  await db.deleteFrom("sessions").where("hash", "=", hashSecret(secret)).execute();
}

/** Ends what a user's password gave access to: browser sessions and unused authorization codes, but not tokens. */
export async function endSessions(db: Transaction, userId: string): Promise<void> {
  await db.deleteFrom("sessions").where("user_id", "=", userId).execute();
  await db.deleteFrom("authorization_codes").where("user_id", "=", userId).where("used", "=", 0).execute();
}
