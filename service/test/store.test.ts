import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { loadSqlite } from "../../src/system/sqlite/driver.js";
import { explainDatabaseError } from "../../src/system/sqlite/open.js";
import { describeWithDisk, mountDisk } from "../../test/support/system.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openService } from "../service.js";
import { MIGRATIONS } from "../store/migrations.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import { CALENDARS } from "../store/sqlite/errors.js";
import { openStore } from "../store/sqlite/open.js";
import { querySql, REMOVE_SERIES, runSql } from "./support/database.js";
import { eventBody, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, NOW } from "./support/world.js";

const open = (database: string) => openService({ database, now: () => NOW, rateLimit: null });
/** Page size of SQLite in bytes. */
const PAGE = 4096;
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the database", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => {
    chmodSync(folder, 0o700);
  });

  test("is private to its owner, with all its files and a new folder", async () => {
    const path = join(folder, "new", "folder", "calendar.db");
    const service = await open(path);
    await service.admin.users.add({ name: "somebody" });
    const files = readdirSync(join(folder, "new", "folder"));
    expect(files.sort()).toEqual(["calendar.db", "calendar.db-shm", "calendar.db-wal"]);
    for (const file of files) expect(modeOf(join(folder, "new", "folder", file)), file).toBe(0o600);
    for (const part of ["new", "new/folder"]) expect(modeOf(join(folder, part)), part).toBe(0o700);
    await service.close();
  });

  test("keeps the mode of an existing folder", async () => {
    chmodSync(folder, 0o755);
    await (await open(join(folder, "calendar.db"))).close();
    expect(modeOf(folder)).toBe(0o755);
  });

  test("in memory leaves no file", async () => {
    const service = await open(":memory:");
    expect(service.created).toBeNull();
    await service.close();
    expect(readdirSync(".")).not.toContain(":memory:");
  });

  test("is created in an empty file, private to its owner", async () => {
    const path = join(folder, "calendar.db");
    writeFileSync(path, "", { mode: 0o644 });
    const service = await open(path);
    expect(await service.admin.users.list()).toEqual([]);
    for (const file of readdirSync(folder)) expect(modeOf(join(folder, file)), file).toBe(0o600);
    await service.close();
  });

  test("reports which process created it", async () => {
    const path = join(folder, "calendar.db");
    for (const created of [path, null]) {
      const service = await open(path);
      expect(service.created).toBe(created);
      await service.close();
    }
  });

  test.each([
    ["that does not exist", () => undefined, []],
    ["in a folder that does not exist", () => undefined, []],
    ["that is an empty file", (path: string) => writeFileSync(path, ""), ["calendar.db"]],
  ])("one %s is only created if requested", async (kind, prepare, files) => {
    const path = join(folder, ...(kind.includes("folder") ? ["new"] : []), "calendar.db");
    prepare(path);
    const opening = openService({ database: path, create: false, now: () => NOW, rateLimit: null });
    await expect(opening).rejects.toMatchObject({
      code: "configuration",
      exitCode: 10,
      message: `the database ${path} does not exist`,
    });
    expect(readdirSync(folder)).toEqual(files);
    for (const file of files) expect(statSync(join(folder, file)).size).toBe(0);
  });

  test("the version of the schema is the number of migrations", async () => {
    expect(MIGRATIONS).toHaveLength(SCHEMA_VERSION);
    const path = join(folder, "calendar.db");
    await (await open(path)).close();
    expect(querySql(path, "pragma user_version")).toEqual([{ user_version: SCHEMA_VERSION }]);
  });

  test("one of version 7 is migrated, and events go on moving", async () => {
    const { service, calendarId, token, database } = await createWorld({
      database: join(folder, "calendar.db"),
    });
    const world = { service, calendarId, token };
    const { id } = await changeCalendar(world, "POST", "events", eventBody(SCHEDULE));
    runSql(
      database,
      `${REMOVE_SERIES} drop table feeds; drop table idempotency_keys; alter table events drop column moves;
      pragma user_version = 7`,
    );
    await (await open(database)).close();
    expect(querySql(database, "pragma user_version")).toEqual([{ user_version: SCHEMA_VERSION }]);
    const later = { start_at: "2026-11-22T12:00:00.000Z", end_at: "2026-11-22T13:00:00.000Z" };
    await changeCalendar(world, "PUT", `events/${id}`, eventBody({ ...SCHEDULE, ...later }));
    expect(querySql(database, "select moves from events")).toEqual([
      { moves: `5:${Date.parse(SCHEDULE.start_at)}` },
    ]);
    await service.close();
  });

  const unusable: readonly (readonly [string, (path: string) => void, string])[] = [
    [
      "text",
      (path) => writeFileSync(path, "Groceries: milk, bread\n".repeat(100)),
      "is not a database of calctl",
    ],
    ["a few bytes", (path) => writeFileSync(path, "SQLite format 3\0"), "is not a database of calctl"],
    [
      "another program's database",
      (path) => runSql(path, "create table notes (text)"),
      "is not a database of calctl",
    ],
    [
      "another program's with our version",
      (path) => runSql(path, `create table notes (text); pragma user_version = ${SCHEMA_VERSION}`),
      "is not a database of calctl",
    ],
  ];

  test.each(unusable)("%s is rejected and not changed", async (_, write, message) => {
    const path = join(folder, "notes.db");
    write(path);
    const before = readFileSync(path);
    await expect(open(path)).rejects.toMatchObject({
      code: "configuration",
      exitCode: 10,
      message: expect.stringContaining(`${path} ${message}`),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a truncated one is rejected and not changed", async () => {
    const path = join(folder, "calendar.db");
    await (await open(path)).close();
    const cut = readFileSync(path).subarray(0, 100);
    writeFileSync(path, cut);
    await expect(open(path)).rejects.toMatchObject({
      code: "configuration",
      message: expect.stringContaining(path),
    });
    expect(readFileSync(path).equals(cut)).toBe(true);
  });

  test("a newer one is rejected and not changed", async () => {
    const path = join(folder, "calendar.db");
    await (await open(path)).close();
    runSql(path, `pragma user_version = ${SCHEMA_VERSION + 1}`);
    await expect(open(path)).rejects.toMatchObject({
      code: "configuration",
      message: `the database ${path} was written by a newer calctl`,
      hint: expect.stringContaining("update"),
    });
    expect(querySql(path, "pragma user_version")).toEqual([{ user_version: SCHEMA_VERSION + 1 }]);
  });

  test("damage after the first page is reported with the path", async () => {
    const path = join(folder, "calendar.db");
    const service = await open(path);
    const { id: userId } = await service.admin.users.add({ name: "somebody" });
    await service.close();
    const [users] = querySql(path, "select rootpage from sqlite_master where name = 'users'");
    const start = (Number(users?.["rootpage"]) - 1) * PAGE;
    writeFileSync(path, readFileSync(path).fill(0xff, start, start + PAGE));
    const damaged = await openService({ database: path, now: () => NOW, rateLimit: null });
    const expected = { code: "configuration", message: `the database ${path} is damaged` };
    await expect(damaged.admin.users.list()).rejects.toMatchObject(expected);
    const answer = await damaged.handle(
      { method: "GET", target: "/user", headers: {}, body: new Uint8Array() },
      { kind: "local", userId },
    );
    expect(answer).toMatchObject({ status: 500, failure: expected });
    await damaged.close();
  });

  test.each([
    ["a folder", (path: string) => mkdirSync(path), "it is a folder"],
    ["below a file", () => undefined, "part of its path is not a folder"],
    // Opening it would wait for whoever reads it, and a device such as /dev/null would get another mode.
    ["a pipe", (path: string) => execFileSync("mkfifo", [path]), "it is not a file"],
  ])("%s cannot be opened", async (kind, prepare, reason) => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const path = kind === "below a file" ? join(file, "calendar.db") : join(folder, "calendar.db");
    prepare(path);
    await expect(open(path)).rejects.toMatchObject({
      code: "configuration",
      exitCode: 10,
      message: `cannot open the database ${path}: ${reason}`,
      // Commands that have no --db open this database too.
      hint: expect.stringMatching(/^(?!.*--db).*choose another database/),
    });
  });

  test("a folder that cannot be created is reported", async ({ skip }) => {
    skip(!existsSync("/proc"), "there is no /proc here, the folder in which nothing can be created");
    const path = "/proc/nope/deep/calendar.db";
    await expect(open(path)).rejects.toMatchObject({
      code: "configuration",
      message: `cannot open the database ${path}: its folder cannot be created`,
    });
  });

  describe("without write permission", () => {
    beforeEach(({ skip }) => skip(process.getuid?.() === 0, "root can write anywhere"));

    const permission = {
      code: "configuration",
      hint: expect.stringContaining("file and its folder writable"),
    };

    test("the folder of a new one is reported", async () => {
      chmodSync(folder, 0o500);
      const path = join(folder, "calendar.db");
      const message = `cannot open the database ${path}: permission denied`;
      await expect(open(path)).rejects.toMatchObject({ ...permission, message });
    });

    test.each([
      ["file", 0o400, 0o700, "cannot open the database PATH: permission denied"],
      ["folder", 0o600, 0o500, "the database PATH cannot be read and written"],
    ])("the %s of one is reported", async (_, fileMode, folderMode, message) => {
      const path = join(folder, "calendar.db");
      await (await open(path)).close();
      // The driver could still write to a journal that it has left.
      for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
      chmodSync(path, fileMode);
      chmodSync(folder, folderMode);
      await expect(open(path)).rejects.toMatchObject({
        ...permission,
        message: message.replace("PATH", path),
      });
    });
  });

  test.each([
    ["SQLITE_NOTADB", 26, "configuration", "is not a database"],
    ["SQLITE_CORRUPT_INDEX", 779, "configuration", "is damaged"],
    ["SQLITE_FULL", 13, "configuration", "no space left"],
    ["SQLITE_READONLY_DIRECTORY", 1544, "configuration", "cannot be read and written"],
    ["SQLITE_IOERR_FSYNC", 1034, "configuration", "cannot be read and written"],
    ["SQLITE_BUSY_SNAPSHOT", 517, "unavailable", "another process"],
  ])("the driver's %s is explained", (_, errcode, expected, message) => {
    const cause = Object.assign(new Error("of the driver"), { code: "ERR_SQLITE_ERROR", errcode });
    const explained = explainDatabaseError(cause, "/data/calendar.db", CALENDARS);
    expect(explained).toMatchObject({ code: expected, cause, message: expect.stringContaining(message) });
    expect(explained).toMatchObject({ message: expect.stringContaining("/data/calendar.db") });
  });

  test.each([
    ["SQLITE_CONSTRAINT_UNIQUE", 2067],
    ["SQLITE_ERROR", 1],
    ["errors of other kinds", Number.NaN],
  ])("the driver's %s is not explained", (_, errcode) => {
    const error = Object.assign(new Error("of the driver"), { code: "ERR_SQLITE_ERROR", errcode });
    expect(explainDatabaseError(error, "/data/calendar.db", CALENDARS)).toBe(error);
  });
});

