import Database from "libsql";

/** Runs SQL on a database file as another program would. */
export function runSql(path: string, sql: string): void {
  const database = new Database(path, { timeout: 10_000 });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

/** The rows of a query on a database file. */
export function querySql(path: string, sql: string): Readonly<Record<string, unknown>>[] {
  const database = new Database(path, { timeout: 10_000 });
  try {
    return database.prepare(sql).all() as Readonly<Record<string, unknown>>[];
  } finally {
    database.close();
  }
}
