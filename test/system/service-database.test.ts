import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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
      1, 1, 2000, 0, null, 1, '{}', '', null, null, '' from numbers`,
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

test("a copy that was killed goes on, and is served only when it is complete", async () => {
  const { run, start, home, database } = await createMachine();
  fillWithEvents(database);
  const target = join(home, "copy.db");
  const argv = ["service", "copy", "--from", `sqlite:${database}`, "--to", `sqlite:${target}`];
  const { child, ended } = start(...argv);
  const count = () => {
    try {
      return Number(querySql(target, "select count(*) as count from events")[0]?.["count"]);
    } catch {
      // It is not there yet, or has no tables.
      return 0;
    }
  };
  while (count() === 0) await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGKILL");
  await ended;
  expect(count()).toBeLessThan(20_000);
  const serve = ["service", "start", "--db", target, "--port", "0", "-o", "json"];
  const refused = await run(...serve);
  expect(refused).toMatchObject({ exitCode: 10, stdout: "" });
  expect(JSON.parse(refused.stderr).error.message).toBe("the database is an unfinished copy");
  const { exitCode, stdout, stderr } = await run(...argv);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("not copied: ") });
  expect(stdout).toMatch(/^events\t20000\t[0-9a-f]{64}$/m);
  expect(count()).toBe(20_000);
  await start(...serve).stdoutWith("\n");
  const again = await run(...argv);
  expect(again).toMatchObject({ exitCode: 10, stderr: expect.stringContaining("the target is not empty") });
});

describeWithDisk("a copy to a disk that becomes full", () => {
  test("says how to go on, and does when there is space", async () => {
    const { run, home, database } = await createMachine();
    fillWithEvents(database);
    const { path } = mountDisk(1);
    const copy = (target: string) => run("service", "copy", "--from", database, "--to", target);
    const { exitCode, stdout, stderr } = await copy(join(path, "copy.db"));
    expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: "" });
    expect(stderr).toMatch(/goes on with it\nerror: there is no space left to write the database /);
    for (const name of readdirSync(path)) copyFileSync(join(path, name), join(home, name));
    expect(await copy(join(home, "copy.db"))).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^events\t20000\t/m),
    });
  });
});

test("of several copies to one target at the same time one finishes, and the others are refused", async () => {
  const { run, home, database } = await createMachine();
  const target = join(home, "copy.db");
  const copy = () => run("service", "copy", "--from", database, "--to", target);
  const runs = await Promise.all([copy(), copy(), copy()]);
  expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 10, 10]);
  for (const { stderr } of runs.filter(({ exitCode }) => exitCode !== 0)) {
    expect(stderr).toMatch(/^error: (?:another copy is writing to the target|the target is not empty)$/m);
  }
  expect(querySql(target, "select name from users")).toEqual([{ name: "Ana" }]);
  expect((await run("service", "check", "--db", target)).exitCode).toBe(0);
});

describe("an unfinished copy", () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ["start", "--port", "0"],
    ["users", "list"],
    ["users", "add", "Ben"],
    ["users", "disable", "Ana"],
    ["users", "enable", "Ana"],
    ["users", "unlock", "Ana"],
    ["calendars", "list"],
    ["calendars", "add", "Work", "--owner", "Ana"],
    ["calendars", "set", "Family", "--name", "Home"],
    ["calendars", "remove", "Family", "--yes"],
    ["members", "list", "-c", "Family"],
    ["members", "add", "Ana", "-c", "Family"],
    ["members", "remove", "Ana", "-c", "Family"],
    ["labels", "set", "1", "--name", "x", "-c", "Family"],
    ["clients", "list"],
    ["clients", "add", "App", "--redirect-uri", "http://127.0.0.1/"],
    ["clients", "remove", "x"],
    ["tokens", "list"],
    ["tokens", "create", "--user", "Ana"],
    ["tokens", "revoke", "x"],
    ["backup", "backup.db"],
    ["check"],
    ["resync"],
  ];
  const REFUSED = {
    exitCode: 10,
    stdout: "",
    stderr:
      "error: the database is an unfinished copy\nhint: finish it: calctl service copy, as it was begun\n",
  };

  test("is refused by every command but copy, and stays as it is", async () => {
    const { home, run, runWith, database } = await createMachine();
    runSql(database, "insert into settings values ('copy', 'of another one')");
    const contents = () =>
      ["users", "calendars", "members", "settings"].map((table) =>
        querySql(database, `select * from ${table}`),
      );
    const before = contents();
    for (const command of COMMANDS) {
      expect(await run("service", ...command, "--db", database), command.join(" ")).toEqual(REFUSED);
    }
    const password = ["service", "users", "password", "Ana", "--db", database];
    expect(await runWith({ stdin: "a new password" }, ...password)).toEqual(REFUSED);
    expect(contents()).toEqual(before);
    expect(readdirSync(home).filter((name) => name.includes("backup"))).toEqual([]);
  });

  test("is not copied on, and no target is made", async () => {
    const { home, run, database } = await createMachine();
    runSql(database, "insert into settings values ('copy', 'of another one')");
    const target = join(home, "copy.db");
    expect(await run("service", "copy", "--from", database, "--to", target)).toEqual(REFUSED);
    expect(existsSync(target)).toBe(false);
  });

  test("is refused as the database of the profile local", async () => {
    const { home, run } = createInstallation();
    expect((await run("whoami")).exitCode).toBe(0);
    const database = join(home, ".local", "share", "calctl", "local.db");
    runSql(database, "insert into settings values ('copy', 'of another one')");
    for (const command of [["whoami"], ["events", "list"], ["service", "users", "list"]])
      expect(await run(...command), command.join(" ")).toEqual(REFUSED);
    runSql(database, "delete from settings where name = 'copy'");
    expect((await run("whoami")).exitCode).toBe(0);
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "a copy that waits for the target ends at once by %s, and says how to go on",
  async (signal, code) => {
    const { start, run, home, database } = await createMachine();
    const target = join(home, "copy.db");
    await run("service", "users", "add", "Ben", "--db", target);
    const unlock = await lockInOtherProcess(target);
    const { child, ended, stderrWith } = start("service", "copy", "--from", database, "--to", target);
    await stderrWith("writes to the source from now on are not copied");
    child.kill(signal);
    const { exitCode, stdout, stderr } = await ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toContain("the same command goes on with it");
    await unlock();
  },
);

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
