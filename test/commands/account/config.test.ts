import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness } from "../../support/harness.js";
import { failed, QUIET } from "../../support/outcomes.js";

let harness: Harness;

beforeEach(async () => {
  harness = await createHarness();
});

describe("config", () => {
  test("set, get, list and unset a key of a profile", async () => {
    expect(await harness.run("config", "set", "calendar", "Personal")).toEqual(QUIET);
    expect(await harness.run("config", "get", "calendar")).toMatchObject({ stdout: "Personal\n" });
    expect(await harness.json("config", "list")).toEqual({
      base_url: null,
      auth_url: null,
      client_id: null,
      redirect_uri: null,
      media_type: null,
      calendar: "Personal",
      write_calendar: null,
      timezone: null,
      label: null,
      duration: null,
      hours: null,
      week_start: null,
      token_command: null,
      journal: null,
    });
    await harness.run("config", "unset", "calendar");
    expect(await harness.run("config", "get", "calendar")).toEqual({ exitCode: 0, stdout: "\n", stderr: "" });
    expect(await harness.json("config", "get", "calendar")).toEqual({ calendar: null });
  });

  test.each([
    ["week_start", "Sunday", "sunday"],
    ["timezone", "asia/kolkata", "Asia/Kolkata"],
    ["journal", "OFF", "off"],
  ])("set %s %s", async (key, typed, stored) => {
    expect((await harness.run("config", "set", key, typed)).exitCode).toBe(0);
    expect(await harness.run("config", "get", key)).toMatchObject({ stdout: `${stored}\n` });
  });

  test("under CALCTL_BASE_URL, set says which profile it changes", async () => {
    const env = { CALCTL_BASE_URL: "https://calendar.example", CALCTL_TOKEN: "t" };
    const note = "this is of profile local, which commands with CALCTL_BASE_URL do not use\n";
    const set = ["config", "set", "hours", "12"];
    expect(await harness.runWith({ env }, ...set)).toEqual({ exitCode: 0, stdout: "", stderr: note });
    expect((await harness.runWith({ env }, "config", "unset", "hours")).stderr).toBe(note);
    expect((await harness.runWith({ env }, ...set, "-p", "local")).stderr).toBe("");
    expect((await harness.runWith({ env: { ...env, CALCTL_PROFILE: "local" } }, ...set)).stderr).toBe("");
  });

  test("path prints the path even if the file does not exist", async () => {
    expect((await harness.run("config", "path")).stdout).toBe(`${harness.directory}/config.json\n`);
  });

  test("base_url creates a profile; other keys of an unknown profile are exit 10", async () => {
    expect((await harness.run("config", "set", "calendar", "x", "-p", "work")).exitCode).toBe(10);
    expect(
      (await harness.run("config", "set", "base_url", "https://work.example", "-p", "work")).exitCode,
    ).toBe(0);
    expect((await harness.run("config", "set", "calendar", "x", "-p", "work")).exitCode).toBe(0);
    expect(await harness.json("profiles", "list")).toEqual([
      { name: "local", base_url: null, in_use: true },
      { name: "work", base_url: "https://work.example", in_use: false },
    ]);
  });

  test.each([
    ["an unknown key", ["colour", "blue"], "base_url"],
    ["an empty value", ["calendar", ""], "unset"],
    ["an id that no calendar can have", ["calendar", ".."], "valid id"],
    ["an address of local", ["base_url", "https://x.example"], "local"],
    ["a zone that is none", ["timezone", "Mars/Phobos"], "Asia/Tokyo"],
    ["an abbreviation of a zone", ["timezone", "IST"], "Asia/Kolkata, Europe/Dublin, or Asia/Jerusalem"],
    ["an insecure address", ["base_url", "http://x.example", "-p", "work"], "https"],
    [
      "a redirect URI that is none",
      ["redirect_uri", "http:/127.0.0.1/cb", "-p", "work"],
      "http or https URL",
    ],
    [
      "a token command that does not exist",
      ["token_command", "/nowhere/token", "-p", "work"],
      "/nowhere/token",
    ],
    ["a token command as a shell line", ["token_command", "cat token", "-p", "work"], "JSON array"],
    ["a media type with a line break", ["media_type", "a/b\nc", "-p", "work"], "media type"],
    ["a name that no profile can have", ["base_url", "https://x.example", "-p", "a b"], "name"],
  ])("%s is exit 2, and nothing is written", async (_, argv, word) => {
    await harness.run("config", "set", "base_url", "https://work.example", "-p", "work");
    const before = await harness.run("config", "list", "-p", "work");
    expect(await harness.run("config", "set", ...argv)).toMatchObject(failed(2, word));
    expect(await harness.run("config", "list", "-p", "work")).toEqual(before);
  });

  test.each([
    ["calendar", "Personl", 'calendar was set, although there is no calendar "Personl"\n'],
    ["calendar", "pers", ""],
    ["write_calendar", "Wrok", 'write_calendar was set, although there is no calendar "Wrok"\n'],
    ["write_calendar", "Personal", ""],
    ["label", "purple", 'label was set, although there is no label "purple"\n'],
    ["label", "apple red", ""],
    ["label", "3", ""],
  ])("%s %s is set, with a note if `local` has none", async (key, value, stderr) => {
    const local = await createHarness({ database: "local.db" });
    expect(await local.run("config", "set", key, value)).toEqual({ exitCode: 0, stdout: "", stderr });
    expect(await local.json("config", "get", key)).toEqual({ [key]: value });
    expect((await harness.run("config", "set", key, value)).stderr).toBe("");
  });

  test("on a terminal says what is not set, and that `local` is embedded", async () => {
    const terminal = { columns: 80, env: { NO_COLOR: "1" } };
    const list = await harness.runWith(terminal, "config", "list");
    expect(list.stdout).toMatch(/base_url +embedded\nauth_url +not set\n/);
    expect((await harness.runWith(terminal, "profiles", "list")).stdout).toMatch(/local +embedded +yes/);
    expect((await harness.runWith(terminal, "status")).stdout).toMatch(/Service +embedded\n/);
  });

  test("the profile's calendar, label and zone are defaults that flags override", async () => {
    await harness.service.admin.calendars.add({ name: "Work", owner: "ana" });
    await harness.run("config", "set", "calendar", "Work");
    await harness.run("config", "set", "label", "deep sky blue");
    await harness.run("config", "set", "timezone", "Asia/Tokyo");
    const create = ["events", "create", "--title", "T", "--start", "2026-11-22T12:00", "--duration", "1h"];
    const calendars = await harness.json<{ id: string; name: string }[]>("calendars");
    const idOf = (name: string) => calendars.find((calendar) => calendar.name === name)?.id;
    expect(await harness.json(...create)).toMatchObject({
      calendar_id: idOf("Work"),
      start_local: "2026-11-22T12:00:00+09:00",
      label: { number: 3, name: "deep sky blue" },
    });
    expect(
      await harness.json(...create, "-c", "Personal", "--timezone", "UTC", "--label", "1"),
    ).toMatchObject({
      calendar_id: idOf("Personal"),
      start_local: "2026-11-22T12:00:00+00:00",
      label: { number: 1 },
    });
  });

  test("write_calendar is where events are made, and hides none", async () => {
    await harness.service.admin.calendars.add({ name: "Work", owner: "ana" });
    await harness.service.admin.calendars.add({ name: "Club", owner: "ana" });
    const create = async (...flags: readonly string[]) => {
      const times = ["--start", "2026-11-21T18:00", "--duration", "1h"];
      return harness.json<{ id: string; calendar_name: string }>(
        ...["events", "create", "--title", "T", ...times, ...flags],
      );
    };
    await harness.run("config", "set", "write_calendar", "Work");
    const made = await create();
    expect(made).toMatchObject({ calendar_name: "Work" });
    expect(await create("-c", "Club")).toMatchObject({ calendar_name: "Club" });
    expect(await harness.json("events", "list")).toHaveLength(2);
    expect(await harness.run("labels")).toMatchObject({ exitCode: 2 });
    expect(await harness.json("events", "get", made.id)).toMatchObject({ calendar_name: "Work" });
    // The default of every command, then of this one alone.
    await harness.run("config", "set", "calendar", "Club");
    expect(await create()).toMatchObject({ calendar_name: "Work" });
    expect(await harness.json("events", "list")).toHaveLength(1);
    const env = { CALCTL_CALENDAR: "Personal" };
    const flags = ["--title", "T", "--start", "2026-11-21T18:00", "--duration", "1h", "-o", "json"];
    const { stdout } = await harness.runWith({ env }, "events", "create", ...flags);
    expect(JSON.parse(stdout)).toMatchObject({ calendar_name: "Personal" });
    await harness.run("config", "unset", "write_calendar");
    expect(await create()).toMatchObject({ calendar_name: "Club" });
  });

  test("a write_calendar that there is no more is exit 5, and named", async () => {
    await harness.run("config", "set", "write_calendar", "Wrok");
    const flags = ["--title", "T", "--start", "2026-11-21T18:00", "--duration", "1h"];
    const { exitCode, stderr } = await harness.run("events", "create", ...flags);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5 });
    expect(stderr).toContain('write_calendar of profile "local": there is no calendar "Wrok"');
  });

  test("an invalid zone in the file is exit 10, unless CALCTL_TIMEZONE overrides it", async () => {
    const { writeFileSync } = await import("node:fs");
    writeFileSync(`${harness.directory}/config.json`, '{"profiles":{"local":{"timezone":"Mars/Phobos"}}}');
    const broken = await harness.run("events", "list");
    expect(broken.exitCode).toBe(10);
    expect(broken.stderr).toContain('timezone of profile "local"');
    expect((await harness.runWith({ env: { CALCTL_TIMEZONE: "UTC" } }, "events", "list")).exitCode).toBe(0);
  });
});

