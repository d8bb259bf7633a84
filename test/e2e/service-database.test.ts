import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runSql } from "../service/support/database.js";
import { createInstallation } from "../support/spawned.js";

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
    ...["file true", "contents true", "references true", "order false", "revisions true", "users false"],
    ...["events true", ""],
  ]);
  expect(stderr).toBe(
    "error: the database is damaged: order, users\nhint: restore a backup that passes this check\n",
  );
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
  ["check", ["--db", ""], 2],
])("%s %j is exit %d, without a secret", async (command, flags, code) => {
  const { exitCode, stdout, stderr } = await createInstallation().run("service", command, ...flags);
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
  expect(stderr).not.toContain("secret");
});
