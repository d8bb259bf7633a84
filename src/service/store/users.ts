import { HOUR_MS, MINUTE_MS } from "../../contract/date-time.js";
import { hashSecret } from "../secrets.js";
import type { UserRow } from "./schema.js";
import { creationTime, type Transaction } from "./store.js";

/** The users with these ids. */
export async function listUsers(db: Transaction, ids: readonly string[]): Promise<UserRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom("users").selectAll().where("id", "in", ids).orderBy("id").execute();
}

/** Every user, oldest first. */
export function listAllUsers(db: Transaction): Promise<UserRow[]> {
  return db.selectFrom("users").selectAll().orderBy("created_at").orderBy("id").execute();
}

/** A login in the form that is compared: case and Unicode composition do not matter. */
function loginKey(login: string): string {
  return login.normalize("NFC").toLowerCase();
}

/** Whether a user has this login. */
export async function isLoginTaken(db: Transaction, login: string): Promise<boolean> {
  return (await findUserByLogin(db, login)) !== undefined;
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

/** How long attempts are counted, from the first one (ms). */
const ATTEMPT_WINDOW = 15 * MINUTE_MS;

export interface SignInAttempt {
  /** Address of the browser. */
  readonly address: string;
  /** As typed. */
  readonly login: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Failed attempts per window: for one login from one address, for one address, for one login. The last limit is high
 * because anyone can exhaust it and lock the user out. @see NIST SP 800-63B §5.2.2
 */
const LIMITS = [
  {
    limit: 5,
    keyOf: ({ address, login }: SignInAttempt) => `${loginCounter(login)} ${hashSecret(address)}`,
  },
  { limit: 20, keyOf: ({ address }: SignInAttempt) => hashSecret(`address ${address}`) },
  { limit: 100, keyOf: ({ login }: SignInAttempt) => loginCounter(login) },
] as const;

/** Key of the counter of a login. Those of the login from one address begin with it, so that they can be unlocked. */
function loginCounter(login: string): string {
  return hashSecret(`login ${loginKey(login)}`);
}

/**
 * Counts an attempt. Call it before the password is checked, so that parallel attempts are all counted. Resolves with
 * null if the attempt is allowed, otherwise with the seconds until the next one is.
 */
export async function countAttempt(db: Transaction, attempt: SignInAttempt): Promise<number | null> {
  const { now } = attempt;
  await db
    .deleteFrom("sign_in_attempts")
    .where("window_start", "<=", now - ATTEMPT_WINDOW)
    .execute();
  for (const { limit, keyOf } of LIMITS) {
    const { attempts, window_start } = await db
      .insertInto("sign_in_attempts")
      .values({ key: keyOf(attempt), window_start: now, attempts: 1 })
      .onConflict((conflict) =>
        conflict.column("key").doUpdateSet((row) => ({ attempts: row("sign_in_attempts.attempts", "+", 1) })),
      )
      .returning(["attempts", "window_start"])
      .executeTakeFirstOrThrow();
    // The limits after this one do not count it: one address must not exhaust the limit of a login everywhere.
    if (attempts > limit) return Math.ceil((window_start + ATTEMPT_WINDOW - now) / 1000);
  }
  return null;
}

/** Call it when an attempt succeeded: it no longer counts, and the count of its login at its address is reset. */
export async function refundAttempt(db: Transaction, attempt: SignInAttempt): Promise<void> {
  const [both, ...others] = LIMITS.map(({ keyOf }) => keyOf(attempt));
  if (both !== undefined) await db.deleteFrom("sign_in_attempts").where("key", "=", both).execute();
  await db
    .updateTable("sign_in_attempts")
    .set((row) => ({ attempts: row("attempts", "-", 1) }))
    .where("key", "in", others)
    .where("attempts", ">", 0)
    .execute();
}

/** Deletes the counters of a login. Resolves with whether one of them has locked it, for one address or all. */
export async function unlockLogin(
  db: Transaction,
  { login, now }: Pick<SignInAttempt, "login" | "now">,
): Promise<boolean> {
  const [perAddress, , perLogin] = LIMITS;
  const counter = loginCounter(login);
  const rows = await db
    .deleteFrom("sign_in_attempts")
    .where("key", "like", `${counter}%`)
    .returningAll()
    .execute();
  return rows.some(({ key, attempts, window_start }) => {
    const { limit } = key === counter ? perLogin : perAddress;
    return attempts >= limit && window_start > now - ATTEMPT_WINDOW;
  });
}
