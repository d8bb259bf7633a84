import { beforeEach, describe, expect, test } from "vitest";
import { byService, reply } from "../../support/fault-steps.js";
import { createHarness, type Harness, NOW } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";

/** What is on or comes next, and the first events of a list. Now is Saturday, 15:30 in Berlin. */

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
  await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
});

async function create(title: string, start: string, ...flags: readonly string[]): Promise<void> {
  const length = flags.includes("--all-day") || flags.includes("--duration") ? [] : ["--duration", "1h"];
  const calendar = flags.includes("-c") ? [] : ["-c", "Personal"];
  await harness.json(
    ...words`events create --title ${title} --start ${start}`,
    ...length,
    ...calendar,
    ...flags,
  );
}

async function next(...flags: readonly string[]): Promise<readonly string[]> {
  return (await harness.json<readonly { title: string }[]>("next", ...flags)).map(({ title }) => title);
}

/** A day in `days` days. */
const day = (days: number): string => new Date(NOW + days * 86_400_000).toISOString().slice(0, 10);

describe("next", () => {
  test("is what is on, then what comes, of every calendar", async () => {
    await create("Over", "2026-11-21T14:00");
    await create("Soon", "2026-11-21T16:00", "-c", "Work");
    expect(await next()).toEqual(["Soon"]);
    await create("On", "2026-11-21T15:00");
    await create("Tomorrow", "2026-11-22T09:00");
    expect(await next()).toEqual(["On"]);
    expect(await next("-n", "2")).toEqual(["On", "Soon"]);
    expect(await next("-n", "9")).toEqual(["On", "Soon", "Tomorrow"]);
    expect(await next("-c", "Work")).toEqual(["Soon"]);
    // A default is for lists.
    const env = { CALCTL_CALENDAR: "Work" };
    expect((await harness.runWith({ env }, "next", "--fields", "title")).stdout).toBe("On\n");
  });

  test("has what began yesterday and is on, and not what ends now", async () => {
    await create("Ends now", "2026-11-21T14:30");
    await create("Night", "2026-11-20T23:00", "--duration", "20h");
    expect(await next()).toEqual(["Night"]);
    harness.setNow(NOW + 4 * 3_600_000);
    expect(await next()).toEqual([]);
  });

  test("--within is how soon an event may begin", async () => {
    const soon: readonly (readonly [string, readonly string[]])[] = [
      ["30m", ["On"]],
      ["31m", ["On", "Soon"]],
      ["8h", ["On", "Soon"]],
      ["8h 30m", ["On", "Soon"]],
      ["1d", ["On", "Soon", "Tomorrow"]],
      ["30d", ["On", "Soon", "Tomorrow", "In ten days"]],
    ];
    await create("On", "2026-11-21T15:00");
    await create("Soon", "2026-11-21T16:01");
    await create("Tomorrow", "2026-11-22T09:00");
    await create("In ten days", `${day(10)}T09:00`);
    await create("In a year", `${day(360)}T09:00`);
    for (const [within, titles] of soon)
      expect(await next("-n", "9", "--within", within), within).toEqual(titles);
  });

  test("all-day events only with --all-day, tomorrow's from midnight on", async () => {
    await create("Today", "2026-11-21", "--all-day");
    await create("Sunday", "2026-11-22", "--all-day");
    await create("Soon", "2026-11-21T16:00");
    expect(await next("-n", "9")).toEqual(["Soon"]);
    expect(await next("--all-day")).toEqual(["Today"]);
    expect(await next("-n", "9", "--all-day", "--within", "8h 29m")).toEqual(["Today", "Soon"]);
    expect(await next("-n", "9", "--all-day", "--within", "8h 30m")).toEqual(["Today", "Soon", "Sunday"]);
  });

  test("is found beyond the week, if nothing of the week is left", async () => {
    await create("In a month", `${day(30)}T09:00`);
    await create("In two years", `${day(730)}T09:00`);
    expect(await next("-n", "9")).toEqual(["In a month"]);
    expect(await next("-n", "9", "--within", "6d")).toEqual([]);
    await create("In a year", `${day(365)}T09:00`);
    expect(await next("-n", "9", "--within", "365d")).toEqual(["In a month", "In a year"]);
  });

  test("says on a terminal how long it takes, and that there is none", async () => {
    const env = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };
    const show = (...flags: readonly string[]) => harness.runWith({ columns: 80, env }, "next", ...flags);
    expect(await show()).toEqual({ exitCode: 0, stdout: "", stderr: "no current or upcoming events\n" });
    expect((await show("--within", "2h")).stderr).toBe("no event within 2h\n");
    await create("On", "2026-11-21T15:00");
    await create("Dinner", "2026-11-21T19:30", "--duration", "8h");
    await create("Lunch", "2026-11-23T12:00");
    const { stdout, stderr } = await show("-n", "3");
    expect(stdout.replaceAll(/ +(?:Personal +)?[0-9a-f]{4}$/gm, "")).toBe(
      [
        ...[
          "Sat 21 Nov  today",
          "▸ 15:00–16:00  On (30m left)",
          "  19:30 →      Dinner (until Sun 03:30) (in 4h)",
          "",
        ],
        ...["Mon 23 Nov", "  12:00–13:00  Lunch", ""],
      ].join("\n"),
    );
    expect(stderr).toBe("");
  });

  test("is a list in every format, and a line by --template", async () => {
    expect((await harness.run("next", "-o", "json")).stdout).toBe("[]\n");
    expect((await harness.run("next", "--template", "{{ title }}")).stdout).toBe("");
    await create("Soon", "2026-11-21T16:00");
    const template = '{{ start_local | date: "%H:%M" }} {{ title }}';
    expect((await harness.run("next", "--template", template)).stdout).toBe("16:00 Soon\n");
  });

  test("refuses a wrong number or time", async () => {
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [["-n", "0"], '--limit: "0" is not a whole number of at least 1'],
      [["-n", ""], "--limit is empty"],
      [["--within", "soon"], '--within: "soon" is not a valid duration'],
      [["--within", ""], "--within is empty"],
      [["--within", "400d"], '--within: "400d" is more than 365 days'],
    ];
    for (const [flags, problem] of wrong)
      expect(await harness.run("next", ...flags)).toMatchObject(failed(2, problem));
  });
});

