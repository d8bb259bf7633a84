import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockInOtherProcess, querySql, runSql } from "../../service/test/support/database.js";
import { createInstallation } from "../support/spawned.js";
import { describeWithDisk, mountDisk } from "../support/system.js";

/** The commands that work on a database as a whole, as a person or a script runs them. */

const databaseIn = (home: string) => join(home, "service.db");

/** A machine with a database that has a user and a calendar. */
async function createMachine() {
  const installation = createInstallation();
  const database = databaseIn(installation.home);
  await installation.run("service", "users", "add", "Ana", "--db", database);
  await installation.run("service", "calendars", "add", "Family", "--owner", "Ana", "--db", database);
  return { ...installation, database };
}

function fillWithEvents(database: string): void {
  const calendar = querySql(database, "select calendar_id, user_id from members");
  const values = Object.values(calendar[0] ?? {}).map((id) => `'${id}'`);
  runSql(
    database,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000)
    insert into events select 'e' || n, ${values[0]}, 'keep', 'Keep', 0, null, null, null, null, '', '', '', 1, ${values[1]},
      1, 1, 1, '', null, null, '' from numbers`,
  );
}

test("backup and check, in a script", async () => {
  const { run, home, database } = await createMachine();
  const backup = join(home, "backup.db");
  const { exitCode, stdout, stderr } = await run("service", "backup", backup, "--db", `sqlite:${database}`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^${backup}\\t\\d+\\t1\\t1\\t0\\n$`));
  const checked = await run("service", "check", "--db", backup, "-o", "json");
  expect({ ...checked, stdout: "" }).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  expect(JSON.parse(checked.stdout)).toContainEqual({
    check: "contents",
    ok: true,
    detail: "1 user, 1 calendar, 0 events, 0 comments",
    hint: null,
  });
});

test("a check that fails prints the whole report, and is exit 10", async () => {
  const { run, database } = await createMachine();
  runSql(database, "update members set position = 7; update users set login_key = 'x'");
  const { exitCode, stdout, stderr } = await run("service", "check", "--db", database);
  expect(exitCode).toBe(10);
  expect(stdout.split("\n").map((line) => line.split("\t").slice(0, 2).join(" "))).toEqual([
    ...["file true", "schema true", "contents true", "values true", "references true", "order false"],
    ...["revisions true", "users false", "events true", "series true", ""],
  ]);
  expect(stderr).toBe(
    "error: the database is damaged: order, users\nhint: restore a backup that passes this check\n",
  );
});

test("resync makes the revisions jump, and makes no database", async () => {
  const { run, home, database } = await createMachine();
  const revisions = () =>
    querySql(database, "select revision, details_revision, changes_from from calendars");
  const before = [{ revision: 2, details_revision: 2, changes_from: 1 }];
  expect(revisions()).toEqual(before);
  const refused = await run("service", "resync", "--db", database, "--dry-run");
  expect(refused.exitCode).toBe(2);
  expect(revisions()).toEqual(before);
  const { exitCode, stdout, stderr } = await run("service", "resync", "--db", database);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "1\n", stderr: "" });
  const [jumped] = revisions();
  const revision = Number(jumped?.["revision"]);
  expect(revision).toBeGreaterThan(1_000_000);
  expect(jumped).toEqual({ revision, details_revision: revision, changes_from: revision });

  const missing = join(home, "missing.db");
  const failed = await run("service", "resync", "--db", missing);
  expect({ ...failed, stderr: "" }).toEqual({ exitCode: 10, stdout: "", stderr: "" });
  expect(failed.stderr).toContain(missing);
  expect(existsSync(missing)).toBe(false);
});

test("a copy that was killed leaves an empty database, and can be made again", async () => {
  const { run, start, home, database } = await createMachine();
  fillWithEvents(database);
  const target = join(home, "copy.db");
  const argv = ["service", "copy", "--from", `sqlite:${database}`, "--to", `sqlite:${target}`];
  const { child, ended } = start(...argv);
  const hasLog = () => (statSync(`${target}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000;
  while (!hasLog()) await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGKILL");
  await ended;
  const count = () => Number(querySql(target, "select count(*) as count from events")[0]?.["count"]);
  expect(count()).toBe(0);
  const { exitCode, stdout, stderr } = await run(...argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("not copied: ") });
  expect(stdout).toMatch(/^events\t20000\t[0-9a-f]{64}$/m);
  expect(count()).toBe(20_000);
  const again = await run(...argv);
  expect(again).toMatchObject({ exitCode: 10, stderr: expect.stringContaining("the target is not empty") });
});

describeWithDisk("a copy to a disk that becomes full", () => {
  test("says so", async () => {
    const { run, database } = await createMachine();
    fillWithEvents(database);
    const { path } = mountDisk(1);
    const { exitCode, stdout, stderr } = await run(
      ...["service", "copy", "--from", database, "--to", join(path, "copy.db")],
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: "" });
    expect(stderr).toMatch(/error: there is no space left to write the database /);
  });
});

test("of several copies to one target at the same time one finishes, and the others are refused", async () => {
  const { run, home, database } = await createMachine();
  const target = join(home, "copy.db");
  const copy = () => run("service", "copy", "--from", database, "--to", target);
  const runs = await Promise.all([copy(), copy(), copy()]);
  expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 10, 10]);
  for (const { stderr } of runs.filter(({ exitCode }) => exitCode !== 0))
    expect(stderr).toMatch(/^error: the target is not empty$/m);
  expect(querySql(target, "select name from users")).toEqual([{ name: "Ana" }]);
  expect((await run("service", "check", "--db", target)).exitCode).toBe(0);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("a copy that waits for the target ends at once by %s", async (signal, code) => {
  const { start, run, home, database } = await createMachine();
  const target = join(home, "copy.db");
  await run("service", "users", "add", "Ben", "--db", target);
  const unlock = await lockInOtherProcess(target);
  const { child, ended, stderrWith } = start("service", "copy", "--from", database, "--to", target);
  await stderrWith("writes to the source from now on are not copied");
  child.kill(signal);
  const { exitCode, stdout } = await ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
  await unlock();
});

test.each([["backup", "copy.db"], ["check"]])("%s creates no database", async (...command) => {
  const { run, home } = createInstallation();
  const { exitCode, stderr } = await run("service", ...command);
  expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: expect.stringContaining("does not exist") });
  expect(existsSync(join(home, ".local"))).toBe(false);
});

test.each([
  ["backup", ["a", "b"], 2],
  ["backup", [""], 2],
  ["backup", ["-"], 2],
  ["backup", ["x.db", "--dry-run"], 2],
  ["backup", ["x.db", "--db", "postgres://ana:secret@db.example/calendar"], 2],
  ["check", ["x"], 2],
  ["copy", [], 2],
  ["copy", ["--from", "a.db"], 2],
  ["copy", ["--from", "mysql://ana:secret@db.example/a", "--to", "b.db"], 2],
  ["copy", ["--from", "a.db", "--to", "b.db", "--dry-run"], 2],
  ["copy", ["--from", "missing.db", "--to", "b.db"], 10],
  ["copy", ["--from", "a.db", "--to", ":memory:"], 2],
  ["copy", ["--from", "a.db", "--to", "sqlite::memory:"], 2],
  ["check", ["--db", ""], 2],
])("%s %j is exit %d, without a secret", async (command, flags, code) => {
  const { exitCode, stdout, stderr } = await createInstallation().run("service", command, ...flags);
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
  expect(stderr).not.toContain("secret");
});
