import { createHash } from "node:crypto";
import { errorCodeOf } from "../../../src/errors.js";
import { sleepFor } from "../../../src/system/clock.js";
import { LOCK_NOT_AVAILABLE } from "./errors.js";

/**
 * How long each attempt to get a lock, and the pause between two, take (ms). Everybody else waits behind a lock that is waited
 * for, and goes on in the pauses.
 */
const ATTEMPTS = { longest: 1_000, pause: 1_000 };

/**
 * Statements that take the locks of a scope. The lock of all is shared by transactions with a scope, and of one that has
 * none. The order is the same everywhere, so that two do not wait for each other.
 */
export function locksOf(schema: string, scope: readonly string[] | undefined): string {
  const all = lockKey(schema, "all");
  if (scope === undefined) return `select pg_advisory_xact_lock(${all})`;
  const keys = scope.map((name) => lockKey(schema, `scope ${name}`)).sort();
  return [
    `select pg_advisory_xact_lock_shared(${all})`,
    ...keys.map((key) => `select pg_advisory_xact_lock(${key})`),
  ].join("; ");
}

/** The key of an advisory lock, which is a number of 64 bits. */
export function lockKey(schema: string, name: string): string {
  const hash = createHash("sha256").update(`calctl ${schema} ${name}`).digest();
  return `'${hash.readBigInt64BE()}'::bigint`;
}

/**
 * Repeats what needs a lock that everybody else waits behind.
 * @param total how long (ms)
 * @throws the error of the last attempt
 */
export async function untilLocked<T>(attempt: (wait: number) => Promise<T>, total: number): Promise<T> {
  const deadline = performance.now() + total;
  for (;;) {
    const left = deadline - performance.now();
    try {
      return await attempt(Math.min(ATTEMPTS.longest, left));
    } catch (error) {
      if (errorCodeOf(error) !== LOCK_NOT_AVAILABLE || left <= ATTEMPTS.longest) throw error;
    }
    await sleepFor(ATTEMPTS.pause);
  }
}
