import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../../src/config/settings.js";
import { type EventFlags, readTimeFlags } from "../../../src/events/input/event-flags.js";
import { createHarness, NOW } from "../../support/harness.js";
import { share } from "../../support/shared.js";
import { words } from "../../support/words.js";

/** Reads flags with Europe/Berlin as the chosen zone, on Saturday, 21 November 2026, 15:30. */
async function read(flags: EventFlags, settings = () => ({ timezone: "Europe/Berlin" }) as Settings) {
  const notes: string[] = [];
  const output = { note: (text: string) => void notes.push(text) };
  const times = await readTimeFlags({ config: { settings }, now: () => NOW, output }, flags);
  return { ...times, notes };
}

describe("readTimeFlags", () => {
  test("reads each time in its own zone, and in the chosen one where none is given", async () => {
    const times = await read({
      start: "2026-11-21T10:00",
      end: "2026-11-21T10:00",
      endTimezone: "America/New_York",
    });
    expect(times.start).toMatchObject({ instant: Date.parse("2026-11-21T09:00:00Z") });
    expect(times.end).toMatchObject({ instant: Date.parse("2026-11-21T15:00:00Z") });
    expect(times.notes).toEqual([]);
  });

  test("reads words in the zone of their flag, where it may be another day", async () => {
    const zones = { startTimezone: "Asia/Tokyo", endTimezone: "America/New_York" };
    expect((await read({ start: "today 8:00", end: "tomorrow 8:00", ...zones })).notes).toEqual([
      "start: Sat 2026-11-21 08:00 Asia/Tokyo",
      "end: Sun 2026-11-22 08:00 America/New_York",
    ]);
    expect((await read({ start: "today 8:00", startTimezone: "Pacific/Auckland" })).notes).toEqual([
      "start: Sun 2026-11-22 08:00 Pacific/Auckland",
    ]);
  });

  test.each<[string, EventFlags, readonly string[]]>([
    [
      "a local end after a start in another zone",
      { start: "2026-11-23T09:00", startTimezone: "Asia/Tokyo", end: "2026-11-23T10:00" },
      [
        'end: "2026-11-23T10:00" is in Europe/Berlin; for the zone of the start, add --end-timezone Asia/Tokyo',
      ],
    ],
    ["an end in its zone", { startTimezone: "Asia/Tokyo", end: "2026-11-23T10:00", endTimezone: "UTC" }, []],
    ["an end with an offset", { startTimezone: "Asia/Tokyo", end: "2026-11-23T10:00+09:00" }, []],
    ["the chosen zone", { startTimezone: "Europe/Berlin", end: "2026-11-23T10:00" }, []],
  ])("says in which zone an end is that is not in the zone of the start: %s", async (_, flags, notes) => {
    expect((await read(flags)).notes).toEqual(notes);
  });

  test.each<[string, EventFlags, string]>([
    ["a time", { start: "tomorrow 3pm", end: "16:00" }, "Sun 2026-11-22 16:00 Europe/Berlin"],
    ["midnight", { start: "tomorrow 10pm", end: "midnight" }, "Mon 2026-11-23 00:00 Europe/Berlin"],
    ["a weekday", { start: "fri", end: "sun" }, "Sun 2026-11-29"],
    [
      "the weekday of the start",
      { start: "fri 9:30", end: "fri 9:00" },
      "Fri 2026-11-27 09:00 Europe/Berlin",
    ],
    ["a date without a year", { start: "2028-03-03", end: "5 mar" }, "Sun 2028-03-05"],
    [
      "a time after a start in another zone",
      { start: "2026-11-25T23:00", startTimezone: "Asia/Tokyo", end: "23:30" },
      "Wed 2026-11-25 23:30 Europe/Berlin",
    ],
    ["but not tomorrow", { start: "fri", end: "tomorrow" }, "Sun 2026-11-22"],
    ["and not time from now", { start: "fri 9:30", end: "+2h" }, "Sat 2026-11-21 17:30 Europe/Berlin"],
    ["and nothing without a start", { end: "16:00" }, "Sat 2026-11-21 16:00 Europe/Berlin"],
  ])("an end counts from the day of the start: %s", async (_, flags, end) => {
    expect((await read(flags)).notes.at(-1)).toBe(`end: ${end}`);
  });

  test("leaves undefined what is not given, and reads no configuration for it", async () => {
    const settings = () => {
      throw new Error("the configuration was read");
    };
    const flags = { allDay: false, startTimezone: "Asia/Tokyo", start: "2026-11-21T10:00" };
    expect(await read(flags, settings)).toMatchObject({ allDay: false, end: undefined, duration: undefined });
    expect(await read({ duration: "1h 30m" })).toMatchObject({ duration: { days: 0, minutes: 90 } });
  });

  test("zones are spelled as the IANA database spells them", async () => {
    const flags = { start: "2026-11-21T10:00", startTimezone: "europe/berlin", endTimezone: "ASIA/KOLKATA" };
    expect(await read(flags)).toMatchObject({ startTimezone: "Europe/Berlin", endTimezone: "Asia/Kolkata" });
  });

  test("strict dates are ISO 8601 only; durations stay", async () => {
    const flags = { start: "2026-11-21 12:00", duration: "1.5h", strictDates: true };
    expect(await read(flags)).toMatchObject({ duration: { days: 0, minutes: 90 }, notes: [] });
    await expect(read({ start: "12:00", strictDates: true })).rejects.toMatchObject({
      code: "usage",
      message: '--start: "12:00" is not an ISO 8601 date or time',
      hint: expect.stringContaining("YYYY-MM-DDTHH:MM"),
    });
  });

  test.each<[EventFlags, string]>([
    [{ start: "soon" }, '--start: "soon" is not a valid date or time'],
    [{ start: "" }, "--start is empty"],
    [{ end: "2026-02-30" }, "--end: the date 2026-02-30 does not exist"],
    [{ duration: "long" }, '--duration: "long" is not a valid duration'],
    [{ startTimezone: "IST" }, '--start-timezone: "IST" is not a time zone'],
    [{ endTimezone: "Mars/Phobos" }, '--end-timezone: "Mars/Phobos" is not a time zone'],
    [
      { start: "soon", end: "later", duration: "long" },
      '--start: "soon" is not a valid date or time; --end: "later" is not a valid date or time; --duration: "long" is not a valid duration',
    ],
    [
      { startTimezone: "Mars/Phobos", start: "soon", endTimezone: "Mars" },
      '--start-timezone: "Mars/Phobos" is not a time zone; --end-timezone: "Mars" is not a time zone',
    ],
  ])("names the flag of %o", async (flags, message) => {
    await expect(read(flags)).rejects.toMatchObject({ code: "usage", message });
  });

  test("does not take a failure of the configuration for a wrong flag", async () => {
    const settings = () => {
      throw new Error("the configuration cannot be read");
    };
    await expect(read({ start: "tomorrow" }, settings)).rejects.toThrow("the configuration cannot be read");
  });
});

