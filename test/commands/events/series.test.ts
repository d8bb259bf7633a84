import { beforeEach, describe, expect, test } from "vitest";
import { withoutExtensions } from "../../support/contract-service.js";
import { byService, reply } from "../../support/fault-steps.js";
import { createHarness, type Harness, harnessesWith } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";

/** Series, with a service that stores them. It is Saturday, 21 November 2026, in Berlin. */

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness({ timeZone: "Europe/Berlin" });
});

const MEETING = ["--title", "Meeting", "--start", "2026-11-23T10:00", "--duration", "90m"];

interface Shown {
  readonly id: string;
  readonly calendar_id: string;
  readonly series_id: string | null;
  readonly title: string;
  readonly start_local: string;
  readonly recurrences: readonly string[];
}

const create = (...flags: readonly string[]) =>
  harness.json<Shown>("events", "create", ...MEETING_WEEKLY, ...flags, "-q");
const DAYS = ["--from", "2026-11-01", "--to", "2027-06-30"];
const events = () => harness.json<readonly Shown[]>("events", "list", ...DAYS);
const MEETING_WEEKLY = [...MEETING, "--repeat", "weekly on mon"];
/** A harness with a series of three Mondays from 23 November on. */
const createWithThree = harnessesWith(async ({ json }) => ({
  series: await json<Shown>("events", "create", ...MEETING_WEEKLY, "--count", "3"),
}));
/** A harness with that series and an event that does not repeat, for tests of commands that are refused. */
const refusing = share(async () => {
  const made = await createWithThree();
  return { ...made, single: await made.json<Shown>("events", "create", ...MEETING) };
});
/** `11-23 10:00` */
const starts = async () =>
  (await events()).map(({ start_local: start }) => start.slice(5, 16).replace("T", " "));
const occurrence = async (day: string): Promise<string> => {
  const found = (await events()).find(({ start_local: start }) => start.startsWith(day));
  return found?.id ?? "";
};

describe("a search", () => {
  const listed = async (...flags: readonly string[]) => {
    const { stdout } = await harness.run(
      "events",
      "list",
      ...flags,
      "-o",
      "ndjson",
      "--fields",
      "start_local,title",
    );
    return stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .map(({ title, start_local: start }) => `${start.slice(0, 10)} ${title}`);
  };
  const searched = share(async () => {
    harness = await createHarness({ timeZone: "Europe/Berlin" });
    const series = (title: string, start: string, ...flags: readonly string[]) =>
      harness.json("events", "create", "--title", title, "--start", start, ...flags, "-q");
    await series("Gym", "2026-11-03T18:00", "--repeat", "weekly on tue");
    await series("Gym course", "2026-11-05T18:00", "--repeat", "daily", "--count", "5");
    // It is 15:30: one of these is on.
    await series("Gym today", "2026-11-20T15:00", "--repeat", "daily");
    await series("Gym once", "2026-11-10T18:00");
    return harness;
  });
  beforeEach(() => {
    harness = searched();
  });

  test("without days gives the next occurrence of each series, else its last one", async () => {
    const expected = [
      "2026-11-09 Gym course",
      "2026-11-10 Gym once",
      "2026-11-21 Gym today",
      "2026-11-24 Gym",
    ];
    expect(await listed("--search", "gym")).toEqual(expected);
    const json = await harness.json<readonly Shown[]>("events", "list", "--search", "gym");
    expect(json.map(({ title, start_local: start }) => `${start.slice(0, 10)} ${title}`)).toEqual(expected);
    expect(await listed("--search", "gym", "-n", "3")).toEqual(expected.slice(0, 3));
    expect(await listed("--search", "gym", "--remaining")).toEqual(expected.slice(2));
  });

  test.each([
    [
      ["--days", "5"],
      ["2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24", "2026-11-24", "2026-11-25"],
    ],
    [["--on", "2026-11-17"], ["2026-11-17"]],
    [
      ["--from", "2026-11-01", "--to", "2026-11-06"],
      ["2026-11-03", "2026-11-05", "2026-11-06"],
    ],
  ])("with %j gives every occurrence of those days", async (days, expected) => {
    const found = await listed("--search", "gym", ...days);
    expect(found.map((line) => line.slice(0, 10))).toEqual(expected);
  });

  // The last of these tests, since it writes.
  test("gives the next of the occurrences that the other filters leave", async () => {
    const attended = await occurrence("2026-12-01");
    await harness.json("events", "update", attended, "--add-attendee", "me", "--scope", "this", "-q");
    expect(await listed("--search", "gym", "--attendee", "me")).toEqual(["2026-12-01 Gym today"]);
  });
});