describe("next of a service elsewhere", () => {
  /** With the days of which events were asked for: their number, or the first and the last. */
  async function send(world: RemoteWorld, ...flags: readonly string[]) {
    world.server.forget();
    const result = await world.send("next", "--fields", "title", ...flags);
    const lists = world.server.requests.filter(({ path }) => path.endsWith("events"));
    const ranges = lists.map(({ query: { days, from, to } }) => days ?? `${from} ${to}`);
    return { ...result, ranges };
  }

  const createIn = (world: RemoteWorld, title: string, start: string, duration = "1h") =>
    world.json(
      ...["events", "create", "--title", title, "--start", start, "--duration", duration, "-c", "Personal"],
    );

  test("reads no further than the events that are wanted, and what is in two lists once", async () => {
    const world = await createRemoteWorld();
    await createIn(world, "In a month", `${day(30)}T09:00`);
    await createIn(world, "In a year", `${day(365)}T09:00`);
    const all = ["7", `${day(7)} ${day(365)}`];
    expect(await send(world)).toMatchObject({ stdout: "In a month\n", ranges: all });
    await createIn(world, "Trip", `${day(6)}T09:00`, "3d");
    expect(await send(world)).toMatchObject({ stdout: "Trip\n", ranges: ["7"] });
    expect(await send(world, "-n", "2")).toMatchObject({ stdout: "Trip\nIn a month\n", ranges: all });
    const years = "Trip\nIn a month\nIn a year\n";
    expect(await send(world, "-n", "9")).toMatchObject({ stdout: years, ranges: all });
  });

  test("reads a page of many events, and more where another zone has a later one first", async () => {
    const world = await createRemoteWorld();
    const repeat = (title: string, start: string, rule: string) =>
      world.json(
        ...["events", "create", "-c", "Personal", "--title", title, "--start", start, "--duration", "1m"],
        ...["--repeat", rule],
      );
    await repeat("Daily", `${day(30)}T12:00Z`, "FREQ=DAILY;COUNT=101");
    expect(await send(world)).toMatchObject({ stdout: "Daily\n", ranges: ["7", `${day(7)} ${day(365)}`] });
    const minutes = Array.from({ length: 101 }, (_, minute) =>
      new Date(Date.parse(`${day(20)}T11:00Z`) + minute * 60_000).toISOString().replaceAll(/[-:]|\.000/g, ""),
    );
    const times = { start_at: `${day(20)}T11:00:00Z`, end_at: `${day(20)}T11:01:00Z`, start_timezone: "UTC" };
    const recurrences = ["RRULE:FREQ=DAILY;COUNT=1", `RDATE:${minutes.join(",")}`];
    const short = { title: "Short", ...times, recurrences };
    const stdin = JSON.stringify(short);
    const created = await world.runWith({ stdin }, ...words`events create -c Personal --input -`);
    expect(created).toMatchObject({ exitCode: 0 });
    await world.json("events", "create", "-c", "Personal", "--title", "Day", "--start", day(21), "--all-day");
    const first = async (zone: string) => (await send(world, "--all-day", "--timezone", zone)).stdout;
    expect([await first("UTC"), await first("Etc/GMT-14")]).toEqual(["Short\n", "Day\n"]);
  });

  test("reads no further than --within", async () => {
    const world = await createRemoteWorld();
    expect((await send(world, "--within", "6d")).ranges).toEqual(["7"]);
    expect((await send(world, "--within", "9d")).ranges).toEqual(["7", `${day(7)} ${day(9)}`]);
  });

  test("is that of the week where it lists only that", async () => {
    const world = await createRemoteWorld();
    await createIn(world, "Later", `${day(30)}T09:00`);
    world.server.on(`GET /calendars/${world.calendarId}/events`, [reply({ status: 404 })]);
    const nothing = { exitCode: 0, stdout: "", stderr: "", ranges: ["7", `${day(7)} ${day(365)}`] };
    expect(await send(world)).toEqual(nothing);
  });

  test("names a calendar that could not be read, though it could be for other days", async () => {
    const world = await createRemoteWorld();
    const work = await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    await createIn(world, "In a month", `${day(30)}T09:00`);
    world.server.on(`GET /calendars/${work.id}/events`, [
      reply({ status: 400 }),
      reply(byService(world.service)),
    ]);
    const { exitCode, stdout, stderr, ranges } = await send(world);
    expect({ exitCode, stdout, asked: ranges.length }).toEqual({
      exitCode: 12,
      stdout: "In a month\n",
      asked: 4,
    });
    expect(stderr).toContain("1 of 2 calendars read, not: Work ");
  });
});