/** For commands that write nothing. */
const shared = share(() => createHarness());

const CREATE = ["events", "create", "--title", "T"];
const CREATED = ["--fields", "start_local,end_local", "-o", "tsv"];

describe("events create with times in words", () => {
  test("prints how they were understood on stderr, and nothing but data on stdout", async () => {
    const harness = await createHarness();
    const argv = [...CREATE, "--start", "tomorrow 3pm", "--end", "4pm"];
    expect(await harness.run(...argv, ...CREATED)).toEqual({
      exitCode: 0,
      stdout: "2026-11-22T15:00:00+01:00\t2026-11-22T16:00:00+01:00\n",
      stderr: "start: Sun 2026-11-22 15:00 Europe/Berlin\nend: Sun 2026-11-22 16:00 Europe/Berlin\n",
    });
    expect(await harness.run(...argv, ...CREATED, "--quiet")).toMatchObject({ exitCode: 0, stderr: "" });
    const iso = [...CREATE, "--start", "2026-11-22T15:00", "--duration", "1h"];
    expect(await harness.run(...iso, ...CREATED)).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test.each([
    ["the flag", {}, ["--timezone", "Asia/Tokyo"]],
    ["CALCTL_TIMEZONE", { CALCTL_TIMEZONE: "Asia/Tokyo" }, []],
  ])("are in the chosen zone: %s", async (_, env, flags) => {
    const harness = await createHarness();
    const argv = [...CREATE, "--start", "12:00", "--duration", "1h 30m", ...CREATED];
    expect(await harness.runWith({ env }, ...argv, ...flags)).toEqual({
      exitCode: 0,
      stdout: "2026-11-21T12:00:00+09:00\t2026-11-21T13:30:00+09:00\n",
      stderr: "start: Sat 2026-11-21 12:00 Asia/Tokyo\n",
    });
  });

  test.each([
    [["--start", "tomorrow"], "2026-11-22\t2026-11-22", "start: Sun 2026-11-22\n"],
    [
      ["--start", "fri", "--end", "sun"],
      "2026-11-27\t2026-11-29",
      "start: Fri 2026-11-27\nend: Sun 2026-11-29\n",
    ],
    [["--start", "next monday", "--duration", "2 days"], "2026-11-23\t2026-11-24", "start: Mon 2026-11-23\n"],
  ])("make an all-day event of %j", async (flags, stdout, stderr) => {
    const harness = await createHarness();
    const result = await harness.run(...CREATE, "--all-day", ...flags, ...CREATED);
    expect(result).toEqual({ exitCode: 0, stdout: `${stdout}\n`, stderr });
  });

  test("move an event", async () => {
    const harness = await createHarness();
    const { id = "" } = await harness.json<{ id?: string }>(
      ...CREATE,
      ...words`--start 12:00 --duration 90m`,
    );
    const moved = await harness.run("events", "update", id, "--start", "fri 9:30", ...CREATED);
    expect(moved).toEqual({
      exitCode: 0,
      stdout: "2026-11-27T09:30:00+01:00\t2026-11-27T11:00:00+01:00\n",
      stderr: "start: Fri 2026-11-27 09:30 Europe/Berlin\nend: Fri 2026-11-27 11:00 Europe/Berlin\n",
    });
    const refused = await harness.run("events", "update", id, "--start", "fri 9:30", "--strict-dates");
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain('--start: "fri 9:30" is not an ISO 8601 date or time');
  });
});

const PAGE = readFileSync(new URL("../../../docs/dates.md", import.meta.url), "utf8");
const ROWS = [...PAGE.matchAll(/^\| (`.*?) \| (.*?) \|/gm)].flatMap(([, texts = "", meaning = ""]) =>
  texts.split(", `").map((text) => [text.replaceAll("`", ""), meaning] as const),
);

test.each(ROWS)("docs/dates.md: %s is %s", async (text, meaning) => {
  if (meaning.includes(" to ")) {
    const { stderr } = await shared().run("events", "list", "--on", text);
    return expect(stderr).toContain(`on: ${meaning}\n`);
  }
  const zone = /\d:\d\d$/.test(meaning) ? " Europe/Berlin" : "";
  expect((await read({ start: text })).notes).toEqual([`start: ${meaning}${zone}`]);
});

test("docs/dates.md: the other forms and durations", async () => {
  expect(ROWS.length).toBeGreaterThan(30);
  const [, durations = ""] = PAGE.split("## Durations");
  const [sentence = ""] = durations.split(". ");
  for (const [, duration = ""] of sentence.matchAll(/`(.*?)`/g)) {
    expect(await read({ duration }), duration).toMatchObject({ duration: { text: duration } });
  }
  const [, refused = ""] = PAGE.split("Also refused");
  const [dates = ""] = refused.split("\n\nWords are English");
  const named = [...dates.matchAll(/^- (.*?)(?::| when)/gm)].map(([, texts = ""]) => texts);
  const examples = named.flatMap((texts) => texts.match(/(?<=`)[^`,]+(?=`)/g) ?? []);
  expect(examples).toHaveLength(9);
  for (const start of examples) await expect(read({ start }), start).rejects.toMatchObject({ code: "usage" });
  const [iso = ""] = PAGE.split("## Words");
  const forms = [...iso.matchAll(/`(\d.*?)`/g)].map(([, text = ""]) => text);
  expect(forms).toHaveLength(5);
  for (const start of forms) expect((await read({ start })).notes, start).toEqual([]);
});

