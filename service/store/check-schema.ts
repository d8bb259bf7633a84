import { type RawBuilder, sql } from "kysely";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { connect, MEMORY } from "../../src/system/sqlite/connection.js";
import { addKey, EXAMPLES, findProblems, keyText, type Problem, type Rule } from "./check-rows.js";
import { statementsAfter } from "./migrations.js";
import type { Engine, LongWorkOptions, Transaction } from "./store.js";
import { type Column, LASTING_TABLES, type Reference, type Table } from "./tables.js";

/** What the service needs of a database. What an operator added to it is nobody's concern. */
export interface ExpectedSchema {
  readonly items: readonly SchemaItem[];
  /** Those of `LASTING_TABLES`. */
  readonly tables: readonly Table[];
}

/** Something that a database has: `tokens`, `tokens.hash text`, `tokens (hash)`, `tokens_by_client`. */
interface SchemaItem {
  readonly kind: "table" | "column" | "key" | "index";
  readonly name: string;
}

const ITEMS = {
  sqlite: `
    with tables as (select rowid as place, name from sqlite_schema where type = 'table'),
      keys as (select tables.name as table_name, list.name as key_name
        from tables, pragma_index_list(tables.name) as list where list."unique" and not list.partial
        order by place, key_name)
    select 'table' as kind, name from tables
    union all select 'column', tables.name || '.' || found.name || ' ' || lower(found.type)
      from tables, pragma_table_info(tables.name) as found
    union all select 'index', name from sqlite_schema where type = 'index' and sql is not null
    union all select 'key', table_name || ' (' || (select group_concat(coalesce(name, '?'), ', ')
        from (select name from pragma_index_info(key_name) order by seqno)) || ')' from keys`,
  postgres: `
    with tables as (select oid, relname::text as name from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')),
      indexes as (select pg_index.*, tables.name as table_name, pg_class.relname::text as name
        from pg_index join tables on indrelid = tables.oid join pg_class on pg_class.oid = indexrelid where indisvalid)
    select 'table' as kind, name from tables
    union all select 'column', name || '.' || attname || ' '
        || replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz')
      from tables join pg_attribute on attrelid = tables.oid where attnum > 0 and not attisdropped
    union all select 'index', name from indexes
    union all select 'key', table_name || ' (' || (select string_agg(attname, ', ' order by place)
        from unnest(indkey::int2[]) with ordinality as part(number, place)
        join pg_attribute on attrelid = indrelid and attnum = number where place <= indnkeyatts) || ')'
      from indexes where indisunique and indpred is null and indexprs is null`,
};

/** What the migrations make: found in a database in memory that they have made. */
export async function expectedSchema(engine: Engine): Promise<ExpectedSchema> {
  const connection = await connect(MEMORY);
  try {
    for (const statement of statementsAfter(0, engine)) connection.exec(statement);
    const query = <T>(text: string, ...values: string[]) => connection.prepare(text).all(values) as T[];
    const tables = LASTING_TABLES.map((name): Table => {
      const columns = query<Column & { readonly pk: number }>(
        `select name, lower(type) as type, not ("notnull" or pk) as "isNullable", pk from pragma_table_info(?)`,
        name,
      );
      const key = columns.filter(({ pk }) => pk > 0).map((column) => column.name);
      const references = query<Parameters<typeof readReference>[0]>(
        `select "table", group_concat("from") as columns, group_concat("to") as key
          from (select * from pragma_foreign_key_list(?) order by seq) group by id order by id desc`,
        name,
      );
      return { name, columns, key, references: references.map(readReference) };
    });
    return { items: query<SchemaItem>(ITEMS.sqlite), tables };
  } finally {
    connection.close();
  }
}

function readReference({ table, columns, key }: Readonly<Record<keyof Reference, string>>): Reference {
  return { table, columns: columns.split(","), key: key.split(",") };
}

