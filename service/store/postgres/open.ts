import pg from "pg";
import findPassword from "pgpass";
import { createSecret } from "../../secrets.js";
import { createdTables, migrate } from "../migrations.js";
import { COMPATIBLE_SINCE, SCHEMA_VERSION } from "../schema.js";
import { type OpenStoreOptions, otherVersionError, type Store, type Transaction } from "../store.js";
import { transact } from "./connection.js";
import { READ_ONLY, supersededError, wrongDatabaseError } from "./errors.js";
import { type PostgresLocation, parsePostgresUrl } from "./location.js";
import {
  createTransactions,
  isSuperseded,
  LIMITS,
  lockKey,
  repeated,
  VERSION_TABLE,
  type Versions,
} from "./transactions.js";

/** How long a connection is waited for, how long an unused one is kept, and how long a statement of a migration may take (ms). */
const TIMEOUTS = { connect: 10_000, idle: 60_000, migration: 3_600_000 };

/** A node that stops meanwhile must not keep the lock that the others need to open the database. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${LIMITS.silence}`;

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
  const { connections = 10, readOnly = false, onSuperseded = () => undefined } = options;
  // The server may take minutes to answer.
  const signal = readOnly ? options.signal?.() : undefined;
  const pools = {
    reads: createPool(location, Math.ceil(connections / 2)),
    writes: createPool(location, Math.floor(connections / 2)),
  };
  const close = async () => void (await Promise.all([pools.reads.end(), pools.writes.end()]));
  const preparing = { begin: BEGIN, timeout: TIMEOUTS.migration, signal };
  try {
    const { schema, created } = await repeated(location, () =>
      transact(pools.reads, preparing, (db) => prepare(db, location, options)),
    );
    const transactions = createTransactions({ pools, location, schema, signal, onSuperseded });
    return {
      ...transactions,
      engine: "postgres",
      requireWritable: () => transactions.read(refuseWrites),
      created: created ? location.name : null,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws Error with the code of a write that the server refuses: it is read-only, or the user may only read */
async function refuseWrites(db: Transaction): Promise<void> {
  // Not of this transaction, which only reads.
  const [row] = await db.all<{ readonly read_only: boolean; readonly may_write: boolean }>(
    `select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as read_only,
      has_table_privilege('events', 'insert') as may_write`,
  );
  if (row?.read_only) throw Object.assign(new Error("the server is read-only"), { code: READ_ONLY });
  if (!row?.may_write) throw Object.assign(new Error("permission denied to write"), { code: "42501" });
}

