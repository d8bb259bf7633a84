import { beforeEach, describe, expect, test } from "vitest";
import { textWidth } from "../../src/output/table/text-width.js";
import { createHarness, type Harness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";

/** What a person reads on a terminal, beside lists of events. Now is Saturday, 15:30 in Berlin. */

const UTF_8 = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };
const WORK = "#f2d600";

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
  await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId, color: WORK });
});

const ESCAPE = "\u001b";
const TIMES = ["--start", "2026-11-22T10:00", "--duration", "1h"];

async function create(title: string, calendar: string, ...flags: readonly string[]): Promise<string> {
  const times = flags.includes("--start") || flags.includes("--duration") ? [] : TIMES;
  const argv = ["events", "create", "--title", title, "-c", calendar, ...times, ...flags];
  return (await harness.json<{ id: string }>(...argv)).id;
}

async function screen(...argv: readonly string[]): Promise<string> {
  const { exitCode, stdout } = await harness.runWith({ columns: 100, env: UTF_8 }, ...argv);
  expect(exitCode).toBe(0);
  return stdout;
}

describe("the zone of times", () => {
  test("is named once where it is not that of the machine", async () => {
    const id = await create("Lunch", "Work");
    const screens = [["events", "list", "--days", "2"], ["events", "get", id], ["agenda"], ["week"]];
    for (const argv of screens) {
      const foreign = await screen(...argv, "--timezone", "Asia/Tokyo");
      expect(foreign.match(/^Times in Asia\/Tokyo$/gm)).toHaveLength(1);
      expect(await screen(...argv)).not.toContain("Times in");
      expect(await screen(...argv, "--timezone", "europe/berlin")).not.toContain("Times in");
    }
  });

  test("is in no data, and not where no time is shown", async () => {
    const id = await create("Lunch", "Work");
    const zone = ["--timezone", "Asia/Tokyo"];
    expect(await screen("events", "get", id, ...zone, "-o", "json")).not.toContain("Times in");
    expect(await screen("labels", "-c", "Work", ...zone)).not.toContain("Times in");
    expect((await harness.run("agenda", "-o", "table", ...zone)).stdout).not.toContain("Times in");
  });
});

test("several events by id are shown with everything about each", async () => {
  const details = ["--location", "Room 4", "--description", "Bring cake", "--attendee", "me"];
  const ids = [await create("Lunch", "Work", ...details), await create("Dinner", "Personal", ...details)];
  const both = await screen("events", "get", ...ids);
  for (const text of [/^Location +Room 4$/gm, /^Description +Bring cake$/gm, /^Attendees +ana$/gm])
    expect(both.match(text)).toHaveLength(2);
  expect(both).toBe(
    [await screen("events", "get", ids[0] ?? ""), await screen("events", "get", ids[1] ?? "")].join("\n"),
  );
  expect((await harness.run("events", "get", ...ids)).stdout.split("\n")).toHaveLength(3);
});

test("events get shows the end of an event on the clock of its zone, as the list does", async () => {
  const times = ["--start", "2026-11-22T10:00", "--end", "2026-11-22T18:30", "--end-timezone", "Asia/Tokyo"];
  const id = await create("Flight", "Work", ...times);
  const note = "(ends 18:30 Asia/Tokyo)";
  expect(await screen("events", "list", "--days", "2")).toContain(note);
  expect(await screen("events", "get", id)).toMatch(
    /^When +Sun 22 Nov 2026 10:00–10:30 {2}\(ends 18:30 Asia\/Tokyo\)$/m,
  );
});

test("times of calendars are those of the clock on a terminal, and of the wire in data", async () => {
  expect(await screen("calendars", "-c", "Work")).toMatch(/^Created +Sat 21 Nov 2026 15:30$/m);
  const data = await harness.run("calendars", "-c", "Work", "--fields", "created_at");
  expect(data.stdout).toMatch(/^2026-11-21T14:30:00\.\d{3}Z\n$/);
});

