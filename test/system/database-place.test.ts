import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { failed } from "../support/outcomes.js";
import { createInstallation } from "../support/spawned.js";

/** Where others could choose which file becomes a database. */

const NOBODY = 65_534;
const ARGV = {
  "local.db": ["calendars"],
  "state.db": ["events", "changes", "--since-last", "job", "--profile", "local"],
} as const;

type Name = keyof typeof ARGV;

/** A machine whose folder of this file exists, and the place of a file that nobody may write to. */
function createMachine(name: Name) {
  const installation = createInstallation();
  const folder = join(installation.home, name === "local.db" ? "data" : "state");
  mkdirSync(folder, { mode: 0o700 });
  const env = { [name === "local.db" ? "CALCTL_DATA_DIR" : "CALCTL_STATE_DIR"]: folder };
  const target = join(installation.home, "nologin");
  const runWith = (...argv: readonly string[]) => installation.runWith({ env }, ...argv);
  return { ...installation, run: runWith, target, path: join(folder, name) };
}

type Machine = ReturnType<typeof createMachine>;

function linkOfNobody(target: string, path: string): void {
  symlinkSync(target, path);
  lchownSync(path, NOBODY, NOBODY);
}

const OTHER_OWNER = "it belongs to another user";

const WAYS: readonly (readonly [string, (machine: Machine) => void, string])[] = [
  [
    "in a folder that others may write to",
    ({ path }) => chmodSync(dirname(path), 0o777),
    "other users can write to it",
  ],
  ["in another user's folder", ({ path }) => chownSync(dirname(path), NOBODY, NOBODY), OTHER_OWNER],
  ["through another user's link", ({ path, target }) => linkOfNobody(target, path), OTHER_OWNER],
  [
    "in another user's file",
    ({ path }) => {
      writeFileSync(path, "", { mode: 0o666 });
      chownSync(path, NOBODY, NOBODY);
    },
    OTHER_OWNER,
  ],
  [
    "behind another user's link to the folder",
    ({ path }) => {
      renameSync(dirname(path), `${dirname(path)}.moved`);
      linkOfNobody(`${dirname(path)}.moved`, dirname(path));
    },
    OTHER_OWNER,
  ],
  [
    "behind another user's link to a folder that is missing",
    ({ path, target }) => {
      renameSync(dirname(path), `${dirname(path)}.moved`);
      linkOfNobody(target, dirname(path));
    },
    OTHER_OWNER,
  ],
];

describe.each(["local.db", "state.db"] as const)("no %s is written", (name) => {
  test.for(WAYS)("%s", async ([title, weaken, problem], { skip }) => {
    if (title.includes("another user") && process.getuid?.() !== 0) skip("only root can give a file away");
    const machine = createMachine(name);
    weaken(machine);
    const before = existsSync(dirname(machine.path)) ? readdirSync(dirname(machine.path)) : null;
    const { exitCode, stdout, stderr } = await machine.run(...ARGV[name]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: "" });
    expect(stderr).toContain(`is not used: ${problem}\nhint: `);
    expect(stderr).toMatch(problem === OTHER_OWNER ? /sudo -H, HOME or CALCTL_\w+_DIR/ : /chmod go-w /);
    expect(existsSync(machine.target)).toBe(false);
    if (before === null) return;
    expect(readdirSync(dirname(machine.path))).toEqual(before);
    if (before.length > 0 && title.includes("file")) expect(readFileSync(machine.path, "utf8")).toBe("");
  });

  test.each(["the file", "the folder"])("one's own link to %s is followed", async (what) => {
    const machine = createMachine(name);
    const link = what === "the file" ? machine.path : dirname(machine.path);
    if (what === "the folder") renameSync(link, machine.target);
    symlinkSync(machine.target, link);
    expect(await machine.run(...ARGV[name])).toMatchObject({ exitCode: 0 });
    expect(existsSync(machine.path)).toBe(true);
  });
});

test("commands of the service refuse it as well, unless the database is named", async () => {
  const { run, path } = createMachine("local.db");
  expect((await run("calendars")).exitCode).toBe(0);
  chmodSync(dirname(path), 0o777);
  const start = ["service", "start", "--port", "0"];
  for (const argv of [["service", "users", "list"], ["service", "check"], start]) {
    const result = await run(...argv);
    expect(result).toMatchObject(failed(10, "chmod go-w"));
  }
  expect(await run("service", "users", "list", "--db", path)).toMatchObject({ exitCode: 0, stderr: "" });
});

test("doctor fails where a job would", async () => {
  const { run, path } = createMachine("state.db");
  await run("calendars");
  chmodSync(dirname(path), 0o777);
  const job = await run(...ARGV["state.db"]);
  const doctor = await run("doctor", "--profile", "local");
  expect(doctor).toMatchObject({ exitCode: 10, stderr: job.stderr });
  expect(doctor.stdout).toMatch(/^state folder\tfalse\t/m);
  expect(readdirSync(dirname(path))).toEqual([]);
});
