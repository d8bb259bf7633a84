import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { textWidth } from "../../../src/output/table/text-width.js";
import { type Harness, harnessesWith, NOW } from "../../support/harness.js";
import { words } from "../../support/words.js";

/** The list of events as a person sees it, and the short ids in it. Now is Saturday, 15:30 in Berlin. */

const UTF_8 = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };

function replaceByFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

let harness: Harness;
const addWork = ({ service, userId }: Harness) =>
  service.admin.calendars.add({ name: "Work", owner: userId, color: "#e73b3b" });
const createHarness = harnessesWith(addWork);
const createWithWeek = harnessesWith(async (made) => {
  harness = made;
  await addWork(made);
  await createWeek();
});
beforeEach(async () => {
  harness = await createHarness();
});

async function create(title: string, ...flags: readonly string[]): Promise<string> {
  const calendar = flags.includes("-c") ? [] : ["-c", "Personal"];
  return (await harness.json<{ id: string }>("events", "create", "--title", title, ...calendar, ...flags)).id;
}

/** The week of a family: each kind of event once, with ids that differ in their first four digits. */
async function createWeek(): Promise<void> {
  do await createEvents();
  while (await haveLongIds());
}

/** Ids are random, and the golden files have the usual width. Deletes the events if some need more digits. */
async function haveLongIds(): Promise<boolean> {
  const { stdout } = await harness.run("events", "list", "--days", "7", "--fields", "id");
  const ids = stdout.trim().split("\n");
  const isLong = new Set(ids.map((id) => id.slice(0, 4))).size < ids.length;
  if (isLong) await harness.run("events", "delete", "--yes", ...ids);
  return isLong;
}

async function createEvents(): Promise<void> {
  const at = (start: string, duration: string) => ["--start", start, "--duration", duration];
  await create("Breakfast", ...at("2026-11-21T08:00", "30m"));
  await create("Mia's birthday 🎂", "--all-day", "--start", "2026-11-21");
  await create(
    "Quarterly planning with the whole of the team",
    ...words`-c Work --label 6 --location "Room 4, Main Street 12"`,
    ...at("2026-11-21T15:00", "2h"),
  );
  await create("Party", "--label", "7", ...at("2026-11-21T22:00", "4h"));
  await create("Holiday in Lisbon", "--all-day", "--start", "2026-11-20", "--end", "2026-11-23");
  await create(
    "Flight to Tokyo",
    ...words`-c Work --start 2026-11-22T10:00 --end 2026-11-23T07:30 --end-timezone Asia/Tokyo`,
  );
  await create("日本語のタイトル、会議です", "--location", "会議室", ...at("2026-11-23T12:00", "45m"));
}

const LIST = ["events", "list", "--days", "4"] as const;

/** What a terminal shows. Ids are random: their digits are shown as x. */
async function screen(
  columns: number,
  env: Readonly<Record<string, string>>,
  argv: readonly string[] = LIST,
  ...flags: readonly string[]
) {
  const { stdout } = await harness.runWith({ columns, env }, ...argv, ...flags);
  const text = stdout.replaceAll("\u001b", "<1b>");
  const title = `== ${columns} columns: ${[...argv, ...flags].join(" ")}${"LC_ALL" in env ? "" : " (ASCII)"}`;
  return `${title}\n${text.replace(/(?<=\s|\[2m)[0-9a-f]{4}(?=(?:<1b>\[22m)?$)/gm, "xxxx")}`;
}

test("at 40, 80, 120 and 200 columns, in ASCII, of one calendar, and in color", async () => {
  harness = await createWithWeek();
  const screens = [
    await screen(80, UTF_8),
    await screen(40, UTF_8),
    await screen(120, UTF_8),
    await screen(200, UTF_8),
    await screen(80, { NO_COLOR: "1" }),
    await screen(80, UTF_8, LIST, "-c", "Personal"),
    await screen(80, UTF_8, LIST, "--color", "always"),
  ];
  await expect(screens.join("\n")).toMatchFileSnapshot("golden/events-listing.txt");
});

