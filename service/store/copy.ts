import { createHash } from "node:crypto";
import { sql } from "kysely";
import { CliError, configurationError } from "../../src/errors.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { describeProblems, findProblems, type Problem, referenceRules } from "./check-rows.js";
import { checkSchema, checkValues, type ExpectedSchema, expectedSchema } from "./check-schema.js";
import { asOnlyRun, type CopyRunOptions } from "./copy-run.js";
import {
  type Engine,
  forAdministration,
  type LongWorkOptions,
  readSetting,
  type Store,
  type Transaction,
  unfinishedError,
} from "./store.js";
import {
  anyTable,
  countRows,
  LASTING_TABLES,
  type Row,
  readLastRow,
  readRows,
  type Table,
  type TableName,
} from "./tables.js";

/** A table that was copied, and is the same in both databases. */
export interface CopiedTable {
  readonly table: TableName;
  readonly rows: number;
  /** SHA-256 of its rows in the order of their keys, hex. */
  readonly sha256: string;
}

/** Rows that are written at a time: SQLite takes 32,766 parameters. */
const BATCH = 500;

export type CopyOptions = LongWorkOptions & Pick<CopyRunOptions, "sleep">;

interface Copying extends LongWorkOptions {
  readonly from: Transaction;
  readonly target: Pick<Store, "read" | "write">;
  readonly expected: ExpectedSchema;
}

/**
 * Copies everything that lasts from one database to another one, which must be empty or an unfinished copy of the same, and
 * verifies that both are equal. The source is read in one snapshot: what others write to it meanwhile is not copied. Until the
 * end the target is marked as unfinished. If the work ends before, it can be called again and goes on.
 * @throws CliError configuration when the target has something else, another copy is writing to it, the source is damaged, or
 * it changed between two parts; the signal's reason
 */
export function copyStore(
  { source, target }: { readonly source: Store; readonly target: Store },
  options: CopyOptions,
): Promise<readonly CopiedTable[]> {
  return forAdministration(source).read(async (from) => {
    if ((await readSetting(from, "copy")) !== undefined)
      throw unfinishedError("the source is an unfinished copy itself");
    const expected = await expectedSchema(source.engine);
    await requireIntact(source, from, { ...options, expected });
    const { fingerprint, rows: total } = await describeSource(from);
    const written = forAdministration(target);
    const begin = (db: Transaction) => mark(db, fingerprint);
    return asOnlyRun({ ...options, target: written, begin }, async (write) => {
      const copying = { ...options, from, expected, target: { read: written.read, write } };
      let done = 0;
      for (const table of expected.tables) done = await copyTable(table, { done, total }, copying);
      const tables = await verify(copying, total);
      await finish(copying);
      return tables;
    }).catch(async (error: unknown) => {
      if (error instanceof CliError || options.signal.aborted) throw error;
      // The source may be what failed.
      const problems = await findDamage(from, source.engine, { ...options, ...expected }).catch(() => []);
      options.signal.throwIfAborted();
      throw problems.length === 0 ? error : damagedError(describeProblems(problems), error);
    });
  });
}

/**
 * Rows that a damaged index hides would be missing in both, so comparing them finds nothing.
 * @throws CliError configuration when the file is damaged, or the schema incomplete
 */
async function requireIntact(
  source: Store,
  from: Transaction,
  options: LongWorkOptions & Pick<Copying, "expected">,
): Promise<void> {
  options.onProgress({ what: "checking the source", done: 0, total: 0 });
  const [damage] = (await source.verifyFile?.(options)) ?? [];
  if (damage !== undefined) throw damagedError(damage);
  const { problems } = await checkSchema(from, source.engine, options.expected);
  if (problems.length > 0) throw damagedError(describeProblems(problems));
}

/** Rows that no intact database takes. */
async function findDamage(
  from: Transaction,
  engine: Engine,
  { tables, signal }: Parameters<typeof checkValues>[2],
): Promise<Problem[]> {
  const invalid = await checkValues(from, engine, { tables, signal });
  return invalid.length > 0 ? invalid : findProblems(from, referenceRules(tables), signal);
}

function damagedError(damage: string, cause?: unknown): CliError {
  return configurationError(`the source is damaged: ${damage}`, {
    hint: "calctl service check --db SOURCE shows everything that is wrong with it",
    cause,
  });
}

