import { createHash, randomInt } from "node:crypto";
import pg from "pg";
import { CliError, errorCodeOf } from "../../../src/errors.js";
import { sleepFor } from "../../../src/system/clock.js";
import { SCHEMA_VERSION } from "../schema.js";
import type { Store } from "../store.js";
import { runWork, type Send, withConnection } from "./connection.js";
import {
  ConnectionError,
  explainPostgresError,
  foreignPostgresError,
  isConflict,
  LOCK_NOT_AVAILABLE,
  supersededError,
} from "./errors.js";
import type { PostgresLocation } from "./location.js";

/** The table that marks a schema as ours. Its one row has the version of the schema. */
export const VERSION_TABLE = "calctl_schema";

/** How long a transaction waits for the locks of others (ms). */
const LOCK_TIMEOUT = 10_000;

/** How long one statement may take (ms). Administration may remove or count very many events. */
const STATEMENT_TIMEOUTS = { request: 30_000, administration: 600_000 };

/** How long a node may be silent in a transaction (ms). */
const SILENCE_TIMEOUT = 30_000;

/** How much longer than the server the client waits for a statement (ms). */
const GRACE = 5_000;

/** How long the client waits for a statement of a request (ms). */
export const ANSWER_TIMEOUT = STATEMENT_TIMEOUTS.request + GRACE;

/** How often a transaction is repeated that another one or a lost connection made fail. */
const REPETITIONS = 8;

/**
 * How long each attempt takes to get a lock that everybody else waits behind, the pause in which the others go on, and all of it:
 * longer than a write of a stopped node lasts (ms).
 */
export const EXCLUSIVE = { attempt: 1_000, pause: 1_000, total: 40_000 };

/** A database that was opened. */
export interface OpenedDatabase {
  /** Reads have their own, so that none waits for a connection behind writes that wait for locks. */
  readonly pools: { readonly reads: pg.Pool; readonly writes: pg.Pool };
  readonly location: PostgresLocation;
  /** Where its tables are. */
  readonly schema: string;
  /** Ends the work of an operator. */
  readonly signal: AbortSignal | undefined;
  /** Called when a newer program has migrated it. */
  readonly onSuperseded: (error: CliError) => void;
}

/**
 * The two kinds of transaction. Nothing outlives one in the session, so that pgbouncer may give each to another one of
 * its connections.
 */
export function createTransactions(opened: OpenedDatabase): Pick<Store, "read" | "write"> {
  const { pools, location, schema, signal } = opened;
  return {
    read(work, { isAdministration = false } = {}) {
      const statement = STATEMENT_TIMEOUTS[isAdministration ? "administration" : "request"];
      // It may be silent for as long as a statement: what reads one database may write what it finds to another one.
      const start = startOf(schema, { statement, lock: LOCK_TIMEOUT, silence: statement });
      return repeated(location, () =>
        withConnection(pools.reads, { timeout: statement + GRACE, signal }, async (send) => {
          await begin(opened, send, `begin isolation level repeatable read read only; ${start}`);
          const result = await runWork(send, work);
          await send("commit");
          return result;
        }),
      );
    },
    write(work, { scope, timeout } = {}) {
      const kind = scope === undefined ? "administration" : "request";
      const statement = STATEMENT_TIMEOUTS[kind];
      // Reads wait for writes that have little time, so these do not wait for a connection behind others.
      const pool = timeout === undefined ? pools.writes : pools.reads;
      const lock = timeout ?? (scope === undefined ? EXCLUSIVE.attempt : LOCK_TIMEOUT);
      const attempt = () =>
        withConnection(pool, { timeout: statement + GRACE, signal }, async (send) => {
          const start = startOf(schema, { statement, lock, silence: SILENCE_TIMEOUT });
          await begin(opened, send, `begin; ${start}; ${locksOf(schema, scope)}`);
          const result = await runWork(send, work);
          await commitWrite(send, location);
          return result;
        });
      return repeated(location, attempt, scope === undefined ? EXCLUSIVE.total : 0);
    },
  };
}

