import {
  type ColumnDefinitionNode,
  type ColumnNode,
  type CreateTableNode,
  DataTypeNode,
  DummyDriver,
  Kysely,
  PrimaryKeyConstraintNode,
  type RawBuilder,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { EXAMPLES, keyText, type Problem } from "./check-rows.js";
import { MIGRATIONS } from "./migrations.js";
import type { StoreSchema } from "./schema.js";
import type { Engine, LongWorkOptions, Transaction } from "./store.js";
import { TABLES } from "./tables.js";

/** What the service needs of a database. What an operator added to it is nobody's concern. */
export interface Plan {
  readonly tables: string[];
  readonly columns: Column[];
  /** Columns whose values together are those of one row only. */
  readonly keys: { readonly table: string; readonly columns: readonly string[] }[];
  readonly indexes: Set<string>;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

/** What the migrations make, by what they ask for: nothing is run. */
export async function planOf(engine: Engine): Promise<Plan> {
  const plan: Plan = { tables: [], columns: [], keys: [], indexes: new Set() };
  const db = new Kysely<StoreSchema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    plugins: [
      {
        transformQuery: ({ node }) => {
          record(node, plan);
          return node;
        },
        transformResult: async ({ result }) => result,
      },
    ],
  });
  for (const run of MIGRATIONS) await run(db.schema, db, engine);
  return plan;
}

function record(node: RootOperationNode, plan: Plan): void {
  if (node.kind === "CreateIndexNode") plan.indexes.add(node.name.name);
  if (node.kind === "DropIndexNode") plan.indexes.delete(node.name.identifier.name);
  if (node.kind === "CreateTableNode") recordTable(node, plan);
  if (node.kind !== "AlterTableNode") return;
  for (const alteration of node.columnAlterations ?? []) {
    if (alteration.kind === "AddColumnNode")
      recordColumn(node.table.table.identifier.name, alteration.column, plan);
  }
}

function recordTable({ table: { table }, columns, constraints = [] }: CreateTableNode, plan: Plan): void {
  const { name } = table.identifier;
  plan.tables.push(name);
  for (const column of columns) recordColumn(name, column, plan);
  for (const constraint of constraints) {
    if (PrimaryKeyConstraintNode.is(constraint))
      plan.keys.push({ table: name, columns: constraint.columns.map(nameOf) });
  }
}

function recordColumn(table: string, definition: ColumnDefinitionNode, { columns, keys }: Plan): void {
  const { column, dataType, primaryKey = false, unique = false, notNull = false } = definition;
  const name = nameOf(column);
  const type = DataTypeNode.is(dataType) ? dataType.dataType : "";
  columns.push({ table, name, type, isNullable: !primaryKey && !notNull });
  if (primaryKey || unique) keys.push({ table, columns: [name] });
}

const nameOf = ({ column }: ColumnNode): string => column.name;

/** Something that a database has, in the same words as what it must have. */
interface Part {
  readonly kind: "table" | "column" | "key" | "index";
  readonly name: string;
}

