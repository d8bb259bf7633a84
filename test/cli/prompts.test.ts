import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { eventBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { startAuthorizationServer } from "../support/authorization-server.js";
import { createHarness, type Harness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { createScreen, createStdin } from "../support/terminal.js";
import { createTerminalWorld, type TerminalWorld } from "../support/virtual-terminal.js";
import { words } from "../support/words.js";

/** Questions: what they are, and what is then written. Those of a real terminal are in test/system/prompts.test.ts. */

const TOMORROW = "2026-11-22";

interface Event {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function createEvent({ json }: Harness, title: string, ...flags: string[]): Promise<string> {
  const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--timezone", "UTC"];
  return (await json<Event>("events", "create", "--title", title, ...times, ...flags)).id;
}

function readEvents({ json }: Harness): Promise<readonly Event[]> {
  return json("events", "list", "--all-calendars", "--days", "7");
}

/** A second calendar with a second member. */
async function addWork({ service, userId }: Harness): Promise<void> {
  const { admin } = service;
  const ben = await admin.users.add({ name: "Ben" });
  const work = await admin.calendars.add({ name: "Work", owner: userId });
  await admin.members.add(ben.id, work.id);
}

/** A user with that second calendar. */
async function openWork(options: Parameters<typeof createTerminalWorld>[0] = {}): Promise<TerminalWorld> {
  const world = await createTerminalWorld(options);
  await addWork(world);
  return world;
}

describe("picking an event", () => {
  test("from a list that typing narrows down", async () => {
    const world = await createTerminalWorld({ columns: 40 });
    await createEvent(world, "Dentist");
    const id = await createEvent(world, "\u001b[31mred \u202e 日本語の長いタイトル日本語の長いタイトル");
    const stdout = createScreen();
    world.start("events get --fields id", { stdout });
    await world.answer([
      ["\\x1b[31mred \\u{202e}", ":DENT"],
      ["Event: DENT", "C-u"],
      ["\\x1b[31mred", ":red"],
      ["Event: red", "Enter"],
      ["exit 0"],
    ]);
    expect(world.screen()).not.toContain("Dentist");
    expect(stdout.text()).toBe(`${id}\n`);
  });

  test("in ASCII where the locale has no more", async () => {
    const world = await openWork({ env: { LC_ALL: "C" } });
    await createEvent(world, "Dentist", "-c", "Work");
    world.start("events get --fields title");
    await world.shows("> * ");
    expect(world.screen()).toMatch(/12:00-13:00 - Dentist - Work/);
    expect(world.screen()).toMatch(/^[\x20-\x7e\n]*$/);
    world.type("C-c");
    await world.shows("exit 130");
  });

  test("among more than are shown", async () => {
    const world = await createTerminalWorld();
    const { service, userId } = world;
    const [calendar] = await service.admin.calendars.list();
    const body = { ...SCHEDULE, start_at: `${TOMORROW}T12:00:00.000Z`, end_at: `${TOMORROW}T13:00:00.000Z` };
    for (let number = 1; number <= 30; number += 1) {
      await service.handle(
        {
          method: "POST",
          target: `/calendars/${calendar?.id}/events`,
          headers: { accept: "application/json", "content-type": "application/json" },
          body: Buffer.from(JSON.stringify(eventBody({ ...body, title: `Event ${number}.` }))),
        },
        { kind: "local", userId },
      );
    }
    world.start("events get --fields title");
    await world.answer([["Event", ":event 29."], ["  Event 29.", "Enter"], ["exit 0"]]);
    expect(world.screen()).toContain("✔ Event: Event 29.");
  });

  test("to update, comment on and delete it", async () => {
    const world = await createTerminalWorld();
    const id = await createEvent(world, "Dentist");
    world.start("events update --location Here --fields location");
    await world.answer([["❯ ", "Enter"], ["exit 0"]]);
    expect(world.screen()).toContain("Here");
    world.start("comment --fields event_id,content");
    await world.answer([
      ["❯ ", "Enter"],
      ["Comment:", "Enter"],
      ["comment is empty", ":At 8? "],
      ["8?", "Enter"],
      ["exit 0"],
    ]);
    expect(world.screen()).toMatch(new RegExp(`Event +${id}\nComment +At 8\\?`));
    world.start("events delete");
    await world.answer([["❯ ", "Enter"], ["Delete this event?", ":y", "Enter"], ["exit 0"]]);
    expect(world.text()).toMatch(/Dentist {2}\w+ \d+ \w+ \d{4} 12:00–13:00 {2}Personal/);
    expect(await readEvents(world)).toEqual([]);
  });

  test("when there is none, the command says so", async () => {
    const world = await createTerminalWorld();
    world.start("events get");
    await world.shows("exit 5");
    expect(world.screen()).toContain("there are no events in the next 7 days to pick from");
  });
});

describe("confirming a deletion", () => {
  test("lists each event with its day and calendar", async () => {
    const world = await openWork({ columns: 120 });
    const ids = [
      await createEvent(world, "Dentist", "-c", "Personal"),
      await createEvent(world, "Review", "-c", "Work"),
    ];
    world.start(`events delete ${ids.join(" ")}`);
    await world.answer([["Delete these 2 events?", ":n", "Enter"], ["exit 130"]]);
    const when = String.raw`\w+ \d+ \w+ \d{4} 12:00–13:00`;
    expect(world.screen()).toMatch(
      new RegExp(`Dentist {2}${when} {2}Personal\n {2}Review {2}${when} {2}Work`),
    );
    expect(await readEvents(world)).toHaveLength(2);
  });

  test("says that all events of a series are deleted", async () => {
    const world = await createTerminalWorld({ columns: 120 });
    const series = await createEvent(world, "Choir", "--repeat", "daily", "--count", "3");
    const single = await createEvent(world, "Dentist");
    world.start(`events delete ${single} ${series} --scope all`);
    await world.answer([
      ["Delete these 2 events, and all others of their series?", ":n", "Enter"],
      ["exit 130"],
    ]);
    expect(await readEvents(world)).toHaveLength(4);
  });
});

describe("a question", () => {
  test("longer than a line is broken between words, with its choices at the end", async () => {
    const world = await createTerminalWorld({ columns: 40 });
    const series = await createEvent(world, "Choir", "--repeat", "daily", "--count", "3");
    world.start(`events delete ${series} --scope all`);
    await world.shows("(y/N)");
    expect(world.screen()).toMatch(/^\? Delete all events of this\n {2}series\? \(y\/N\)/m);
    world.type("C-c");
    await world.shows("exit 130");
  });
});

describe("add", () => {
  const LUNCH = "add Lunch with Ana tomorrow 12-13 at Noodle bar --fields title";

  async function openAdd(line: string, columns = 80) {
    const world = await openWork({ columns });
    world.start(line);
    return world;
  }

  test("Enter makes what the reading shows", async () => {
    const world = await openAdd(`${LUNCH} '#2'`, 40);
    await world.answer([["Calendar:", ":wor"], ["Calendar: wor", "Enter"], ["Create it?"]]);
    expect(world.screen()).toMatch(/ {2}Lunch with Ana\n {2}\w+ \d+ \w+ \d{4} 12:00–13:00 UTC\n/);
    expect(world.screen()).toMatch(/^ {2}at Noodle bar {2}#2 {2}Work$/m);
    expect(world.screen()).toMatch(/^\? Create it\? \(Enter, e to edit, n\)$/m);
    expect(await readEvents(world)).toEqual([]);
    await world.answer([["Create it?", "Enter"], ["exit 0"]]);
    const made = {
      title: "Lunch with Ana",
      location: "Noodle bar",
      calendar_name: "Work",
      label: { number: 2 },
    };
    const end_local = expect.stringMatching(/T13:00:00/);
    expect(await readEvents(world)).toMatchObject([{ ...made, end_local }]);
  });

  test("of an event that repeats, the reading has the next three dates", async () => {
    const world = await openAdd("add -c Work Run weekdays 12-13 --fields title");
    await world.shows("Create it?");
    const day = String.raw`\w{3} \d{4}-\d\d-\d\d`;
    expect(world.screen()).toMatch(new RegExp(`^ {2}repeat: every weekday: ${day}, ${day}, ${day}, …$`, "m"));
    expect(await readEvents(world)).toEqual([]);
    await world.answer([["Create it?", "Enter"], ["exit 0"]]);
    expect(world.text().match(/repeat:/g)).toHaveLength(1);
    const [made] = await readEvents(world);
    expect(made).toMatchObject({ title: "Run", series_id: expect.any(String) });
  });

  test("a narrow terminal breaks the reading between words", async () => {
    const world = await openAdd("add -c Work Planning the anniversary concert tomorrow 12-13", 30);
    await world.shows("Create it?");
    expect(world.screen()).toMatch(
      /^ {2}Planning the anniversary\n {2}concert\n {2}.* 12:00–13:00\n {2}UTC\n/m,
    );
  });

  test("e opens the form filled in, which shows a command that makes the same", async () => {
    const world = await openAdd(`${LUNCH} -c Work '#2'`);
    await world.answer([
      ["Create it?", "e"],
      ["Title: (Lunch with Ana)", "Enter"],
      ["Day (", "Enter"],
      ["3pm): (12:00)", ":12:30", "Enter"],
      ["90m): (1h)", "Enter"],
      ["Repeat (", "Enter"],
      ["❯ ● 2", "Enter"],
      ["Attendees:", "Enter"],
      ["exit 0"],
    ]);
    const line = / {2}(calctl events create .*)/.exec(world.text())?.[1] ?? "";
    expect(line).toContain("--calendar Work --title 'Lunch with Ana' --start ");
    expect(line).toContain("T12:30 --duration 1h --location 'Noodle bar' --label 2 ");
    expect(await readEvents(world)).toMatchObject([
      { title: "Lunch with Ana", end_at: `${TOMORROW}T13:30:00.000Z`, location: "Noodle bar" },
    ]);
  });

  test("of two readings, one is chosen", async () => {
    const world = await openAdd("add -c Work Lunch tomorrow 3-4 --fields title");
    await world.answer([
      ['"3-4" may be 03:00-04:00 or 15:00-16:00:', "Down", "Enter"],
      ["Create it?", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(world)).toMatchObject([
      { title: "Lunch", start_at: `${TOMORROW}T15:00:00.000Z`, end_at: `${TOMORROW}T16:00:00.000Z` },
    ]);
  });

  test("a number is a time, a day or part of the title, and a place may be one of two", async () => {
    const world = await openAdd(`add -c Work Walk at the park 12 ${TOMORROW} at the zoo --fields title`);
    await world.answer([
      [`"12" in "12 ${TOMORROW}" may be a time or part of the title:`, "Down", "Enter"],
      ['the place may be "the park 12 at the zoo" or "the zoo":', "Down"],
    ]);
    await world.shows('title "Walk at the park 12", place "the zoo"');
    await world.answer([["❯ Walk", "Enter"], ["Create it?", "Enter"], ["exit 0"]]);
    expect(await readEvents(world)).toMatchObject([
      { title: "Walk at the park 12", location: "the zoo", all_day: true },
    ]);
  });

  test("Escape instead of a choice creates nothing", async () => {
    const world = await openAdd("add -c Work Run daily 9:00 for 3 days");
    await world.answer([['"for 3 days" may be how long', "Escape"], ["exit 130"]]);
    expect(await readEvents(world)).toEqual([]);
  });

  test("nothing is chosen for words that are there twice", async () => {
    const world = await openAdd(`add -c Work '"3-4" kids tomorrow 3-4'`);
    await world.answer([['"3-4" may be 03:00-04:00 or 15:00-16:00'], ["exit 2"]]);
  });

  test("a text that is asked for may have two readings, and the form keeps how often", async () => {
    const world = await openAdd("add -c Work --fields title");
    await world.answer([
      ["What and when:", ":Tea daily tomorrow at 8 3 times", "Enter"],
      ["may be 8:00 or 20:00:", "Down", "Enter"],
      ["Create it?", "e"],
      ["Title: (Tea)", "Enter"],
      ["Day (", "Enter"],
      ["(20:00)", "Enter"],
      ["90m): (1h)", "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["Attendees:", "Enter"],
      ["exit 0"],
    ]);
    const [made] = await readEvents(world);
    expect(made).toMatchObject({ title: "Tea", recurrences: ["RRULE:FREQ=DAILY;COUNT=3"] });
  });

  test("the form has the days of an event of several", async () => {
    const world = await openAdd(`add Camp ${TOMORROW} for 3 days -c Work --fields title`);
    await world.answer([
      ["Create it?", "e"],
      ["Title: (Camp)", "Enter"],
      [`24 dec): (${TOMORROW})`, "Enter"],
      ["nothing for all day", "Enter"],
      ["2d): (3d)", ":2d", "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["Attendees:", "Enter"],
      ["exit 0"],
    ]);
    const [made] = await readEvents(world);
    expect(made).toMatchObject({ title: "Camp", all_day: true, start_local: TOMORROW });
    expect(made?.["end_local"]).not.toBe(TOMORROW);
  });

  test.each([["Escape"], ["C-c"], ["n"], [":xyn"]])("%s leaves nothing", async (...keys) => {
    const world = await openAdd(`${LUNCH} -c Work`);
    await world.answer([["Create it?", ...keys], ["exit 130"]]);
    expect(await readEvents(world)).toEqual([]);
  });

  test("a text may be asked for, and a wrong one is asked for again", async () => {
    const world = await openAdd("add -c Work --fields title");
    await world.answer([
      ["What and when:", ":Lunch mondays 11:00", "Enter"],
      ["is not understood", "C-u", ":Lunch tomorrow at 11", "Enter"],
      ["Create it?", ":zy", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(world)).toMatchObject([{ start_at: `${TOMORROW}T11:00:00.000Z` }]);
  });

  test("what the calendar lacks is said before the question", async () => {
    const world = await openAdd(`${LUNCH} -c Work '#nowhere'`);
    await world.shows("exit 5");
    expect(world.screen()).toContain(
      'the text (quote "#nowhere" to keep it in the title): there is no label',
    );
    expect(world.screen()).not.toContain("Create it?");
  });
});

describe("events create", () => {
  /** What the form makes, without what differs between two events. */
  function content({ id, created_at, updated_at, series_id, ...rest }: Event) {
    return rest;
  }

  /** Runs the command line that is on the screen, as a real shell reads it. */
  async function runShown({ run, text }: TerminalWorld): Promise<void> {
    const [, line = ""] = / {2}calctl (.*events create .*)/.exec(text()) ?? [];
    const argv = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
    expect(await run(...argv.split("\0").slice(0, -1))).toMatchObject({ exitCode: 0 });
  }

  async function openStrictForm(): Promise<TerminalWorld> {
    const world = await createTerminalWorld();
    world.start("events create --strict-dates --fields title");
    return world;
  }

  test("asks for the event, and shows a command that makes the same", async () => {
    const world = await openWork({ columns: 40 });
    const title = `-Ana's $(touch x) \`id\` "q" \\ ; 日本 \u202e %d`;
    world.start("events create --fields title");
    await world.answer([
      ["Calendar:", ":wor"],
      ["Calendar: wor", "Enter"],
      ["Title:", "Enter"],
      ["title is empty", `:${title}`, "Enter"],
      ["Day (", ":someday", "Enter"],
      ['"someday" is not', "C-u", ":tomorrow", "Enter"],
      ["day: "],
      ["Start (", ":9:30", "Enter"],
      ["start: "],
      ["End or length (", ":9:00", "Enter"],
      ["not after", "C-u", ":11am", "Enter"],
      ["Repeat (", ":every someday", "Enter"],
      ['"every someday" is not', "C-u", "Enter"],
      ["Label:", "Down"],
      ["❯ ● 2", "Enter"],
      ["Attendees:", "Down", "Space"],
      ["◉ Ben", "Enter"],
      ["exit 0"],
    ]);
    const [made] = await readEvents(world);
    expect(made).toMatchObject({
      title,
      calendar_name: "Work",
      start_local: expect.stringMatching(/T09:30:00\+00:00$/),
      end_local: expect.stringMatching(/T11:00:00\+00:00$/),
      label: { number: 2 },
      attendees: [{ name: "Ben" }],
    });
    await runShown(world);
    const [one, another, ...others] = await readEvents(world);
    expect(others).toEqual([]);
    expect(another && content(another)).toEqual(one && content(one));
  });

  test("all day, with one calendar and one member", async () => {
    const world = await createTerminalWorld();
    world.start("events create --fields title");
    await world.answer([
      ["Title:", ":Fair", "Enter"],
      ["Day (", "Enter"],
      ["Start (", "Enter"],
      ["Last day (", ":2d", "Enter"],
      ["(once)", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    const line = world.text();
    expect(line).toContain("calctl events create --all-day --title Fair --start ");
    expect(line).toContain(" --duration 2d --label 1\n");
    await runShown(world);
    const [one, another] = await readEvents(world);
    expect(one).toMatchObject({ title: "Fair", all_day: true });
    expect(another && content(another)).toEqual(one && content(one));
  });

  test("with some flags asks for the rest, and checks those first", async () => {
    const world = await openWork();
    const wrong = [
      ["--start someday", '"someday" is not'],
      ["--url ''", "--url is empty"],
      ["-c Work --label Nowhere", "Nowhere"],
      ["-c Work --attendee Nobody", "Nobody"],
      [`--start ${TOMORROW}T12:00 --end ${TOMORROW}T11:00`, "not after"],
    ] as const;
    for (const [flags, problem] of wrong) {
      world.start(`events create ${flags}`);
      await expect.poll(() => world.screen(), { interval: 5 }).toMatch(/^exit [25]$/m);
      expect(world.screen()).toContain(problem);
      expect(world.screen()).not.toMatch(/^\? /m);
    }
    const flags = "-c Work --title Choir --label 2 --start-timezone Asia/Tokyo --fields title";
    world.start(`events create ${flags}`);
    await world.answer([
      ["Day (", `:${TOMORROW}`, "Enter"],
      ["Start (", ":9:30", "Enter"],
      ["End or length (", "Enter"],
      ["Repeat (", ":weekly", "Enter"],
      ["Attendees:", "Enter"],
      ["exit 0"],
    ]);
    expect(world.screen()).not.toMatch(/(Title|Label|Calendar):/);
    expect(world.text()).toContain("--start-timezone Asia/Tokyo --label 2 --repeat weekly --timezone UTC");
    expect(world.text()).toContain("repeat: every week: ");
    await runShown(world);
    const [one, another] = await readEvents(world);
    expect(one).toMatchObject({
      title: "Choir",
      start_at: `${TOMORROW}T00:30:00.000Z`,
      start_timezone: "Asia/Tokyo",
      end_at: `${TOMORROW}T01:30:00.000Z`,
      label: { number: 2 },
    });
    expect(another && content(another)).toEqual(one && content(one));
  });

  test.each([
    ["--start", `--start ${TOMORROW}T12:00`, [["Title:", ":Fair", "Enter"]]],
    [
      "--duration",
      "--title Fair --duration 45m",
      [
        ["Day (", `:${TOMORROW}`, "Enter"],
        ["Start (", ":12:00", "Enter"],
        ["Repeat (", "Enter"],
      ],
    ],
    [
      "--end",
      "--title Fair --end 12:45",
      [
        ["Day (", `:${TOMORROW}`, "Enter"],
        ["Start (", ":13:00", "Enter"],
        ["not after", "C-u", ":12:00", "Enter"],
        ["Repeat (", "Enter"],
      ],
    ],
    ["times", `--start ${TOMORROW}T12:00 --end ${TOMORROW}T12:45`, [["Title:", ":Fair", "Enter"]]],
  ] as const)("with %s asks for no more than what is missing", async (_, flags, answers) => {
    const world = await createTerminalWorld();
    await world.run("config", "set", "duration", "45m");
    world.start(`events create ${flags} --fields title`);
    await world.answer([...answers, ["Label:", "Enter"], ["exit 0"]]);
    const questions = answers.filter(([shown]) => shown !== "not after");
    expect(world.text().match(/^✔ /gm)).toHaveLength(questions.length + 1);
    expect(await readEvents(world)).toMatchObject([
      { title: "Fair", start_at: `${TOMORROW}T12:00:00.000Z`, end_at: `${TOMORROW}T12:45:00.000Z` },
    ]);
  });

  test("with --all-day asks for days alone", async () => {
    const world = await createTerminalWorld();
    world.start("events create --all-day --title Fair --fields title");
    await world.answer([
      ["Day (", `:${TOMORROW}T12:00`, "Enter"],
      ["has a clock time", "C-u", `:${TOMORROW}`, "Enter"],
      ["Last day (", "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(world)).toMatchObject([
      { all_day: true, start_local: TOMORROW, end_local: TOMORROW },
    ]);
  });

  test("with all that is needed asks nothing", async () => {
    const world = await createTerminalWorld();
    const flags = `--title Fair --start ${TOMORROW}T12:00 --duration 1h`;
    world.start(`events create ${flags} --fields title`);
    await world.shows("exit 0");
    expect(world.text()).not.toContain("Label:");
  });

  test("with --strict-dates takes ISO 8601 only", async () => {
    const world = await openStrictForm();
    await world.answer([
      ["Title:", ":Fair", "Enter"],
      ["Day (YYYY-MM-DD):", ":tomorrow", "Enter"],
      ['"tomorrow" is not', "C-u", `:${TOMORROW}`, "Enter"],
      ["Start (YYYY-MM-DDTHH:MM; nothing for all day):", ":3pm", "Enter"],
      ['"3pm" is not', "C-u", `:${TOMORROW}T15:00`, "Enter"],
      ["End or length (YYYY-MM-DDTHH:MM, 90m):", ":4pm", "Enter"],
      ['"4pm" is not', "C-u", `:${TOMORROW}T16:00`, "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(world)).toMatchObject([
      { start_at: `${TOMORROW}T15:00:00.000Z`, end_at: `${TOMORROW}T16:00:00.000Z` },
    ]);
  });

  test("with --strict-dates begins at today, written in ISO 8601", async () => {
    const world = await openStrictForm();
    await world.answer([
      ["Title:", ":Fair", "Enter"],
      ["Day (YYYY-MM-DD):", "Enter"],
      ["nothing for all day):", "Enter"],
      ["Last day (YYYY-MM-DD, 2d; nothing for the same day):", "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(world)).toMatchObject([{ title: "Fair", all_day: true }]);
  });

  test("C-c writes nothing", async () => {
    const world = await createTerminalWorld();
    world.start("events create");
    await world.answer([["Title:", ":Fair", "Enter"], ["Day (", "C-c"], ["exit 130"]]);
    expect(await readEvents(world)).toEqual([]);
  });
});

describe("events update without flags", () => {
  /** A form for an event of Work with Ben, that begins at 12:00. */
  async function openForm(...flags: string[]) {
    const world = await openWork();
    const id = await createEvent(world, "Dentist", "-c", "Work", "--location", "Here", ...flags);
    const ask = (...argv: string[]) => world.start(`events update ${id} ${argv.join(" ")}`);
    return { world, ask, read: async () => (await readEvents(world))[0] };
  }

  test("asks with what the event has, and changes what was answered otherwise", async () => {
    const { world, ask, read } = await openForm("--label", "2", "--attendee", "Ben");
    const before = await read();
    ask("--fields title");
    await world.answer([
      ["Title: (Dentist)", "Enter"],
      [`(${TOMORROW})`, "Enter"],
      ["(12:00)", "Enter"],
      ["(1h)", "Enter"],
      ["❯ ● 2", "Enter"],
      ["◉ Ben", "Enter"],
      ["exit 0"],
    ]);
    expect(world.screen()).toContain("nothing was changed");
    expect(await read()).toEqual(before);
    ask("--fields title");
    await world.answer([
      ["Title:", ":Doctor", "Enter"],
      ["Day (", "Enter"],
      ["Start (", ":3pm", "Enter"],
      ["End or length (", "Enter"],
      ["Label:", "Down"],
      ["❯ ● 3", "Enter"],
      ["Attendees:", "Space", "Down", "Space", "Enter"],
      ["exit 0"],
    ]);
    expect(await read()).toMatchObject({
      title: "Doctor",
      location: "Here",
      start_at: `${TOMORROW}T15:00:00.000Z`,
      end_at: `${TOMORROW}T16:00:00.000Z`,
      label: { number: 3 },
      attendees: [{ name: expect.not.stringMatching("Ben") }],
    });
  });

  test("makes an all-day event timed", async () => {
    const { world, ask, read } = await openForm();
    ask(`--all-day --start ${TOMORROW} --duration 2d`);
    await world.shows("exit 0");
    ask("--fields title");
    await world.answer([
      ["Title:", "Enter"],
      ["Day (", "Enter"],
      ["nothing for all day):", "Enter"],
      ["(2d)", "Enter"],
      ["Label:", "Enter"],
      ["Attendees:", "Enter"],
      ["nothing was changed"],
      ["exit 0"],
    ]);
    ask("--fields title");
    await world.answer([
      ["Title:", "Enter"],
      ["Day (", "Enter"],
      ["nothing for all day):", ":8:00", "Enter"],
      ["(1h)", ":45m", "Enter"],
      ["Label:", "Enter"],
      ["Attendees:", "Enter"],
      ["exit 0"],
    ]);
    expect(await read()).toMatchObject({
      all_day: false,
      start_at: `${TOMORROW}T08:00:00.000Z`,
      end_at: `${TOMORROW}T08:45:00.000Z`,
    });
  });

  test("Escape changes nothing", async () => {
    const { world, ask, read } = await openForm();
    const before = await read();
    ask();
    await world.answer([["Title:", ":Doctor", "Enter"], ["Day (", "Escape"], ["exit 130"]]);
    expect(await read()).toEqual(before);
  });
});

describe("an import", () => {
  test.each([
    ["of the same source", "club", "exit 13"],
    ["of another source", "school", "exit 0"],
  ])("%s may run while it asks", async (_, source, shown) => {
    const world = await createTerminalWorld();
    const file = (title: string) => {
      const path = join(world.directory, `${title}.ndjson`);
      const times = { start_at: `${TOMORROW}T12:00:00.000Z`, end_at: `${TOMORROW}T13:00:00.000Z` };
      writeFileSync(path, `${JSON.stringify({ id: title, title, ...times })}\n`);
      return path;
    };
    world.start(`import "${file("Match")}" --source club`);
    await world.shows("Write 1 change");
    const other = await world.run("import", file("Lesson"), "--source", source, "--yes");
    expect(other).toMatchObject({ exitCode: 0 });
    await world.answer([["Write 1 change", ":y", "Enter"], [shown]]);
    const isRefused = shown === "exit 13";
    if (isRefused) expect(world.screen()).toContain("error: another import of this source");
    const titles = (await readEvents(world)).map(({ title }) => title);
    expect(titles.sort()).toEqual(isRefused ? ["Lesson"] : ["Lesson", "Match"]);
  });
});

describe("other questions", () => {
  test("a new password is asked for twice, and never shown", async () => {
    const world = await createTerminalWorld({ database: "local.db" });
    world.start("service users add Ben --fields name");
    await world.answer([
      ["Password for Ben", ":short", "Enter"],
      ["must have at least 8 characters", ":correct horse", "C-t", "Enter"],
      ["The same again", ":battery staple", "Enter"],
      ["Not the same. Password for Ben", ":correct horse", "Enter"],
      ["? The same again", ":correct horse", "Enter"],
      ["exit 0"],
    ]);
    expect(world.screen()).not.toMatch(/correct|battery|ctrl\+t|toggle/);
  });

  test("the service's commands ask for names, users and addresses that are missing", async () => {
    const world = await openWork({ database: "local.db" });
    world.start("service users add --fields name");
    await world.answer([
      ["Name:", "Enter"],
      ["the name is empty", ":Eva", "Enter"],
      ["Password for Eva", "Enter"],
      ["exit 0"],
    ]);
    world.start("service users password");
    await world.answer([
      ["User:", ":eva"],
      ["User: eva", "Enter"],
      ["New password", ":correct horse", "Enter"],
      ["The same again", ":correct horse", "Enter"],
      ["password of Eva set"],
      ["exit 0"],
    ]);
    world.start("service tokens create --fields user_id");
    await world.answer([["User:", ":ben"], ["User: ben", "Enter"], ["exit 0"]]);
    world.start("service clients add --fields redirect_uris");
    await world.answer([["Name:", ":Phone", "Enter"], ["Redirect URI:", "Enter"], ["exit 0"]]);
    expect(world.screen()).toMatch(/^Redirect URIs +http:\/\/127.0.0.1\/callback$/m);
    world.start("service clients add --redirect-uri https://x.example");
    await world.answer([["Name:", "Escape"], ["exit 130"]]);
    const { stdout } = await world.run("service", "clients", "list", "--fields", "name");
    expect(stdout).toBe("Phone\n");
  });

  test("what a command line leaves out is picked from what there is, or typed", async () => {
    const world = await openWork({ columns: 100, database: "local.db", env: { NO_COLOR: "1" } });
    for (const kind of [
      "targets test",
      "service clients remove",
      "service tokens revoke",
      "profiles remove",
    ]) {
      world.start(kind);
      await world.shows("exit 5");
      expect(world.screen()).toContain(`there are no ${kind.split(" ").at(-2)}`);
    }
    await world.run(...words`service clients add Phone --redirect-uri http://127.0.0.1/callback`);
    await world.run(...words`service tokens create --user Ben`);
    await world.run(...words`config set base_url https://club.example -p club`);
    const url = { stdin: "https://hooks.example/secret" };
    await world.runWith(url, ...words`targets add team --as slack --insecure-storage`);
    const rows: readonly (readonly [
      line: string,
      note: string,
      ...answers: (readonly [string, string])[],
    ])[] = [
      ["service users disable", "Ben is disabled", ["User:\n❯", "ben"]],
      ["service users enable", "Ben is enabled", ["User:\n❯", "ben"]],
      ["service users unlock", "the login Ben was not locked", ["User:\n❯", "ben"]],
      ["service users rename", "is now called Eve", ["User:\n❯", "ben"], ["Name:", "Eve"]],
      ["service members remove", "Eve is no longer", ["Calendar:\n❯", "work"], ["Member:\n❯", "eve"]],
      ["service members add", "Name Eve", ["User:\n❯", "eve"], ["Calendar:\n❯", "work"]],
      ["service calendars set", "Name Job", ["Calendar:\n❯", "work"], ["Name:", "Job"]],
      [
        "service labels set",
        "Name Match",
        ["Calendar:\n❯", "job"],
        ["Label:\n❯", "cyan"],
        ["Name:", "Match"],
      ],
      ["service calendars remove", "Job removed", ["Calendar:\n❯", "job"], ["everything in it? (y/N)", "y"]],
      ["service calendars add --owner Ben", "Name Club", ["Name:", "Club"]],
      ["service clients remove", "client Phone removed", ["Client:\n❯", "phone"]],
      ["service tokens revoke", "revoked", ["Token:\n❯", "eve"]],
      ["targets test --dry-run", "a test of calctl (target team)", ["Target:\n❯", "team"]],
      ["targets remove", "removed target team", ["Target:\n❯", "team"]],
      ["profiles use", "profile in use: club", ["Profile:\n❯", "club"]],
      ["profiles remove", "removed profile club", ["Profile:\n❯", "club"]],
    ];
    for (const [line, note, ...answers] of rows) {
      world.start(line);
      for (const [shown, typed] of answers)
        await world.answer([
          [shown, `:${typed}`],
          [`${shown.replace("\n❯", "")} ${typed}`, "Enter"],
        ]);
      await world.shows("exit 0");
      expect(world.text().replace(/ +/g, " ")).toContain(note);
    }
  });

  test("targets add asks for name, format and URL, and checks what is given first", async () => {
    const world = await createTerminalWorld();
    const wrong = [
      ["--as slack --chat 5", "chat"],
      ["--to nobody", "nobody"],
      ["'a b'", "not a valid name"],
    ] as const;
    for (const [flags, problem] of wrong) {
      world.start(`targets add ${flags}`);
      await world.shows("exit 2");
      expect(world.screen()).toContain(problem);
      expect(world.screen()).not.toMatch(/^\? /m);
    }
    world.start("targets add --insecure-storage");
    await world.answer([
      ["Name:", ":a b", "Enter"],
      ["not a valid name", "C-u", ":team", "Enter"],
      ["Message format:", ":slack"],
      ["Message format: slack", "Enter"],
      ["URL of the webhook", ":hooks.example/secret", "Enter"],
      ["is not an https URL", ":https://hooks.example/secret", "Enter"],
      ["exit 0"],
    ]);
    expect(world.text()).not.toContain("secret");
    expect((await world.run("targets", "list")).stdout).toBe("team\tslack\n");
  });

  test("login asks for what is missing, and says what is wrong", async () => {
    const { baseUrl } = await startAuthorizationServer();
    const world = await createTerminalWorld();
    world.start("login --client-id abc --insecure-storage");
    await world.answer([
      ["URL of the service:", "Enter"],
      ["this is needed", ":http://calendar.example", "Enter"],
      ["http://calendar.example is not encrypted", "C-u", `:${baseUrl}`, "Enter"],
      ["URL of its authorization server:", "Escape"],
      ["exit 130"],
    ]);
    expect(world.screen()).not.toContain("Client id");
  });

  test("a calendar is picked where several could be meant", async () => {
    const world = await openWork();
    world.start("members --fields name");
    await world.answer([["Calendar:", ":work"], ["Calendar: work", "Enter"], ["exit 0"]]);
    expect(world.screen()).toContain("Ben");
  });

  test("an event is not moved to the calendar in which it is", async () => {
    const world = await openWork();
    const id = await createEvent(world, "Dentist", "-c", "Personal");
    world.start(`events move ${id} --fields calendar_name`);
    await world.answer([["Move this event to Work?", ":y", "Enter"], ["exit 0"]]);
    expect(world.screen()).toContain("Calendar  Work");
  });

  test("a comment may be written in the editor", async () => {
    const world = await createTerminalWorld({ env: { EDITOR: "printf 'one\\ntwo\\n' >" } });
    const id = await createEvent(world, "Dentist");
    world.start(`comment ${id} -o json --fields content`);
    await world.answer([["Comment (nothing opens the editor):", "Enter"], ["exit 0"]]);
    expect(world.screen()).toContain(String.raw`"one\ntwo"`);
  });

  test.each([
    ["ends with an error after saving", "printf 'long text' > \"$1\"; exit 1", "130", "long text"],
    ["saves something else than UTF-8", "printf 'caf\\351' > \"$1\"", "2", "caf\ufffd"],
    ["saves nothing", "true", "130", null],
    ["saves a comment that is too long", "printf '%01001d' 0 > \"$1\"", "2", "0".repeat(1001)],
  ])("a comment from an editor that %s is not lost", async (_, script, exitCode, kept) => {
    const folder = temporaryFolder();
    const [editor, tmp] = [join(folder, "editor"), join(folder, "tmp")];
    mkdirSync(tmp);
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const world = await createTerminalWorld({ columns: 120, env: { EDITOR: editor } });
    const id = await createEvent(world, "Dentist");
    vi.stubEnv("TMPDIR", tmp);
    onTestFinished(() => void vi.unstubAllEnvs());
    world.start(`comment ${id}`);
    await world.answer([["Comment (nothing opens the editor):", "Enter"], [`exit ${exitCode}`]]);
    const [, path] = /^your text is kept in (.*)$/m.exec(world.text()) ?? [];
    expect(path === undefined ? null : readFileSync(path, "utf8")).toBe(kept);
    expect(readdirSync(tmp)).toHaveLength(kept === null ? 0 : 1);
  });
});

describe("nothing is asked", () => {
  const commands = [
    [["events", "get"], "calctl events get needs ID"],
    [["events", "delete"], "calctl events delete needs ID"],
    [["events", "update", "--title", "T"], "calctl events update needs ID"],
    [["comment"], "calctl comment needs ID"],
    [["events", "update", "x"], "nothing to change"],
    [["events", "create"], "missing --title and --start"],
    [["targets", "add"], "calctl targets add needs NAME and --as"],
    [["targets", "add", "team"], "missing --as"],
    [["targets", "remove"], "calctl targets remove needs NAME"],
    [["targets", "test"], "calctl targets test needs NAME"],
    [["profiles", "use"], "calctl profiles use needs NAME"],
    [["profiles", "remove"], "calctl profiles remove needs NAME"],
    [["service", "users", "add"], "calctl service users add needs NAME"],
    [["service", "users", "password"], "calctl service users password needs USER"],
    [["service", "users", "disable"], "calctl service users disable needs USER"],
    [["service", "users", "enable"], "calctl service users enable needs USER"],
    [["service", "users", "unlock"], "calctl service users unlock needs USER"],
    [["service", "users", "rename"], "calctl service users rename needs USER and NAME"],
    [["service", "users", "rename", "Ben"], "calctl service users rename needs NAME"],
    [["service", "members", "add"], "calctl service members add needs USER and --calendar"],
    [["service", "calendars", "add"], "calctl service calendars add needs NAME"],
    [["service", "calendars", "remove"], "calctl service calendars remove needs CALENDAR"],
    [["service", "calendars", "set", "Work"], "missing --name, --calendar-color or --description"],
    [["service", "calendars", "set"], "needs CALENDAR and --name (or --calendar-color or --description)"],
    [["service", "labels", "set"], "needs --calendar, NUMBER and --name (or --label-color)"],
    [["service", "labels", "set", "1"], "missing --calendar and --name (or --label-color)"],
    [["service", "clients", "add"], "calctl service clients add needs NAME and --redirect-uri"],
    [["service", "clients", "add", "Bot"], "missing --redirect-uri"],
    [["service", "clients", "remove"], "calctl service clients remove needs ID"],
    [["service", "tokens", "revoke"], "calctl service tokens revoke needs ID or --user"],
    [["service", "tokens", "create"], "missing --user"],
    [["members"], "there are several calendars: choose one with --calendar"],
    [["login"], "missing --base-url, --auth-url, --client-id"],
  ] as const;

  test("without a terminal: exit 2 with what is missing", async () => {
    const { run, service, userId } = await createHarness();
    await service.admin.calendars.add({ name: "Work", owner: userId });
    for (const [argv, message] of commands)
      expect(await run(...argv), argv.join(" ")).toMatchObject(failed(2, message));
  });

  test.each([
    ["with --no-input", "events get --no-input", {}],
    ["with CALCTL_NO_INPUT", "events get", { CALCTL_NO_INPUT: "1" }],
    ["with CI", "events get", { CI: "true" }],
  ])("on a terminal %s", async (_, line, env) => {
    const world = await createTerminalWorld({ env });
    world.start(line);
    await world.shows("exit 2");
    expect(world.screen()).toContain("needs ID");
  });

  test("with a pipe as stdin or stderr", async () => {
    const world = await createTerminalWorld();
    world.start("events get", { stdin: createStdin("") });
    await world.shows("exit 2");
    const stderr = createScreen();
    world.start("events get", { stderr });
    await world.shows("exit 2");
    expect(stderr.text()).toContain("needs ID");
  });
});
