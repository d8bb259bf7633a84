import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/system/sqlite/driver.js";

// The library of the service: a second one in this process would not see its locks.
const { DatabaseSync } = await loadSqlite();

/** A connection of its own to a database file, as another program has one. */
export function openConnection(path: string): InstanceType<typeof DatabaseSync> {
  return new DatabaseSync(path, { timeout: 10_000 });
}

/** Runs SQL on a database file as another program would. */
export function runSql(path: string, sql: string): void {
  const database = openConnection(path);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

/** The rows of a query on a database file. */
export function querySql(path: string, sql: string): Readonly<Record<string, unknown>>[] {
  const database = openConnection(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

const HOLD_LOCK = `
  const { DatabaseSync } = require("@photostructure/sqlite");
  new DatabaseSync(process.argv[1]).exec("begin immediate");
  console.log("locked");
  process.stdin.resume();`;

/** Holds the write lock of a database in another process, until the function it resolves with is called. */
export async function lockInOtherProcess(path: string): Promise<() => Promise<void>> {
  const holder = spawn(process.execPath, ["-e", HOLD_LOCK, path], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  return async () => {
    holder.stdin.end();
    await once(holder, "exit");
  };
}
