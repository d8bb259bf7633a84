import { hashSecret } from "../secrets.js";
import type { Queries } from "./open.js";
import type { UserRow } from "./schema.js";

/** How long a browser stays signed in, in milliseconds; it forgets its cookie when it ends. */
const SESSION_LIFETIME = 8 * 3_600_000;

/** Adds a session and sweeps out those that are over. */
export async function insertSession(
  db: Queries,
  { secret, userId, now }: { readonly secret: string; readonly userId: string; readonly now: number },
): Promise<void> {
  await db.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  await db
    .insertInto("sessions")
    .values({ hash: hashSecret(secret), user_id: userId, expires_at: now + SESSION_LIFETIME })
    .execute();
}

export type SignedInUser = Pick<UserRow, "id" | "name" | "login">;

/** The user a session belongs to; undefined when it is over or was none. */
export function findSessionUser(db: Queries, secret: string, now: number): Promise<SignedInUser | undefined> {
  return db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["users.id", "users.name", "users.login"])
    .where("sessions.hash", "=", hashSecret(secret))
    .where("sessions.expires_at", ">", now)
    .executeTakeFirst();
}

export async function deleteSession(db: Queries, secret: string): Promise<void> {
  await db.deleteFrom("sessions").where("hash", "=", hashSecret(secret)).execute();
}

/** Ends all that a user's password has opened: sessions, and codes that are not exchanged yet; not tokens. */
export async function endSignIns(db: Queries, userId: string): Promise<void> {
  await db.deleteFrom("sessions").where("user_id", "=", userId).execute();
  await db.deleteFrom("authorization_codes").where("user_id", "=", userId).where("used", "=", 0).execute();
}
