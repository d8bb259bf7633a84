import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { createHarness, type Harness } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";

/** A month as a person sees it. Now is Saturday 21 November, 15:30 in Berlin. */

const UTF_8 = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
  await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId, color: "#e73b3b" });
});

async function create(title: string, start: string, ...flags: readonly string[]): Promise<void> {
  const calendar = flags.includes("-c") ? [] : ["-c", "Personal"];
  await harness.json("events", "create", "--title", title, "--start", start, ...calendar, ...flags);
}

async function createMonth(): Promise<void> {
  const last = (end: string) => ["--all-day", "--end", end];
  await create("Conference", "2026-10-29", ...last("2026-11-03"), "-c", "Work");
  await create("Holiday in Lisbon", "2026-11-12", ...last("2026-11-17"));
  await create("Night shift", "2026-11-13T22:00", "--end", "2026-11-14T06:00", "-c", "Work");
  await create("Birthday", "2026-11-21", ...last("2026-11-21"));
  for (const hour of ["08", "10", "12", "14", "16", "18", "20"])
    await create(`Meeting at ${hour}`, `2026-11-21T${hour}:00`, "--duration", "1h", "-c", "Work");
  for (const title of ["Fair", "Visit", "Course", "Festival", "Inventory"])
    await create(title, "2026-11-25", ...last("2026-11-26"));
  await create("Lunch", "2026-11-26T12:00", "--duration", "1h");
  await create("日本語のタイトル、会議です", "2026-11-30T09:30", "--duration", "45m");
}

async function screen(columns: number, env: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const { stdout, stderr } = await harness.runWith({ columns, env }, "month", ...flags);
  const title = `== ${columns} columns: month ${flags.join(" ")}${"LC_ALL" in env ? "" : " (ASCII)"}`;
  const text = stdout.replaceAll("\u001b", "<1b>").replace(/(?<= {2})[0-9a-f]{4}$/gm, "xxxx");
  return `${title}\n${text}${stderr}`;
}

test("at 40, 80, 120 and 200 columns, in ASCII, of one calendar, and in color", async () => {
  await createMonth();
  const screens = [
    await screen(80, UTF_8),
    await screen(120, UTF_8),
    await screen(200, UTF_8),
    await screen(40, UTF_8),
    await screen(80, { NO_COLOR: "1" }),
    await screen(120, UTF_8, "-c", "Work", "--color", "always"),
  ];
  await expect(screens.join("\n")).toMatchFileSnapshot("golden/month.txt");
});

