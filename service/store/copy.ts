import { createHash } from "node:crypto";
import { type CliError, configurationError } from "../../src/errors.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import {
  checkReferences,
  checkSchema,
  checkValues,
  describeProblems,
  type ExpectedSchema,
  readExpectedSchema,
} from "./check-schema.js";
import { insert } from "./sql.js";
import { forAdministration, type LongWorkOptions, type Store, type Transaction } from "./store.js";
import { countRows, LASTING_TABLES, type Row, readRows, type Table, type TableName } from "./tables.js";

/** A table that was copied, and is the same in both databases. */
export interface CopiedTable {
  readonly table: TableName;
  readonly rows: number;
  /** SHA-256 of its rows in the order of their keys, hex. */
  readonly sha256: string;
}

/** Rows that are read at a time. */
const BATCH = 500;

interface Copying extends LongWorkOptions {
  readonly from: Transaction;
  readonly tables: readonly Table[];
}

/**
 * Copies everything that lasts from one database to another one, which must be empty, in one transaction, and verifies that both
 * are equal. The source is read in one snapshot: what others write to it meanwhile is not copied.
 * @throws CliError configuration when the target has something, or the source is damaged; the signal's reason
 */
export function copyStore(
  { source, target }: { readonly source: Store; readonly target: Store },
  options: LongWorkOptions,
): Promise<readonly CopiedTable[]> {
  return forAdministration(source).read(async (from) => {
    // The snapshot begins with the first query.
    await countRows(from, "settings");
    const { tables } = await requireIntact(source, from, options);
    return target.write((to) => copyTables(to, { ...options, from, tables }));
  });
}

/**
 * Rows that a damaged index hides would be missing in both, so comparing them finds nothing.
 * @throws CliError configuration when the source is damaged
 */
async function requireIntact(
  source: Store,
  from: Transaction,
  options: LongWorkOptions,
): Promise<ExpectedSchema> {
  options.onProgress({ what: "checking the source", done: 0, total: 0 });
  const [damage] = (await source.verifyFile?.(options)) ?? [];
  if (damage !== undefined) throw damagedError(damage);
  const expected = await readExpectedSchema();
  for (const check of [checkSchema, checkValues, checkReferences]) {
    const problems = await check(from, { engine: source.engine, expected, signal: options.signal });
    if (problems.length > 0) throw damagedError(describeProblems(problems));
  }
  return expected;
}

function damagedError(damage: string): CliError {
  return configurationError(`the source is damaged: ${damage}`, {
    hint: "calctl service check --db SOURCE shows everything that is wrong with it",
  });
}

/** @throws CliError configuration when the target is not empty */
async function copyTables(
  to: Transaction,
  { from, tables, onProgress, signal }: Copying,
): Promise<CopiedTable[]> {
  for (const name of ["settings", ...LASTING_TABLES] as const) {
    if ((await countRows(to, name)) === 0) continue;
    throw configurationError("the target is not empty", { hint: "give a new database as --to" });
  }
  let total = 0;
  for (const { name } of tables) total += await countRows(from, name);
  let done = 0;
  for (const table of tables) {
    for await (const rows of batchesOf(from, table, signal)) {
      onProgress({ what: `copying ${table.name}`, done, total });
      await insert(to, table.name, rows);
      done += rows.length;
    }
  }
  await insert(to, "settings", await from.all("select name, value from settings"));
  const copied: CopiedTable[] = [];
  for (const table of tables) {
    onProgress({ what: "comparing", done: 0, total: 0 });
    const original = await digest(from, table, signal);
    if ((await digest(to, table, signal)).sha256 !== original.sha256)
      throw new Error(`the copy differs from its source in the table ${table.name}`);
    copied.push(original);
  }
  return copied;
}

async function* batchesOf(
  db: Transaction,
  table: Table,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  for (let after: Row | null = null; ; ) {
    await yieldToEventLoop(signal);
    const rows: readonly Row[] = await readRows(db, table, { after, limit: BATCH });
    after = rows.at(-1) ?? null;
    if (after === null) return;
    yield rows;
  }
}

/** Of its rows as JSON, one a line. The order of columns is that of the migrations, which may differ. */
async function digest(db: Transaction, table: Table, signal: AbortSignal): Promise<CopiedTable> {
  const hash = createHash("sha256");
  let count = 0;
  for await (const rows of batchesOf(db, table, signal)) {
    for (const row of rows) hash.update(`${JSON.stringify(Object.entries(row).sort())}\n`);
    count += rows.length;
  }
  return { table: table.name, rows: count, sha256: hash.digest("hex") };
}