const FOUND = {
  sqlite: sql<Part>`
    with tables as (select name from sqlite_schema where type = 'table'),
      keys as (select tables.name as table_name, list.name as key_name
        from tables, pragma_index_list(tables.name) as list where list."unique" and not list.partial)
    select 'table' as kind, name from tables
    union all select 'column', tables.name || '.' || found.name || ' ' || lower(found.type)
      from tables, pragma_table_info(tables.name) as found
    union all select 'index', name from sqlite_schema where type = 'index'
    union all select 'key', table_name || ' (' || (select group_concat(coalesce(name, '?'), ', ')
        from (select name from pragma_index_info(key_name) order by seqno)) || ')' from keys`,
  postgres: sql<Part>`
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

export interface SchemaProblems {
  readonly missingTables: readonly string[];
  /** These, or what tables lack, and rows that are there twice for want of it. */
  readonly problems: readonly Problem[];
}

/** What the schema lacks, and rows that have the same key where no constraint prevents it. */
export async function checkSchema(db: Transaction, engine: Engine, plan: Plan): Promise<SchemaProblems> {
  const { rows } = await FOUND[engine].execute(db);
  const found = new Set(rows.map(({ kind, name }) => `${kind} ${name}`));
  const isMissing = (kind: Part["kind"]) => (name: string) => !found.has(`${kind} ${name}`);
  const missingTables = plan.tables.filter(isMissing("table")).sort();
  const missing = (what: string, names: readonly string[]): Problem[] =>
    names.length === 0 ? [] : [{ what: `missing ${what}`, keys: names }];
  if (missingTables.length > 0) return { missingTables, problems: missing("tables", missingTables) };
  const columns = plan.columns.map(textOfColumn).filter(isMissing("column"));
  const keys = plan.keys.filter((key) => isMissing("key")(textOfKey(key)));
  const problems = [
    ...missing("columns", columns),
    ...missing("unique keys", keys.map(textOfKey)),
    ...missing("indexes", [...plan.indexes].filter(isMissing("index"))),
    ...(columns.length === 0 ? await findDuplicates(db, keys) : []),
  ];
  return { missingTables, problems };
}

const textOfColumn = ({ table, name, type }: Column) => `${table}.${name} ${type}`;
const textOfKey = ({ table, columns }: Plan["keys"][number]) => `${table} (${columns.join(", ")})`;

/** Nothing else can have written the same key twice. */
async function findDuplicates(db: Transaction, keys: Plan["keys"]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { table, columns } of keys) {
    const lasting = TABLES.find(({ name }) => name === table);
    if (lasting === undefined) continue;
    const { rows } = await sql<{ readonly id: string }>`
      select min(${keyText(lasting.key)}) as id from ${sql.table(table)}
      group by ${sql.join(columns.map((column) => sql.ref(column)))}
      having count(*) > 1 order by 1 limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    const found = rows.map(({ id }) => id);
    if (found.length > 0)
      problems.push({ what: `${table} with the same ${columns.join(" and ")}`, keys: found });
  }
  return problems;
}

/** Columns that are 0 or 1. */
const FLAGS = ["all_day", "disabled", "read_only"];

/** Of events. */
const EVENT_TIMES = ["start_at", "end_at", "created_at", "updated_at"];

export interface ValuesOptions extends Pick<Plan, "columns">, Pick<LongWorkOptions, "signal"> {
  /** Whether times of events may be anything that can be read, since another check looks at them; false by default. */
  readonly anyEventTime?: boolean;
}

/** Values of another type than their column, which only SQLite stores, and numbers that JavaScript cannot read exactly. */
export async function checkValues(
  db: Transaction,
  engine: Engine,
  { columns, signal, anyEventTime = false }: ValuesOptions,
): Promise<Problem[]> {
  const problems = new Map<string, string[]>();
  for (const { name, key } of TABLES) {
    await yieldToEventLoop(signal);
    const cases = columns
      .filter(({ table }) => table === name)
      .map((column) => sql`when ${isWrong(column, { engine, anyEventTime })} then ${sql.lit(column.name)}`);
    const { rows } = await sql<{ readonly id: string; readonly wrong: string }>`
      select * from (select ${keyText(key)} as id, case ${sql.join(cases, sql` `)} end as wrong from ${sql.table(name)}) as found
      where wrong is not null limit ${sql.lit(EXAMPLES + 1)}`.execute(db);
    for (const { id, wrong } of rows) {
      const what = `${name} with an invalid ${wrong}`;
      problems.set(what, [...(problems.get(what) ?? []), id]);
    }
  }
  return [...problems].map(([what, keys]) => ({ what, keys }));
}

function isWrong(
  { table, name, type, isNullable }: Column,
  { engine, anyEventTime }: { readonly engine: Engine; readonly anyEventTime: boolean },
): RawBuilder<unknown> {
  const column = sql.ref(name);
  const [low, high] = FLAGS.includes(name) ? [0, 1] : [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const isInRange = sql`${column} between ${sql.lit(low)} and ${sql.lit(high)}`;
  const isSet = sql`${column} is not null`;
  let isRight = type === "text" ? isSet : isInRange;
  if (engine === "sqlite") {
    const isType = sql`typeof(${column}) = ${sql.lit(type === "text" ? "text" : "integer")}`;
    const isAny = anyEventTime && table === "events" && EVENT_TIMES.includes(name);
    isRight = isAny ? sql`(not ${isType} or ${isInRange})` : sql`(${isType} and ${isRight})`;
  }
  return isNullable ? sql`${isSet} and (${isRight}) is not true` : sql`(${isRight}) is not true`;
}