/**
 * Repeats what another transaction or a lost connection made fail, and has not been committed. What got no answer is repeated
 * once: such an attempt takes very long, and behind a pooler each has a connection that is accepted.
 * @param locking how long it is repeated while it does not get a lock (ms)
 * @throws what explains the last error
 */
export async function repeated<T>(
  location: PostgresLocation,
  attempt: () => Promise<T>,
  locking = 0,
): Promise<T> {
  const deadline = performance.now() + locking;
  const isLocked = (error: unknown) =>
    errorCodeOf(error) === LOCK_NOT_AVAILABLE && performance.now() < deadline;
  let [left, unanswered] = [REPETITIONS, 0];
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isLocked(error)) {
        await sleepFor(EXCLUSIVE.pause);
        continue;
      }
      if (error instanceof ConnectionError && error.isUnanswered) unanswered += 1;
      if (left === 0 || unanswered > 1 || !isTransient(error)) throw explainPostgresError(error, location);
      left -= 1;
      await sleepFor(randomInt(5, 100));
    }
  }
}

function isTransient(error: unknown): boolean {
  return isConflict(error) || (error instanceof ConnectionError && !error.isRefused);
}

/** Timeouts of a transaction (ms): of a statement, of the wait for each lock, of the time between statements. */
interface Timeouts {
  readonly statement: number;
  readonly lock: number;
  readonly silence: number;
}

/**
 * A statement that sets the timeouts, and one that reads the version of the schema, which cannot change until the end. The
 * second waits for a migration, within these timeouts.
 */
function startOf(schema: string, { statement, lock, silence }: Timeouts): string {
  const settings = {
    search_path: pg.escapeIdentifier(schema),
    // 0 would be for ever.
    lock_timeout: String(Math.max(1, Math.ceil(lock))),
    statement_timeout: String(statement),
    idle_in_transaction_session_timeout: String(silence),
  };
  const set = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`,
  );
  const versions = `select version, compatible_since from ${pg.escapeIdentifier(schema)}.${VERSION_TABLE}`;
  return `select ${set.join(", ")}; ${versions}`;
}

/**
 * Statements that take the locks of a scope. The lock of all is shared by transactions with a scope, and of one that has
 * none. The order is the same everywhere, so that two do not wait for each other.
 */
function locksOf(schema: string, scope: readonly string[] | undefined): string {
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

/** @param statements the second and the third one are those of `startOf` */
async function begin(
  { location, onSuperseded }: OpenedDatabase,
  send: Send,
  statements: string,
): Promise<void> {
  // Several statements without parameters have several results, which the types do not say.
  const results: unknown = await send(statements).catch((error: unknown) => {
    // A schema or table that does not exist.
    const isMissing = ["3F000", "42P01"].includes(errorCodeOf(error) ?? "");
    throw isMissing ? foreignPostgresError(location, "its tables are gone") : error;
  });
  const [versions]: readonly Versions[] = Array.isArray(results) ? results[2].rows : [];
  if (versions === undefined) throw foreignPostgresError(location, `its table ${VERSION_TABLE} is empty`);
  if (!isSuperseded(versions)) return;
  const error = supersededError(location);
  onSuperseded(error);
  throw error;
}

/** @throws CliError outcome_unknown when the answer was lost: it must not be repeated then, since it may have been done */
async function commitWrite(send: Send, location: PostgresLocation): Promise<void> {
  let command: string;
  try {
    ({ command } = await send("commit"));
  } catch (cause) {
    if (!(cause instanceof ConnectionError) || cause.isUnsent) throw cause;
    throw new CliError(
      "outcome_unknown",
      `the connection to the database ${location.name} was lost at the end of a write, which may have been done`,
      { hint: "look before you repeat it", cause },
    );
  }
  if (command !== "COMMIT") throw new Error("a transaction went on after one of its queries had failed");
}

interface Versions {
  readonly version: number;
  readonly compatible_since: number;
}

/** Whether a database needs a newer program than this one. */
export function isSuperseded({ version, compatible_since }: Versions): boolean {
  return version > SCHEMA_VERSION && compatible_since > SCHEMA_VERSION;
}
