import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness, NOW, type RunOptions, type RunResult } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { startWireRecorder } from "../../support/wire-recorder.js";
import { words } from "../../support/words.js";

let harness: Harness;

beforeEach(async () => {
  harness = await createHarness();
});

interface Event {
  readonly id: string;
  readonly title: string;
  readonly updated_at: string;
  readonly [key: string]: unknown;
}

function create(title: string, ...flags: readonly string[]): Promise<Event> {
  return harness.json<Event>("events", "create", "--title", title, ...flags);
}

async function titles(...flags: readonly string[]): Promise<string[]> {
  const { stdout, stderr, exitCode } = await harness.run("events", "list", "--fields", "title", ...flags);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout.split("\n").slice(0, -1);
}

describe("events list", () => {
  test("by day, all-day first, then by start", async () => {
    await create("late", "--start", "2026-11-21T20:00", "--duration", "1h");
    await create("tomorrow", "--start", "2026-11-22T08:00", "--duration", "1h");
    await create("early", "--start", "2026-11-21T08:00", "--duration", "1h");
    await create("fair", "--all-day", "--start", "2026-11-21", "--end", "2026-11-22");
    await create("holiday", "--all-day", "--start", "2026-11-22");
    expect(await titles("--days", "2")).toEqual(["fair", "early", "late", "holiday", "tomorrow"]);
    expect(await titles()).toEqual(["fair", "early", "late"]);
  });

  test("what began before the first day listed is sorted under that day", async () => {
    await create("overnight", "--start", "2026-11-20T22:00", "--end", "2026-11-21T02:00");
    await create("late", "--start", "2026-11-21T20:00", "--duration", "1h");
    await create("holiday", "--all-day", "--start", "2026-11-21");
    await create("fair", "--all-day", "--start", "2026-11-20", "--end", "2026-11-22");
    expect(await titles("--days", "2")).toEqual(["fair", "holiday", "overnight", "late"]);
  });

  test("days begin at midnight of the chosen zone", async () => {
    // 23:00 in Berlin is 07:00 of the next day in Tokyo.
    await create("nightcap", "--start", "2026-11-21T23:00", "--duration", "30m");
    expect(await titles("--timezone", "Europe/Berlin")).toEqual(["nightcap"]);
    expect(await titles("--timezone", "America/New_York")).toEqual(["nightcap"]);
    harness.setNow(Date.parse("2026-11-21T23:30:00Z"));
    expect(await titles("--timezone", "Europe/Berlin")).toEqual([]);
    expect(await titles("--timezone", "UTC")).toEqual(["nightcap"]);
  });

  test("filters: category, label, mine, remaining", async () => {
    const { admin } = harness.service;
    await admin.users.add({ name: "Ben" });
    await admin.members.add("Ben", "Personal");
    await create("over", "--start", "2026-11-21T08:00", "--duration", "1h");
    await create("blue", "--start", "2026-11-21T16:00", "--duration", "1h", "--label", "deep sky blue");
    await create("kept", "--category", "keep", "--start", "2026-11-21T17:00", "--duration", "1h");
    expect(await titles("--category", "keep")).toEqual(["kept"]);
    expect(await titles("--label", "3")).toEqual(["blue"]);
    expect(await titles("--remaining")).toEqual(["blue", "kept"]);
    expect(await titles("--mine")).toEqual(["over", "blue", "kept"]);
    const { token } = await admin.tokens.create({ user: "Ben", readOnly: false });
    const wire = await startWireRecorder(harness.service);
    const asBen = { env: { CALCTL_BASE_URL: wire.baseUrl, CALCTL_TOKEN: token } };
    expect((await harness.runWith(asBen, "events", "list", "--mine", "--fields", "title")).stdout).toBe("");
  });

  test("no events: an empty result in its format, and exit 3 only with --fail-empty", async () => {
    expect(await harness.run("events", "list", "-o", "json")).toEqual({
      exitCode: 0,
      stdout: "[]\n",
      stderr: "",
    });
    expect(await harness.run("events", "list", "-o", "json", "--fail-empty")).toEqual({
      exitCode: 3,
      stdout: "[]\n",
      stderr: "",
    });
    expect(await harness.run("events", "list", "-o", "ndjson", "--fail-empty")).toEqual({
      exitCode: 3,
      stdout: "",
      stderr: "",
    });
    const terminal = await harness.runWith({ columns: 80 }, "events", "list");
    expect(terminal).toEqual({ exitCode: 0, stdout: "", stderr: "no events today\n" });
  });

  test("over several calendars", async () => {
    const { admin } = harness.service;
    await admin.calendars.add({ name: "Work", owner: "ana" });
    await create("here", "-c", "Personal", "--start", "2026-11-21T16:00", "--duration", "1h");
    await create("there", "-c", "Work", "--start", "2026-11-21T15:00", "--duration", "1h");
    expect(await titles("-A")).toEqual(["there", "here"]);
    expect(await titles("-c", "Work", "-c", "Personal", "-c", "Work")).toEqual(["there", "here"]);
  });
});