test("the agenda says which days are empty, and draws the week at 80, 120 and 200 columns", async () => {
  harness = await createWithWeek();
  const at = (start: string, duration: string) => ["--start", start, "--duration", duration];
  await create("Choir", ...at("2026-11-25T19:30", "90m"));
  await create("Board", "-c", "Work", "--label", "3", ...at("2026-11-25T19:00", "3h"));
  await create("Call", "-c", "Work", ...at("2026-11-25T20:30", "15m"));
  const grid = ["week"];
  const screens = [
    await screen(80, UTF_8, ["agenda"]),
    await screen(80, UTF_8, grid),
    await screen(120, UTF_8, grid),
    await screen(200, UTF_8, grid),
    await screen(80, { NO_COLOR: "1" }, grid),
    await screen(80, UTF_8, grid, "-c", "Personal", "--color", "always"),
    await screen(40, UTF_8, grid),
  ];
  await expect(screens.join("\n")).toMatchFileSnapshot("golden/agenda.txt");
});

test("an agenda without events says so for each day", async () => {
  const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, "agenda", "--days", "2");
  expect(stdout).toBe("Sat 21 Nov  today\n  no events\n\nSun 22 Nov  tomorrow\n  no events\n");
});

test("the agenda has the events of every calendar in each format, also past a default calendar", async () => {
  await create("Breakfast", "--start", "2026-11-21T08:00", "--duration", "30m");
  await create("Meeting", "-c", "Work", "--start", "2026-11-27T08:00", "--duration", "30m");
  await harness.run("config", "set", "calendar", "Personal");
  const titles = (...argv: readonly string[]) => harness.run("agenda", "--fields", "title", ...argv);
  expect((await titles()).stdout).toBe("Breakfast\nMeeting\n");
  expect((await titles("-c", "Work")).stdout).toBe("Meeting\n");
  expect((await titles("--days", "2")).stdout).toBe("Breakfast\n");
  expect(await harness.json("agenda", "--fields", "title")).toEqual([
    { title: "Breakfast" },
    { title: "Meeting" },
  ]);
  expect(await titles("--days", "0")).toMatchObject({ exitCode: 2 });
});

test("no line is wider than the terminal, from 40 columns", async () => {
  harness = await createWithWeek();
  for (const columns of [41, 57, 79]) {
    for (const argv of [LIST, ["agenda"], ["week"]]) {
      const { stdout } = await harness.runWith({ columns, env: UTF_8 }, ...argv);
      expect(Math.max(...stdout.split("\n").map(textWidth))).toBeLessThanOrEqual(columns);
    }
  }
});

test("an hour that a clock change repeats has its offset", async () => {
  harness.setNow(Date.parse("2026-10-24T20:00:00Z"));
  await create("Night shift", "--start", "2026-10-25T02:30+01:00", "--duration", "1h");
  const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, "events", "list", "--days", "2");
  expect(stdout).toContain("02:30+01:00–03:30 ");
});

test("an event with two zones names the one that is not shown", async () => {
  const zones = ["--start-timezone", "Asia/Tokyo", "--end-timezone", "Europe/Berlin"];
  await create("Flight home", "--start", "2026-11-22T05:00", "--end", "2026-11-22T18:00", ...zones);
  const { stdout } = await harness.runWith({ columns: 120, env: UTF_8 }, "events", "list", "--days", "2");
  expect(stdout).toContain("21:00 →  Flight home (until Sun 18:00) (starts Sun 05:00 Asia/Tokyo)");
  expect(stdout.match(/Asia/g)).toHaveLength(1);
});

test("a long name of a calendar leaves room for the titles", async () => {
  const name = "A calendar whose name is as long as names may be .";
  await harness.service.admin.calendars.add({ name, owner: harness.userId });
  await create("Dinner with everybody", "-c", name, "--start", "2026-11-21T18:00", "--duration", "1h");
  const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, "events", "list");
  expect(stdout).toMatch(/18:00–19:00 {2}Dinner with everybody {2}A calendar whose na… {2}[0-9a-f]{4}\n/);
});

test("another year is written", async () => {
  harness.setNow(Date.parse("2026-12-31T12:00:00Z"));
  await create("Hike", "--start", "2027-01-01T10:00", "--duration", "1h");
  const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, "events", "list", "--days", "2");
  expect(stdout).toContain("Fri 1 Jan 2027  tomorrow\n");
  await create("Fireworks", "--start", "2026-12-31T22:00", "--end", "2027-01-01T02:00");
  const { stdout: eve } = await harness.runWith({ columns: 80, env: UTF_8 }, "events", "list");
  expect(eve).toContain("Fireworks (until Fri 1 Jan 2027 02:00)");
});

