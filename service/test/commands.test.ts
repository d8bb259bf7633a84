import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness, type RunResult } from "../../test/support/harness.js";
import { failed } from "../../test/support/outcomes.js";
import { words } from "../../test/support/words.js";

/** The administration of a database file, through argv. */

let harness: Harness;
let db: readonly string[];

beforeEach(async () => {
  harness = await createHarness();
  db = ["--db", `sqlite:${join(harness.directory, "service.db")}`];
});

/** Runs `calctl service` on the database. @param words separated by blanks @param more with blanks of their own */
function service(words: string, ...more: readonly string[]): Promise<RunResult> {
  return harness.run("service", ...words.split(" "), ...more, ...db);
}

function serviceWithInput(stdin: string, words: string): Promise<RunResult> {
  return harness.runWith({ stdin }, "service", ...words.split(" "), ...db);
}

/** What it prints as JSON; it must succeed. */
async function admin<T = Record<string, unknown>>(words: string, ...more: readonly string[]): Promise<T> {
  return harness.json<T>("service", ...words.split(" "), ...more, ...db);
}

describe("while another service is in use", () => {
  const env = { CALCTL_BASE_URL: "https://calendar.example", CALCTL_TOKEN: "t" };
  const run = (...argv: readonly string[]) => harness.runWith({ env }, "service", ...argv);
  const other = "not the service of CALCTL_BASE_URL";

  test("commands that only read create no local database, and each names the one it uses", async () => {
    const path = join(harness.directory, "local.db");
    for (const argv of ["users list", "calendars list", "tokens list", "check", "calendars remove x --yes"]) {
      const { exitCode, stderr } = await run(...argv.split(" "));
      expect({ exitCode, stderr }, argv).toEqual({ exitCode: 10, stderr: expect.stringContaining(path) });
      expect(stderr).toContain(other);
    }
    expect(readdirSync(harness.directory)).not.toContain("local.db");
    expect((await run("users", "add", "Ben")).stderr).toContain(other);
    expect(await run("users", "list")).toMatchObject({
      exitCode: 0,
      stderr: `using the database of this machine, ${path}, not the service of CALCTL_BASE_URL\n`,
    });
    expect((await run("check")).stderr).toContain(other);
  });

  test("a profile is named, and --db chooses a database in silence", async () => {
    const profile = { CALCTL_PROFILE: "work" };
    await harness.run("config", "set", "-p", "work", "base_url", "https://calendar.example");
    const listed = await harness.runWith({ env: profile }, "service", "users", "list");
    expect(listed.stderr).toContain("not the service of the profile work");
    await admin("users add Ben");
    expect((await run("users", "list", ...db)).stderr).toBe("");
  });
});

test.each([
  [["users", "rename", "An\u0007a", "Ben"], 'USER: "An\\u0007a"'],
  [["tokens", "revoke", "a\tb"], 'ID or --user: "a\\tb"'],
  [["clients", "remove", "a\r"], 'ID: "a\\r"'],
  [["members", "list", "-c", "Family\n"], '--calendar: "Family\\n"'],
])("%j is exit 2: no name or id has a control character", async (argv, value) => {
  await admin("users add Ana");
  await admin("calendars add Family --owner Ana");
  const result = await harness.run("service", ...argv, ...db);
  expect(result).toMatchObject(failed(2, `${value} contains a control character`));
});

