import { createHash, randomInt } from "node:crypto";
import pg from "pg";
import { CliError } from "../../../src/errors.js";
import { sleepFor } from "../../../src/system/clock.js";
import { SCHEMA_VERSION } from "../schema.js";
import type { Store } from "../store.js";
import { transact } from "./connection.js";
import { ConnectionError, explainPostgresError, isTransient, supersededError } from "./errors.js";
import type { PostgresLocation } from "./location.js";

/** The table that marks a schema as ours. Its one row has the version of the schema. */
export const VERSION_TABLE = "calctl_schema";

/** How long one statement may take (ms). Administration may remove or count very many events. */
const STATEMENT = { request: 30_000, administration: 600_000 };

/** How long a transaction waits for each lock, and how long a node may be silent in a write (ms). */
export const LIMITS = { lock: 10_000, silence: 30_000 };

/** How much longer than the server the client waits for a statement, and how long for one of a request (ms). */
const GRACE = 5_000;
export const ANSWER_TIMEOUT = STATEMENT.request + GRACE;

/** How often a transaction is repeated that fails because of others. */
const REPETITIONS = 8;

/** A database that was opened. */
interface OpenedDatabase {
  /** Reads have their own, so that none waits for a connection behind writes that wait for locks. */
  readonly pools: { readonly reads: pg.Pool; readonly writes: pg.Pool };
  readonly location: PostgresLocation;
  readonly schema: string;
  /** Ends the work of an operator. */
  readonly signal: AbortSignal | undefined;
  readonly onSuperseded: (error: CliError) => void;
}

/**
 * The two kinds of transaction. Nothing outlives one in the session, so that pgbouncer may give each to another one of
 * its connections. One message begins it.
 */
export function createTransactions(opened: OpenedDatabase): Pick<Store, "read" | "write"> {
  const { pools, location, schema, signal, onSuperseded } = opened;
  const onBegun = (results: readonly pg.QueryResult[]) => {
    const [versions]: readonly Versions[] = results[2]?.rows ?? [];
    if (versions !== undefined && !isSuperseded(versions)) return;
    const error = supersededError(location);
    onSuperseded(error);
    throw error;
  };
  return {
    read(work, { isAdministration = false } = {}) {
      const statement = STATEMENT[isAdministration ? "administration" : "request"];
      // It may be silent for as long as a statement: what reads one database may write what it finds to another one.
      const start = startOf(schema, { statement, lock: LIMITS.lock, silence: statement });
      const begin = `begin isolation level repeatable read read only; ${start}`;
      const options = { begin, onBegun, timeout: statement + GRACE, signal };
      return repeated(location, () => transact(pools.reads, options, work));
    },
    write(work, { scope, timeout } = {}) {
      const statement = STATEMENT[scope === undefined ? "administration" : "request"];
      // Reads wait for writes that have little time, so these do not wait for a connection behind others.
      const pool = timeout === undefined ? pools.writes : pools.reads;
      const start = startOf(schema, { statement, lock: timeout ?? LIMITS.lock, silence: LIMITS.silence });
      const begin = `begin; ${start}; ${locksOf(schema, scope)}`;
      const options = { begin, onBegun, timeout: statement + GRACE, signal };
      return repeated(location, () =>
        transact(pool, options, work).catch((error) => refuseRepetition(error, location)),
      );
    },
  };
}

/** @throws CliError outcome_unknown instead of the error of a write that may have been committed; the error */
function refuseRepetition(error: unknown, { name }: PostgresLocation): never {
  if (!(error instanceof ConnectionError && error.mayHaveCommitted)) throw error;
  const message = `the connection to the database ${name} was lost at the end of a write, which may have been done`;
  throw new CliError("outcome_unknown", message, { hint: "look before you repeat it", cause: error });
}

/**
 * Repeats what another transaction or a lost connection made fail, and has not been committed.
 * @throws what explains the last error
 */
export async function repeated<T>(location: PostgresLocation, attempt: () => Promise<T>): Promise<T> {
  for (let left = REPETITIONS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      // A lost connection counts once: its answer may have been waited for very long, and a pooler accepts each.
      const isLast = left === 0 || (error instanceof ConnectionError && left < REPETITIONS);
      if (isLast || !isTransient(error)) throw explainPostgresError(error, location);
      await sleepFor(randomInt(5, 100));
    }
  }
}

/**
 * A statement that sets timeouts (ms): of a statement, of the wait for each lock, of the time between statements. And one that reads
 * the version of the schema, which cannot change until the end; within these timeouts, it waits for a migration.
 */
function startOf(
  schema: string,
  { statement, lock, silence }: Readonly<Record<"statement" | "lock" | "silence", number>>,
): string {
  // A lock timeout of 0 would be for ever.
  return `select set_config('search_path', ${pg.escapeLiteral(pg.escapeIdentifier(schema))}, true),
      set_config('lock_timeout', '${Math.max(1, Math.ceil(lock))}', true),
      set_config('statement_timeout', '${statement}', true),
      set_config('idle_in_transaction_session_timeout', '${silence}', true);
    select version, compatible_since from ${VERSION_TABLE}`;
}

/**
 * Statements that take the locks of a scope. The lock of all is shared by transactions with a scope, and of one that has
 * none. The order is the same everywhere, so that two do not wait for each other.
 */
function locksOf(schema: string, scope: readonly string[] | undefined): string {
  const all = lockKey(schema, "all");
  if (scope === undefined) return `select pg_advisory_xact_lock(${all})`;
  const keys = scope.map((name) => lockKey(schema, `scope ${name}`)).sort();
  const locks = keys.map((key) => `select pg_advisory_xact_lock(${key})`);
  return [`select pg_advisory_xact_lock_shared(${all})`, ...locks].join("; ");
}

/** The key of an advisory lock, which is a number of 64 bits. */
export function lockKey(schema: string, name: string): string {
  const hash = createHash("sha256").update(`calctl ${schema} ${name}`).digest();
  return `'${hash.readBigInt64BE()}'::bigint`;
}

/** The row of `VERSION_TABLE`. */
export interface Versions {
  readonly version: number;
  readonly compatible_since: number;
}

/** Whether a database needs a newer program than this one. */
export function isSuperseded({ version, compatible_since }: Versions): boolean {
  return version > SCHEMA_VERSION && compatible_since > SCHEMA_VERSION;
}
