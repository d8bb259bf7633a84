import {
  CompiledQuery,
  type Dialect,
  type Driver,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteStatement,
} from "kysely";
import Libsql from "libsql";
import { explainDatabaseError, inaccessible } from "./errors.js";

/** How long a statement waits for the lock of another process, in milliseconds. */
const BUSY_TIMEOUT = 10_000;

/**
 * Opens the file with the driver; it must exist, since SQLite would create it with the wrong mode.
 * Failures of every statement are explained.
 * @throws CliError configuration when the file cannot be used, unavailable when another process holds it
 */
export function connect(path: string): SqliteDatabase {
  const explained = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw explainDatabaseError(error, path);
    }
  };
  const database = open(path);
  return {
    close: () => {
      database.close();
    },
    prepare: (sql): SqliteStatement => {
      const statement = explained(() => database.prepare(sql));
      return {
        reader: statement.reader,
        all: (parameters) => explained(() => statement.all(parameters)),
        run: (parameters) => explained(() => statement.run(parameters)),
        iterate: (parameters) => statement.iterate(parameters),
      };
    },
  };
}

function open(path: string): Libsql.Database {
  try {
    return new Libsql(path, { timeout: BUSY_TIMEOUT });
  } catch (error) {
    // The driver's failures to open come without a code.
    throw inaccessible(error, path);
  }
}

/** SQLite over an open connection. Transactions take the write lock at once unless they are read-only. */
export function createDialect(database: SqliteDatabase): Dialect {
  const dialect = new SqliteDialect({ database });
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => withImmediateBegin(dialect.createDriver()),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/**
 * A plain `begin` that reads and then writes fails at once with SQLITE_BUSY_SNAPSHOT when another process has
 * written in between, whatever the timeout; one that begins with the write lock waits for it.
 */
function withImmediateBegin(driver: Driver): Driver {
  driver.beginTransaction = async (connection, { accessMode }) => {
    await connection.executeQuery(
      CompiledQuery.raw(accessMode === "read only" ? "begin" : "begin immediate"),
    );
  };
  return driver;
}
