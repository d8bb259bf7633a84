import { yieldToEventLoop } from "../../src/system/clock.js";
import { connect, MEMORY } from "../../src/system/sqlite/connection.js";
import { statementsAfter } from "./migrations.js";
import type { Engine, Transaction } from "./store.js";
import { type Column, LASTING_TABLES, type Table } from "./tables.js";

/** Something that is wrong, and the keys of the rows in which it is, perhaps not of all. */
export interface Problem {
  readonly what: string;
  readonly keys: readonly string[];
}

/** Keys of a problem that are shown. */
const EXAMPLES = 3;

/** All problems as one line. */
export function describeProblems(problems: readonly Problem[]): string {
  const texts = problems.map(({ what, keys }) => {
    const more = keys.length > EXAMPLES ? ", …" : "";
    return keys.length === 0 ? what : `${what}: ${keys.slice(0, EXAMPLES).join(", ")}${more}`;
  });
  return texts.join("; ");
}

/** What is wrong with the rows that a query finds. @param query selects their keys as `id` */
export async function findRows(db: Transaction, what: string, query: string): Promise<readonly Problem[]> {
  const rows = await db.all<{ readonly id: string }>(`${query} order by id limit ${EXAMPLES + 1}`);
  return rows.length === 0 ? [] : [{ what, keys: rows.map(({ id }) => id) }];
}

/** Tables, columns as `users.id text`, and indexes as `users (id) unique`. */
interface Part {
  readonly kind: "tables" | "columns" | "indexes";
  readonly name: string;
}

const PARTS = {
  sqlite: `
    with tables as (select name from sqlite_schema where type = 'table')
    select 'tables' as kind, name from tables
    union all select 'columns', tables.name || '.' || found.name || ' ' || lower(found.type)
      from tables, pragma_table_info(tables.name) as found
    union all select 'indexes', tables.name || ' (' || (
        select string_agg(coalesce(part.name, '?'), ', ' order by seqno) from pragma_index_info(list.name) as part)
        || ')' || case when "unique" then ' unique' else '' end
      from tables, pragma_index_list(tables.name) as list`,
  postgres: `
    with tables as (select oid, relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p'))
    select 'tables' as kind, name from tables
    union all select 'columns', name || '.' || attname || ' ' || format_type(atttypid, atttypmod)
      from tables join pg_attribute on attrelid = tables.oid where attnum > 0 and not attisdropped
    union all select 'indexes', name || ' (' || (
        select string_agg(coalesce(attname, '?'), ', ' order by place)
        from unnest(indkey::int2[]) with ordinality as part(number, place)
        left join pg_attribute on attrelid = indrelid and attnum = number and number > 0)
        || ')' || case when indisunique then ' unique' else '' end
      from tables join pg_index on indrelid = tables.oid where indisvalid`,
};

/** What the service needs of a database. What an operator added to it does not matter. */
export interface ExpectedSchema {
  readonly parts: readonly Part[];
  /** Those of `LASTING_TABLES`. */
  readonly tables: readonly Table[];
}

/** What the migrations make: found in a database in memory that they have made. */
export async function readExpectedSchema(): Promise<ExpectedSchema> {
  const connection = await connect(MEMORY);
  try {
    for (const statement of statementsAfter(0, "sqlite")) connection.exec(statement);
    const query = <T>(text: string, ...values: string[]) => connection.prepare(text).all(values) as T[];
    const tables = LASTING_TABLES.map((name): Table => {
      const columns = query<Column & { readonly pk: number }>(
        `select name, lower(type) as type, not ("notnull" or pk) as "isNullable", pk from pragma_table_info(?)`,
        name,
      );
      return { name, columns, key: columns.filter(({ pk }) => pk > 0).map((column) => column.name) };
    });
    return { parts: query<Part>(PARTS.sqlite), tables };
  } finally {
    connection.close();
  }
}

interface TableChecks {
  readonly engine: Engine;
  readonly expected: ExpectedSchema;
  readonly signal: AbortSignal;
}

/** What the schema lacks. */
export async function checkSchema(
  db: Transaction,
  { engine, expected }: TableChecks,
): Promise<readonly Problem[]> {
  const found = new Set((await db.all<Part>(PARTS[engine])).map(({ kind, name }) => `${kind} ${name}`));
  const lacks = (kind: Part["kind"]): Problem[] => {
    const names = expected.parts.filter((part) => part.kind === kind).map(({ name }) => name);
    const keys = names.filter((name) => !found.has(`${kind} ${name}`));
    return keys.length === 0 ? [] : [{ what: `missing ${kind}`, keys }];
  };
  const tables = lacks("tables");
  return tables.length > 0 ? tables : [...lacks("columns"), ...lacks("indexes")];
}

/** Columns that are 0 or 1. */
const FLAGS = ["all_day", "disabled", "read_only", "busy_only"];

/** Values of another type than their column, which only SQLite stores, and numbers that JavaScript cannot read exactly. */
export async function checkValues(
  db: Transaction,
  { engine, expected, signal }: TableChecks,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { name, key, columns } of expected.tables) {
    const id = key.map((column) => `cast(${column} as text)`).join(" || ' ' || ");
    for (const column of columns) {
      await yieldToEventLoop(signal);
      const rows = `select ${id} as id from ${name} where ${isInvalid(column, engine)}`;
      problems.push(...(await findRows(db, `${name} with an invalid ${column.name}`, rows)));
    }
  }
  return problems;
}

function isInvalid({ name, type, isNullable }: Column, engine: Engine): string {
  const [low, high] = FLAGS.includes(name) ? [0, 1] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const isInRange = type === "text" ? `${name} is not null` : `${name} between ${low} and ${high}`;
  const isType =
    engine === "sqlite" ? `typeof(${name}) = '${type === "text" ? "text" : "integer"}' and ` : "";
  return `${isNullable ? `${name} is not null and ` : ""}(${isType}${isInRange}) is not true`;
}

/** Rows that name others which do not exist. Of tables with their foreign keys, PostgreSQL lets there be none. */
export async function checkReferences(
  db: Transaction,
  { engine }: Pick<TableChecks, "engine">,
): Promise<readonly Problem[]> {
  const missingUser = await findRows(
    db,
    "the user of the profile local is missing",
    `select value as id from settings
    where name = 'local_user_id' and value not in (select id from users)`,
  );
  if (engine === "postgres") return missingUser;
  const rows = await db.all<{ readonly what: string; readonly rowid: number }>(
    `select "table" || ' without their row in ' || parent as what, rowid from pragma_foreign_key_check
    order by what, rowid`,
  );
  const problems = new Map<string, string[]>();
  for (const { what, rowid } of rows) problems.set(what, [...(problems.get(what) ?? []), `rowid ${rowid}`]);
  return [...missingUser, ...[...problems].map(([what, keys]) => ({ what, keys }))];
}
