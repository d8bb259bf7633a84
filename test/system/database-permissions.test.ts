import { chmodSync, chownSync, existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInstallation, type Installation } from "../support/spawned.js";

const modeOf = (path: string) => statSync(path).mode & 0o777;

/** A machine with a database that the program has made, with this mode. */
async function createWithMode(mode: number): Promise<{ installation: Installation; database: string }> {
  const installation = createInstallation();
  const database = join(installation.home, "service.db");
  await installation.run("service", "users", "add", "Ana", "--db", database);
  expect(modeOf(database)).toBe(0o600);
  chmodSync(database, mode);
  return { installation, database };
}

test.each(["644", "640", "602"])("a database with mode %s is noted once, and stays", async (octal) => {
  const mode = Number.parseInt(octal, 8);
  const { installation, database } = await createWithMode(mode);
  const argv = ["service", "users", "list", "--db", database];
  const { exitCode, stderr } = await installation.run(...argv);
  const note = `other users of this machine have access to the database ${database}: chmod 600 ${database}\n`;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: note });
  expect(modeOf(database)).toBe(mode);
  expect((await installation.run(...argv, "--quiet")).stderr).toBe("");
  chmodSync(database, 0o600);
  expect((await installation.run(...argv)).stderr).toBe("");
});

test("a command of the profile local notes it too", async () => {
  const installation = createInstallation();
  await installation.run("calendars");
  const { stdout } = await installation.shell('find "$HOME" -name "*.db"');
  const database = stdout.trim();
  chmodSync(database, 0o644);
  const { exitCode, stderr } = await installation.run("calendars");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `other users of this machine have access to the database ${database}: chmod 600 ${database}\n`,
  });
});

test("service start makes it private, with the files beside it, also through a link", async () => {
  const { installation, database } = await createWithMode(0o644);
  const link = join(installation.home, "link.db");
  symlinkSync(database, link);
  const argv = ["service", "start", "--db", link, "--port", "0"];
  const other = installation.start(...argv);
  await other.stderrWith("listening");
  const files = [database, `${database}-wal`, `${database}-shm`];
  expect(files.map((file) => existsSync(file) && modeOf(file))).toEqual([0o600, 0o600, 0o600]);
  for (const file of files) chmodSync(file, 0o644);
  const running = installation.start(...argv);
  const stderr = await running.stderrWith("listening");
  expect(stderr.split("\n")[0]).toBe(
    `other users of this machine had access to the database ${link}; its mode is now 0600`,
  );
  expect(stderr).not.toContain("chmod");
  expect(files.map(modeOf)).toEqual([0o600, 0o600, 0o600]);
});

test("the database of somebody else is left alone", async ({ skip }) => {
  if (process.getuid?.() !== 0) skip("only root can make a file that belongs to somebody else");
  const { installation, database } = await createWithMode(0o644);
  chownSync(database, 65_534, 65_534);
  const { stderr } = await installation.run("service", "users", "list", "--db", database);
  expect(stderr).toBe("");
  const running = installation.start("service", "start", "--db", database, "--port", "0");
  expect(await running.stderrWith("listening")).not.toContain("database");
  expect(modeOf(database)).toBe(0o644);
});

test("a file that is not a database of calctl keeps its mode", async () => {
  const installation = createInstallation();
  const file = join(installation.home, "letter");
  writeFileSync(file, "to my aunt");
  chmodSync(file, 0o644);
  const { exitCode } = await installation.run("service", "start", "--db", file, "--port", "0");
  expect({ exitCode, mode: modeOf(file) }).toEqual({ exitCode: 10, mode: 0o644 });
});
