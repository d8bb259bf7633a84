import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { configurationError } from "../../errors.js";
import { refuseNul } from "../query-text.js";

/** SQLite: Node's own, or the package with the same API. */
export type SqliteModule = Pick<typeof import("@photostructure/sqlite"), "DatabaseSync" | "StatementSync">;

/** A prepared statement. */
interface Statement {
  all(parameters: readonly unknown[]): unknown[];
  run(parameters: readonly unknown[]): { readonly changes: number | bigint };
}

/** An open database. */
export interface Database {
  prepare(text: string): Statement;
  close(): void;
  /**
   * Runs statements without results. In the package a prepared statement keeps the file open after `close`, until it is
   * collected as garbage, and Windows removes no file that is open; these do not.
   */
  exec(text: string): void;
}

/** Size of the page cache, which fills as pages are used (KiB): enough for a command, which reads most of them once. */
const PAGE_CACHE = 4_096;

/** Statements that stay prepared. Preparing one takes about as long as running it. */
const CACHED_STATEMENTS = 100;

/**
 * Loads SQLite. Only this file knows where it comes from: `node:sqlite` from Node 22.16 on, before that the package,
 * since `node:sqlite` did not exist, needed a flag, or had neither `columns()` nor URIs. Of the package, the launcher loads the
 * library alone (`build/launcher/sqlite-library.ts`).
 * @throws CliError configuration where npm did not install the package
 */
export async function loadSqlite(): Promise<SqliteModule> {
  const builtin = builtinSqlite();
  if (builtin !== undefined) return builtin;
  try {
    return await import("@photostructure/sqlite");
  } catch (cause) {
    const node = `Node ${process.versions.node} has no compatible one`;
    throw configurationError(
      `SQLite is missing: ${node}, and the package @photostructure/sqlite cannot be loaded`,
      { hint: "use Node 22.16 or newer, or install calctl again without --omit=optional", cause },
    );
  }
}

/** Node's own SQLite; undefined where it does not exist or lacks what is needed here. */
function builtinSqlite(): SqliteModule | undefined {
  const { emitWarning } = process;
  // Node 22 warns that SQLite is experimental. Nobody who runs a command can do anything about that.
  process.emitWarning = (warning: string | Error, ...options: readonly unknown[]): void => {
    if (options[0] === "ExperimentalWarning" && String(warning).startsWith("SQLite ")) return;
    Reflect.apply(emitWarning, process, [warning, ...options]);
  };
  try {
    // Its type in @types/node 20 is `object | undefined`; the package is typed as Node's module.
    const sqlite = process.getBuiltinModule("node:sqlite") as SqliteModule | undefined;
    const { prototype } = sqlite?.StatementSync ?? {};
    const isComplete = prototype !== undefined && "columns" in prototype && "setReturnArrays" in prototype;
    return isComplete ? sqlite : undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Opens a database that can be read. A statement that finds it locked by another process fails at once.
 * @param location path, `:memory:` or `file:` URI
 */
export function openDatabase({ DatabaseSync }: SqliteModule, location: string): Database {
  const database = new DatabaseSync(location);
  try {
    // The package would not wait for the disk at each commit, and a power failure could lose what was confirmed.
    database.exec(`pragma synchronous = full; pragma cache_size = -${PAGE_CACHE}; pragma schema_version`);
  } catch (error) {
    database.close();
    throw error;
  }
  const cache = new Map<string, Statement>();
  return {
    close: () => database.close(),
    exec: (text) => database.exec(text),
    prepare(text) {
      const known = cache.get(text);
      if (known !== undefined) return known;
      const statement = prepare(database, text);
      cache.set(text, statement);
      // Not the one that was used longest ago: a Map that each use would reorder makes garbage that V8 keeps for long.
      const [oldest] = cache.keys();
      if (cache.size > CACHED_STATEMENTS && oldest !== undefined) cache.delete(oldest);
      return statement;
    },
  };
}

function prepare(database: DatabaseSyncInstance, text: string): Statement {
  const statement: StatementSyncInstance = database.prepare(text);
  const columns = statement.columns().map(({ name }) => name);
  // Objects of the driver are dictionaries to V8: slow to make, to read and to copy.
  statement.setReturnArrays(true);
  const toRow = (values: unknown): object => {
    const row: Record<string, unknown> = {};
    let index = 0;
    for (const name of columns) {
      row[name] = (values as readonly unknown[])[index];
      index += 1;
    }
    return row;
  };
  return {
    all: (parameters) => statement.all(...refuseNul(parameters)).map(toRow),
    run: (parameters) => statement.run(...refuseNul(parameters)),
  };
}

/** The primary result code of a driver's error, such as `BUSY`; undefined for other errors. @see https://www.sqlite.org/rescode.html */
export function resultCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") return undefined;
  const codes = Object.entries(RESULT_CODES);
  // Errors of the package's `all()` have no `errcode`, only the text that SQLite has for it.
  if (!("errcode" in error)) return codes.find(([, { text }]) => error.message === text)?.[0];
  // Extended codes have their primary code in the low byte.
  const primary = Number(error.errcode) & 0xff;
  return codes.find(([, { number }]) => number === primary)?.[0];
}

/** Whether another process holds a lock that the statement needed. */
export function isLocked(error: unknown): boolean {
  return ["BUSY", "LOCKED"].includes(resultCode(error) ?? "");
}

/** Whether the disk failed: in a statement that reads, because a file beside the database could not be enlarged. */
export function isDiskError(error: unknown): boolean {
  return resultCode(error) === "IOERR";
}

/** The codes that are told apart, as `sqlite3_errstr` describes them. */
const RESULT_CODES: Readonly<Record<string, { readonly number: number; readonly text: string }>> = {
  ERROR: { number: 1, text: "SQL logic error" },
  PERM: { number: 3, text: "access permission denied" },
  BUSY: { number: 5, text: "database is locked" },
  LOCKED: { number: 6, text: "database table is locked" },
  READONLY: { number: 8, text: "attempt to write a readonly database" },
  IOERR: { number: 10, text: "disk I/O error" },
  CORRUPT: { number: 11, text: "database disk image is malformed" },
  FULL: { number: 13, text: "database or disk is full" },
  CANTOPEN: { number: 14, text: "unable to open database file" },
  NOTADB: { number: 26, text: "file is not a database" },
};