test.each([
  ['{\n  "profiles": {\n    "work": {]\n}', "unexpected text at line 3, column 14"],
  ['{"profiles": {', "it ends too early at line 1, column 15"],
  ["", "it ends too early at line 1, column 1"],
])("a configuration that is not JSON, %j, is exit 10 with the position", async (text, where) => {
  const { writeFileSync } = await import("node:fs");
  const path = `${harness.directory}/config.json`;
  writeFileSync(path, text);
  for (const argv of [["config", "list"], ["whoami"], ["config", "set", "calendar", "Team"]]) {
    const { exitCode, stdout, stderr } = await harness.run(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 10, stdout: "" });
    expect(stderr).toContain(`the configuration ${path} is broken: it is not JSON: ${where}`);
    expect(stderr).toContain("hint: fix the file");
  }
  const status = await harness.run("status");
  expect(status.exitCode).toBe(10);
  expect(status.stderr).toContain(`the configuration ${path} is broken: it is not JSON: ${where}`);
});

describe("profiles", () => {
  beforeEach(async () => {
    await harness.run("config", "set", "base_url", "https://work.example", "-p", "work");
  });

  test("use and remove", async () => {
    expect((await harness.run("profiles", "use", "work")).exitCode).toBe(0);
    expect((await harness.run("profiles", "list")).stdout).toBe(
      "local\t\tfalse\nwork\thttps://work.example\ttrue\n",
    );
    const { exitCode, stderr } = await harness.run("profiles", "remove", "work");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining("no profile") });
    expect((await harness.run("profiles", "list")).stdout).toBe("local\t\tfalse\n");
  });

  test("removing the one in use leaves none: what needs one is exit 10 and names the choices", async () => {
    await harness.run("config", "set", "base_url", "https://home.example", "-p", "home");
    await harness.run("profiles", "use", "work");
    await harness.run("profiles", "remove", "home");
    expect((await harness.run("profiles", "list")).stdout).toContain("work.example\ttrue\n");
    await harness.run("config", "set", "base_url", "https://home.example", "-p", "home");
    await harness.run("profiles", "remove", "work");
    for (const argv of [["whoami"], ["events", "list"], ["logout"], ["config", "set", "label", "2"]]) {
      const result = await harness.run(...argv);
      expect(result).toMatchObject({ exitCode: 10, stdout: "" });
      expect(result.stderr).toBe(
        "error: no profile is in use\nhint: calctl profiles use NAME, or -p NAME; profiles: local, home\n",
      );
    }
    const status = await harness.run("status", "-o", "json");
    expect({ ...status, stdout: JSON.parse(status.stdout) }).toMatchObject({
      exitCode: 10,
      stdout: { profile: null },
      stderr: expect.stringContaining("no profile is in use"),
    });
    expect((await harness.run("whoami", "-p", "local")).exitCode).toBe(0);
    expect((await harness.runWith({ env: { CALCTL_PROFILE: "local" } }, "whoami")).exitCode).toBe(0);
    await harness.run("profiles", "use", "local");
    expect((await harness.run("whoami")).exitCode).toBe(0);
  });

  test("an unknown one is exit 10, and local cannot be removed", async () => {
    expect((await harness.run("profiles", "use", "nowhere")).exitCode).toBe(10);
    expect((await harness.run("profiles", "remove", "nowhere")).exitCode).toBe(10);
    expect((await harness.run("profiles", "remove", "local")).exitCode).toBe(2);
  });

  test("a profile in use without a token is not signed in: exit 4, and status still reports what is known", async () => {
    await harness.run("profiles", "use", "work");
    expect((await harness.run("whoami")).exitCode).toBe(4);
    const { exitCode, stdout } = await harness.run("status", "-o", "json");
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toEqual({
      profile: "work",
      base_url: "https://work.example",
      token_source: null,
      signed_in: false,
      user: null,
      rate_limit: null,
      clock_skew_seconds: null,
    });
  });
});