describe("CALCTL_SERVICE_DB", () => {
  const listNames = (env: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
    harness.runWith({ env }, "service", "users", "list", "--fields", "name", "-o", "tsv", ...argv);

  test("is the database where --db names none", async () => {
    const path = join(harness.directory, "other.db");
    const env = { CALCTL_SERVICE_DB: `sqlite:${path}` };
    const added = await harness.runWith({ env }, "service", "users", "add", "Ana");
    expect(added).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(path) });
    await admin("users add Ben");
    expect((await listNames(env)).stdout).toMatch(/Ana\n$/);
    expect((await listNames({}, "--db", path)).stdout).toMatch(/Ana\n$/);
    expect((await listNames(env, ...db)).stdout).toMatch(/Ben\n$/);
  });

  test.each([
    ["", 10, "CALCTL_SERVICE_DB is set but empty"],
    ["sqlite:", 2, "CALCTL_SERVICE_DB: the path is empty"],
    ["mysql://x", 2, 'CALCTL_SERVICE_DB: "mysql" is not a supported kind of database'],
    [
      "'postgres://ana:sentinel@h/cal'",
      2,
      "CALCTL_SERVICE_DB: a server is given as a URL that begins with postgres://",
    ],
    [" postgres://ana:sentinel@h/cal", 2, "begins with postgres://"],
    ["postgres:/ana:sentinel@h/cal", 2, "begins with postgres://"],
    ["postgres//ana:sentinel@h/cal", 2, "begins with postgres://"],
    ["//ana:sentinel@h/cal", 2, "begins with postgres://"],
    ["a:sentinel@h/cal", 2, "begins with postgres://"],
    ["host=h password=sentinel dbname=cal", 2, "begins with postgres://"],
    ["sqlite:nowhere/a@b.db", 10, "nowhere/a@b.db does not exist"],
    ["sqlite:/nowhere/x.db", 10, "/nowhere/x.db does not exist"],
  ])("%j is exit %i", async (database, exitCode, message) => {
    const result = await listNames({ CALCTL_SERVICE_DB: database });
    expect(result).toMatchObject(failed(exitCode, message));
    expect(result.stderr).not.toContain("sentinel");
  });
});

