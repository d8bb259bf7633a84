import type { Kysely } from "kysely";
import type { StoreSchema } from "./schema.js";
import type { Transaction } from "./store.js";

export type TableName = keyof StoreSchema & string;

/** A row of any table. */
export type Row = Readonly<Record<string, string | number | null>>;

/** A table whose rows stay until somebody deletes them. */
export interface Table {
  readonly name: TableName;
  /** The columns of its primary key, by which its rows are ordered. */
  readonly key: readonly string[];
  /** Its columns with values of others, by the table of those. */
  readonly references: readonly Reference[];
}

interface Reference {
  readonly columns: readonly string[];
  readonly table: TableName;
  readonly key: readonly string[];
}

const to = (table: TableName, column: string): Reference => ({ columns: [column], table, key: ["id"] });

/**
 * Every table with a content that must not be lost, but for `settings`; each after those that it refers to. Sessions, codes,
 * and what is counted of sign-ins and requests are forgotten anyway.
 */
export const TABLES: readonly Table[] = [
  { name: "users", key: ["id"], references: [] },
  { name: "calendars", key: ["id"], references: [] },
  {
    name: "members",
    key: ["calendar_id", "user_id"],
    references: [to("calendars", "calendar_id"), to("users", "user_id")],
  },
  { name: "labels", key: ["calendar_id", "number"], references: [to("calendars", "calendar_id")] },
  {
    name: "events",
    key: ["id"],
    references: [
      to("calendars", "calendar_id"),
      to("users", "creator_id"),
      { columns: ["calendar_id", "label_number"], table: "labels", key: ["calendar_id", "number"] },
    ],
  },
  {
    name: "attendees",
    key: ["event_id", "user_id"],
    references: [to("events", "event_id"), to("users", "user_id")],
  },
  { name: "activities", key: ["id"], references: [to("events", "event_id"), to("users", "user_id")] },
  {
    name: "deleted_events",
    key: ["calendar_id", "revision"],
    references: [to("calendars", "calendar_id")],
  },
  { name: "clients", key: ["id"], references: [] },
  { name: "redirect_uris", key: ["client", "position"], references: [to("clients", "client")] },
  { name: "tokens", key: ["id"], references: [to("users", "user_id"), to("clients", "client")] },
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

/** The last row of a table in the order of its key; null if it is empty. */
export async function readLastRow(
  db: Transaction,
  { name, key: [first = "", second] }: Table,
): Promise<Row | null> {
  let query = anyTable(db).selectFrom(name).selectAll().orderBy(first, "desc").limit(1);
  if (second !== undefined) query = query.orderBy(second, "desc");
  return (await query.executeTakeFirst()) ?? null;
}

/** Some rows of a table. */
export interface Part {
  readonly columns: readonly string[];
  /** The last row before them; null for the first ones. */
  readonly after: Row | null;
  readonly limit: number;
}

/** The rows of a table in the order of its key, some at a time. */
export function readRows(
  db: Transaction,
  { name, key: [first = "", second] }: Table,
  { columns, after, limit }: Part,
): Promise<Row[]> {
  let query = anyTable(db).selectFrom(name).select(columns).orderBy(first).limit(limit);
  if (second !== undefined) query = query.orderBy(second);
  if (after !== null && second === undefined) query = query.where(first, ">", after[first] ?? null);
  if (after !== null && second !== undefined) {
    query = query
      // So that the index is used.
      .where(first, ">=", after[first] ?? null)
      .where(({ or, eb }) =>
        or([eb(first, ">", after[first] ?? null), eb(second, ">", after[second] ?? null)]),
      );
  }
  return query.execute();
}