describe("what is offered for a text that is wrong", () => {
  const DAYS = "write tomorrow, fri, 24 dec, in 2 weeks or YYYY-MM-DD";
  const WORDS = [
    ...["15:00", "tomorrow 3pm", "fri midnight", "29 mar 2:30", "25:00", "noon", "+2h", "2h", "now", "at 11"],
    ...["tonight 8pm", "at 8", "fri 11", "fri 25"],
  ];
  const TEXTS = [...WORDS, "2026-11-21T15:00", "2026-11-21T25:00", "3pm 4pm", "soon", "next month"];

  test.each(TEXTS.map((text, index) => [text, ["--on", "--from", "--to"][index % 3] ?? ""]))(
    "a flag of days offers days: %s",
    async (text, flag) => {
      const { run } = shared();
      const { exitCode, stderr } = await run("events", "list", flag, text);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^error: .*\nhint: .*\n$/);
      expect(stderr).toContain(`hint: ${DAYS}\n`);
      expect(stderr).not.toMatch(/write .*(?:\d:\d\d|3pm|\+2h)/);
      if (/^2/.test(text)) return;
      const allDay = await run("events", "create", "--all-day", "--title", "T", "--start", text);
      expect(allDay.stderr).toContain(`hint: ${DAYS}\n`);
    },
  );

  test("what is offered for an hour and for a number beside a weekday is taken", async () => {
    const hintOf = async (start: string) => (await read({ start }).catch((error) => error)).hint;
    expect(await hintOf("fri 11")).toBe("write fri 11:00 or 11 dec");
    expect(await hintOf("at 8")).toBe("write 8am or 8pm");
    expect(await hintOf("tonight")).toBe("add a time, such as 8pm");
    const offered = ["fri 11:00", "11 dec", "8am", "8pm", "tonight 8pm"];
    for (const start of offered) expect((await read({ start })).notes).toHaveLength(1);
  });

  test("a flag of days takes several days: the first of --from, the last of --to, all of --on", async () => {
    const harness = await createHarness();
    const list = (...flags: string[]) => harness.run("events", "list", "--fields", "title", ...flags);
    for (const day of ["2026-11-22", "2026-11-23", "2026-11-29", "2026-11-30"])
      await harness.run("events", "create", "--title", day, "--all-day", "--start", day);
    const on = "Mon 2026-11-23 to Sun 2026-11-29";
    expect(await list("--on", "next week")).toEqual({
      exitCode: 0,
      stdout: "2026-11-23\n2026-11-29\n",
      stderr: `on: ${on}\n`,
    });
    expect(await list("--from", "next week", "--to", "next week")).toMatchObject({
      stdout: "2026-11-23\n2026-11-29\n",
      stderr: `from: ${on}\nto: ${on}\n`,
    });
  });

  test("what a flag of days offers, it takes", async () => {
    const harness = shared();
    for (const text of ["tomorrow", "fri", "24 dec", "in 2 weeks", "2026-12-24"])
      expect((await harness.run("events", "list", "--on", text)).exitCode).toBe(0);
    const { stderr } = await harness.run("events", "list", "--on", "2d");
    expect(stderr).toBe('error: --on: "2d" is a duration\nhint: write +2d for a day from now\n');
    expect((await harness.run("events", "list", "--on", "+2d")).exitCode).toBe(0);
    const strict = async (text: string) =>
      (await harness.run("events", "list", "--strict-dates", "--on", text)).stderr;
    const hint = "hint: write YYYY-MM-DD\n";
    expect(await strict("fri")).toBe(`error: --on: "fri" is not an ISO 8601 date\n${hint}`);
    expect(await strict("2026-11-21T15:00")).toBe(
      `error: --on: "2026-11-21T15:00" is a time, not a day\n${hint}`,
    );
  });

  test("no example in help, questions or messages is a date that passes", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join("src", name));
    // Revisions of a protocol are named by dates.
    const isName = (line: string) => /^const REVISIONS = /.test(line);
    const isDated = (line: string) => !/^\s*[/*]/.test(line) && /["'`].*\b20\d\d-\d\d-\d\d/.test(line);
    const dated = files.filter((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .some((line) => isDated(line) && !isName(line)),
    );
    expect(dated).toEqual([]);
  });
});
