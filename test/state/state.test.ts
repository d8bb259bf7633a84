import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { querySql, runSql } from "../../service/test/support/database.js";
import { CliError } from "../../src/errors.js";
import { VERSION } from "../../src/state/state.js";
import { loadSqlite } from "../../src/system/sqlite/driver.js";
import { createStatePath, openTestState } from "./support.js";

const KEEP = { keepDays: 1 };

/** A send that fails the test when it runs. */
const neverSend = () => Promise.reject(new Error("it was sent"));

const configuration = (message: string) => ({
  code: "configuration",
  exitCode: 10,
  message: expect.stringContaining(message),
  hint: expect.stringMatching(/./),
});

test("the file and its folder are private to their owner", async () => {
  const path = createStatePath();
  const state = await openTestState(path);
  const modes: number[] = [];
  await state.sendOnce(
    "digest",
    async () => {
      for (const name of readdirSync(dirname(path)))
        modes.push(statSync(`${dirname(path)}/${name}`).mode & 0o777);
    },
    KEEP,
  );
  // With its log, and the locks of that.
  expect(modes).toEqual([0o600, 0o600, 0o600]);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("a new one is created whole: nothing else is left in its folder", async () => {
  const path = createStatePath();
  const states = await Promise.all([openTestState(path), openTestState(path)]);
  const names = ["state.db", "state.db-shm", "state.db-wal"];
  expect(readdirSync(dirname(path)).sort()).toEqual(names);
  const sent = await Promise.all(
    states.map((state) => state.sendOnce("digest", async () => undefined, KEEP)),
  );
  expect([...sent].sort()).toEqual(["already_sent", "sent"]);
});

test("one that another process is filling is waited for", async () => {
  const path = createStatePath();
  const made = await openTestState(path);
  await made.sendOnce("digest", async () => undefined, KEEP);
  made.close();
  const content = readFileSync(path);
  writeFileSync(path, "");
  const state = await openTestState(path, { onPause: () => writeFileSync(path, content) });
  expect(await state.sendOnce("digest", neverSend, KEEP)).toBe("already_sent");
});

test("what it was created from is no longer open, since Windows removes no file that is", async ({
  skip,
}) => {
  if (!existsSync("/proc/self/fd")) skip("there is no /proc here, which says which files are open");
  const path = createStatePath();
  await openTestState(path);
  const open = readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch (_closed) {
      return [];
    }
  });
  expect(open.filter((file) => file.startsWith(path) && file.includes(".new"))).toEqual([]);
  expect(open).toContain(path);
});

test("a long wait for the lock of another process is said once", async () => {
  const path = createStatePath();
  await (await openTestState(path)).close();
  const other = new (await loadSqlite()).DatabaseSync(path);
  other.exec("begin immediate");
  let waited = 0;
  const notes: string[] = [];
  const { state } = await openTestState(path, {
    note: (text) => notes.push(text),
    onPause(pause) {
      waited += pause;
      if (waited > 5_000 && other.isTransaction) other.exec("commit");
    },
  });
  await state.write((db) => db.run("delete from sent"));
  other.close();
  expect(notes).toEqual([`waiting for another process that uses the state database ${path}`]);
});

test("one that was read while it was read-only is written again", async () => {
  const path = createStatePath();
  const { state } = await openTestState(path);
  await state.write((db) => db.run("insert into holders (name, owner) values ('undo', 'somebody')"));
  // As SQLite makes it beside a read-only file; root can write it all the same.
  chmodSync(`${path}-shm`, 0o400);
  const { state: next } = await openTestState(path);
  await next.write((db) => db.run("delete from holders"));
  expect(statSync(`${path}-shm`).mode & 0o777).toBe(0o600);
});

test("nothing of a deleted row stays in the file", async () => {
  const path = createStatePath();
  const { state, close } = await openTestState(path);
  await state.write((db) => db.run("insert into holders (name, owner) values ('undo', 'somebody')"));
  await state.write((db) => db.run("delete from holders"));
  close();
  expect(readFileSync(path).includes("somebody")).toBe(false);
});

test("what is being sent is in the files before it is sent", async () => {
  const path = createStatePath();
  const state = await openTestState(path);
  const copy = `${path}.copy`;
  const copyFiles = async () => {
    for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
  };
  await state.sendOnce("digest", copyFiles, KEEP);
  expect(querySql(copy, "select key, state from sent")).toEqual([{ key: "digest", state: "sending" }]);
  expect(querySql(path, "select key, state from sent")).toEqual([{ key: "digest", state: "sent" }]);
});

test("one whose folder cannot be looked into says so, whatever is the reason", async () => {
  const path = createStatePath();
  symlinkSync(dirname(path), dirname(path));
  await expect(openTestState(path)).rejects.toMatchObject(configuration("symbolic links form a loop"));
});

