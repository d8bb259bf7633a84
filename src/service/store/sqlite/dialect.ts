import {
  CompiledQuery,
  type Dialect,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from "kysely";
import { openDatabase } from "./driver.js";
import { explainDatabaseError, inaccessibleError } from "./errors.js";

/** How long a statement waits for the lock of another process (ms). */
const BUSY_TIMEOUT = 10_000;

/**
 * Opens an existing file. Errors of every statement are explained.
 * @throws CliError configuration when the file cannot be used, unavailable when another process locks it for too long
 */
export function connect(path: string): SqliteDatabase {
  const explained = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explainDatabaseError(error, path);
    }
  };
  const database = openExisting(path);
  return {
    close: () => database.close(),
    prepare: (text): SqliteStatement => {
      const statement = explained(() => database.prepare(text));
      return {
        reader: statement.reader,
        all: (parameters) => explained(() => statement.all(parameters)),
        run: (parameters) => explained(() => statement.run(parameters)),
        iterate: (parameters) => statement.iterate(parameters),
      };
    },
  };
}

function openExisting(path: string): SqliteDatabase {
  try {
    return openDatabase(path, BUSY_TIMEOUT);
  } catch (error) {
    // The driver's errors have no code here.
    throw inaccessibleError(error, path);
  }
}

/**
 * SQLite whose writing transactions take the write lock at once. After a plain `begin`, a transaction that reads and
 * then writes fails with SQLITE_BUSY_SNAPSHOT if another process wrote in between, whatever the timeout.
 */
export function createDialect(database: SqliteDatabase): Dialect {
  const dialect = new SqliteDialect({ database });
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => {
      const driver = dialect.createDriver();
      driver.beginTransaction = async (connection, { accessMode }) => {
        const begin = accessMode === "read only" ? "begin" : "begin immediate";
        await connection.executeQuery(CompiledQuery.raw(begin));
      };
      return driver;
    },
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}
