import type { StoreSchema } from "./schema.js";
import { marks, type SqlValue } from "./sql.js";
import type { Transaction } from "./store.js";

export type TableName = keyof StoreSchema & string;

/** A row of any table. */
export type Row = StoreSchema[TableName];

/** A table whose rows stay until somebody deletes them. */
export interface Table {
  readonly name: TableName;
  readonly columns: readonly Column[];
  /** The columns of its primary key, by which its rows are ordered. */
  readonly key: readonly string[];
}

export interface Column {
  readonly name: string;
  /** `text`, or one of whole numbers. */
  readonly type: string;
  readonly isNullable: boolean;
}

/**
 * Every table with a content that must not be lost, but for `settings`; each after those that it refers to. Sessions, codes,
 * and what is counted of sign-ins are forgotten anyway.
 */
export const LASTING_TABLES = [
  ...(["users", "calendars", "members", "labels", "series", "events", "attendees", "activities"] as const),
  ...(["deleted_events", "idempotency_keys", "clients", "redirect_uris", "tokens", "feeds"] as const),
];

export async function countRows(db: Transaction, table: TableName): Promise<number> {
  const [row] = await db.all<{ readonly count: number }>(`select count(*) as count from ${table}`);
  return row?.count ?? 0;
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
  const place = key.join(", ");
  const last: Readonly<Record<string, SqlValue>> = { ...after };
  return db.all(
    `select ${columns.map((column) => column.name).join(", ")} from ${name}
    ${after === null ? "" : `where (${place}) > (${marks(key.length)})`}
    order by ${place} limit ${limit}`,
    ...(after === null ? [] : key.map((column) => last[column] ?? null)),
  );
}