describe("service administration", () => {
  test("users, calendars, members, labels", async () => {
    const ana = await admin("users add Ana");
    expect(ana).toEqual({ id: expect.stringMatching(/^\d+$/), name: "Ana", login: "Ana" });
    const ben = await admin("users add Ben --login ben@example");
    expect(await admin("users list")).toEqual([ana, ben]);
    const calendar = await admin<{ id: string }>("calendars add Family --owner ana --calendar-color #112233");
    expect(calendar).toMatchObject({ name: "Family", color: "#112233", members: [{ name: "Ana" }] });
    expect(await admin("members add Ben -c Family")).toMatchObject({ name: "Ben" });
    expect(await admin("members list -c", calendar.id)).toMatchObject([{ name: "Ana" }, { name: "Ben" }]);
    expect(await admin("labels set 2 --name School --label-color #445566 -c Family")).toEqual({
      id: `${calendar.id},2`,
      number: 2,
      name: "School",
      color: "#445566",
    });
    expect((await service("members remove Ben -c Family")).exitCode).toBe(0);
    expect(await admin("members list -c Family")).toMatchObject([{ name: "Ana" }]);
  });

  test("tokens and clients show their secrets once", async () => {
    const ana = await admin<{ id: string }>("users add Ana");
    const token = await admin<{ id: string; token: string }>("tokens create --user Ana --read-only");
    expect(token).toEqual({
      id: expect.any(String),
      user_id: ana.id,
      read_only: true,
      created_at: "2026-11-21T14:30:00.000Z",
      token: expect.stringMatching(/^[\x21-\x7e]{20,}$/),
    });
    const { token: _, ...listed } = token;
    expect(await admin("tokens list")).toEqual([listed]);
    expect((await service("tokens revoke", token.id)).exitCode).toBe(0);
    expect(await admin("tokens list")).toEqual([]);

    const client = await admin<{ id: string; client_secret: string }>(
      "clients add Bot --redirect-uri http://127.0.0.1/callback",
    );
    const { client_secret: __, ...known } = client;
    expect(await admin("clients list")).toEqual([known]);
    expect((await service("clients remove", client.id)).exitCode).toBe(0);
  });

  test("tokens revoke --user revokes every token of a user and says how many", async () => {
    await admin("users add Ana");
    const ben = String((await admin("users add Ben"))["id"]);
    await admin("tokens create --user Ana");
    const kept = String((await admin("tokens create --user Ben"))["id"]);
    await admin("tokens create --user Ana --read-only");
    const revoke = (...argv: readonly string[]) => service("tokens revoke", ...argv);
    for (const argv of [[], ["--user", "Ana", kept]]) {
      const refused = await revoke(...argv);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toMatch(/ID or --user/);
    }
    expect(await admin("tokens list")).toHaveLength(3);
    expect((await revoke("--user", "Zoe")).exitCode).toBe(5);
    expect(await revoke("--user", "ana")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "2 tokens of Ana revoked\n",
    });
    expect(await admin("tokens list")).toMatchObject([{ id: kept }]);
    expect(await revoke("--user", "Ana")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "0 tokens of Ana revoked\n",
    });
    expect(await revoke("--user", ben)).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "1 token of Ben revoked\n",
    });
    const { stdout } = await harness.run("service", "tokens", "revoke", "--help");
    expect(stdout).toMatch(/--user <user> +revoke every token of this user instead \(id, name or login\)/);
  });

  test("a password is one line of stdin", async () => {
    await admin("users add Ana");
    const set = await serviceWithInput("correct horse\n", "users password Ana");
    expect(set.exitCode).toBe(0);
    expect(set.stdout + set.stderr).not.toContain("correct horse");
    const empty = await serviceWithInput("\n", "users password Ana");
    expect(empty.exitCode).toBe(2);
    for (const argv of [
      ["password", "Ana"],
      ["add", "Ben"],
    ]) {
      const short = await harness.runWith({ stdin: "hörse12\n" }, "service", "users", ...argv, ...db);
      expect(short).toMatchObject({ exitCode: 2, stdout: "" });
      expect(short.stderr).toContain("the password must have at least 8 characters");
      expect(short.stderr).not.toContain("hörse12");
    }
    const loop = await serviceWithInput("Ben\nCleo\n", "users add Dan");
    expect(loop).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await admin("users list")).toHaveLength(1);
  });

  test.each([
    ["nothing to set", ["labels", "set", "1", "-c", "Family"], 2, "--name"],
    ["a number that is none", ["labels", "set", "x", "--name", "y", "-c", "Family"], 2, "NUMBER"],
    ["a database of another kind", ["users", "list", "--db", "mysql:x"], 2, "sqlite:PATH"],
  ])("%s", async (_, argv, exitCode, word) => {
    const flags = argv.includes("--db") ? [] : db;
    const result = await harness.run("service", ...argv, ...flags);
    expect(result).toMatchObject({ exitCode, stdout: "" });
    expect(result.stderr).toContain(word);
  });

  test("an id that is empty, . or .., and an empty name, are exit 2, before a database is made", async () => {
    for (const words of [
      "users password ID",
      "users rename ID Ana",
      "users disable ID",
      "users enable ID",
      "users unlock ID",
      "calendars add Family --owner ID",
      "calendars set ID --name x",
      "calendars remove ID --yes",
      "members add ID -c Family",
      "members remove ID -c Family",
      "members list -c ID",
      "labels set 1 --name x -c ID",
      "clients remove ID",
      "tokens create --user ID",
      "tokens revoke ID",
      "tokens revoke --user ID",
    ])
      for (const id of words === "tokens revoke ID" ? ["", ".", ".."] : ["."]) {
        const argv = words.split(" ").map((word) => (word === "ID" ? id : word));
        const result = await harness.runWith({ stdin: "correct horse\n" }, "service", ...argv);
        expect(result, argv.join(" ")).toMatchObject({ exitCode: 2, stdout: "" });
      }
    expect(await harness.run("service", "users", "add", "")).toMatchObject({ exitCode: 2, stdout: "" });
    expect(readdirSync(harness.directory)).toEqual([]);
  });

  test("a format or a field that a command does not have changes nothing: exit 2", async () => {
    await admin("users add Ana");
    await admin("users add Ben");
    await admin("calendars add Family --owner Ana");
    const dump = async () => [
      await admin("users list"),
      await admin("calendars list"),
      await admin("clients list"),
    ];
    const before = await dump();
    for (const words of [
      "users add Cleo",
      "calendars add Club --owner Ana",
      "calendars set Family --name Kin",
      "members add Ben -c Family",
      "labels set 1 -c Family --name Home",
      "clients add Bot --redirect-uri http://127.0.0.1/callback",
    ])
      for (const wrong of [
        ["-o", "ics"],
        ["--fields", "nope"],
      ])
        expect(await service(words, ...wrong), words).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await dump()).toEqual(before);
  });

  test("a calendar belongs to the only user unless --owner names one", async () => {
    const add = (name: string) => service("calendars add", name);
    await admin("users add Ana");
    expect(await admin("calendars add Choir")).toMatchObject({ members: [{ name: "Ana" }] });
    await admin("users add Ben");
    const { exitCode, stdout, stderr } = await add("Club");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(
      /^error: missing --owner: there are several users\nhint: name one of: Ana \(\d+\), Ben/,
    );
  });

  test("members and labels are those of the only calendar unless --calendar names one", async () => {
    await admin("users add Ana");
    await admin("calendars add Choir --owner Ana");
    expect(await admin("members list")).toMatchObject([{ name: "Ana" }]);
    expect(await admin("labels set 1 --name Concert")).toMatchObject({ number: 1, name: "Concert" });
    await admin("calendars add Club --owner Ana");
    for (const words of ["members list", "labels set 1 --name Match", "members add Ana"]) {
      const { exitCode, stderr } = await service(words);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: expect.stringMatching(
          /^error: missing --calendar: there are several calendars\nhint: name one of: Choir \(.*\), Club/,
        ),
      });
    }
  });

  test("users rename changes the name alone", async () => {
    const { id } = await admin("users add Ben --login ben@example");
    const renamed = await service("users rename ben@example", "Ben Lima");
    expect(renamed).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: `user ${id} is now called Ben Lima, and signs in as ben@example as before\n`,
    });
    expect(await admin("users list")).toEqual([{ id, name: "Ben Lima", login: "ben@example" }]);
  });

  test("users are disabled and enabled again", async () => {
    await admin("users add Ana");
    await service("users disable Ana");
    const token = ["service", "tokens", "create", "--user", "Ana", ...db];
    expect((await harness.run(...token)).exitCode).toBe(2);
    const { exitCode, stderr } = await service("users enable ana");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "Ana is enabled\n" });
    expect((await harness.run(...token)).exitCode).toBe(0);
  });

  test("users unlock says whether there was a lock", async () => {
    await admin("users add Ana");
    const unlocked = await service("users unlock ana");
    expect(unlocked).toEqual({ exitCode: 0, stdout: "", stderr: "the login Ana was not locked\n" });
  });

  test("calendars set changes name, color and description", async () => {
    await admin("users add Ana");
    const { id } = await admin("calendars add Family --owner Ana");
    const changes = ["--name", "Home", "--calendar-color", "#112233", "--description", "All\nof us"];
    const changed = { id, name: "Home", color: "#112233", description: "All\nof us" };
    expect(await admin("calendars set Family", ...changes)).toMatchObject(changed);
    expect(await admin("calendars set Home --description", "")).toMatchObject({
      ...changed,
      description: "",
    });
    for (const argv of [
      [],
      ["--name", ""],
      ["--calendar-color", "red"],
      ["--description", "x".repeat(10_001)],
    ]) {
      const result = await service("calendars set Home", ...argv);
      expect(result).toMatchObject({ exitCode: 2, stdout: "" });
    }
    expect(await admin("calendars list")).toMatchObject([{ ...changed, description: "" }]);
  });

  test("calendars remove needs --yes, and takes everything in the calendar", async () => {
    await admin("users add Ana");
    await admin("calendars add Family --owner Ana");
    await admin("calendars add Work --owner Ana");
    const remove = ["service", "calendars", "remove", "Family", ...db];
    expect(await harness.run(...remove)).toMatchObject(failed(2, "--yes"));
    expect(await harness.run(...remove, "--yes")).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: "calendar Family removed, with 0 events\n",
    });
    expect(await admin("calendars list")).toMatchObject([{ name: "Work" }]);
    expect((await harness.run(...remove, "--yes")).exitCode).toBe(5);
  });

  test("the last member of a calendar cannot be removed: exit 2", async () => {
    await admin("users add Ana");
    await admin("users add Ben");
    await admin("calendars add Family --owner Ana");
    await admin("members add Ben -c Family");
    const remove = (name: string) => service("members remove", name, "-c", "Family");
    expect((await remove("Ana")).exitCode).toBe(0);
    expect((await remove("Ana")).exitCode).toBe(5);
    const { exitCode, stderr } = await remove("Ben");
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("last member") });
    expect(stderr).toContain("calctl service calendars remove");
    expect(await admin("members list -c Family")).toMatchObject([{ name: "Ben" }]);
  });

  test("the first command without --db makes the database of local with its user and calendar", async () => {
    const { exitCode, stdout, stderr } = await harness.run(...words`service calendars list --fields name`);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Personal\n" });
    expect(stderr).toContain(join(harness.directory, "local.db"));
    expect((await harness.json<unknown[]>("service", "users", "list")).length).toBe(1);
  });

  test("a --db that is not there is exit 10, and none is made", async () => {
    const message = `the database ${join(harness.directory, "service.db")} does not exist`;
    for (const words of [
      "users list",
      "users password Ana",
      "users enable Ana",
      "users unlock Ana",
      "calendars set Family --name x",
      "calendars remove Family --yes",
      "users disable Ana",
      "calendars add Family --owner Ana",
      "calendars list",
      "members add Ana -c Family",
      "members remove Ana -c Family",
      "members list -c Family",
      "labels set 1 --name School -c Family",
      "clients add Bot --redirect-uri http://127.0.0.1/",
      "clients list",
      "clients remove zzz",
      "tokens create --user Ana",
      "tokens list",
      "tokens revoke zzz",
      "tokens revoke --user Ana",
    ]) {
      const result = await serviceWithInput("correct horse\n", words);
      expect(result, words).toMatchObject({ exitCode: 10, stdout: "" });
      expect(result.stderr).toContain(message);
      expect(result.stderr).toContain("calctl service users add");
    }
    expect(readdirSync(harness.directory)).toEqual([]);
  });

  test("users add creates a database and reports it once", async () => {
    const created = `created the database ${join(harness.directory, "service.db")}`;
    expect((await service("users add Ana")).stderr).toContain(created);
    expect((await service("users add Ben")).stderr).not.toContain("created");
    expect((await service("users list")).stderr).toBe("");
  });
});

test.each([
  [["--port", "x"], "--port"],
  [["--port", "65536"], "--port"],
  [["--rate-limit", "many"], "--rate-limit"],
  [["--rate-limit", "0/10m"], "--rate-limit"],
  [["--rate-limit", "3/10s"], "write REQUESTS/WINDOW such as 600/10m"],
  [["--tls-cert", "x"], "--tls-key"],
  [["--memory", "--db", "x"], "--memory"],
  [["-o", "yaml"], "yaml"],
])("service start %j is exit 2", async (flags, word) => {
  expect(await harness.run("service", "start", ...flags)).toMatchObject(failed(2, word));
});

test("service start beyond loopback without TLS is exit 10", async () => {
  const { exitCode } = await harness.run("service", "start", "--memory", "--host", "0.0.0.0", "--port", "0");
  expect(exitCode).toBe(10);
});

test("service openapi is JSON whatever the format", async () => {
  const { stdout } = await harness.run("service", "openapi", "-o", "tsv");
  expect(JSON.parse(stdout)).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    paths: { "/user": {} },
  });
});