describe("events list --limit", () => {
  const list = (...flags: readonly string[]) => harness.run("events", "list", "--fields", "title", ...flags);

  beforeEach(async () => {
    await create("Late", "2026-11-21T20:00");
    await create("Early", "2026-11-21T08:00", "-c", "Work");
    await create("Holiday", "2026-11-21", "--all-day");
  });

  test("is the beginning of the list", async () => {
    expect((await list("-n", "2")).stdout).toBe("Holiday\nEarly\n");
    expect((await list("--limit", "9")).stdout).toBe("Holiday\nEarly\nLate\n");
    expect((await list("-n", "1", "--remaining", "-c", "Personal")).stdout).toBe("Holiday\n");
  });

  test("is that of a list that is streamed, too", async () => {
    const lines = await list("-n", "2", "--from", "today", "-o", "ndjson");
    expect(lines.stdout).toBe('{"title":"Holiday"}\n{"title":"Early"}\n');
  });

  test("says on a terminal what is left out", async () => {
    const { stderr } = await harness.runWith({ columns: 80 }, "events", "list", "-n", "2");
    expect(stderr).toBe("the first 2 of 3 events\n");
    expect((await harness.runWith({ columns: 80 }, "events", "list", "-n", "3")).stderr).toBe("");
  });

  test("that is no number of events is refused", async () => {
    for (const limit of ["0", "-1", "1.5", "many", ""])
      expect(await list(`--limit=${limit}`), limit).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
