import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { loadSqlite } from "../../../src/system/sqlite/driver.js";
import { eventJson } from "../../resources.js";
import type { EventRow } from "../../store/schema.js";

// The library of the service: a second one in this process would not see its locks.
const { DatabaseSync } = await loadSqlite();

/** Makes a database one of version 10, which had no series. */
export const REMOVE_SERIES = `drop index events_changed_alone; drop index events_by_series; alter table events drop column series_id;
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

/** Renders every event of a database file anew, after its rows were written as another program would. */
export function renderEvents(path: string): void {
  const database = openConnection(path);
  try {
    database.exec("begin");
    const attendees = new Map<unknown, string[]>();
    const attending = "select event_id, user_id from attendees order by position";
    for (const { event_id, user_id } of database.prepare(attending).all()) {
      const ids = attendees.get(event_id) ?? [];
      ids.push(String(user_id));
      attendees.set(event_id, ids);
    }
    const update = database.prepare("update events set json = ? where id = ?");
    // The columns of the table are those of the type.
    for (const row of database.prepare("select * from events").all() as unknown as EventRow[]) {
      update.run(eventJson(row, attendees.get(row.id) ?? []), row.id);
    }
    database.exec("commit");
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
