import { randomInt, randomUUID } from "node:crypto";
import pg from "pg";
import type { CliError } from "../../../src/errors.js";
import { sleepFor } from "../../../src/system/clock.js";
import { SCHEMA_VERSION } from "../schema.js";
import type { Store, Transaction } from "../store.js";
import { commit, createCleaning, insertInto, LostCommitError, requireCommitted } from "./commits.js";
import { type OnConnection, type QueryOptions, query } from "./connection.js";
import { runWork } from "./dialect.js";
import {
  ConnectionError,
  explainPostgresError,
  foreignPostgresError,
  isConflict,
  supersededError,
} from "./errors.js";
import type { PostgresLocation } from "./location.js";
import { locksOf, untilLocked } from "./locks.js";
import type { ConnectionRequest } from "./pool-queue.js";

/** The table that marks a schema as ours. Its one row has the version of the schema. */
export const VERSION_TABLE = "calctl_schema";

/** How long a transaction waits for the locks of others by default (ms). */
const LOCK_TIMEOUT = 10_000;

/** How long administration waits for all writes to end (ms): longer than a write of a stopped node lasts. */
const EXCLUSIVE_TIMEOUT = 40_000;

/** How long a node may be silent in a transaction (ms). */
const SILENCE_TIMEOUT = 30_000;

/** How long one statement may take (ms). Administration may remove or count very many events. */
const STATEMENT_TIMEOUTS = { request: 30_000, administration: 600_000 };

/** How often a transaction is repeated that another one or a lost connection made fail. */
const REPETITIONS = 8;
/** Random pause before it is (ms). */
const PAUSE = { min: 5, max: 100 };

/** How much longer than the server the client waits for a statement (ms). */
const GRACE = 5_000;

/** How long the client waits for a statement of a request by default (ms). */
export const ANSWER_TIMEOUT = STATEMENT_TIMEOUTS.request + GRACE;

/** A database that was opened. */
export interface OpenedDatabase {
  readonly onConnection: OnConnection;
  readonly location: PostgresLocation;
  /** Where its tables are. */
  readonly schema: string;
  /** Called when a newer program has migrated it. */
  readonly onSuperseded: (error: CliError) => void;
}

/**
 * The two kinds of transaction. Nothing outlives one in the session, so that pgbouncer may give each to another one of
 * its connections.
 */
export function createTransactions(opened: OpenedDatabase): Pick<Store, "read" | "write"> {
  const clean = createCleaning(opened.onConnection, opened.schema);
  return {
    read(work, { isAdministration = false, client = "" } = {}) {
      const statementTimeout = STATEMENT_TIMEOUTS[isAdministration ? "administration" : "request"];
      // It may be silent for as long as a statement: what reads one database may write what it finds to another one.
      const start = startOf(opened, { statementTimeout, silence: statementTimeout });
      return repeated(opened.location, () =>
        runTransaction(opened, work, {
          begin: () => `begin isolation level repeatable read read only; ${start}`,
          end: async (connection) => void (await query(connection, "commit")),
          timeout: statementTimeout + GRACE,
          connectionRequest: { client },
        }),
      );
    },
    async write(work, { scope, timeout: total, client = scope?.join(" ") ?? "", readsWait } = {}) {
      const locks = locksOf(opened.schema, scope);
      const isRequest = scope !== undefined;
      const timeout = total ?? (isRequest ? LOCK_TIMEOUT : EXCLUSIVE_TIMEOUT);
      const statementTimeout = STATEMENT_TIMEOUTS[isRequest ? "request" : "administration"];
      const connectionRequest = { client, scope: scope ?? ["all"], readsWait, timeout };
      const attempt = (wait: number) => {
        const id = randomUUID();
        const deadline = performance.now() + wait;
        const begin = () => {
          const lock = deadline - performance.now();
          const start = startOf(opened, { statementTimeout, lock });
          return `begin; ${start}; ${locks}; ${insertInto(opened.schema, id)}`;
        };
        const end = (connection: pg.PoolClient) => commit(connection, id);
        return runTransaction(opened, work, {
          begin,
          end,
          timeout: statementTimeout + GRACE,
          connectionRequest,
        });
      };
      const result = await repeated(opened.location, () =>
        isRequest ? attempt(timeout) : untilLocked(attempt, timeout),
      );
      void clean();
      return result;
    },
  };
}

