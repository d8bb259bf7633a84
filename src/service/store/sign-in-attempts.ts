import { hashSecret } from "../secrets.js";
import type { Queries } from "./open.js";
import { loginKey } from "./users.js";

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
