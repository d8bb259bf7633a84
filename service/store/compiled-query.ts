import { type Compilable, type CompiledQuery, type RawBuilder, sql } from "kysely";
import { inSlices } from "../../src/system/clock.js";
import type { Transaction } from "./store.js";

/** What stands for the values of a query until it runs. */
export type Placeholders<V> = { readonly [K in keyof V]: RawBuilder<V[K]> };

/** Runs a query with its values. Resolves with the rows. */
export type RunQuery<V, R> = (db: Transaction, values: V) => Promise<R[]>;

/**
 * A query that is built and compiled once for each database, since that takes several times as long as running it. For
 * queries that most requests need.
 * @param build gives the same query whenever it is called; each run has values of the same names
 */
export function compileOnce<V extends object, R>(
  build: (db: Transaction, values: Placeholders<V>) => Compilable<R>,
): RunQuery<V, R> {
  const compiled = new WeakMap<object, RunQuery<V, R>>();
  return (db, values) => {
    // There is one for the database, not one for each transaction.
    const { adapter } = db.getExecutor();
    const run = compiled.get(adapter) ?? compile(db, build, values);
    compiled.set(adapter, run);
    return run(db, values);
  };
}

/** Ids of one query of several: always as many, so that it is compiled once. */
const IDS_PER_QUERY = 64;

/**
 * A query of rows with any of some ids, compiled once for one id and once for several. What it runs gives the rows of the first ids in order of the ids, then
 * those of the next ones.
 */
export function compileForIds<R>(
  build: (db: Transaction, ids: readonly RawBuilder<string>[]) => Compilable<R>,
): (db: Transaction, ids: Iterable<string>) => Promise<R[]> {
  const query = () =>
    compileOnce((db, ids: Placeholders<readonly string[]>) => build(db, Object.values(ids)));
  const [runOne, run] = [query(), query()];
  return async (db, ids) => {
    const sorted = [...new Set(ids)].sort();
    if (sorted.length === 1) return runOne(db, sorted);
    const rows: R[] = [];
    const batches = Array.from({ length: Math.ceil(sorted.length / IDS_PER_QUERY) }, (_, index) =>
      sorted.slice(index * IDS_PER_QUERY, (index + 1) * IDS_PER_QUERY),
    );
    for await (const batch of inSlices(batches)) {
      // Of fewer, the first one is given more than once.
      const values = Array.from({ length: IDS_PER_QUERY }, (_, index) => batch[index] ?? batch[0] ?? "");
      rows.push(...(await run(db, values)));
    }
    return rows;
  };
}

function compile<V extends object, R>(
  db: Transaction,
  build: (db: Transaction, values: Placeholders<V>) => Compilable<R>,
  example: V,
): RunQuery<V, R> {
  const placeholders = Object.keys(example).map((name) => ({ name: name as keyof V }));
  const terms = Object.fromEntries(placeholders.map((term) => [term.name, sql`${term}`]));
  const query: CompiledQuery<R> = build(db, terms as Placeholders<V>).compile();
  const names = query.parameters.map((parameter) => placeholders.find((term) => term === parameter)?.name);
  return async (transaction, values) => {
    const parameters = query.parameters.map((parameter, index) => {
      const name = names[index];
      return name === undefined ? parameter : values[name];
    });
    return (await transaction.executeQuery<R>({ ...query, parameters })).rows;
  };
}