describe("week", () => {
  const GRID = ["week"] as const;

  test("keeps the hour in which a late event begins", async () => {
    await create("Night train", "Work", "--start", "2026-11-21T23:30");
    const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, ...GRID);
    expect(stdout).toMatch(/\n {2}⋮\n23:00\n {7}┃Night/);
  });

  test("week WHEN draws the week of that day, which begins on week_start", async () => {
    const days = async (...when: readonly string[]) => {
      const { stdout } = await harness.runWith({ columns: 100, env: UTF_8 }, "week", ...when);
      return stdout.match(/\w{3} \d+ \w{3}(?=\s)/g)?.filter((_, index) => index % 6 === 0);
    };
    expect(await days()).toEqual(["Sat 21 Nov", "Fri 27 Nov"]);
    expect(await days("next")).toEqual(["Mon 23 Nov", "Sun 29 Nov"]);
    expect(await days("last", "week")).toEqual(["Mon 9 Nov", "Sun 15 Nov"]);
    expect(await days("24 dec")).toEqual(["Mon 21 Dec", "Sun 27 Dec"]);
    await harness.run("config", "set", "week_start", "sunday");
    expect(await days("next")).toEqual(["Sun 22 Nov", "Sat 28 Nov"]);
    expect(await days("today")).toEqual(["Sun 15 Nov", "Sat 21 Nov"]);
  });

  test("names the calendars as soon as there are several, each with its bar", async () => {
    await create("Lunch", "Work");
    await create("Dinner", "Personal");
    expect(await screen(...GRID)).toMatch(/\n\n +▌Personal {2}┃Work\n$/);
    expect(await screen(...GRID)).toContain("┃Lun");
    const colored = await screen(...GRID, "--color", "always");
    expect(colored).toContain("\u001b[38;5;178m▌\u001b[39mWork");
    expect(colored).toContain("\u001b[38;5;178m▌\u001b[39mLun");
    expect(await screen(...GRID, "-c", "Work")).not.toContain("Work");
  });

  test("is drawn in a pipe, too, as the locale says, unless a format or fields are chosen", async () => {
    await create("Lunch", "Work");
    await create("Dinner", "Personal");
    const piped = async (env: Record<string, string>, ...argv: readonly string[]) =>
      (await harness.runWith({ env }, ...GRID, ...argv)).stdout;
    expect(await piped({ LC_ALL: "C.UTF-8" })).toMatch(
      /^ +Sat 21 Nov [\s\S]*┃Lunch[\s\S]*▌Personal {2}┃Work\n$/,
    );
    const ascii = await piped({ LC_ALL: "C" });
    expect(ascii).toMatch(/^ +Sat 21 Nov [\s\S]*!Lunch[\s\S]*\|Personal {2}!Work\n$/);
    expect(ascii).toMatch(/^[\0-\x7f]*$/);
    for (const [env, argv] of [
      [{}, ["-o", "tsv"]],
      [{ CALCTL_OUTPUT: "tsv" }, []],
    ] as const)
      expect(await piped(env, ...argv)).toMatch(/^[0-9a-f]{32}\t/);
    expect(await piped({}, "--fields", "title")).toBe("Dinner\nLunch\n");
  });

  test("names each of three overlapping events, on lines of their own if they do not fit next to each other", async () => {
    const at10 = ["--start", "2026-11-22T10:00", "--duration"];
    await create("Retrospective of the team", "Work", ...at10, "90m");
    await create("Dentist", "Personal", ...at10, "30m");
    await create("Parents' evening", "Personal", "--start", "2026-11-22T10:30", "--duration", "30m");
    await create("Lunch", "Personal", "--start", "2026-11-22T11:00", "--duration", "1h");
    const at = async (columns: number) =>
      (await harness.runWith({ columns, env: UTF_8 }, ...GRID)).stdout
        .split("\n")
        .filter((line) => /^(?:1[01]:00| {6}) .{10,}[▌┃]/.test(line))
        .map((line) => line.slice(0, Math.floor((columns - 6) / 7) * 2 + 6).trimEnd());
    const day = " ".repeat(14);
    expect((await at(110)).slice(0, 5)).toEqual([
      `10:00 ${day} ▌Dentist`,
      `      ${day} ▌┃Retrospect…`,
      `      ${day} ▌┃of the team`,
      `      ${day} ▌Parents'`,
      `      ${day} ▌evening`,
    ]);
    expect(await at(180)).toContain(`      ${" ".repeat(23)}  ▌┃Retrospective of the`);
    expect(await at(300)).toContain(`10:00 ${" ".repeat(41)}  ▌Dentist             ┃Retrospective of`);
  });

  test("tells names apart that begin alike, and splits no name by the lines of another day", async () => {
    const at9 = (day: string) => ["--start", `2026-11-${day}T09:00`, "--duration", "30m"];
    await create("Stand-up of the team for Android", "Work", ...at9("22"));
    await create("Stand-up of the team for iOS", "Work", ...at9("22"));
    await create("Breakfast with Ana", "Work", ...at9("23"));
    const { stdout } = await harness.runWith({ columns: 80, env: UTF_8 }, ...GRID, "-c", "Work");
    const rows = stdout.split("\n").slice(1, 10);
    expect(rows.map((line) => line.slice(16, 36).trimEnd())).toEqual([
      " ▌Stand-up ▌Breakfa…",
      " ▌of the   ▌with Ana",
      " ▌team for",
      " ▌Android",
      " ▌▌Stand-…",
      " ▌▌of the",
      " ▌▌team",
      " ▌▌for iOS",
      "",
    ]);
  });

  test("says why it is a list where the terminal is too narrow", async () => {
    await create("Lunch", "Work");
    const { stdout, stderr } = await harness.runWith({ columns: 60, env: UTF_8 }, ...GRID);
    expect(stdout).toMatch(/^Sat 21 Nov {2}today\n/);
    expect(stderr).toBe("7 days side by side need 69 columns, and there are 60; this\nis the list\n");
    expect((await harness.runWith({ columns: 69, env: UTF_8 }, ...GRID)).stderr).toBe("");
  });
});

