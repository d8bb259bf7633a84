import pg from "pg";
import { type CliError, configurationError } from "../../../src/errors.js";
import { createdTables, migrate, type SchemaVersion } from "../migrations.js";
import { COMPATIBLE_SINCE, SCHEMA_VERSION } from "../schema.js";
import { type OpenStoreOptions, otherVersionError, type Store, type Transaction } from "../store.js";
import { runWork, withConnection } from "./connection.js";
import { foreignPostgresError, supersededError } from "./errors.js";
import type { PostgresLocation } from "./location.js";
import { EXCLUSIVE, isSuperseded, lockKey, VERSION_TABLE } from "./transactions.js";

/** How long a statement of a migration may take (ms). */
const STATEMENT_TIMEOUT = 3_600_000;

/** The oldest version that is supported. */
const OLDEST_SERVER = 130_000;

export interface Preparation {
  readonly schema: string;
  /** Whether the tables were created just now. */
  readonly created: boolean;
}

interface PrepareOptions extends OpenStoreOptions {
  readonly interruption: AbortSignal | undefined;
}

/**
 * Creates or migrates the tables where that is needed.
 * @throws CliError configuration when the server cannot be used, or the database is not ours, newer than this program, or
 * incomplete
 */
export async function prepare(
  pool: pg.Pool,
  location: PostgresLocation,
  { create = true, migrate: isAllowed = true, readOnly = false, interruption: signal }: PrepareOptions,
): Promise<Preparation> {
  const inTransaction = <T>(begin: string, work: (db: Transaction) => Promise<T>) =>
    withConnection(pool, { timeout: STATEMENT_TIMEOUT, signal }, async (send) => {
      await send(begin);
      const result = await runWork(send, work);
      await send("commit");
      return result;
    });
  // One snapshot: otherwise tables from before a migration would stand beside the version after it.
  const begin = "begin isolation level repeatable read read only";
  const found = await inTransaction(begin, (db) => inspect(db, location));
  const { schema } = found;
  if (isSuperseded(found)) throw supersededError(location);
  if (found.version >= SCHEMA_VERSION && found.missing.length > 0) {
    throw incompleteError(location, `the tables ${found.missing.join(", ")}`);
  }
  if (found.version === 0 && readOnly) throw missingPostgresError(location);
  const isOther = found.version !== 0 && found.version !== SCHEMA_VERSION;
  if (isOther && (readOnly || !isAllowed)) throw otherVersionError(location.name, found.version);
  if (found.version >= SCHEMA_VERSION) return { schema, created: false };
  const lock = `select pg_advisory_xact_lock(${lockKey(schema, "migration")})`;
  const limit = `select set_config('lock_timeout', '${EXCLUSIVE.attempt}', true)`;
  const write: Store["write"] = (work) => inTransaction(`begin; ${lock}; ${limit}`, work);
  const version: SchemaVersion = {
    engine: "postgres",
    async read(db) {
      const { version, hasSchema } = await inspect(db, location);
      if (version === 0 && !create) throw missingPostgresError(location);
      const name = pg.escapeIdentifier(schema);
      if (!hasSchema) await db.run(`create schema ${name}`);
      await db.all("select set_config('search_path', ?, true)", name);
      // Waits until every transaction that knows the version before has ended, and lets no other one begin.
      if (version > 0) await db.run(`lock table ${VERSION_TABLE} in access exclusive mode`);
      return version;
    },
    write: writeVersion,
  };
  return { schema, created: (await migrate({ write }, { database: location.name, version })) === 0 };
}

async function writeVersion(db: Transaction, version: number): Promise<void> {
  await db.run(
    `create table if not exists ${VERSION_TABLE} (version integer not null, compatible_since integer not null)`,
  );
  await db.run(`delete from ${VERSION_TABLE}`);
  await db.run(`insert into ${VERSION_TABLE} values (?, ?)`, version, COMPATIBLE_SINCE);
}

interface Inspection {
  /** Where the tables are, or will be. */
  readonly schema: string;
  readonly hasSchema: boolean;
  /** 0 without tables. */
  readonly version: number;
  readonly compatible_since: number;
  /** Tables of the newest version that it does not have. */
  readonly missing: readonly string[];
}

/** @throws CliError configuration when the database cannot be ours */
async function inspect(db: Transaction, location: PostgresLocation): Promise<Inspection> {
  const [{ server, encoding, schema, exists, tables } = NOTHING] = await db.all<Server>(
    `select current_setting('server_version_num')::int as server, current_setting('server_encoding') as encoding, schema,
      to_regnamespace(quote_ident(schema)) is not null as exists,
      array(select tablename::text from pg_tables where schemaname = schema) as tables
    from (select coalesce(?, current_schema()::text) as schema) as chosen`,
    location.schema ?? null,
  );
  if (server < OLDEST_SERVER) throw unsuitableServer(location, "its version is older than 13");
  if (encoding !== "UTF8") throw unsuitableServer(location, `its encoding is ${encoding}, not UTF8`);
  if (schema === null) throw unsuitableServer(location, "no schema of its search path exists");
  if (tables.length === 0) return { schema, hasSchema: exists, version: 0, compatible_since: 0, missing: [] };
  if (!tables.includes(VERSION_TABLE))
    throw foreignPostgresError(location, "it has tables of another program");
  const [versions] = await db.all<Pick<Inspection, "version" | "compatible_since">>(
    `select version, compatible_since from ${pg.escapeIdentifier(schema)}.${VERSION_TABLE}`,
  );
  if (versions === undefined) throw incompleteError(location, `the row of ${VERSION_TABLE}`);
  const missing = createdTables("postgres").filter((table) => !tables.includes(table));
  return { schema, hasSchema: true, ...versions, missing };
}

/** What a server says of itself, and of the schema that is chosen. */
interface Server {
  readonly server: number;
  readonly encoding: string;
  readonly schema: string | null;
  readonly exists: boolean;
  readonly tables: readonly string[];
}

const NOTHING: Server = { server: 0, encoding: "", schema: null, exists: false, tables: [] };

function unsuitableServer({ name }: PostgresLocation, problem: string): CliError {
  return configurationError(`the database ${name} cannot be used: ${problem}`, {
    hint: "use PostgreSQL 13 or newer, a database made with createdb -E UTF8 -T template0, and ?schema=NAME where the role needs one",
  });
}

function missingPostgresError({ name }: PostgresLocation): CliError {
  return configurationError(`the database ${name} is empty`, {
    hint: "check --db, or create its tables: calctl service users add, calctl service start",
  });
}

function incompleteError({ name }: PostgresLocation, missing: string): CliError {
  return configurationError(`the database ${name} is incomplete: it lacks ${missing}`, {
    hint: "restore it from a backup, or drop the schema to start with an empty one",
  });
}