export interface SchemaProblems {
  readonly missingTables: readonly string[];
  /** These, or what tables lack, and rows that are there twice for want of it. */
  readonly problems: readonly Problem[];
}

/** What the schema lacks, and rows that have the same key where no constraint prevents it. */
export async function checkSchema(
  db: Transaction,
  engine: Engine,
  { items, tables }: ExpectedSchema,
): Promise<SchemaProblems> {
  const { rows } = await sql.raw<SchemaItem>(ITEMS[engine]).execute(db);
  const found = new Set(rows.map(({ kind, name }) => `${kind} ${name}`));
  const missing = (kind: SchemaItem["kind"]) =>
    items.filter((item) => item.kind === kind && !found.has(`${kind} ${item.name}`)).map(({ name }) => name);
  const problem = (what: string, keys: readonly string[]): Problem[] =>
    keys.length === 0 ? [] : [{ what: `missing ${what}`, keys }];
  const missingTables = missing("table").sort();
  if (missingTables.length > 0) return { missingTables, problems: problem("tables", missingTables) };
  const columns = missing("column");
  const keys = missing("key");
  const duplicates = keys.flatMap((key) => duplicatesOf(key, tables));
  const problems = [
    ...problem("columns", columns),
    ...problem("unique keys", keys),
    ...problem("indexes", missing("index")),
    ...(columns.length === 0 ? await findProblems(db, duplicates) : []),
  ];
  return { missingTables, problems };
}

/** Rows with the same key, such as `users (login_key)`. Nothing else can have written the same key twice. */
function duplicatesOf(key: string, tables: readonly Table[]): Rule[] {
  const [, name, columns = ""] = /^(\w+) \((.*)\)$/.exec(key) ?? [];
  return tables
    .filter((table) => table.name === name)
    .map((table) => ({
      what: `${table.name} with the same ${columns.replaceAll(", ", " and ")}`,
      query: sql`select min(${keyText(table.key)}) as id from ${sql.table(table.name)}
        group by ${sql.join(columns.split(", ").map((column) => sql.ref(column)))} having count(*) > 1`,
    }));
}

/** Columns that are 0 or 1. */
const FLAGS = ["all_day", "disabled", "read_only", "busy_only"];

/** Values of another type than their column, which only SQLite stores, and numbers that JavaScript cannot read exactly. */
export async function checkValues(
  db: Transaction,
  engine: Engine,
  { tables, signal }: Pick<ExpectedSchema, "tables"> & Pick<LongWorkOptions, "signal">,
): Promise<Problem[]> {
  const problems = new Map<string, string[]>();
  for (const { name, key, columns } of tables) {
    await yieldToEventLoop(signal);
    const cases = columns.map((column) => sql`when ${isWrong(column, engine)} then ${sql.lit(column.name)}`);
    const { rows } = await sql<{ readonly id: string; readonly wrong: string }>`
      select * from (select ${keyText(key)} as id, case ${sql.join(cases, sql` `)} end as wrong from ${sql.table(name)}) as found
      where wrong is not null limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    for (const { id, wrong } of rows) addKey(problems, `${name} with an invalid ${wrong}`, id);
  }
  return [...problems].map(([what, keys]) => ({ what, keys }));
}

function isWrong({ name, type, isNullable }: Column, engine: Engine): RawBuilder<unknown> {
  const column = sql.ref(name);
  const [low, high] = FLAGS.includes(name) ? [0, 1] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const isInRange = sql`${column} between ${sql.lit(low)} and ${sql.lit(high)}`;
  const isSet = sql`${column} is not null`;
  let isRight = type === "text" ? isSet : isInRange;
  if (engine === "sqlite") {
    const isType = sql`typeof(${column}) = ${sql.lit(type === "text" ? "text" : "integer")}`;
    isRight = sql`(${isType} and ${isRight})`;
  }
  return isNullable ? sql`${isSet} and (${isRight}) is not true` : sql`(${isRight}) is not true`;
}
