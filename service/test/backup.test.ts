import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describeWithDisk, mountDisk } from "../../test/support/system.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { backUp } from "../store/sqlite/backup.js";
import { querySql, readDatabase, runSql } from "./support/database.js";
import { eventBody, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar } from "./support/send.js";
import { createWorld } from "./support/world.js";

/** Copies of a database, and what is left where none can be made. */

/** A database with 20 events; each test gets a copy. */
let template: Uint8Array;
let database: string;
let folder: string;
beforeAll(async () => {
  const world = await createWorld({ rateLimit: null });
  const body = eventBody({ ...SCHEDULE, description: "x".repeat(10_000) });
  for (let number = 0; number < 20; number += 1) await changeCalendar(world, "POST", "events", body);
  template = readDatabase(world.database);
  await world.close();
});
beforeEach(() => {
  database = join(temporaryFolder(), "calendar.db");
  writeFileSync(database, template);
  folder = temporaryFolder();
});

const signal = new AbortController().signal;
const onProgress = () => undefined;

/** Makes the database several parts of a copy large. */
function fill(): void {
  runSql(
    database,
    `create table filling (text text);
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 8000)
    insert into filling select hex(zeroblob(1000)) from numbers`,
  );
}

const copyTo = (name: string, from = database) =>
  backUp(from, join(folder, name), { signal, now: 0, onProgress });

const failure = (code: string, message: string) => ({ code, message: expect.stringContaining(message) });

test("is one private file with everything, and says what is in it", async () => {
  const backup = await copyTo("copy.db");
  const file = join(folder, "copy.db");
  expect(backup).toEqual({ file, bytes: statSync(file).size, users: 3, calendars: 2, events: 20 });
  expect(readdirSync(folder)).toEqual(["copy.db"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const rows = (path: string, table: string) => querySql(path, `select * from ${table}`);
  for (const table of ["users", "events", "tokens", "members", "labels"])
    expect(rows(file, table)).toEqual(rows(database, table));
});

test("that is interrupted leaves nothing, also the files beside it", async () => {
  fill();
  const controller = new AbortController();
  const reason = new Error("interrupted here");
  const work = backUp(database, join(folder, "copy.db"), {
    signal: controller.signal,
    now: 0,
    onProgress: () => controller.abort(reason),
  });
  await expect(work).rejects.toBe(reason);
  expect(readdirSync(folder)).toEqual([]);
});

test("replaces nothing", async () => {
  writeFileSync(join(folder, "copy.db"), "mine");
  mkdirSync(join(folder, "folder"));
  await expect(copyTo("copy.db")).rejects.toMatchObject(failure("usage", "copy.db exists already"));
  await expect(copyTo("folder")).rejects.toMatchObject(failure("usage", "folder exists already"));
  expect(readFileSync(join(folder, "copy.db"), "utf8")).toBe("mine");
  expect(readdirSync(folder)).toEqual(["copy.db", "folder"]);
});

test.each(["-wal", "-journal"])(
  "is not beside a %s of an earlier database, which would be applied to it",
  async (suffix) => {
    const left = join(folder, `copy.db${suffix}`);
    writeFileSync(left, "text");
    await expect(copyTo("copy.db")).rejects.toMatchObject(
      failure("usage", `${left} is left over from an earlier`),
    );
    expect(readdirSync(folder)).toEqual([`copy.db${suffix}`]);
  },
);

test("may be beside the shared memory of an earlier database, which SQLite makes anew", async () => {
  writeFileSync(join(folder, "copy.db-shm"), "text");
  expect(await copyTo("copy.db")).toMatchObject({ users: 3 });
  expect(querySql(join(folder, "copy.db"), "select count(*) as users from users")).toEqual([{ users: 3 }]);
});

test("does not take the name of a file that the database has beside it", async () => {
  const work = backUp(database, `${database}-journal`, { signal, now: 0, onProgress });
  await expect(work).rejects.toMatchObject(failure("usage", "of the database itself"));
});

test("has a name as long as the file system allows", async () => {
  const name = "b".repeat(255);
  expect(await copyTo(name)).toMatchObject({ file: join(folder, name), users: 3 });
});

test("replaces nothing that came while it was made", async () => {
  const file = join(folder, "copy.db");
  const work = backUp(database, file, {
    signal,
    now: 0,
    onProgress: () => writeFileSync(file, "mine"),
  });
  await expect(work).rejects.toMatchObject(failure("usage", "copy.db exists already"));
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect(readdirSync(folder)).toEqual(["copy.db"]);
});

test("is not migrated, nor is its database", async () => {
  runSql(database, "pragma user_version = 2");
  await copyTo("copy.db");
  for (const path of [database, join(folder, "copy.db")])
    expect(querySql(path, "pragma user_version")).toEqual([{ user_version: 2 }]);
});

describe("is not made", () => {
  test.each([
    ["where its folder is missing", "missing/copy.db", "its folder does not exist"],
    ["where its folder is a file", "file/copy.db", "part of its path is not a folder"],
  ])("%s", async (_, name, message) => {
    writeFileSync(join(folder, "file"), "");
    await expect(copyTo(name)).rejects.toMatchObject(failure("configuration", message));
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test("of a database that does not exist, and does not create it", async () => {
    const missing = join(folder, "missing.db");
    await expect(copyTo("copy.db", missing)).rejects.toMatchObject(
      failure("configuration", "missing.db does not exist"),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ["that is not a database", (path: string) => writeFileSync(path, "text ".repeat(1_000))],
    ["of another program", (path: string) => runSql(path, "create table events (id)")],
  ])("of a file %s", async (_, make) => {
    const other = join(folder, "other.db");
    make(other);
    await expect(copyTo("copy.db", other)).rejects.toMatchObject(
      failure("configuration", "other.db is not a database of calctl"),
    );
    expect(readdirSync(folder)).toEqual(["other.db"]);
  });

  test("of a folder", async () => {
    const work = backUp(folder, join(folder, "copy.db"), { signal, now: 0, onProgress });
    await expect(work).rejects.toMatchObject(failure("configuration", "it is a folder"));
  });

  test("of a damaged database", async () => {
    const damaged = join(folder, "damaged.db");
    await copyTo("damaged.db");
    const bytes = readFileSync(damaged);
    bytes.fill(0xff, 3 * 4096, 12 * 4096);
    writeFileSync(damaged, bytes);
    await expect(copyTo("copy.db", damaged)).rejects.toMatchObject(
      failure("configuration", "damaged.db is damaged"),
    );
    expect(readdirSync(folder)).toEqual(["damaged.db"]);
  });
});

describeWithDisk("on a disk that becomes full", () => {
  test("it says so and leaves nothing", async () => {
    fill();
    const disk = mountDisk(1);
    const work = backUp(database, join(disk.path, "copy.db"), { signal, now: 0, onProgress });
    await expect(work).rejects.toMatchObject(failure("configuration", "no space left"));
    expect(readdirSync(disk.path)).toEqual([]);
  });
});
