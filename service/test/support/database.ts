import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/system/sqlite/driver.js";

// The library of the service: a second one in this process would not see its locks.
const { DatabaseSync } = await loadSqlite();

/** Makes a database one of version 10, which had no series, and stored what responses show of events. */
export const REMOVE_SERIES = `alter table events add column bytes integer default 0 not null;
  alter table events add column moved_at bigint default 0 not null; alter table events add column moved_from bigint;
  alter table events add column json text default '' not null; drop index events_by_length;
  create index events_by_length on events (calendar_id, start_at, end_at, bytes, creator_id); drop index events_changed_alone; drop index events_by_series; alter table events drop column series_id;
  alter table events drop column slot; alter table events drop column recurrences; drop table series; drop index deleted_events_by_event;
  create table rate_windows (key text primary key, window_start bigint not null, requests bigint not null);`;

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

/** Reads the whole database as one file. Nobody may write to it meanwhile. */
export function readDatabase(path: string): Uint8Array {
  runSql(path, "pragma wal_checkpoint(truncate)");
  return readFileSync(path);
}

/** Makes the table of users anew without its keys, and with one of them twice. */
export function repeatUser(path: string, id: string): void {
  const columns = querySql(path, "select name, type from pragma_table_info('users')");
  const definitions = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  runSql(
    path,
    `pragma foreign_keys = off; create table bare (${definitions}); insert into bare select * from users;
    insert into bare select * from users where id = '${id}';
    drop table users; alter table bare rename to users`,
  );
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