function createPool({ host, port, database, user, password, tls }: PostgresLocation, max: number): pg.Pool {
  const server = { host, port, database, user };
  // pg knows PGUSER and PGPASSWORD.
  const known = new pg.Client({ ...server, password });
  // pg itself warns before it looks into the file. Without a password a wrong one: it would leave the failed connection open.
  const inFile = () =>
    new Promise<string>((resolve) => findPassword(known, (found = createSecret()) => resolve(found)));
  const pool = new pg.Pool({
    ...server,
    password: known.password ?? inFile,
    ssl: tls,
    max: Math.max(1, max),
    connectionTimeoutMillis: TIMEOUTS.connect,
    idleTimeoutMillis: TIMEOUTS.idle,
    keepAlive: true,
    application_name: "calctl",
    // Whole numbers of 64 bits as numbers: those stored are times (ms), counts and sizes.
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // The next transaction notices that a connection was lost, and an idle one is not missed.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/**
 * Creates or migrates the tables where that is needed. Of several processes, one does so after the other.
 * @returns where the tables are, and whether they were created just now
 */
async function prepare(
  db: Transaction,
  location: PostgresLocation,
  { create = true, migrate: isAllowed = true, readOnly = false }: OpenStoreOptions,
) {
  const { schema, exists } = await findSchema(db, location);
  const name = pg.escapeIdentifier(schema);
  await db.all(`select pg_advisory_xact_lock(${lockKey(schema, "migration")})`);
  const found = await readVersion(db, location, schema);
  if (found === 0 && (readOnly || !create)) {
    const hint = "check --db, or create its tables: calctl service users add, calctl service start";
    throw wrongDatabaseError(location, "is empty", hint);
  }
  const isCurrent = found === 0 || found === SCHEMA_VERSION;
  if (!isCurrent && (readOnly || !isAllowed)) throw otherVersionError(location.name, found);
  if (found >= SCHEMA_VERSION) return { schema, created: false };
  if (!exists) await db.run(`create schema ${name}`);
  await db.run(`set local search_path = ${name}; set local lock_timeout = ${LIMITS.lock}`);
  // Waits until every transaction that knows the version before has ended, and lets no other one begin.
  if (found > 0) await db.run(`lock table ${VERSION_TABLE} in access exclusive mode`);
  const version = { engine: "postgres", read: async () => found, write: writeVersion } as const;
  await migrate({ write: (work) => work(db) }, { database: location.name, version });
  return { schema, created: found === 0 };
}

async function writeVersion(db: Transaction, version: number): Promise<void> {
  await db.run(
    `create table if not exists ${VERSION_TABLE} (version integer not null, compatible_since integer not null)`,
  );
  await db.run(`delete from ${VERSION_TABLE}`);
  await db.run(`insert into ${VERSION_TABLE} values (?, ?)`, version, COMPATIBLE_SINCE);
}

/** Where the tables are, or will be. @throws CliError configuration when the server cannot be used */
async function findSchema(db: Transaction, location: PostgresLocation) {
  const [row] = await db.all<{ version: number; encoding: string; schema: string | null; exists: boolean }>(
    `select current_setting('server_version_num')::int / 10000 as version,
      current_setting('server_encoding') as encoding, schema,
      to_regnamespace(quote_ident(schema)) is not null as exists
    from (select coalesce(?, current_schema()::text) as schema) as chosen`,
    location.schema ?? null,
  );
  const { version = 0, encoding, schema = null, exists = false } = row ?? {};
  if (version >= 13 && encoding === "UTF8" && schema !== null) return { schema, exists };
  throw wrongDatabaseError(
    location,
    `cannot be used: its version is ${version}, its encoding ${encoding}, its schema ${schema ?? "missing"}`,
    "use PostgreSQL 13 or newer, a database made with createdb -E UTF8 -T template0, and ?schema=NAME where the role needs one",
  );
}

/** The version of the tables of a schema; 0 without any. @throws CliError configuration when they cannot be ours */
async function readVersion(db: Transaction, location: PostgresLocation, schema: string): Promise<number> {
  const text = "select tablename::text as name from pg_tables where schemaname = ?";
  const tables = (await db.all<{ readonly name: string }>(text, schema)).map(({ name }) => name);
  if (tables.length === 0) return 0;
  if (!tables.includes(VERSION_TABLE)) {
    const hint = "choose an empty database, or a schema of its own: ?schema=calctl";
    throw wrongDatabaseError(location, "is not a database of calctl: it has other tables", hint);
  }
  const [found] = await db.all<Versions>(
    `select version, compatible_since from ${pg.escapeIdentifier(schema)}.${VERSION_TABLE}`,
  );
  if (found !== undefined && isSuperseded(found)) throw supersededError(location);
  const missing = createdTables("postgres").filter((table) => !tables.includes(table));
  if (found !== undefined && (found.version < SCHEMA_VERSION || missing.length === 0)) return found.version;
  const lacks = found === undefined ? `the row of ${VERSION_TABLE}` : `the tables ${missing.join(", ")}`;
  const hint = "restore it from a backup, or drop the schema to start with an empty one";
  throw wrongDatabaseError(location, `is incomplete: it lacks ${lacks}`, hint);
}
