import { type Kysely, sql } from "kysely";
import type { StoreSchema } from "./schema.js";
import type { Transaction } from "./store.js";

export type TableName = keyof StoreSchema & string;

/** A row of any table. */
export type Row = Readonly<Record<string, string | number | null>>;

/** A table whose rows stay until somebody deletes them. */
export interface Table {
  readonly name: TableName;
  readonly columns: readonly Column[];
  /** The columns of its primary key, by which its rows are ordered. */
  readonly key: readonly string[];
  /** Its columns with values of others. */
  readonly references: readonly Reference[];
}

export interface Column {
  readonly name: string;
  /** `text`, or one of whole numbers. */
  readonly type: string;
  readonly isNullable: boolean;
}

export interface Reference {
  readonly columns: readonly string[];
  readonly table: string;
  /** The columns of that table. */
  readonly key: readonly string[];
}

/**
 * Every table with a content that must not be lost, but for `settings`; each after those that it refers to. Sessions, codes,
 * and what is counted of sign-ins are forgotten anyway.
 */
export const LASTING_TABLES = [
  ...(["users", "calendars", "members", "labels", "series", "events", "attendees", "activities"] as const),
  ...(["deleted_events", "idempotency_keys", "clients", "redirect_uris", "tokens", "feeds"] as const),
];

/** The same transaction, for tables that are chosen while it runs: their columns are not known to the compiler. */
export function anyTable(db: Transaction): Kysely<Record<TableName, Record<string, string | number | null>>> {
  return db as unknown as Kysely<Record<TableName, Record<string, string | number | null>>>;
}

export async function countRows(db: Transaction, table: TableName): Promise<number> {
  const { count } = await anyTable(db)
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Some rows of a table in the order of its key, without columns that an operator added.
 * @param page.after the last row before them; null for the first ones
 */
export function readRows(
  db: Transaction,
  { name, columns, key }: Table,
  { after, limit }: { readonly after: Row | null; readonly limit: number },
): Promise<Row[]> {
  const names = columns.map((column) => column.name);
  const place = sql.join(key.map((column) => sql.ref(column)));
  const query = anyTable(db).selectFrom(name).select(names).orderBy(place).limit(limit);
  if (after === null) return query.execute();
  const last = sql.join(key.map((column) => after[column] ?? null));
  return query.where(sql<boolean>`(${place}) > (${last})`).execute();
}