/** Marks the target as an unfinished copy, if it is empty or one of the same. @throws CliError configuration */
async function mark(db: Transaction, fingerprint: string): Promise<void> {
  const found = await readSetting(db, "copy");
  if (found === fingerprint) return;
  if (found !== undefined) {
    throw configurationError(
      "the target is an unfinished copy of another database, or of this one before it changed",
      { hint: "remove the target and copy again, while nobody writes to the source" },
    );
  }
  for (const name of ["settings", ...LASTING_TABLES] as const) {
    if ((await countRows(db, name)) === 0) continue;
    throw configurationError("the target is not empty", { hint: "give a new database as --to" });
  }
  await db.insertInto("settings").values({ name: "copy", value: fingerprint }).execute();
}

/**
 * What tells whether the source is as it was when a copy began. Every write to a calendar counts up its revision; of these only
 * the last digits are added, since the sum of those of restored calendars would be too large for an integer.
 */
async function describeSource(from: Transaction) {
  const counts: number[] = [];
  for (const name of LASTING_TABLES) counts.push(await countRows(from, name));
  const { revisions } = await from
    .selectFrom("calendars")
    .select(sql<number>`cast(coalesce(sum(revision % 1000000000), 0) as bigint)`.as("revisions"))
    .executeTakeFirstOrThrow();
  const rows = counts.reduce((sum, count) => sum + count, 0);
  return { fingerprint: [...counts, Number(revisions)].join(" "), rows };
}

/** Copies the rows that the target does not have yet. Resolves with how many of all rows are done. */
async function copyTable(
  table: Table,
  { done, total }: { readonly done: number; readonly total: number },
  { from, target, onProgress, signal }: Copying,
): Promise<number> {
  // They were copied in this order, a part in each transaction.
  const copied = await target.read(async (db) => ({
    rows: await countRows(db, table.name),
    last: await readLastRow(db, table),
  }));
  let count = done + copied.rows;
  for (let after = copied.last; ; ) {
    await yieldToEventLoop(signal);
    onProgress({ what: `copying ${table.name}`, done: count, total });
    const rows = await readRows(from, table, { after, limit: BATCH });
    if (rows.length === 0) return count;
    await target.write((db) => anyTable(db).insertInto(table.name).values(rows).execute());
    count += rows.length;
    after = rows.at(-1) ?? null;
  }
}

/**
 * Compares all rows of both databases. Reads the target in parts, between which its run can show that it goes on.
 * @throws CliError configuration when some differ
 */
async function verify(
  { from, target, expected, onProgress, signal }: Copying,
  total: number,
): Promise<CopiedTable[]> {
  let done = 0;
  const compare = async (table: Table): Promise<CopiedTable> => {
    const hash = createHash("sha256");
    const start = done;
    for (let after: Row | null = null; ; ) {
      const page = { after, limit: BATCH };
      const originals: readonly Row[] = await readRows(from, table, page);
      const text = textOf(originals);
      if (text !== textOf(await target.read((to) => readRows(to, table, page))))
        throw differentError(table.name);
      if (originals.length === 0)
        return { table: table.name, rows: done - start, sha256: hash.digest("hex") };
      hash.update(text);
      await yieldToEventLoop(signal);
      done += originals.length;
      onProgress({ what: "comparing", done, total });
      after = originals.at(-1) ?? null;
    }
  };
  const tables: CopiedTable[] = [];
  for (const table of expected.tables) tables.push(await compare(table));
  return tables;
}

/** Rows as JSON, one a line. The order of columns is that of the migrations, which may differ. */
function textOf(rows: readonly Row[]): string {
  return rows.map((row) => `${JSON.stringify(Object.entries(row).sort())}\n`).join("");
}

/** Copies the settings, and the target is no longer unfinished. */
async function finish({ from, target }: Copying): Promise<void> {
  const settings = await from.selectFrom("settings").selectAll().execute();
  await target.write(async (db) => {
    await db.deleteFrom("settings").execute();
    if (settings.length > 0) await db.insertInto("settings").values(settings).execute();
  });
}

function differentError(table: TableName): CliError {
  return configurationError(`the copy differs from its source in the table ${table}`, {
    hint: "one of them was changed meanwhile: remove the target and copy again, while nobody writes to either",
  });
}