describe("create --repeat", () => {
  const planned = async (...flags: readonly string[]) => {
    const { stdout, stderr } = await harness.run("events", "create", ...MEETING, ...flags, "--dry-run");
    const { recurrences, start_at, end_at } = JSON.parse(stdout).body.data.attributes;
    return { recurrences, start_at, end_at, stderr };
  };

  test("makes a series, and its reading is on stderr with the next three dates", async () => {
    const rule = ["--repeat", "every 2 weeks on mon,thu"];
    expect(await planned(...rule)).toEqual({
      recurrences: ["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH"],
      start_at: "2026-11-23T09:00:00.000Z",
      end_at: "2026-11-23T10:30:00.000Z",
      stderr:
        "repeat: every 2 weeks on Monday and Thursday: Mon 2026-11-23, Thu 2026-11-26, Mon 2026-12-07, …\n",
    });
    const made = await harness.json<Shown>("events", "create", ...MEETING, ...rule, "--count", "3");
    expect(made).toMatchObject({ series_id: made.id, start_local: "2026-11-23T10:00:00+01:00" });
    expect(await starts()).toEqual(["11-23 10:00", "11-26 10:00", "12-07 10:00"]);
    expect((await events()).map(({ series_id: id }) => id)).toEqual([made.id, made.id, made.id]);
  });

  test("begins where the rule does", async () => {
    expect(await planned("--repeat", "weekly on wed", "--until", "2026-12-02")).toEqual({
      recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20261202T225959Z"],
      start_at: "2026-11-25T09:00:00.000Z",
      end_at: "2026-11-25T10:30:00.000Z",
      stderr: "repeat: every week on Wednesday, until 2 Dec 2026: Wed 2026-11-25, Wed 2026-12-02\n",
    });
  });

  test("keeps its time of day where a clock change skips that of its first date", async () => {
    const night = [
      "--title",
      "Backup",
      "--start",
      "2027-03-22T02:30",
      "--repeat",
      "weekly on sun",
      "--count",
      "3",
    ];
    await harness.json("events", "create", ...night);
    expect(await starts()).toEqual(["03-28 03:30", "04-04 02:30", "04-11 02:30"]);
  });

  test("leaves days out, over a clock change too", async () => {
    const except = ["--except", "2026-11-30", "--except", "2027-03-29"];
    expect(await planned("--repeat", "weekly on mon", ...except)).toMatchObject({
      recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=MO", "EXDATE:20261130T090000Z,20270329T080000Z"],
      stderr: "repeat: every week on Monday: Mon 2026-11-23, Mon 2026-12-07, Mon 2026-12-14, …\n",
    });
  });

  test("has dates for whole days", async () => {
    const made = await harness.json(
      ...["events", "create", "--title", "Bins", "--all-day", "--start", "2026-11-24"],
      ...["--repeat", "weekly", "--count", "3", "--except", "2026-12-01", "-q"],
    );
    expect(made).toMatchObject({
      start_local: "2026-11-24",
      end_local: "2026-11-24",
      recurrences: ["RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE;VALUE=DATE:20261201"],
    });
  });

  test("with a key makes one series", async () => {
    const flags = ["--count", "2", "--key", "weekly"];
    const [first, second] = [await create(...flags), await create(...flags)];
    expect(second).toEqual(first);
  });

  test.each([
    [["--except", "2026-11-24"], "--except: 2026-11-24 is not a date of --repeat"],
    [["--count", "1", "--except", "2026-11-23"], "--except leaves no date of --repeat"],
    [["--until", "2026-11-22"], "--until: 2026-11-22 is before the start, 2026-11-23"],
  ])("refuses %j", async (flags, message) => {
    const result = await harness.run("events", "create", ...MEETING, "--repeat", "weekly on mon", ...flags);
    expect(result).toMatchObject(failed(2, message));
  });

  test.each(["weekly on mon", "FREQ=WEEKLY;BYDAY=MO"])(
    "refuses %s until a day before its first",
    async (rule) => {
      const flags = ["--start", "2026-11-24T10:00", "--repeat", rule, "--until", "2026-11-29"];
      const result = await harness.run("events", "create", "--title", "Meeting", ...flags);
      expect(result).toMatchObject(failed(2, "stops repeating before its first date, Mon 2026-11-30"));
    },
  );

  test("refuses more exceptions than a series has", async () => {
    const days = Array.from({ length: 501 }, (_, index) => [
      "--except",
      new Date(Date.UTC(2026, 10, 24 + index)).toISOString().slice(0, 10),
    ]);
    const result = await harness.run("events", "create", ...MEETING, "--repeat", "daily", ...days.flat());
    expect(result).toMatchObject(failed(2, "--repeat: there are more than 500 exceptions"));
  });

  test("says what can be done where no series is stored, before anything is written", async () => {
    const world = await createRemoteWorld();
    world.server.otherwise([reply(byService(withoutExtensions(world.service)))]);
    expect(await world.send("events", "create", ...MEETING, "--repeat", "weekly")).toEqual({
      exitCode: 11,
      stdout: "",
      stderr:
        "error: this service does not store repeating events\nhint: --copies creates single events, as many as --until or --count says\n",
    });
    expect(world.server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

describe("create --input", () => {
  const startsOf = async (calendar: string) =>
    (await harness.json<readonly Shown[]>("events", "list", "-c", calendar, ...DAYS)).map(
      ({ title, start_local: start }) => `${title} ${start.slice(5, 16)}`,
    );
  const makeFrom = (input: unknown, ...flags: readonly string[]) =>
    harness.runWith({ stdin: JSON.stringify(input) }, "events", "create", ...flags, "--input", "-");

  test("makes a series again as it was printed, though its first event was deleted", async () => {
    const { id } = await create("--count", "4", "--except", "2026-12-07");
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    await harness.run("events", "delete", await occurrence("2026-11-23"), "--scope", "this", "--yes");
    const made = await makeFrom(await harness.json("events", "get", id), "-c", "Work");
    expect(made).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await startsOf("Work")).toEqual(["Meeting 11-30T10:00", "Meeting 12-14T10:00"]);
  });

  test("makes several: series by hand, and an event of a series as a single one", async () => {
    await create("--count", "2");
    const [first] = await events();
    const times = { start_at: "2026-11-25T09:00:00Z", end_at: "2026-11-25T10:00:00Z" };
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    const run = { title: "Run", ...times, start_timezone: "Europe/Berlin", end_timezone: "Europe/Berlin" };
    const result = await makeFrom(
      [{ ...run, recurrences: ["RRULE:FREQ=DAILY;COUNT=2"], key: "run" }, { ...run, title: "Walk" }, first],
      ...["-c", "Work"],
    );
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: "event at [2] (Meeting): --input: it is one event of a series, whose recurrences are ignored\n",
    });
    const made = ["Meeting 11-23T10:00", "Run 11-25T10:00", "Walk 11-25T10:00", "Run 11-26T10:00"];
    expect((await startsOf("Work")).sort()).toEqual(made.sort());
  });

  test("--repeat wins over its rule", async () => {
    const series = await harness.json<Shown>("events", "get", (await create("--count", "9")).id);
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    const rule = ["--repeat", "daily", "--count", "2"];
    expect(await makeFrom(series, "-c", "Work", ...rule)).toMatchObject({ exitCode: 0 });
    const twice = ["Meeting 11-23T10:00", "Meeting 11-24T10:00"];
    expect(await startsOf("Work")).toEqual(twice);
    expect(await makeFrom(series, "-c", "Work", ...rule, "--copies")).toMatchObject({ exitCode: 0 });
    expect(await startsOf("Work")).toEqual(twice.flatMap((event) => [event, event]));
  });

  test("says that an update ignores it", async () => {
    const series = await harness.json<Shown>("events", "get", (await create("--count", "2")).id);
    const stdin = JSON.stringify({ ...series, title: "Review" });
    const update = ["events", "update", series.id, "--scope", "all", "--input", "-"];
    expect(await harness.runWith({ stdin }, ...update)).toMatchObject({
      exitCode: 0,
      stderr: "--input: recurrences are ignored: --repeat changes the rule\n",
    });
    expect(await starts()).toEqual(["11-23 10:00", "11-30 10:00"]);
  });

  test.each<[string, object, string]>([
    ["a rule by the hour", { recurrences: ["RRULE:FREQ=DAILY;BYHOUR=3"] }, "BYHOUR is not supported"],
    ["a start of another century", { start_at: "1899-11-25T09:00:00Z" }, "the series would start in 1899"],
    ["a keep without times", { category: "keep", start_at: null, end_at: null }, "the event has no start"],
    [
      "too many exceptions",
      { recurrences: ["RRULE:FREQ=DAILY", `EXDATE:${Array(501).fill("20261126T090000Z").join(",")}`] },
      "there are more than 500 exceptions",
    ],
  ])("refuses %s before anything is sent, alone or among others", async (_name, changes, message) => {
    const world = await createRemoteWorld();
    const times = { start_at: "2026-11-25T09:00:00Z", end_at: "2026-11-25T10:00:00Z" };
    const event = { title: "Run", ...times, recurrences: ["RRULE:FREQ=DAILY"], ...changes };
    const send = (input: unknown) =>
      world.runWith({ env: world.env, stdin: JSON.stringify(input) }, "events", "create", "--input", "-");
    expect(await send(event)).toMatchObject(failed(2, `--input: recurrences: ${message}`));
    expect(world.server.requests).toEqual([]);
    expect(await send([event])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect(world.server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("is refused before anything is written where no series is stored", async () => {
    const world = await createRemoteWorld();
    world.server.otherwise([reply(byService(withoutExtensions(world.service)))]);
    const stdin = JSON.stringify({
      ...{ title: "Run", start_at: "2026-11-25T09:00:00Z", end_at: "2026-11-25T10:00:00Z" },
      recurrences: ["RRULE:FREQ=DAILY"],
    });
    for (const input of [stdin, `[${stdin}]`])
      expect(
        await world.runWith({ env: world.env, stdin: input }, "events", "create", "--input", "-"),
      ).toMatchObject(failed(11, "this service does not store repeating events\nhint: --copies"));
    expect(world.server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

/** Begins with a series of three. */
async function withThree() {
  const made = await createWithThree();
  harness = made;
  return made;
}

describe("--scope", () => {
  test("this moves one event, which keeps its id and its series", async () => {
    const { series } = await withThree();
    const id = await occurrence("2026-11-30");
    const moved = await harness.json<Shown>(
      ...["events", "update", id, "--scope", "this", "--start", "2026-12-01T11:00", "-q"],
    );
    expect(moved).toMatchObject({ id, series_id: series.id, recurrences: [] });
    expect(await starts()).toEqual(["11-23 10:00", "12-01 11:00", "12-07 10:00"]);
  });

  test("all moves the others with it, and says what was changed before", async () => {
    await withThree();
    const own = ["events", "update", await occurrence("2026-12-07"), "--scope", "this", "--title", "Party"];
    await harness.run(...own);
    const id = await occurrence("2026-11-30");
    const result = await harness.run("events", "update", id, "--scope", "all", "--start", "2026-11-30T09:00");
    expect(result).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining("1 event of the series was changed on its own, and stays as it is\n"),
    });
    expect(await starts()).toEqual(["11-23 09:00", "11-30 09:00", "12-07 10:00"]);
    const first = await occurrence("2026-11-23");
    await harness.run("events", "update", first, "--scope", "this", "--title", "Kickoff");
    const other = await occurrence("2026-11-30");
    const again = await harness.run(
      "events",
      "update",
      other,
      "--scope",
      "all",
      "--start",
      "2026-11-30T08:00",
    );
    expect(again.stderr).toContain(
      "2 events of the series were changed on their own, and stay as they are\n",
    );
    expect(await starts()).toEqual(["11-23 09:00", "11-30 08:00", "12-07 10:00"]);
  });

  test("a series is not moved to another calendar, which would lose events", async () => {
    const { id } = (await withThree()).series;
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    const result = await harness.run("events", "move", id, "--to", "Work", "--yes");
    expect(result).toMatchObject(failed(2, `event ${id} is a series`));
    expect(await starts()).toHaveLength(3);
  });

  test("a copy of a series ends where it does, though its first event was deleted", async () => {
    const { id } = (await withThree()).series;
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    await harness.run("events", "delete", await occurrence("2026-11-23"), "--scope", "this", "--yes");
    await harness.json("events", "copy", id, "--to", "Work", "-q");
    const copied = await harness.json<readonly Shown[]>("events", "list", "-c", "Work", ...DAYS);
    expect(copied.map(({ start_local }) => start_local.slice(5, 10))).toEqual(["11-30", "12-07"]);
  });

  test("following goes on as a series of its own", async () => {
    const { id } = (await withThree()).series;
    const from = await occurrence("2026-11-30");
    const rest = await harness.json<Shown>(
      ...["events", "update", from, "--scope", "following", "--title", "Review", "-q"],
    );
    expect(rest.id).not.toBe(id);
    expect(rest).toMatchObject({ series_id: rest.id, title: "Review" });
    expect((await events()).map(({ title }) => title)).toEqual(["Meeting", "Review", "Review"]);
  });

  test.each([
    ["this", ["11-23 10:00", "12-07 10:00"]],
    ["following", ["11-23 10:00"]],
    ["all", []],
  ])("%s deletes that much", async (scope, left) => {
    await withThree();
    const id = await occurrence("2026-11-30");
    const result = await harness.run("events", "delete", id, "--scope", scope, "--yes");
    expect(result).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await starts()).toEqual(left);
  });

  test.each(["this", "all"])("%s of several may be said of events that do not repeat, too", async (scope) => {
    await create("--count", "2");
    await harness.json<Shown>("events", "create", "--title", "Lunch", "--start", "2026-11-25T10:00");
    const write = async (...argv: readonly string[]) => {
      const stdin = [await occurrence("2026-11-30"), await occurrence("2026-11-25")].join("\n");
      const result = await harness.runWith({ stdin }, "events", ...argv, "--scope", scope);
      expect(result).toMatchObject({ exitCode: 0 });
    };
    await write("update", "-", "--by", "+1h");
    const others = scope === "all" ? "11-23 11:00" : "11-23 10:00";
    expect(await starts()).toEqual([others, "11-25 11:00", "11-30 11:00"]);
    await write("delete", "-", "--yes");
    expect(await starts()).toEqual(scope === "all" ? [] : [others]);
  });

  test.each(["following", "all"])("%s is refused for two events of one series", async (scope) => {
    await withThree();
    const before = await events();
    const ids = before.map(({ id }) => id).join("\n");
    for (const command of [
      ["update", "--by", "+1d"],
      ["delete", "--yes"],
    ]) {
      const argv = ["events", ...command, "-", "--scope", scope];
      expect(await harness.runWith({ stdin: ids }, ...argv)).toMatchObject(failed(2, "belong to one series"));
    }
    expect(await events()).toEqual(before);
  });

  test.each<[string, "series" | "occurrence" | "single", readonly string[], string]>([
    ["must be said of an event", "occurrence", [], "use --scope this, --scope following or --scope all"],
    ["must be said of a series", "series", [], "use --scope all"],
    [
      "of a series is not this",
      "series",
      ["--scope", "this"],
      "give the id of one of its events, as lists show it",
    ],
    ["is for events that repeat", "single", ["--scope", "all"], "leave it out"],
    ["is one of three", "occurrence", ["--scope", "some"], "choose from this, following, all"],
  ])("%s", async (_, kind, flags, hint) => {
    const { series, single } = refusing();
    harness = refusing();
    const id = { series: series.id, single: single.id, occurrence: await occurrence("2026-11-30") }[kind];
    const before = await events();
    for (const command of [
      ["update", id, "--title", "Brunch"],
      ["delete", id, "--yes"],
    ]) {
      const result = await harness.run("events", ...command, ...flags);
      expect(result).toMatchObject(failed(2, hint));
    }
    expect(await events()).toEqual(before);
  });
});

describe("update of the rule", () => {
  const update = (id: string, ...flags: readonly string[]) => harness.run("events", "update", id, ...flags);

  test("--until ends a series, and what was left out stays so", async () => {
    const { id } = await create("--except", "2026-11-30");
    const result = await update(id, "--scope", "all", "--until", "2026-12-14");
    expect(result).toMatchObject({
      exitCode: 0,
      stderr:
        "repeat: every week on Monday, until 14 Dec 2026: Mon 2026-11-23, Mon 2026-12-07, Mon 2026-12-14\n",
    });
    expect(await starts()).toEqual(["11-23 10:00", "12-07 10:00", "12-14 10:00"]);
  });

  test("--until keeps what was moved by hand", async () => {
    const { id } = await create("--count", "9");
    await update(await occurrence("2026-11-30"), "--scope", "this", "--start", "2026-12-01T11:00");
    await update(id, "--scope", "all", "--until", "2026-12-07");
    expect(await starts()).toEqual(["11-23 10:00", "12-01 11:00", "12-07 10:00"]);
  });

  test("--repeat with --start moves a series to another day, from any of its events", async () => {
    await withThree();
    const id = await occurrence("2026-11-30");
    const result = await update(
      id,
      ...["--scope", "all", "--start", "2026-12-01T12:00", "--repeat", "weekly on tue", "--count", "2"],
    );
    expect(result).toMatchObject({ exitCode: 0 });
    expect(await starts()).toEqual(["11-24 12:00", "12-01 12:00"]);
  });

  test("moves to another zone with its exceptions and added dates", async () => {
    const { id } = await create("--count", "3", "--except", "2026-11-30");
    const rule = ["RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3", "EXDATE:20261130T090000Z", "RDATE:20261202T090000Z"];
    const path = `/calendars/${(await events())[0]?.calendar_id}/events/${id}`;
    const { attributes, relationships } = JSON.parse((await harness.run("api", path)).stdout).data;
    const body = { data: { attributes: { ...attributes, recurrences: rule }, relationships } };
    await harness.runWith({ stdin: JSON.stringify(body) }, "api", path, "-X", "PUT", "--input", "-");
    expect(await starts()).toEqual(["11-23 10:00", "12-02 10:00", "12-07 10:00"]);
    const end = ["--scope", "all", "--count", "4"];
    expect(await update(id, ...end, "--by", "+30m")).toMatchObject({ exitCode: 0 });
    expect(await starts()).toEqual(["11-23 10:30", "12-02 10:30", "12-07 10:30", "12-14 10:30"]);
    expect(await update(id, ...end, "--start-timezone", "Asia/Tokyo")).toMatchObject({
      exitCode: 0,
      stderr: "repeat: every week on Monday, 4 times: Mon 2026-11-23, Mon 2026-12-07, Mon 2026-12-14\n",
    });
    expect(await starts()).toEqual(["11-23 10:30", "12-02 10:30", "12-07 10:30", "12-14 10:30"]);
  });

  test("--repeat of following changes the rest", async () => {
    await create("--count", "4");
    const id = await occurrence("2026-12-07");
    await update(id, "--scope", "following", "--repeat", "every 2 weeks on mon", "--until", "2027-01-10");
    expect(await starts()).toEqual([
      "11-23 10:00",
      "11-30 10:00",
      "12-07 10:00",
      "12-21 10:00",
      "01-04 10:00",
    ]);
  });

  test("another rule without an end says that the series had one", async () => {
    const { id } = await create("--count", "4");
    const rule = ["--scope", "all", "--repeat", "every 2 weeks on mon"];
    const lost =
      "the series had an end (every week on Monday, 4 times) and now has none: add --until or --count to keep one\n";
    expect((await update(id, ...rule)).stderr).toContain(lost);
    expect((await update(id, ...rule, "--count", "3")).stderr).not.toContain("now has none");
    expect(
      (await update(id, "--scope", "all", "--repeat", "FREQ=DAILY;UNTIL=20270101T000000Z")).stderr,
    ).not.toContain("now has none");
  });

  test("another rule begins where the series did, and what was deleted there stays so", async () => {
    const { id } = await create("--count", "4");
    await harness.run("events", "delete", await occurrence("2026-11-23"), "--scope", "this", "--yes");
    const rule = ["--repeat", "every 2 weeks on mon", "--count", "3"];
    expect((await update(id, "--scope", "all", ...rule)).stderr).toContain(
      ": Mon 2026-12-07, Mon 2026-12-21\n",
    );
    expect(await starts()).toEqual(["12-07 10:00", "12-21 10:00"]);
  });

  test("--repeat makes a series of a single event", async () => {
    const { id } = await harness.json<Shown>("events", "create", ...MEETING);
    expect(await update(id, "--repeat", "daily", "--count", "2")).toMatchObject({ exitCode: 0 });
    expect(await starts()).toEqual(["11-23 10:00", "11-24 10:00"]);
  });

  test.each<[string, readonly string[], string]>([
    [
      "a rule for one event",
      ["--scope", "this", "--repeat", "daily"],
      "--repeat: one event of a series has no rule",
    ],
    ["an end for one event", ["--scope", "this", "--until", "2026-12-14"], "--until and --count: one event"],
    ["exceptions without a rule", ["--scope", "all", "--except", "2026-12-14"], "missing --repeat"],
    ["two ends", ["--scope", "all", "--until", "2026-12-14", "--count", "3"], "are both given"],
  ])("refuses %s", async (_, flags, message) => {
    harness = refusing();
    const result = await update(await occurrence("2026-11-30"), ...flags);
    expect(result).toMatchObject(failed(2, message));
  });

  test("refuses the end of an event that does not repeat", async () => {
    harness = refusing();
    expect(await update(refusing().single.id, "--until", "2026-12-14")).toMatchObject(
      failed(2, "missing --repeat"),
    );
  });

  test("what else the service refuses of a series is not said to be its rule", async () => {
    harness = refusing();
    const { id } = refusing().series;
    const keep = ["--category", "keep", "--clear", "start", "--clear", "end"];
    const { exitCode, stderr } = await update(id, "--scope", "all", ...keep);
    expect([exitCode, stderr]).toEqual([11, expect.stringContaining("only an event with start_at")]);
    expect(stderr).not.toContain("--repeat");
  });

  test("a series that moves to another day without its rule is refused by the service", async () => {
    harness = refusing();
    const { id } = refusing().series;
    expect(await update(id, "--scope", "all", "--start", "2026-11-24T10:00")).toMatchObject(
      failed(11, 'send the new rule as well\nhint: set the new rule with --repeat, such as "weekly on tue"'),
    );
  });
});
