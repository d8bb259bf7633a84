import { inSlices } from "../../src/system/clock.js";
import type { StoreSchema } from "./schema.js";

/** A value of a column. Whole numbers are below 2^53; flags are 0 or 1. */
export type SqlValue = string | number | null;

/** Queries of one transaction, as SQL that SQLite and PostgreSQL both understand: `?` stands for each value, in order. */
export interface Sql {
  /** @param R has the columns of the query */
  all<R>(text: string, ...values: readonly SqlValue[]): Promise<R[]>;
  /** @returns how many rows were written or deleted */
  run(text: string, ...values: readonly SqlValue[]): Promise<number>;
  /** The function that makes a JSON array of its arguments, which SQLite and older PostgreSQL have by other names. */
  readonly jsonArray: "json_array" | "json_build_array";
}

/** SQL for several values: `?, ?, ?`. */
export function marks(count: number): string {
  return Array.from({ length: count }, () => "?").join(", ");
}

/** Values in one statement: SQLite takes 32,766, and a statement is prepared once for each number of rows. */
const VALUES_PER_INSERT = 2_000;

/** Inserts rows, which have the same columns. */
export async function insert<T extends keyof StoreSchema & string>(
  db: Sql,
  table: T,
  rows: readonly StoreSchema[T][],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const perInsert = Math.max(1, Math.floor(VALUES_PER_INSERT / columns.length));
  for (let index = 0; index < rows.length; index += perInsert) {
    const batch = rows.slice(index, index + perInsert);
    const tuples = batch.map(() => `(${marks(columns.length)})`).join(", ");
    const values = batch.flatMap((row) => columns.map((name) => valueIn(row, name)));
    await db.run(`insert into ${table} (${columns.join(", ")}) values ${tuples}`, ...values);
  }
}

function valueIn(row: object, name: string): SqlValue {
  return (row as Readonly<Record<string, SqlValue>>)[name] ?? null;
}

/** Ids of one query of several: always as many, so that its statement is prepared once. */
const IDS_PER_QUERY = 64;
const MARKS = marks(IDS_PER_QUERY);

/**
 * The rows with any of some ids: those of the first ids in order of the ids, then those of the next ones.
 * @param text makes the query of what stands for the ids: `… where id in (${ids})`
 */
export async function allWithIds<R>(
  db: Sql,
  ids: Iterable<string>,
  text: (ids: string) => string,
): Promise<R[]> {
  const sorted = [...new Set(ids)].sort();
  if (sorted.length <= 1) return sorted.length === 0 ? [] : db.all<R>(text("?"), ...sorted);
  const query = text(MARKS);
  const batches = Array.from({ length: Math.ceil(sorted.length / IDS_PER_QUERY) }, (_, index) =>
    sorted.slice(index * IDS_PER_QUERY, (index + 1) * IDS_PER_QUERY),
  );
  const rows: R[] = [];
  for await (const batch of inSlices(batches)) {
    // Of fewer, the first one is given more than once.
    const values = Array.from({ length: IDS_PER_QUERY }, (_, index) => batch[index] ?? batch[0] ?? "");
    rows.push(...(await db.all<R>(query, ...values)));
  }
  return rows;
}