/**
 * Repeats what another transaction or a lost connection made fail, and has not been committed. What got no answer is repeated
 * once: such an attempt takes very long, and behind a pooler each has a connection that is accepted.
 * @throws what explains the last error
 */
export async function repeated<T>(location: PostgresLocation, attempt: () => Promise<T>): Promise<T> {
  let unanswered = 0;
  for (let repetitions = 0; ; repetitions += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wasLost = error instanceof ConnectionError && !error.isRefused;
      if (wasLost && error.isUnanswered) unanswered += 1;
      if (repetitions === REPETITIONS || unanswered > 1 || !(wasLost || isConflict(error)))
        throw explainPostgresError(error, location);
      await sleepFor(randomInt(PAUSE.min, PAUSE.max));
    }
  }
}

interface Start {
  /** Milliseconds. */
  readonly statementTimeout: number;
  /** How long it waits for each lock (ms). */
  readonly lock?: number;
  /** How long nothing may happen in it (ms). */
  readonly silence?: number;
}

/**
 * A statement that sets the timeouts, and one that reads the version of the schema, which cannot change until the end. The
 * second waits for a migration, within these timeouts.
 */
function startOf(
  { schema }: OpenedDatabase,
  { statementTimeout, lock = LOCK_TIMEOUT, silence = SILENCE_TIMEOUT }: Start,
): string {
  const settings = {
    search_path: pg.escapeIdentifier(schema),
    // 0 would be for ever.
    lock_timeout: String(Math.max(1, Math.ceil(lock))),
    statement_timeout: String(statementTimeout),
    idle_in_transaction_session_timeout: String(silence),
  };
  const set = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', ${pg.escapeLiteral(value)}, true)`,
  );
  const versions = `select version, compatible_since from ${pg.escapeIdentifier(schema)}.${VERSION_TABLE}`;
  return `select ${set.join(", ")}; ${versions}`;
}

interface TransactionKind {
  readonly connectionRequest: Partial<ConnectionRequest>;
  /** Statements, for when it has a connection. The second and the third one are those of `startOf`. */
  readonly begin: () => string;
  /** Ends the transaction. */
  readonly end: (client: pg.PoolClient) => Promise<void>;
  /** How long it waits for the answer to a query (ms). */
  readonly timeout: number;
}

async function runTransaction<T>(
  opened: OpenedDatabase,
  work: (db: Transaction) => Promise<T>,
  { connectionRequest, begin, end, timeout }: TransactionKind,
): Promise<T> {
  let result: { readonly value: T } | undefined;
  try {
    return await opened.onConnection(async (client) => {
      await beginTransaction(opened, client, { begin: begin(), timeout });
      result = { value: await runWork(client, work, { timeout }) };
      await end(client);
      return result.value;
    }, connectionRequest);
  } catch (error) {
    if (!(error instanceof LostCommitError) || result === undefined) throw error;
    // Only now, when the lost connection is no longer one of the pool.
    await requireCommitted(opened, error);
    return result.value;
  }
}

async function beginTransaction(
  { location, onSuperseded }: OpenedDatabase,
  client: pg.PoolClient,
  { begin, timeout }: Pick<QueryOptions, "timeout"> & { readonly begin: string },
): Promise<void> {
  // Several statements without parameters have several results, which the types do not say.
  const results: unknown = await query(client, begin, { timeout }).catch((error: unknown) => {
    throw isMissing(error) ? foreignPostgresError(location, "its tables are gone") : error;
  });
  const start: unknown = Array.isArray(results) ? results[2]?.rows[0] : undefined;
  if (!isStart(start)) throw foreignPostgresError(location, `its table ${VERSION_TABLE} is empty`);
  if (isSuperseded(start)) {
    const error = supersededError(location);
    onSuperseded(error);
    throw error;
  }
}

/** Whether a schema or table does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ["3F000", "42P01"].includes(error.code ?? "");
}

interface Versions {
  readonly version: number;
  readonly compatible_since: number;
}

function isStart(row: unknown): row is Versions {
  return typeof row === "object" && row !== null && "version" in row && "compatible_since" in row;
}

/** Whether a database needs a newer program than this one. */
export function isSuperseded({ version, compatible_since }: Versions): boolean {
  return version > SCHEMA_VERSION && compatible_since > SCHEMA_VERSION;
}
