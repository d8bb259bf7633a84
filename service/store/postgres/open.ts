import pg from "pg";
import findPassword from "pgpass";
import { createSecret } from "../../secrets.js";
import type { OpenStoreOptions, Store } from "../store.js";
import { withConnection } from "./connection.js";
import { READ_ONLY } from "./errors.js";
import { type PostgresLocation, parsePostgresUrl } from "./location.js";
import { prepare } from "./prepare.js";
import { ANSWER_TIMEOUT, createTransactions, EXCLUSIVE, repeated } from "./transactions.js";

/** The error code of a write that the user has no privilege for. */
const NO_PRIVILEGE = "42501";

/** Connections of a process by default. */
const CONNECTIONS = 10;

/** How long a connection is waited for, and how long making one may take; how long one is kept that is not used (ms). */
const TIMEOUTS = { connect: 10_000, idle: 60_000 };

export interface OpenPostgresOptions extends OpenStoreOptions {
  /** How many connections it may have, half of them for reads; 10 by default. */
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
  const { connections = CONNECTIONS, readOnly = false, onSuperseded = () => undefined } = options;
  // The server may take minutes to answer.
  const signal = readOnly ? options.signal?.() : undefined;
  const pools = {
    reads: createPool(location, Math.ceil(connections / 2)),
    writes: createPool(location, Math.floor(connections / 2)),
  };
  const close = async () => void (await Promise.all([pools.reads.end(), pools.writes.end()]));
  try {
    const preparing = () => prepare(pools.reads, location, { ...options, interruption: signal });
    const { schema, created } = await repeated(location, preparing, EXCLUSIVE.total);
    return {
      ...createTransactions({ pools, location, schema, signal, onSuperseded }),
      engine: "postgres",
      requireWritable: () => repeated(location, () => refuseWrites(pools.reads, schema)),
      created: created ? location.name : null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws Error with the code of a write that the server refuses: it is read-only, or the user may only read */
function refuseWrites(pool: pg.Pool, schema: string): Promise<void> {
  const text = `select current_setting('transaction_read_only') as read_only,
    has_table_privilege($1, 'insert') as may_write`;
  return withConnection(pool, { timeout: ANSWER_TIMEOUT }, async (send) => {
    const { rows } = await send(text, [`${pg.escapeIdentifier(schema)}.events`]);
    const { read_only, may_write } = rows[0];
    if (read_only === "on") throw Object.assign(new Error("the server is read-only"), { code: READ_ONLY });
    if (!may_write) throw Object.assign(new Error("the user may not write"), { code: NO_PRIVILEGE });
  });
}

function createPool({ host, port, database, user, password, tls }: PostgresLocation, max: number): pg.Pool {
  const server = { host, port, database, ...(user !== undefined && { user }) };
  // pg knows PGUSER and PGPASSWORD.
  const found = new pg.Client({ ...server, ...(password !== undefined && { password }) });
  const pool = new pg.Pool({
    ...server,
    password: found.password ?? (() => findPasswordInFile({ ...server, user: found.user })),
    ssl: tls,
    max: Math.max(1, max),
    connectionTimeoutMillis: TIMEOUTS.connect,
    idleTimeoutMillis: TIMEOUTS.idle,
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
 * Called when the server asks for one: that pg looks into the file itself is deprecated. Without a password we send a wrong one: pg
 * would otherwise leave the failed connection open.
 */
function findPasswordInFile(server: Parameters<typeof findPassword>[0]): Promise<string> {
  return new Promise((resolve) => {
    findPassword(server, (password = createSecret()) => resolve(password));
  });
}

/** Whole numbers of 64 bits as numbers: those stored are times (ms), counts and sizes. */
const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