describe("a month", () => {
  const month = (...flags: readonly string[]) =>
    harness.runWith({ columns: 80, env: UTF_8 }, "month", ...flags);

  test.each(["9999-12", "0000-01", "1960-03"])("%s has every day once", async (text) => {
    const { exitCode, stdout } = await month(text);
    expect(exitCode).toBe(0);
    const numbers = [...stdout.matchAll(/(\d{1,2}) [─┄]/g)].map(([, day]) => Number(day));
    expect(numbers).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  });

  test.each([
    ["monday", "Mon", 1],
    ["sunday", "Sun", 2],
    ["saturday", "Sat", 3],
  ])("begins its weeks on %s by week_start, which is in no data", async (day, name, column) => {
    const data = await harness.run("month", "-o", "json");
    expect((await harness.run("config", "set", "week_start", day)).exitCode).toBe(0);
    const { stdout } = await month("2026-12");
    expect(stdout).toMatch(new RegExp(`^Dec 2026\n ${name} `));
    const [, , first = ""] = stdout.split("\n");
    // The first of December is a Tuesday.
    expect(first.indexOf(" 1 ")).toBe(column * 11 + 1);
    expect(await harness.run("month", "-o", "json")).toEqual(data);
    const { stderr } = await harness.run("events", "list", "--on", "next week");
    expect(stderr).toBe("on: Mon 2026-11-23 to Sun 2026-11-29\n");
  });

  test("has its own days alone, in every format", async () => {
    await createMonth();
    await create("October", "2026-10-31T12:00", "--duration", "1h");
    await create("December", "2026-12-01T12:00", "--duration", "1h");
    const titles = await harness.json<readonly { title: string }[]>("month", "2026-11");
    expect(titles).toHaveLength(18);
    expect(titles.map(({ title }) => title)).not.toContain("October");
    const { stdout } = await month("2026-12");
    expect(stdout).toContain("▌December");
    expect((await harness.run("month", "2024-02", "-o", "json")).stdout).toBe("[]\n");
    expect((await month("2024-02")).stdout).toContain("29 ");
  });

  test("draws an event over one night on its first day, and one of 24 hours as a bar", async () => {
    await create("Night train", "2026-11-24T23:30", "--duration", "1h");
    await create("Supper", "2026-11-24T19:00", "--duration", "1h");
    await create("Watch", "2026-11-25T12:00", "--duration", "24h");
    await create("New month", "2026-11-30T23:30", "--duration", "1h");
    const { stdout } = await month("--color", "never");
    expect(stdout.match(/▌.*/g)).toEqual([
      "▌Supper    ▌Watch ─────────────╴",
      "▌Night tr…",
      "▌New month",
      "▌Personal",
    ]);
    expect((await month("2026-12")).stdout).toContain("▌New month");
  });

  test("is drawn in a pipe as the locale says, unless a format is chosen", async () => {
    await create("Lunch", "2026-11-22T12:00", "--duration", "1h");
    const ascii = await harness.runWith({ env: { LC_ALL: "C" } }, "month");
    expect(ascii.stdout).toMatch(/^Nov 2026\n[\0-\x7f]*>21 =+ [\0-\x7f]*$/);
    expect((await harness.run("month", "--fields", "title")).stdout).toBe("Lunch\n");
  });

  test.each([
    [["next"], "Dec 2026"],
    [["next", "month"], "Dec 2026"],
    [["this"], "Nov 2026"],
    [["last", "month"], "Oct 2026"],
    [["december"], "Dec 2026"],
    [["nov"], "Nov 2026"],
    [["Oct."], "Oct 2027"],
    [["oct", "2026"], "Oct 2026"],
    [["february 2028"], "Feb 2028"],
    [["2027-01-15"], "Jan 2027"],
    [["in", "two", "weeks"], "Dec 2026"],
    [["2027-01", "--strict-dates"], "Jan 2027"],
  ])("%j is drawn as %s", async (when, title) => {
    expect((await month(...when)).stdout).toMatch(new RegExp(`^${title}\n`));
  });

  test.each([
    [["2026-13"], 'error: "2026-13" is not a month\nhint: write one such as 2027-01'],
    [
      ["decembre"],
      'error: when: "decembre" is not a valid date\nhint: write next, december, 2027-01 or YYYY-MM-DD\n',
    ],
    [["december", "--strict-dates"], 'error: when: "december" is not an ISO 8601 date'],
    [["9999-12", "next"], 'error: when: "9999-12" in "9999-12 next" is not understood'],
    [[""], "WHEN is empty"],
    [["2026-11", "--from", "today"], "calctl month has no flag --from"],
  ])("%j is refused", async (flags, problem) => {
    expect(await month(...flags)).toMatchObject(failed(2, problem));
  });

  test("of a week_start that is none is exit 2 to set, and exit 10 in the file", async () => {
    const { exitCode, stderr } = await harness.run("config", "set", "week_start", "tuesday");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: week_start: "tuesday" does not begin a week\nhint: write monday, sunday or saturday\n',
    });
  });

  test("of a service that lists only a week is exit 11, and nothing else is asked", async () => {
    const world = await createRemoteWorld();
    world.server.on(`GET /calendars/${world.calendarId}/events`, [reply({ status: 404 })]);
    const before = world.server.requests.length;
    expect(await world.send("month")).toMatchObject(failed(11, "this service lists only the next 7 days"));
    expect(world.server.requests.slice(before).map(({ path }) => path)).toEqual([
      "/calendars",
      `/calendars/${world.calendarId}/events`,
      `/calendars/${world.calendarId}`,
    ]);
  });
});