describe("status", () => {
  test("of the local profile", async () => {
    expect(await harness.json("status")).toEqual({
      profile: "local",
      base_url: null,
      token_source: null,
      signed_in: true,
      user: { id: harness.userId, type: "user", name: "ana", description: "", image_url: "" },
      rate_limit: null,
      clock_skew_seconds: 0,
    });
  });

  test("with a token that must not be sent still prints the report", async () => {
    const { exitCode, stdout, stderr } = await harness.runWith(
      { env: { CALCTL_TOKEN: "t" } },
      "status",
      "-o",
      "json",
    );
    expect(exitCode).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({ profile: "local", signed_in: null, token_source: null });
    expect(stderr).toContain("CALCTL_TOKEN");
  });

  test("--offline sends no request", async () => {
    const env = { CALCTL_BASE_URL: "http://127.0.0.1:1", CALCTL_TOKEN: "t" };
    const { exitCode, stdout } = await harness.runWith({ env }, "status", "--offline", "-o", "json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: null,
      base_url: "http://127.0.0.1:1",
      token_source: "CALCTL_TOKEN",
      signed_in: null,
    });
  });
});

describe("an empty variable", () => {
  beforeEach(async () => {
    await harness.run("config", "set", "base_url", "https://work.example", "-p", "work");
  });

  test.each(["CALCTL_TOKEN", "CALCTL_TOKEN_FILE", "CALCTL_BASE_URL", "CALCTL_PROFILE"])(
    "%s is exit 10 where it would be used; status prints its report, config and profiles work",
    async (name) => {
      const run = (...argv: readonly string[]) => harness.runWith({ env: { [name]: "" } }, ...argv);
      const failure = { exitCode: 10, stderr: expect.stringContaining(`${name} is set but empty`) };
      expect(await run("calendars")).toMatchObject({ ...failure, stdout: "" });
      const status = await run("status", "-o", "json");
      expect(status).toMatchObject(failure);
      expect(JSON.parse(status.stdout)).toMatchObject({ signed_in: null, token_source: null });
      for (const argv of [
        ["config", "list"],
        ["config", "path"],
        ["config", "set", "label", "2"],
      ]) {
        expect(await run(...argv)).toMatchObject({ exitCode: 0, stderr: "" });
      }
      expect((await run("profiles", "list")).exitCode).toBe(0);
      expect((await run("profiles", "use", "work")).exitCode).toBe(0);
      expect((await run("profiles", "remove", "work")).exitCode).toBe(0);
    },
  );

  test.each<readonly [Readonly<Record<string, string>>, number]>([
    [{ CALCTL_PROFILE: "" }, 0],
    [{ CALCTL_BASE_URL: "" }, 0],
    [{ CALCTL_PROFILE: "", CALCTL_BASE_URL: "" }, 0],
    [{ CALCTL_TOKEN: "" }, 10],
  ])("%j with -p is exit %i", async (env, exitCode) => {
    expect((await harness.runWith({ env }, "whoami", "-p", "local")).exitCode).toBe(exitCode);
  });

  test("CALCTL_TOKEN_FILE is not used next to CALCTL_TOKEN, logout uses no token of the environment", async () => {
    const env = { CALCTL_BASE_URL: "https://x.example", CALCTL_TOKEN: "t", CALCTL_TOKEN_FILE: "" };
    expect(await harness.runWith({ env }, "status", "--offline")).toMatchObject({ exitCode: 0 });
    expect(await harness.runWith({ env: { CALCTL_TOKEN: "" } }, "logout")).toMatchObject({
      exitCode: 0,
      stderr: "profile local had no stored token\n",
    });
    expect((await harness.runWith({ env: { CALCTL_PROFILE: "" } }, "logout")).exitCode).toBe(10);
  });

  test("of any other name counts as unset", async () => {
    const env = { CALCTL_CALENDAR: "", CALCTL_TIMEZONE: "", CALCTL_OUTPUT: "", CALCTL_TIMEOUT: "" };
    expect(await harness.runWith({ env }, "calendars")).toMatchObject({ exitCode: 0 });
  });
});