describeWithDisk("on a disk without space", () => {
  test("a database can be read, and a write says why it fails", async () => {
    const disk = mountDisk(2);
    const original = join(disk.path, "original.db");
    await (await open(original)).close();
    // As another process finds it: without the files beside it, which cannot be made.
    const path = join(disk.path, "calendar.db");
    copyFileSync(original, path);
    disk.fill();
    const { admin, close } = await open(path);
    onTestFinished(close);
    expect(await admin.calendars.list()).toEqual([]);
    const message = `there is no space left to write the database ${path}`;
    await expect(admin.users.add({ name: "Ana" })).rejects.toMatchObject({ code: "configuration", message });
    disk.free();
    await admin.users.add({ name: "Ana" });
  });
});

test("SQLite is that of Node where it can be, and loading it leaves warnings as they were", async () => {
  const { emitWarning } = process;
  const { DatabaseSync } = await loadSqlite();
  expect(process.emitWarning).toBe(emitWarning);
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const hasOwn = major > 22 || (major === 22 && minor >= 16);
  const builtin = process.getBuiltinModule("node:sqlite") as { readonly DatabaseSync: unknown } | undefined;
  expect(DatabaseSync === builtin?.DatabaseSync).toBe(hasOwn);
});

describe("transactions", () => {
  test("a failed transaction changes nothing", async () => {
    const store = await openStore(":memory:");
    const insert = store.write(async (db) => {
      await db.run("insert into settings (name, value) values ('local_user_id', '1')");
      throw new Error("on purpose");
    });
    await expect(insert).rejects.toThrow("on purpose");
    expect(await store.read((db) => db.all("select name from settings"))).toEqual([]);
    await store.close();
  });

  test("requests at the same time do not mix, and closing waits for them", async () => {
    const world = await createWorld();
    const send = (target: string) => request(world, `GET ${target}`);
    const answers = Array.from({ length: 50 }, (_, index) => send(index % 2 === 0 ? "/user" : "/calendars"));
    await world.close();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(50).fill(200));
    await expect(send("/user")).rejects.toThrow("closed");
  });
});