describe("events get", () => {
  test("one id prints an object in the documented shape and order", async () => {
    const { id } = await create("T", "--start", "2026-11-21T12:00", "--duration", "1h", "--attendee", "me");
    const event = await harness.json<Event>("events", "get", id);
    expect(Object.keys(event)).toEqual([
      ...words`id calendar_id calendar_name category title all_day start_at start_timezone end_at
        end_timezone`,
      ...words`start_local end_local recurrences description location url created_at updated_at`,
      ...["creator", "label", "attendees", "series_id"],
    ]);
    expect(event).toMatchObject({
      start_at: "2026-11-21T11:00:00.000Z",
      start_local: "2026-11-21T12:00:00+01:00",
      start_timezone: "Europe/Berlin",
      creator: { name: "ana", type: "user" },
      label: { number: 1, name: "" },
      attendees: [{ name: "ana" }],
    });
    expect(Array.isArray(await harness.json("events", "get", id, id))).toBe(true);
  });

  test("an all-day event keeps its dates in every zone", async () => {
    const { id } = await create("T", "--all-day", "--start", "2026-11-21", "--end", "2026-11-22");
    for (const zone of ["UTC", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Kiritimati"]) {
      expect(await harness.json("events", "get", id, "--timezone", zone)).toMatchObject({
        start_local: "2026-11-21",
        end_local: "2026-11-22",
      });
    }
  });
});

describe("ids from stdin", () => {
  const TIMES = ["--start", "2026-11-21T12:00", "--duration", "1h"];

  test("get - reads one id a line and prints a list, in order with the ids beside it", async () => {
    const [first, second, third] = [
      await create("1", ...TIMES),
      await create("2", ...TIMES),
      await create("3", ...TIMES),
    ];
    const stdin = `\uFEFF${second.id}\r\n\n  \r\n${first.id}`;
    const flags = ["-o", "json", "--fields", "title"];
    const both = await harness.runWith({ stdin }, "events", "get", third.id, "-", third.id, ...flags);
    expect(JSON.parse(both.stdout).map(({ title }: Event) => title)).toEqual(["3", "2", "1", "3"]);
    const one = await harness.runWith({ stdin: first.id }, "events", "get", "-", ...flags);
    expect(JSON.parse(one.stdout)).toEqual([{ title: "1" }]);
  });

  test("delete - deletes each once", async () => {
    const { id } = await create("1", ...TIMES);
    const deleted = await harness.runWith(
      { stdin: `${id}\n${id}\n` },
      ...["events", "delete", "-", id, "--yes", "-o", "json"],
    );
    expect(JSON.parse(deleted.stdout)).toEqual({ deleted: [id] });
    expect(await titles()).toEqual([]);
  });

  test("delete - takes ids that NULs separate", async () => {
    const [first, second] = [await create("1", ...TIMES), await create("2", ...TIMES)];
    const stdin = `${first.id}\0${second.id}\0`;
    await harness.runWith({ stdin }, "events", "delete", "-", "--yes");
    expect(await titles()).toEqual([]);
  });

  test.each([
    [["get", "-", "-o", "json"], "[]\n"],
    [["get", "-"], ""],
    [["delete", "-", "--yes", "--yes", "-o", "json"], '{\n  "deleted": []\n}\n'],
    [["delete", "-", "--yes", "-o", "ndjson"], '{"deleted":[]}\n'],
    [["delete", "-", "--yes"], ""],
    [["delete", "-"], ""],
  ])("%j without a line does nothing, and sends nothing", async (argv, stdout) => {
    const env = { CALCTL_BASE_URL: "https://nowhere.invalid", CALCTL_TOKEN: "t" };
    const result = await harness.runWith({ env, stdin: "\r\n\n" }, "events", ...argv);
    expect(result).toEqual({ exitCode: 0, stdout, stderr: "" });
  });

  test.each([
    [["get", "-", "abc", "-"], "", "stdin"],
    [["get", "-"], "abc\n..\n", "stdin"],
    [["delete", "-"], "abc\n", "--yes"],
    [["delete", "-", "--yes"], "a\tb\n", 'ID on stdin: "a\\tb" contains a control character'],
    [["get", "-"], '[\n  {\n    "id": "abc"\n  }\n]\n', "-: stdin is JSON, not ids"],
    [["delete", "-", "--yes"], '\n{"id":"abc"}\n', "-: stdin is JSON, not ids"],
    [["get", "a\u0007"], "", 'ID: "a\\u0007" contains a control character'],
    [["list", "-c", "Fam\r"], "", "contains a control character"],
  ])("%j with %j is exit 2", async (argv, stdin, words) => {
    expect(await harness.runWith({ stdin }, "events", ...argv)).toMatchObject(failed(2, words));
  });

  test("delete - does not ask, not even on a terminal", async () => {
    expect(await harness.runWith({ columns: 80 }, "events", "delete", "-")).toMatchObject(failed(2, "--yes"));
  });
});

describe("events create and update", () => {
  test("known labels and attendees are filled in", async () => {
    const event = await create(
      "T",
      ...words`--start 2026-11-21T12:00 --duration 1h --attendee me --label "apple red"`,
    );
    const filled = { label: { name: "apple red", color: "#e73b3b" }, attendees: [{ name: "ana" }] };
    expect(event).toMatchObject(filled);
    expect(await harness.json("events", "update", event.id, "--title", "U")).toMatchObject({
      title: "U",
      ...filled,
      creator: { name: "ana" },
    });
  });

  test("a URL that nobody should click is refused by the embedded service", async () => {
    const argv = ["events", "create", "--title", "T", "--category", "keep", "--url", "javascript:alert(1)"];
    expect(await harness.run(...argv)).toMatchObject(failed(11, "url: must begin with one of http:, https:"));
  });

  test("--clear empties fields", async () => {
    const { id } = await create(
      "T",
      ...words`--start 2026-11-21T12:00 --duration 1h --description d --attendee me`,
    );
    const cleared = await harness.json(...words`events update ${id} --clear description --clear attendees`);
    expect(cleared).toMatchObject({ description: "", attendees: [], title: "T" });
  });

  test("--clear wins over --input, as other flags", async () => {
    const { id } = await create("T", ...words`--start 2026-11-21T12:00 --duration 1h`);
    const stdin = JSON.stringify({ title: "New", description: "d", attendees: ["me"] });
    const argv = words`events update ${id} --input - --clear description --clear attendees -o json`;
    const { stdout } = await harness.runWith({ stdin }, ...argv);
    expect(JSON.parse(stdout)).toMatchObject({ title: "New", description: "", attendees: [] });
  });

  test("from timed to all-day and back", async () => {
    const { id } = await create("T", "--start", "2026-11-21T22:00", "--end", "2026-11-22T03:00");
    expect(await harness.json("events", "update", id, "--all-day")).toMatchObject({
      all_day: true,
      start_local: "2026-11-21",
      end_local: "2026-11-22",
    });
    const refused = await harness.run("events", "update", id, "--no-all-day");
    expect(refused.exitCode).toBe(2);
    expect(
      await harness.json(...words`events update ${id} --no-all-day --start 2026-11-21T09:00 --duration 1h`),
    ).toMatchObject({
      all_day: false,
      start_local: "2026-11-21T09:00:00+01:00",
    });
  });

  test("only --start moves the event, and stderr says the new end", async () => {
    const { id } = await create("T", "--start", "2026-11-21T12:00", "--end", "2026-11-21T14:00");
    const fields = ["--fields", "start_local,end_local"];
    expect(await harness.run("events", "update", id, "--start", "2026-11-23T15:00", ...fields)).toEqual({
      exitCode: 0,
      stdout: "2026-11-23T15:00:00+01:00\t2026-11-23T17:00:00+01:00\n",
      stderr: "end: Mon 2026-11-23 17:00 Europe/Berlin\n",
    });
    const quiet = ["--start", "2026-11-23T16:00", "--end", "2026-11-23T17:00"];
    expect((await harness.run("events", "update", id, ...quiet)).stderr).toBe("");
    const days = await create("D", "--all-day", "--start", "2026-11-21", "--end", "2026-11-22");
    expect(await harness.run("events", "update", days.id, "--start", "2026-12-31", ...fields)).toEqual({
      exitCode: 0,
      stdout: "2026-12-31\t2027-01-01\n",
      stderr: "end: Fri 2027-01-01\n",
    });
  });

  test("a keep without times can be read and updated by its id", async () => {
    const { id } = await create("milk", "--category", "keep", "--quiet");
    expect(await harness.json("events", "get", id)).toMatchObject({
      category: "keep",
      start_at: null,
      start_local: null,
    });
    expect(await harness.json("events", "update", id, "--title", "oat milk")).toMatchObject({
      title: "oat milk",
      start_at: null,
    });
    const needsTimes = await harness.run("events", "update", id, "--category", "schedule");
    expect(needsTimes.exitCode).toBe(2);
    expect(needsTimes.stderr).toContain("--start");
  });
});

describe("events delete on a terminal", () => {
  test("--no-input and CI disable the prompt", async () => {
    for (const [env, flags] of [
      [{ CI: "true" }, []],
      [{}, ["--no-input"]],
      [{ CALCTL_NO_INPUT: "1" }, []],
    ] as const) {
      const { exitCode, stderr } = await harness.runWith(
        { env, columns: 80 },
        "events",
        "delete",
        "abc",
        ...flags,
      );
      expect({ exitCode, stderr: stderr.includes("--yes") }).toEqual({ exitCode: 2, stderr: true });
    }
  });
});

describe("comment", () => {
  test("prints the comment in the documented shape", async () => {
    const { id } = await create("T", "--start", "2026-11-21T12:00", "--duration", "1h");
    expect(await harness.json("comment", id, "hello")).toEqual({
      id: expect.any(String),
      event_id: id,
      calendar_id: expect.any(String),
      content: "hello",
      created_at: new Date(NOW).toISOString(),
      updated_at: new Date(NOW).toISOString(),
    });
  });

  test("on a terminal that must not ask it fails without a text instead of waiting for stdin", async () => {
    expect(await harness.runWith({ columns: 80 }, "comment", "abc", "--no-input")).toMatchObject(
      failed(2, "--file"),
    );
  });
});

test("runs at the same time in one process share neither flags nor state", async () => {
  await create("T", "--start", "2026-11-21T12:00", "--duration", "1h");
  const commands: readonly (readonly [RunOptions, readonly string[]])[] = [
    [{}, ["events", "list", "-o", "json", "--timezone", "Asia/Tokyo"]],
    [{ env: { CALCTL_TIMEZONE: "UTC" } }, ["events", "list", "--fields", "start_local"]],
    [{ columns: 60 }, ["events", "list", "--color", "always"]],
    [{}, ["events", "list", "-c", "none", "-o", "json"]],
    [{}, ["events", "list", "--verbose", "--days", "0"]],
    [{}, ["events", "list", "--category", "keep", "--fail-empty"]],
    [{}, ["calendars", "--help"]],
  ];
  const alone: RunResult[] = [];
  for (const [options, argv] of commands) alone.push(await harness.runWith(options, ...argv));
  const together = await Promise.all(commands.map(([options, argv]) => harness.runWith(options, ...argv)));
  expect(together).toEqual(alone);
  expect(new Set(alone.map(({ exitCode }) => exitCode))).toEqual(new Set([0, 2, 3, 5]));
});
