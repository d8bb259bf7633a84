import { HOUR_MS } from "../../contract/date-time.js";
import { hashSecret } from "../secrets.js";
import { advanceDetails } from "./revisions.js";
import type { UserRow } from "./schema.js";
import { allWithIds, insert } from "./sql.js";
import { creationTime, type Transaction } from "./store.js";

const USER = "id, name, login, login_key, password_hash, description, image_url, disabled, created_at";

/** A user as others see it. */
export type ShownUser = Pick<UserRow, "id" | "name" | "description" | "image_url">;

/** The users with these ids, each once, ordered by id. */
export function listUsers(db: Transaction, userIds: Iterable<string>): Promise<ShownUser[]> {
  return allWithIds(
    db,
    userIds,
    (ids) => `select id, name, description, image_url from users where id in (${ids}) order by id`,
  );
}

/** Every user, oldest first. */
export function listAllUsers(db: Transaction): Promise<UserRow[]> {
  return db.all(`select ${USER} from users order by created_at, id`);
}

/**
 * A login in the form that is compared: case and Unicode composition do not matter.
 * @param login of at most MAX_LOGIN characters: the time may grow with the square of its length
 */
export function loginKey(login: string): string {
  return login.normalize("NFC").toLowerCase();
}

/** The user with this login; undefined if there is none. */
export async function findUserByLogin(db: Transaction, login: string): Promise<UserRow | undefined> {
  const [user] = await db.all<UserRow>(`select ${USER} from users where login_key = ?`, loginKey(login));
  return user;
}

export type NewUser = Pick<UserRow, "id" | "name" | "login" | "password_hash" | "created_at">;

/** Inserts a user. The login must not be taken. */
export async function insertUser(db: Transaction, user: NewUser): Promise<void> {
  const created_at = await creationTime(db, "users", user.created_at);
  const login_key = loginKey(user.login);
  await insert(db, "users", [
    { ...user, created_at, login_key, description: "", image_url: "", disabled: 0 },
  ]);
}

/** Changes the name of a user, in every calendar that shows it: clients that know the old one must read it again. */
export async function renameUser(db: Transaction, userId: string, name: string): Promise<void> {
  for (const calendarId of await listCalendarsWithUser(db, userId)) await advanceDetails(db, calendarId);
  await db.run("update users set name = ? where id = ?", name, userId);
}

/** Calendars with a user as a member, or with what a user has left behind there; always in the same order, as locks need. */
async function listCalendarsWithUser(db: Transaction, userId: string): Promise<readonly string[]> {
  const rows = await db.all<{ readonly calendar_id: string }>(
    `select calendar_id from members where user_id = ?
    union select calendar_id from events where creator_id = ?
    union select calendar_id from attendees join events on events.id = attendees.event_id where user_id = ?
    union select calendar_id from activities join events on events.id = activities.event_id where user_id = ?`,
    userId,
    userId,
    userId,
    userId,
  );
  return rows.map(({ calendar_id }) => calendar_id).sort();
}

/** How long a browser stays signed in (ms). Its cookie ends earlier, when the browser is closed. */
const SESSION_LIFETIME = 8 * HOUR_MS;

/** Inserts a browser session and deletes those that have expired. */
export async function insertSession(
  db: Transaction,
  { secret, userId, now }: { readonly secret: string; readonly userId: string; readonly now: number },
): Promise<void> {
  await db.run("delete from sessions where expires_at <= ?", now);
  const session = { hash: hashSecret(secret), user_id: userId, expires_at: now + SESSION_LIFETIME };
  await insert(db, "sessions", [session]);
}

export type SignedInUser = Pick<UserRow, "id" | "name" | "login">;

/** The user of a browser session; undefined if it does not exist or has expired. */
export async function findSessionUser(
  db: Transaction,
  secret: string,
  now: number,
): Promise<SignedInUser | undefined> {
  const [user] = await db.all<SignedInUser>(
    `select users.id, users.name, users.login
    from sessions join users on users.id = sessions.user_id
    where sessions.hash = ? and sessions.expires_at > ?`,
    hashSecret(secret),
    now,
  );
  return user;
}

export async function deleteSession(db: Transaction, secret: string): Promise<void> {
  await db.run("delete from sessions where hash = ?", hashSecret(secret));
}

/** Ends what a user's password gave access to: browser sessions and unused authorization codes, but not tokens. */
export async function endSessions(db: Transaction, userId: string): Promise<void> {
  await db.run("delete from sessions where user_id = ?", userId);
  await db.run("delete from authorization_codes where user_id = ? and used = 0", userId);
}
