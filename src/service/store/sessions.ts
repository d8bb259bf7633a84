import { hashSecret } from "../secrets.js";
import type { UserRow } from "./schema.js";
import type { Queries } from "./sqlite/open.js";
import { loginKey } from "./users.js";

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

/** In milliseconds, from the first attempt on. */
const WINDOW = 15 * 60_000;

/** Who tries to sign in. */
export interface SignInAttempt {
  /** Of the client. */
  readonly address: string;
  /** As typed. */
  readonly login: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Attempts that may fail in one window: one login from one address, one address whatever the login, one login wherever
 * from. The last is high, since anybody can use it up and so lock its owner out. @see NIST SP 800-63B §5.2.2
 */
const LIMITS = [
  { limit: 5, keyOf: ({ address, login }: SignInAttempt) => `both ${address} ${loginKey(login)}` },
  { limit: 20, keyOf: ({ address }: SignInAttempt) => `address ${address}` },
  { limit: 100, keyOf: ({ login }: SignInAttempt) => `login ${loginKey(login)}` },
] as const;

/**
 * Counts an attempt before its password is looked at, so that many at once are all counted. Resolves with null when it
 * may go on, else with the seconds until there may be another.
 */
export async function countAttempt(db: Queries, attempt: SignInAttempt): Promise<number | null> {
  const { now } = attempt;
  await db
    .deleteFrom("sign_in_attempts")
    .where("window_start", "<=", now - WINDOW)
    .execute();
  for (const { limit, keyOf } of LIMITS) {
    const { attempts, window_start } = await db
      .insertInto("sign_in_attempts")
      .values({ key: hashSecret(keyOf(attempt)), window_start: now, attempts: 1 })
      .onConflict((conflict) =>
        conflict.column("key").doUpdateSet((row) => ({ attempts: row("sign_in_attempts.attempts", "+", 1) })),
      )
      .returning(["attempts", "window_start"])
      .executeTakeFirstOrThrow();
    // One that goes no further counts no further: a single address must not use up what a login has everywhere.
    if (attempts > limit) return Math.ceil((window_start + WINDOW - now) / 1000);
  }
  return null;
}

/** Takes back what was counted for an attempt that succeeded, and forgets the earlier ones of that login from there. */
export async function forgiveAttempt(db: Queries, attempt: SignInAttempt): Promise<void> {
  const [both, ...others] = LIMITS.map(({ keyOf }) => hashSecret(keyOf(attempt)));
  if (both !== undefined) await db.deleteFrom("sign_in_attempts").where("key", "=", both).execute();
  await db
    .updateTable("sign_in_attempts")
    .set((row) => ({ attempts: row("attempts", "-", 1) }))
    .where("key", "in", others)
    .where("attempts", ">", 0)
    .execute();
}
