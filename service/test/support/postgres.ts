import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { lockKey } from "../../store/postgres/transactions.js";

declare module "vitest" {
  interface ProvidedContext {
    /** What the services of a test file run on, if it runs on both: SQLite by default. */
    engine: "postgres";
    /** URL of the database of the tests. */
    postgres: string;
  }
}

export interface Schema {
  /** URL of the database with the name of the schema, which a service creates. */
  readonly database: string;
  /** The rows of a query, as another program has them. */
  query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The same for what changes tables. */
  change(text: string): Promise<void>;
  /** Lets nobody else write until the function it resolves with is called. @param change is done, and committed then */
  lock(change?: string): Promise<() => Promise<void>>;
  /** Everything that the tables have, as text. */
  contents(): Promise<string>;
  remove(): Promise<void>;
}

/** Where services connect to, if not to the server itself. */
let entrance: string | undefined;

/** Lets the services of new schemas connect through another program. Undo it with undefined. */
export function connectThrough(url: string | undefined): void {
  entrance = url;
}

/** Schemas that have every table and no row: making one takes longer than most tests. */
const empty: string[] = [];

/** A schema of the database of the tests. @param isNew whether it must not have tables yet */
export function createSchema({ isNew = false }: { readonly isNew?: boolean } = {}): Schema {
  const url = inject("postgres");
  const name = (isNew ? undefined : empty.pop()) ?? `test_${randomBytes(8).toString("hex")}`;
  const direct = `${url}?schema=${name}`;
  let isIntact = !isNew;
  return {
    database: `${entrance ?? url}?schema=${name}`,
    query: (text) => querySchema(direct, text),
    change: async (text) => {
      isIntact = false;
      await querySchema(direct, text);
    },
    async lock(change = "") {
      const client = await connect(direct);
      // As administration does: a write waits for it before it reads anything.
      await client.query(
        `begin; select pg_advisory_xact_lock(${lockKey(name, "all")}); ${LOCK_TABLES}; ${change}`,
      );
      return async () => {
        await client.query("commit");
        await client.end();
      };
    },
    contents: async () => String((await querySchema(direct, CONTENTS))[0]?.["contents"]),
    async remove() {
      if (isIntact) {
        await querySchema(direct, EMPTY_TABLES);
        empty.push(name);
      } else {
        await querySchema(url, `drop schema if exists ${name} cascade`);
      }
    },
  };
}

/** Faster than `truncate` for a few rows. Without the role, references would need an order. */
const EMPTY_TABLES = `
  set session_replication_role = replica;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'calctl_schema'
    loop execute format('delete from %I', name); end loop;
  end $$`;

const LOCK_TABLES = `
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = current_schema()
    loop execute format('lock table %I in exclusive mode', name); end loop;
  end $$`;

const CONTENTS = `
  select string_agg(query_to_xml(format('select * from %I', tablename), true, false, '')::text, '') as contents
  from pg_tables where schemaname = current_schema()`;

/** The rows of a query, or of the last of several, on a schema as another program has them. */
export async function querySchema(
  database: string,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await connect(database);
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(text);
    return (Array.isArray(results) ? results.at(-1) : results)?.rows ?? [];
  } finally {
    await client.end();
  }
}

async function connect(database: string): Promise<pg.Client> {
  const url = new URL(database);
  const schema = url.searchParams.get("schema");
  const client = new pg.Client({
    host: url.hostname,
    port: Number(url.port),
    user: url.username,
    database: url.pathname.slice(1),
  });
  await client.connect();
  if (schema !== null) await client.query(`set search_path = ${pg.escapeIdentifier(schema)}`);
  return client;
}