describe("a clock of twelve hours", () => {
  test("is in every view for people, and in no data", async () => {
    const id = await create("Lunch", "Work");
    await harness.json("events", "update", id, "--start", "2026-11-21T12:15", "--end", "2026-11-21T15:00");
    await harness.json("events", "update", await create("Night", "Work"), "--end", "2026-11-23T00:30");
    const data = [
      ["events", "list"],
      ["agenda", "-o", "json"],
      ["free", "-o", "csv"],
      ["next", "-o", "ics"],
    ];
    const before = await Promise.all(data.map((argv) => harness.run(...argv)));
    await harness.run("config", "set", "hours", "12");
    expect(await Promise.all(data.map((argv) => harness.run(...argv)))).toEqual(before);
    const shown: readonly (readonly [readonly string[], string])[] = [
      [["agenda"], "  12:15pm–3:00pm  Lunch"],
      [["agenda"], "  10:00am →       Night (until Mon 12:30am)"],
      [["week"], "\n9am"],
      [["week"], "\n3:30pm"],
      [["month", "-o", "table"], "Night"],
      [["events", "get", id], "Sat 21 Nov 2026 12:15pm–3:00pm"],
      [["events", "list", "--fields", "created_at"], "Sat 21 Nov 2026 3:30pm"],
      [["free", "--days", "1"], "Sat 21 Nov 3:30pm – Sun 12:00am"],
      [["conflicts"], ""],
      [["calendars", "-c", "Work"], "Sat 21 Nov 2026 3:30pm"],
      [["events", "list", "-o", "markdown"], "**12:15pm–3:00pm**"],
    ];
    for (const [argv, text] of shown) {
      const seen = await screen(...argv);
      expect(seen, argv.join(" ")).toContain(text);
      expect(seen).not.toMatch(/1[3-9]:\d\d/);
    }
    const { stdout } = await harness.runWith({ columns: 160, env: UTF_8 }, "week");
    expect(stdout).toContain("12:15pm Lunch");
    expect(await harness.run("config", "set", "hours", "13")).toMatchObject(
      failed(2, 'hours: "13" are not the hours of a clock\nhint: write 24 or 12'),
    );
  });
});

test("a list with a series and a calendar of eight letters fits 40 and 60 columns", async () => {
  const gym = (repeat: string) =>
    create("Gym", "Personal", "--start", "2026-11-23T18:00", "--repeat", repeat, "--count", "3");
  await gym("weekly on mon");
  await create("Retrospective of the team", "Work");
  await gym("daily");
  for (const columns of [40, 60])
    for (const color of ["always", "never"])
      for (const argv of [["events", "list", "--days", "3"], ["agenda"]]) {
        const { stdout } = await harness.runWith(
          { columns, env: { LC_ALL: "C.UTF-8" } },
          ...argv,
          "--color",
          color,
        );
        const shown = stdout.replaceAll(new RegExp(`${ESCAPE}\\[[\\d;]*m`, "g"), "");
        expect(shown).toContain("Personal  ");
        expect(shown.split("\n").filter((line) => textWidth(line) > columns)).toEqual([]);
      }
});

describe("on light and on dark terminals", () => {
  /** What is colored by 24-bit values of a calendar or label, which no theme adapts. */
  const COLORED = new RegExp(`${ESCAPE}\\[38;5;\\d+m([^${ESCAPE}]*)`, "g");

  test("every word has a color of the terminal's own", async () => {
    const id = await create("Lunch", "Work", "--label", "2");
    await create("Dinner", "Personal");
    const lines = [["events", "list", "--days", "2"], ["agenda"], ["week"], ["calendars"]];
    for (const argv of [...lines, ["labels", "-c", "Work"], ["events", "get", id]]) {
      const shown = await screen(...argv, "--color", "always");
      const colored = [...shown.matchAll(COLORED)].map(([, text]) => text);
      expect(colored.length).toBeGreaterThan(0);
      expect(colored.filter((text) => !/^[●▌] ?$/.test(text ?? ""))).toEqual([]);
    }
  });
});