describe("nothing is sent with a state database", () => {
  const cases: readonly (readonly [string, (path: string) => void, string])[] = [
    ["of a newer version", (path) => runSql(path, `pragma user_version = ${VERSION + 1}`), "newer calctl"],
    [
      "of another program",
      (path) => runSql(path, "pragma application_id = 1"),
      "is not a state database of calctl",
    ],
    [
      "that is text",
      (path) => writeFileSync(path, "milk, bread\n".repeat(1_000)),
      "is not a state database of calctl",
    ],
    ["that was emptied", (path) => writeFileSync(path, ""), "is empty"],
    ["that was cut", (path) => writeFileSync(path, readFileSync(path).subarray(0, 100)), "state.db"],
    ["that is damaged", (path) => writeFileSync(path, readFileSync(path).fill(0xff, 4_096)), "is damaged"],
    [
      "that is a folder",
      (path) => {
        rmSync(path);
        mkdirSync(path);
      },
      "it is a folder",
    ],
  ];
  test.each(cases)("%s, and the file is not changed", async (_, change, message) => {
    const path = createStatePath();
    const made = await openTestState(path);
    await made.sendOnce("other", async () => undefined, KEEP);
    made.close();
    change(path);
    const before = statSync(path).isFile() ? readFileSync(path) : null;
    const sending = openTestState(path).then((state) => state.sendOnce("digest", neverSend, KEEP));
    await expect(sending).rejects.toMatchObject(configuration(message));
    if (before !== null) expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that was removed or replaced", async () => {
    const path = createStatePath();
    const state = await openTestState(path);
    await state.sendOnce("other", async () => undefined, KEEP);
    rmSync(path);
    const expected = configuration("was removed or replaced");
    await expect(state.sendOnce("digest", neverSend, KEEP)).rejects.toMatchObject(expected);
    // Its log would be taken as that of a new one.
    await expect(openTestState(path)).rejects.toMatchObject(configuration("its log state.db-wal is not"));
    rmSync(`${path}-wal`);
    await openTestState(path);
    await expect(state.sendOnce("digest", neverSend, KEEP)).rejects.toMatchObject(expected);
  });

  test("in a folder that cannot be written", async ({ skip }) => {
    skip(process.getuid?.() === 0, "root can write anywhere");
    const path = createStatePath();
    (await openTestState(path)).close();
    // As the end of a process leaves it: the package keeps these open, and with them the file can be written.
    for (const suffix of ["-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    chmodSync(dirname(path), 0o500);
    onTestFinished(() => chmodSync(dirname(path), 0o700));
    const sending = openTestState(path).then((state) => state.sendOnce("digest", neverSend, KEEP));
    await expect(sending).rejects.toMatchObject(configuration("cannot be read and written"));
  });
});

describe("a state database that is removed while a message is sent", () => {
  test("says that it was sent", async () => {
    const path = createStatePath();
    const state = await openTestState(path);
    await expect(state.sendOnce("digest", async () => rmSync(path), KEEP)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^it was sent, but .* was removed or replaced/),
    });
  });

  test.each([
    [new CliError("rejected", "no such hook"), /^no such hook; and .* was removed or replaced/],
    [new TypeError("a bug"), /^a bug$/],
  ])("says why it could not be sent: %s", async (failure, message) => {
    const path = createStatePath();
    const state = await openTestState(path);
    const send = async () => {
      rmSync(path);
      throw failure;
    };
    await expect(state.sendOnce("digest", send, KEEP)).rejects.toMatchObject({
      name: failure.name,
      message: expect.stringMatching(message),
    });
  });
});

describe("where none may be created", () => {
  test("a missing one is empty and leaves nothing", async () => {
    const path = createStatePath();
    const { seen, close } = await openTestState(path, { create: false });
    expect(await seen.read({ name: "job" })).toBeNull();
    await seen.saveSnapshot({ name: "job", seen: [1] });
    expect(await seen.read({ name: "job" })).toEqual({ revision: 1, seen: [1] });
    close();
    expect(existsSync(dirname(path))).toBe(false);
  });

  test("one that is there is read", async () => {
    const path = createStatePath();
    const made = await openTestState(path);
    await made.seen.saveSnapshot({ name: "job", seen: [1] });
    made.close();
    const { seen } = await openTestState(path, { create: false });
    expect(await seen.read({ name: "job" })).toEqual({ revision: 1, seen: [1] });
  });
});

test("what an older calctl has left is named once, when the new one is created, and stays", async () => {
  const path = createStatePath();
  const old = join(dirname(path), "ledger.db");
  mkdirSync(dirname(path));
  writeFileSync(old, "old");
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  await openTestState(path, { create: false, note });
  expect(notes).toEqual([]);
  for (let run = 0; run < 2; run += 1) (await openTestState(path, { note })).close();
  expect(notes).toEqual([
    `${old} from an older calctl is ignored; what was sent before may then be sent again`,
  ]);
  expect(readFileSync(old, "utf8")).toBe("old");
});
