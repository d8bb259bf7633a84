import { type Compilable, type CompiledQuery, type DialectAdapter, type RawBuilder, sql } from "kysely";
import type { Transaction } from "./store.js";

/** What stands for the values of a query until it runs. */
export type Placeholders<V> = { readonly [K in keyof V]: RawBuilder<V[K]> };

/** Values, or what stands for them. */
export type Terms<V> = { readonly [K in keyof V]: V[K] | RawBuilder<V[K]> };

/** Runs a query with its values. Resolves with the rows. */
export type RunQuery<V, R> = (db: Transaction, values: V) => Promise<R[]>;

/** The adapter of a database that can run statements directly: through Kysely, one takes many times as long. */
export interface DirectAdapter extends DialectAdapter {
  /** Runs a statement in the transaction that has the connection. Returns its rows. */
  runDirectly(text: string, parameters: readonly unknown[]): unknown[];
}

function isDirect(adapter: DialectAdapter): adapter is DirectAdapter {
  return "runDirectly" in adapter;
}

/**
 * A query that is built and compiled once for each database, since that takes several times as long as running it. For
 * queries that most requests need.
 * @param build gives the same query whenever it is called
 */
export function compileOnce<V extends object, R>(
  build: (db: Transaction, values: Placeholders<V>) => Compilable<R>,
): RunQuery<V, R> {
  const compiled = new WeakMap<object, RunQuery<V, R>>();
  return (db, values) => {
    // There is one for the database, not one for each transaction.
    const { adapter } = db.getExecutor();
    const run = compiled.get(adapter) ?? compile(db, build);
    compiled.set(adapter, run);
    return run(db, values);
  };
}

/** Ids of one query: always as many, so that it is compiled once. */
const IDS_PER_QUERY = 64;

/**
 * A query of rows with any of some ids, compiled once. What it runs gives the rows of the first ids in order of the ids, then
 * those of the next ones.
 */
export function compileForIds<R>(
  build: (db: Transaction, ids: readonly RawBuilder<string>[]) => Compilable<R>,
): (db: Transaction, ids: Iterable<string>) => Promise<R[]> {
  const names = Array.from({ length: IDS_PER_QUERY }, (_, index) => `id${index}`);
  const run = compileOnce((db, values: Placeholders<Readonly<Record<string, string>>>) =>
    build(
      db,
      names.flatMap((name) => values[name] ?? []),
    ),
  );
  return async (db, ids) => {
    const sorted = [...new Set(ids)].sort();
    const rows: R[] = [];
    for (let start = 0; start < sorted.length; start += IDS_PER_QUERY) {
      const first = sorted[start] ?? "";
      // Of fewer, the first one is given more than once.
      const values = names.map((name, index) => [name, sorted[start + index] ?? first]);
      rows.push(...(await run(db, Object.fromEntries(values))));
    }
    return rows;
  };
}

function compile<V extends object, R>(
  db: Transaction,
  build: (db: Transaction, values: Placeholders<V>) => Compilable<R>,
): RunQuery<V, R> {
  const names = new Map<unknown, keyof V>();
  const create = (name: keyof V) => {
    const placeholder = {};
    names.set(placeholder, name);
    return sql`${placeholder}`;
  };
  // Returns a placeholder for any member.
  const placeholders = new Proxy({}, { get: (_, name) => create(name as keyof V) }) as Placeholders<V>;
  const query: CompiledQuery<R> = build(db, placeholders).compile();
  const { adapter } = db.getExecutor();
  return async (transaction, values) => {
    const parameters = query.parameters.map((parameter) => {
      const name = names.get(parameter);
      return name === undefined ? parameter : values[name];
    });
    if (isDirect(adapter)) return adapter.runDirectly(query.sql, parameters) as R[];
    return (await transaction.executeQuery<R>({ ...query, parameters })).rows;
  };
}
