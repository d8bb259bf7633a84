import pg from "pg";
import findPassword from "pgpass";
import { createSecret } from "../../secrets.js";
import type { OpenStoreOptions, Store } from "../store.js";
import { writesTable } from "./commits.js";
import { CONNECT_TIMEOUT, createOnConnection, type OnConnection, query, READ_ONLY } from "./connection.js";
import { type PostgresLocation, parsePostgresUrl } from "./location.js";
import { createPoolQueue } from "./pool-queue.js";
import { prepare } from "./prepare.js";
import { ANSWER_TIMEOUT, createTransactions, repeated } from "./transactions.js";

/** The error code of a write that the user has no privilege for. */
const NO_PRIVILEGE = "42501";

/** Connections of a process by default. */
const CONNECTIONS = 10;

/** How long a connection is kept that is not used (ms). */
const IDLE_TIMEOUT = 60_000;

export interface OpenPostgresOptions extends OpenStoreOptions {
  /** How many connections it may have; 10 by default. */
  readonly connections?: number;
}

/**
 * Opens a database of a PostgreSQL server, and creates or migrates its tables. Several processes may do so at once.
 * @param url `postgres://…`
 * @throws CliError configuration when the URL is wrong, the server cannot be used, or the database is not ours, newer
 * than this program, or incomplete
 */
export async function openPostgresStore(url: string, options: OpenPostgresOptions): Promise<Store> {
  const location = parsePostgresUrl(url);
  const pool = createPool(location, options.connections);
  const queue = createPoolQueue(pool.options.max);
  const onConnection = withInterruption(createOnConnection(pool, queue), options);
  try {
    const { schema, created } = await repeated(location, () => prepare(onConnection, location, options));
    const { onSuperseded = () => undefined } = options;
    return {
      ...createTransactions({ onConnection, location, schema, onSuperseded }),
      engine: "postgres",
      requireWritable: () => repeated(location, () => onConnection((client) => refuseWrites(client, schema))),
      pool: () => ({ size: pool.totalCount, idle: pool.idleCount, waiting: queue.waiting() }),
      created: created ? location.name : null,
      close: () => pool.end(),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** @throws Error with the code of a write that the server refuses: it is read-only, or the user may only read */
async function refuseWrites(client: pg.PoolClient, schema: string): Promise<void> {
  const text = `select current_setting('transaction_read_only') as read_only,
    has_table_privilege($1, 'insert') as may_write`;
  const { rows } = await query(client, text, { parameters: [writesTable(schema)] });
  if (rows[0]?.read_only === "on")
    throw Object.assign(new Error("the server is read-only"), { code: READ_ONLY });
  if (rows[0]?.may_write === false)
    throw Object.assign(new Error("the user may not write"), { code: NO_PRIVILEGE });
}

/** Ends the connection of a store that only reads when the signal aborts: the server may take minutes to answer. */
function withInterruption(
  onConnection: OnConnection,
  { readOnly = false, signal }: OpenStoreOptions,
): OnConnection {
  const interruption = readOnly ? signal?.() : undefined;
  if (interruption === undefined) return onConnection;
  return (work, turn) =>
    onConnection(async (client) => {
      interruption.throwIfAborted();
      const end = (): void => {
        // Those of the pool are, which its types do not say.
        if (client instanceof pg.Client) void client.end();
      };
      interruption.addEventListener("abort", end, { once: true });
      try {
        return await work(client);
      } catch (error) {
        throw interruption.aborted ? interruption.reason : error;
      } finally {
        interruption.removeEventListener("abort", end);
      }
    }, turn);
}

function createPool(
  { host, port, database, user, password, tls }: PostgresLocation,
  connections = CONNECTIONS,
): pg.Pool {
  const server = { host, port, database, ...(user !== undefined && { user }) };
  // pg knows PGUSER and PGPASSWORD.
  const found = new pg.Client({ ...server, ...(password !== undefined && { password }) });
  const pool = new pg.Pool({
    ...server,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
    query_timeout: ANSWER_TIMEOUT,
    password: found.password ?? (() => findPasswordInFile({ ...server, user: found.user })),
    ssl: tls,
    keepAlive: true,
    application_name: "calctl",
    types: { getTypeParser },
  });
  // The next transaction notices that a connection was lost, and an idle one is not missed.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/**
 * Called when the server asks for one. Without a password we send a wrong one: pg would otherwise leave the failed
 * connection open.
 */
function findPasswordInFile(server: Parameters<typeof findPassword>[0]): Promise<string> {
  return new Promise((resolve) => {
    findPassword(server, (password = createSecret()) => resolve(password));
  });
}

/** Whole numbers of 64 bits as numbers: those stored are times (ms), counts and sizes. */
const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