test("a label without a color to show it is named, except the default one", async () => {
  await create("Run", "--start", "2026-11-21T18:00", "--duration", "1h", "--label", "6");
  await create("Rest", "--start", "2026-11-21T19:00", "--duration", "1h");
  const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, "events", "list", "-c", "Personal");
  expect(stdout).toContain("Run [apple red] ");
  expect(stdout).toMatch(/Rest +[0-9a-f]{4}\n/);
});

describe("short ids", () => {
  const LISTED = { columns: 80, env: UTF_8 };
  const cache = () => join(harness.directory, "events");
  const rememberOnly = (file: string, events: readonly object[]) => {
    const owner = { version: 3, name: "local " };
    const shown = events.map((event) => ({ ...event, shownAt: NOW }));
    writeFileSync(join(cache(), file), JSON.stringify({ ...owner, events: shown }));
  };
  const list = () => harness.runWith(LISTED, "events", "list");
  const at = ["--start", "2026-11-21T18:00", "--duration", "1h"];

  test("find the event that a terminal has listed, in its calendar", async () => {
    const id = await create("Dentist", "-c", "Work", ...at);
    await list();
    const { stdout, exitCode } = await harness.runWith(LISTED, "events", "get", id.slice(0, 4));
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(id) });
    expect((await harness.runWith(LISTED, "events", "update", id.slice(0, 7), "--title", "T")).exitCode).toBe(
      0,
    );
    expect((await harness.runWith(LISTED, "comment", id.slice(0, 4), "On my way")).exitCode).toBe(0);
    expect((await harness.runWith(LISTED, "events", "delete", id.slice(0, 31), "--yes")).exitCode).toBe(0);
  });

  test("find an event that was just created, and prefer an exact id", async () => {
    const { stdout } = await harness.runWith(LISTED, "events", "create", "-c", "Work", "--title", "T", ...at);
    const id = /[0-9a-f]{32}/.exec(stdout)?.[0] ?? "none";
    expect((await harness.runWith(LISTED, "events", "get", id.slice(0, 6))).stdout).toContain(id);
    const [file = ""] = readdirSync(cache());
    rememberOnly(
      file,
      ["aaaa", "aaaa1111"].map((each) => ({ id: each, calendarId: "x", title: each })),
    );
    expect((await harness.runWith(LISTED, "events", "get", "aaaa")).stderr).toContain("event aaaa is not");
  });

  test("are taken as they are by scripts", async () => {
    const id = await create("Dentist", ...at);
    await list();
    expect((await harness.run("events", "get", id.slice(0, 4))).exitCode).toBe(5);
    expect((await harness.run("events", "list", "-o", "table")).stdout).toContain(id);
  });

  test("that several events share are exit 2 with their titles, and listed as long as needed", async () => {
    await create("Dentist", ...at);
    await list();
    const [file = ""] = readdirSync(cache());
    const events = ["aaaa1", "aaaa2"].map((start) => ({
      id: start.padEnd(32, "0"),
      calendarId: "x",
      title: `T ${start}`,
    }));
    rememberOnly(file, events);
    const { exitCode, stderr } = await harness.runWith(LISTED, "events", "get", "aaaa");
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"aaaa" is the beginning of 2 ids');
    expect(stderr).toContain("type more characters: aaaa1 T aaaa1, aaaa2 T aaaa2");
  });

  test.each([
    ["is damaged", (file: string) => writeFileSync(file, "{")],
    ["has other content", (file: string) => writeFileSync(file, '{"events":[{"id":7},null]}')],
    ["cannot be written", replaceByFolder],
  ])("a cache that %s is not an error", async (_, damage) => {
    const id = await create("Dentist", ...at);
    await list();
    const [file = ""] = readdirSync(cache());
    damage(join(cache(), file));
    expect(await list()).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await harness.runWith(LISTED, "events", "get", id)).exitCode).toBe(0);
  });

  test("the cache is private to its owner, one for each profile", async () => {
    await create("Dentist", ...at);
    await list();
    const [file = "", ...others] = readdirSync(cache());
    expect(others).toEqual([]);
    expect(statSync(join(cache(), file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cache(), file), "utf8")).toContain("Dentist");
  });
});

test("a label that no calendar has is answered with the labels of all of them", async () => {
  await harness.service.admin.labels.set("Work", 2, { name: "Sprint" });
  const { exitCode, stderr } = await harness.run("events", "list", "-A", "--label", "Sprnt");
  expect(exitCode).toBe(5);
  expect(stderr).toMatch(/hint: labels: 2 Sprint, 1, /);
});
