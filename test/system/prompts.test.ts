import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { startAuthorizationServer } from "../support/authorization-server.js";
import { timesRun } from "../support/coverage.js";
import { createHarness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { createInstallation, type Installation, PROGRAM, TOMORROW } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { openTerminal, type Terminal } from "../support/tmux.js";
import { startWireRecorder } from "../support/wire-recorder.js";

/** Prompts of the built program: on a real terminal, and never elsewhere. */

interface Event {
  readonly id: string;
  readonly [field: string]: unknown;
}

async function createEvent(installation: Installation, title: string, ...flags: string[]): Promise<string> {
  const times = ["--start", `${TOMORROW}T12:00`, "--duration", "1h", "--timezone", "UTC"];
  const argv = ["events", "create", "--title", title, ...times, ...flags, "--jq", ".id"];
  const { stdout, stderr } = await installation.run(...argv);
  if (stdout === "") throw new Error(stderr);
  return stdout.trim();
}

async function readEvents(installation: Installation): Promise<readonly Event[]> {
  const argv = ["events", "list", "--all-calendars", "--days", "7", "-o", "json"];
  return JSON.parse((await installation.run(...argv)).stdout);
}

/** For 2,000 requests, on a machine that has much else to do (ms). */
const MANY_TIMEOUT = 90_000;

/** A second calendar with a second member. */
async function addWork(installation: Installation): Promise<void> {
  const { stdout } = await installation.run("whoami", "--jq", ".name");
  await installation.run("service", "users", "add", "Ben");
  await installation.run("service", "calendars", "add", "Work", "--owner", stdout.trim());
  await installation.run("service", "members", "add", "Ben", "-c", "Work");
}

/** Answers prompts: waits for each before it types. */
async function answer(
  terminal: Terminal,
  answers: readonly (readonly [shown: string, ...keys: string[]])[],
): Promise<void> {
  for (const [shown, ...keys] of answers) {
    await terminal.shows(shown);
    for (const key of keys) terminal.type(...(key.startsWith(":") ? ["-l", "--", key.slice(1)] : [key]));
  }
}

/** Adds something to pick of each kind. */
const PREPARE = [
  "service clients add Phone --redirect-uri http://127.0.0.1/callback",
  "service tokens create --user Ben",
  "config set base_url https://club.example -p club",
  "targets add team --as mail --to ana@example.org",
].join("; calctl ");

/** The form of `events create` on a terminal, where only ISO 8601 is taken. */
async function openStrictForm(): Promise<{ installation: Installation; terminal: Terminal }> {
  const installation = createInstallation({ TZ: "UTC" });
  await installation.run("whoami");
  const terminal = openTerminal(installation, { columns: 80 });
  terminal.type(`calctl events create --strict-dates --fields title; echo "exit $?"`, "Enter");
  return { installation, terminal };
}

describeWithSystem("tmux", "picking an event", () => {
  test.each([80, 40])("from a list that typing narrows down, at %i columns", async (columns) => {
    const installation = createInstallation({ TZ: "UTC" });
    await createEvent(installation, "Dentist");
    const id = await createEvent(
      installation,
      "\u001b[31mred \u202e 日本語の長いタイトル日本語の長いタイトル",
    );
    const terminal = openTerminal(installation, { columns });
    terminal.type(`calctl events get --fields id > "$HOME/out"; echo "exit $?"`, "Enter");
    await answer(terminal, [
      ["\\x1b[31mred \\u{202e}", ":DENT"],
      ["Event: DENT", "C-u"],
      ["\\x1b[31mred", ":red"],
      ["Event: red", "Enter"],
    ]);
    await terminal.shows("exit 0");
    expect(terminal.screen()).not.toContain("Dentist");
    expect(readFileSync(join(installation.home, "out"), "utf8")).toBe(`${id}\n`);
  });

  test("in ASCII where the locale has no more", async () => {
    const installation = createInstallation({ TZ: "UTC", LC_ALL: "C" });
    await addWork(installation);
    await createEvent(installation, "Dentist", "-c", "Work");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events get --fields title; echo "exit $?"`, "Enter");
    await answer(terminal, [["> * "]]);
    expect(terminal.screen()).toMatch(/12:00-13:00 - Dentist - Work/);
    expect(terminal.screen()).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test(
    "among 2,000",
    async () => {
      const { service, userId } = await createHarness();
      const [calendar] = await service.admin.calendars.list();
      for (let number = 1; number <= 2000; number += 1) {
        await service.handle(
          {
            method: "POST",
            target: `/calendars/${calendar?.id}/events`,
            headers: { accept: "application/json", "content-type": "application/json" },
            body: Buffer.from(JSON.stringify(eventBody({ ...SCHEDULE, title: `Event ${number}.` }))),
          },
          { kind: "local", userId },
        );
      }
      const { token } = await service.admin.tokens.create({ user: userId, readOnly: true });
      const { baseUrl } = await startWireRecorder(service);
      const installation = createInstallation({ CALCTL_BASE_URL: baseUrl, CALCTL_TOKEN: token });
      const terminal = openTerminal(installation, { columns: 80 });
      terminal.type(`calctl events get --fields title; echo "exit $?"`, "Enter");
      await answer(terminal, [
        ["Event 1.", ":event 1999."],
        ["  Event 1999.", "Enter"],
      ]);
      await terminal.shows("exit 0");
      expect(terminal.screen()).toContain("✔ Event: Event 1999.");
    },
    MANY_TIMEOUT,
  );

  test.each([["Escape"], ["C-c"]])(
    "%s leaves with exit 130, an unchanged terminal and no output",
    async (key) => {
      const installation = createInstallation({ TZ: "UTC" });
      await createEvent(installation, "Dentist");
      const terminal = openTerminal(installation, { columns: 80 });
      terminal.type(`stty -a > "$HOME/before"; calctl events delete > "$HOME/out"; echo "exit $?"`, "Enter");
      await answer(terminal, [["Dentist", key]]);
      await terminal.shows("exit 130");
      terminal.type(`stty -a > "$HOME/after"; echo done`, "Enter");
      await terminal.shows("\ndone");
      const read = (name: string) => readFileSync(join(installation.home, name), "utf8");
      expect({ out: read("out"), tty: read("after") }).toEqual({ out: "", tty: read("before") });
      expect(await readEvents(installation)).toHaveLength(1);
    },
  );

  test("to update, comment on and delete it", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    const id = await createEvent(installation, "Dentist");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.start(`calctl events update --location Here --fields location; echo "exit $?"`);
    await answer(terminal, [["❯ ", "Enter"], ["exit 0"]]);
    expect(terminal.screen()).toContain("Here");
    terminal.start(`calctl comment --fields event_id,content; echo "exit $?"`);
    await answer(terminal, [
      ["❯ ", "Enter"],
      ["Comment:", "Enter"],
      ["comment is empty", ":At 8? "],
      ["8?", "Enter"],
      ["exit 0"],
    ]);
    expect(terminal.screen()).toMatch(new RegExp(`Event +${id}\nComment +At 8\\?`));
    terminal.start(`calctl events delete; echo "exit $?"`);
    await answer(terminal, [["❯ ", "Enter"], ["Delete this event?", ":y", "Enter"], ["exit 0"]]);
    expect(terminal.text()).toMatch(/Dentist {2}\w+ \d+ \w+ \d{4} 12:00–13:00 {2}Personal/);
    expect(await readEvents(installation)).toEqual([]);
  });

  test("when there is none, the command says so", async () => {
    const terminal = openTerminal(createInstallation(), { columns: 80 });
    terminal.type(`calctl events get; echo "exit $?"`, "Enter");
    await terminal.shows("exit 5");
    expect(terminal.screen()).toContain("there are no events in the next 7 days to pick from");
  });
});

describeWithSystem("tmux", "confirming a deletion", () => {
  test("lists each event with its day and calendar", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await addWork(installation);
    const ids = [
      await createEvent(installation, "Dentist", "-c", "Personal"),
      await createEvent(installation, "Review", "-c", "Work"),
    ];
    const terminal = openTerminal(installation, { columns: 120 });
    terminal.type(`calctl events delete ${ids.join(" ")}; echo "exit $?"`, "Enter");
    await answer(terminal, [["Delete these 2 events?", ":n", "Enter"], ["exit 130"]]);
    const when = String.raw`\w+ \d+ \w+ \d{4} 12:00–13:00`;
    expect(terminal.screen()).toMatch(
      new RegExp(`Dentist {2}${when} {2}Personal\n {2}Review {2}${when} {2}Work`),
    );
    expect(await readEvents(installation)).toHaveLength(2);
  });

  test("says that all events of a series are deleted", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    const series = await createEvent(installation, "Choir", "--repeat", "daily", "--count", "3");
    const single = await createEvent(installation, "Dentist");
    const terminal = openTerminal(installation, { columns: 120 });
    terminal.type(`calctl events delete ${single} ${series} --scope all; echo "exit $?"`, "Enter");
    await answer(terminal, [
      ["Delete these 2 events, and all others of their series?", ":n", "Enter"],
      ["exit 130"],
    ]);
    expect(await readEvents(installation)).toHaveLength(4);
  });
});

describeWithSystem("tmux", "a question", () => {
  test("longer than a line is broken between words, with its choices at the end", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    const series = await createEvent(installation, "Choir", "--repeat", "daily", "--count", "3");
    const terminal = openTerminal(installation, { columns: 40 });
    terminal.type(`calctl events delete ${series} --scope all`, "Enter");
    await terminal.shows("(y/N)");
    expect(terminal.screen()).toMatch(/^\? Delete all events of this\n {2}series\? \(y\/N\)/m);
    terminal.type("Escape");
  });
});

describeWithSystem("tmux", "add", () => {
  const LUNCH = "calctl add Lunch with Ana tomorrow 12-13 at Noodle bar --fields title";

  async function openAdd(line: string, columns = 80) {
    const installation = createInstallation({ TZ: "UTC" });
    await addWork(installation);
    const terminal = openTerminal(installation, { columns });
    terminal.type("-l", "--", `${line}; echo "exit $?"`);
    terminal.type("Enter");
    return { installation, terminal };
  }

  test.each([80, 40])("Enter makes what the reading shows, at %i columns", async (columns) => {
    const { installation, terminal } = await openAdd(`${LUNCH} '#2'`, columns);
    await answer(terminal, [["Calendar:", ":wor"], ["Calendar: wor", "Enter"], ["Create it?"]]);
    expect(terminal.screen()).toMatch(/ {2}Lunch with Ana\n {2}\w+ \d+ \w+ \d{4} 12:00–13:00 UTC\n/);
    expect(terminal.screen()).toMatch(/^ {2}at Noodle bar {2}#2 {2}Work$/m);
    expect(terminal.screen()).toMatch(/^\? Create it\? \(Enter, e to edit, n\)$/m);
    expect(await readEvents(installation)).toEqual([]);
    await answer(terminal, [["Create it?", "Enter"], ["exit 0"]]);
    const made = {
      title: "Lunch with Ana",
      location: "Noodle bar",
      calendar_name: "Work",
      label: { number: 2 },
    };
    const end_local = expect.stringMatching(/T13:00:00/);
    expect(await readEvents(installation)).toMatchObject([{ ...made, end_local }]);
  });

  test("of an event that repeats, the reading has the next three dates", async () => {
    const { installation, terminal } = await openAdd("calctl add -c Work Run weekdays 12-13 --fields title");
    await terminal.shows("Create it?");
    const day = String.raw`\w{3} \d{4}-\d\d-\d\d`;
    expect(terminal.screen()).toMatch(
      new RegExp(`^ {2}repeat: every weekday: ${day}, ${day}, ${day}, …$`, "m"),
    );
    expect(await readEvents(installation)).toEqual([]);
    await answer(terminal, [["Create it?", "Enter"], ["exit 0"]]);
    expect(terminal.text().match(/repeat:/g)).toHaveLength(1);
    const [made] = await readEvents(installation);
    expect(made).toMatchObject({ title: "Run", series_id: expect.any(String) });
  });

  test("a narrow terminal breaks the reading between words", async () => {
    const { terminal } = await openAdd(
      "calctl add -c Work Planning the anniversary concert tomorrow 12-13",
      30,
    );
    await terminal.shows("Create it?");
    expect(terminal.screen()).toMatch(
      /^ {2}Planning the anniversary\n {2}concert\n {2}.* 12:00–13:00\n {2}UTC\n/m,
    );
  });

  test("e opens the form filled in, which shows a command that makes the same", async () => {
    const { installation, terminal } = await openAdd(`${LUNCH} -c Work '#2'`);
    await answer(terminal, [
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
    const line = / {2}(calctl events create .*)/.exec(terminal.text())?.[1] ?? "";
    expect(line).toContain("--calendar Work --title 'Lunch with Ana' --start ");
    expect(line).toContain("T12:30 --duration 1h --location 'Noodle bar' --label 2 ");
    expect(await readEvents(installation)).toMatchObject([
      { title: "Lunch with Ana", end_at: `${TOMORROW}T13:30:00.000Z`, location: "Noodle bar" },
    ]);
  });

  test("of two readings, one is chosen", async () => {
    const { installation, terminal } = await openAdd("calctl add -c Work Lunch tomorrow 3-4 --fields title");
    await answer(terminal, [
      ['"3-4" may be 03:00-04:00 or 15:00-16:00:', "Down", "Enter"],
      ["Create it?", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(installation)).toMatchObject([
      { title: "Lunch", start_at: `${TOMORROW}T15:00:00.000Z`, end_at: `${TOMORROW}T16:00:00.000Z` },
    ]);
  });

  test("a number is a time, a day or part of the title, and a place may be one of two", async () => {
    const { installation, terminal } = await openAdd(
      `calctl add -c Work Walk at the park 12 ${TOMORROW} at the zoo --fields title`,
    );
    await answer(terminal, [
      [`"12" in "12 ${TOMORROW}" may be a time or part of the title:`, "Down", "Enter"],
      ['the place may be "the park 12 at the zoo" or "the zoo":', "Down"],
    ]);
    await terminal.shows('title "Walk at the park 12", place "the zoo"');
    await answer(terminal, [["❯ Walk", "Enter"], ["Create it?", "Enter"], ["exit 0"]]);
    expect(await readEvents(installation)).toMatchObject([
      { title: "Walk at the park 12", location: "the zoo", all_day: true },
    ]);
  });

  test("Escape instead of a choice creates nothing", async () => {
    const { installation, terminal } = await openAdd("calctl add -c Work Run daily 9:00 for 3 days");
    await answer(terminal, [['"for 3 days" may be how long', "Escape"], ["exit 130"]]);
    expect(await readEvents(installation)).toEqual([]);
  });

  test("nothing is chosen for words that are there twice", async () => {
    const { terminal } = await openAdd(`calctl add -c Work '"3-4" kids tomorrow 3-4'`);
    await answer(terminal, [['"3-4" may be 03:00-04:00 or 15:00-16:00'], ["exit 2"]]);
  });

  test("a text that is asked for may have two readings, and the form keeps how often", async () => {
    const { installation, terminal } = await openAdd("calctl add -c Work --fields title");
    await answer(terminal, [
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
    const [made] = await readEvents(installation);
    expect(made).toMatchObject({ title: "Tea", recurrences: ["RRULE:FREQ=DAILY;COUNT=3"] });
  });

  test("the form has the days of an event of several", async () => {
    const { installation, terminal } = await openAdd(
      `calctl add Camp ${TOMORROW} for 3 days -c Work --fields title`,
    );
    await answer(terminal, [
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
    const [made] = await readEvents(installation);
    expect(made).toMatchObject({ title: "Camp", all_day: true, start_local: TOMORROW });
    expect(made?.["end_local"]).not.toBe(TOMORROW);
  });

  test("comes back after Ctrl-Z and fg", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("whoami");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type("calctl add Lunch tomorrow 12-13 --fields title", "Enter");
    for (const _time of [1, 2]) {
      await answer(terminal, [["Create it?", "C-z"], ["Stopped"]]);
      terminal.start("fg");
    }
    await answer(terminal, [["Create it?", "Enter"], ["Lunch\n"]]);
    expect(await readEvents(installation)).toMatchObject([{ title: "Lunch" }]);
  });

  test.each([["Escape"], ["C-c"], ["n"], [":xyn"]])("%s leaves nothing", async (...keys) => {
    const { installation, terminal } = await openAdd(`${LUNCH} -c Work`);
    await answer(terminal, [["Create it?", ...keys], ["exit 130"]]);
    expect(await readEvents(installation)).toEqual([]);
  });

  test("a text may be asked for, and a wrong one is asked for again", async () => {
    const { installation, terminal } = await openAdd("calctl add -c Work --fields title");
    await answer(terminal, [
      ["What and when:", ":Lunch mondays 11:00", "Enter"],
      ["is not understood", "C-u", ":Lunch tomorrow at 11", "Enter"],
      ["Create it?", ":zy", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(installation)).toMatchObject([{ start_at: `${TOMORROW}T11:00:00.000Z` }]);
  });

  test("what the calendar lacks is said before the question", async () => {
    const { terminal } = await openAdd(`${LUNCH} -c Work '#nowhere'`);
    await terminal.shows("exit 5");
    expect(terminal.screen()).toContain(
      'the text (quote "#nowhere" to keep it in the title): there is no label',
    );
    expect(terminal.screen()).not.toContain("Create it?");
  });
});

describeWithSystem("tmux", "events create", () => {
  /** What the form makes, without what differs between two events. */
  function content({ id, created_at, updated_at, series_id, ...rest }: Event) {
    return rest;
  }

  /** Runs the command line that is on the screen in a real shell. */
  function runShown({ home, env }: Installation, terminal: Terminal): void {
    const [, line = ""] = / {2}(calctl .*events create .*)/.exec(terminal.text()) ?? [];
    writeFileSync(join(home, "calctl"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
      mode: 0o755,
    });
    execFileSync("sh", ["-c", line], { env: { ...env, PATH: `${home}:${env["PATH"]}` }, cwd: home });
    expect(existsSync(join(home, "x"))).toBe(false);
  }

  test.each([80, 40])(
    "asks for the event, and shows a command that makes the same, at %i columns",
    async (columns) => {
      const installation = createInstallation({ TZ: "UTC" });
      await addWork(installation);
      const title = `-Ana's $(touch x) \`id\` "q" \\ ; 日本 \u202e %d`;
      const terminal = openTerminal(installation, { columns });
      terminal.type(`calctl events create --fields title; echo "exit $?"`, "Enter");
      await answer(terminal, [
        ["Calendar:", ":wor"],
        ["Calendar: wor", "Enter"],
        ["Title:", "Enter"],
        ["title is empty", `:${title}`, "Enter"],
        ["Day (", ":someday", "Enter"],
        ['"someday" is not', "C-u", ":tomorrow", "Enter"],
        ["day: ", ":9:30", "Enter"],
        ["start: ", ":9:00", "Enter"],
        ["not after", "C-u", ":11am", "Enter"],
        ["Repeat (", ":every someday", "Enter"],
        ['"every someday" is not', "C-u", "Enter"],
        ["Label:", "Down"],
        ["❯ ● 2", "Enter"],
        ["Attendees:", "Down", "Space"],
        ["◉ Ben", "Enter"],
        ["exit 0"],
      ]);
      const [made] = await readEvents(installation);
      expect(made).toMatchObject({
        title,
        calendar_name: "Work",
        start_local: expect.stringMatching(/T09:30:00\+00:00$/),
        end_local: expect.stringMatching(/T11:00:00\+00:00$/),
        label: { number: 2 },
        attendees: [{ name: "Ben" }],
      });
      runShown(installation, terminal);
      const [one, another, ...others] = await readEvents(installation);
      expect(others).toEqual([]);
      expect(another && content(another)).toEqual(one && content(one));
    },
  );

  test("all day, with one calendar and one member", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("whoami");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events create --fields title; echo "exit $?"`, "Enter");
    await answer(terminal, [
      ["Title:", ":Fair", "Enter"],
      ["Day (", "Enter"],
      ["Start (", "Enter"],
      ["Last day (", ":2d", "Enter"],
      ["(once)", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    const line = terminal.text();
    expect(line).toContain("calctl events create --all-day --title Fair --start ");
    expect(line).toContain(" --duration 2d --label 1\n");
    runShown(installation, terminal);
    const [one, another] = await readEvents(installation);
    expect(one).toMatchObject({ title: "Fair", all_day: true });
    expect(another && content(another)).toEqual(one && content(one));
  });

  test("with some flags asks for the rest, and checks those first", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await addWork(installation);
    const terminal = openTerminal(installation, { columns: 80 });
    const wrong = [
      ["--start someday", '"someday" is not'],
      ["--url ''", "--url is empty"],
      ["-c Work --label Nowhere", "Nowhere"],
      ["-c Work --attendee Nobody", "Nobody"],
      [`--start ${TOMORROW}T12:00 --end ${TOMORROW}T11:00`, "not after"],
    ] as const;
    for (const [run, [flags, problem]] of wrong.entries()) {
      terminal.start(`calctl events create ${flags}; echo "exit $? in run ${run}"`);
      await expect.poll(() => terminal.screen()).toMatch(new RegExp(`^exit [25] in run ${run}$`, "m"));
      expect(terminal.screen()).toContain(problem);
      expect(terminal.screen()).not.toMatch(/^\? /m);
    }
    const flags = "-c Work --title Choir --label 2 --start-timezone Asia/Tokyo --fields title";
    terminal.start(`calctl events create ${flags}; echo "exit $?"`);
    await answer(terminal, [
      ["Day (", `:${TOMORROW}`, "Enter"],
      ["Start (", ":9:30", "Enter"],
      ["End or length (", "Enter"],
      ["Repeat (", ":weekly", "Enter"],
      ["Attendees:", "Enter"],
      ["exit 0"],
    ]);
    expect(terminal.screen()).not.toMatch(/(Title|Label|Calendar):/);
    expect(terminal.text()).toContain("--start-timezone Asia/Tokyo --label 2 --repeat weekly --timezone UTC");
    expect(terminal.text()).toContain("repeat: every week: ");
    runShown(installation, terminal);
    const [one, another] = await readEvents(installation);
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
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("whoami");
    await installation.run("config", "set", "duration", "45m");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events create ${flags} --fields title; echo "exit $?"`, "Enter");
    await answer(terminal, [...answers, ["Label:", "Enter"], ["exit 0"]]);
    const questions = answers.filter(([shown]) => shown !== "not after");
    expect(terminal.text().match(/^✔ /gm)).toHaveLength(questions.length + 1);
    expect(await readEvents(installation)).toMatchObject([
      { title: "Fair", start_at: `${TOMORROW}T12:00:00.000Z`, end_at: `${TOMORROW}T12:45:00.000Z` },
    ]);
  });

  test("with --all-day asks for days alone", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("whoami");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events create --all-day --title Fair --fields title; echo "exit $?"`, "Enter");
    await answer(terminal, [
      ["Day (", `:${TOMORROW}T12:00`, "Enter"],
      ["has a clock time", "C-u", `:${TOMORROW}`, "Enter"],
      ["Last day (", "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(installation)).toMatchObject([
      { all_day: true, start_local: TOMORROW, end_local: TOMORROW },
    ]);
  });

  test("with all that is needed asks nothing", async () => {
    const installation = createInstallation({ TZ: "UTC" });
    const terminal = openTerminal(installation, { columns: 80 });
    const flags = `--title Fair --start ${TOMORROW}T12:00 --duration 1h`;
    terminal.type(`calctl events create ${flags} --fields title; echo "exit $?"`, "Enter");
    await terminal.shows("exit 0");
    expect(terminal.text()).not.toContain("Label:");
  });

  test("with --strict-dates takes ISO 8601 only", async () => {
    const { installation, terminal } = await openStrictForm();
    await answer(terminal, [
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
    expect(await readEvents(installation)).toMatchObject([
      { start_at: `${TOMORROW}T15:00:00.000Z`, end_at: `${TOMORROW}T16:00:00.000Z` },
    ]);
  });

  test("with --strict-dates begins at today, written in ISO 8601", async () => {
    const { installation, terminal } = await openStrictForm();
    await answer(terminal, [
      ["Title:", ":Fair", "Enter"],
      ["Day (YYYY-MM-DD):", "Enter"],
      ["nothing for all day):", "Enter"],
      ["Last day (YYYY-MM-DD, 2d; nothing for the same day):", "Enter"],
      ["Repeat (", "Enter"],
      ["Label:", "Enter"],
      ["exit 0"],
    ]);
    expect(await readEvents(installation)).toMatchObject([{ title: "Fair", all_day: true }]);
  });

  test.each([["Escape"], ["C-c"]])("%s writes nothing", async (key) => {
    const installation = createInstallation({ TZ: "UTC" });
    await installation.run("whoami");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events create; echo "exit $?"`, "Enter");
    await answer(terminal, [["Title:", ":Fair", "Enter"], ["Day (", key], ["exit 130"]]);
    expect(await readEvents(installation)).toEqual([]);
  });
});

describeWithSystem("tmux", "events update without flags", () => {
  /** A form for an event of Work with Ben, that begins at 12:00. */
  async function openForm(...flags: string[]) {
    const installation = createInstallation({ TZ: "UTC" });
    await addWork(installation);
    const id = await createEvent(installation, "Dentist", "-c", "Work", "--location", "Here", ...flags);
    const terminal = openTerminal(installation, { columns: 80 });
    const ask = (...argv: string[]) =>
      terminal.start(`calctl events update ${id} ${argv.join(" ")}; echo "exit $?"`);
    return { installation, terminal, ask, read: async () => (await readEvents(installation))[0] };
  }

  test("asks with what the event has, and changes what was answered otherwise", async () => {
    const { terminal, ask, read } = await openForm("--label", "2", "--attendee", "Ben");
    const before = await read();
    ask("--fields title");
    await answer(terminal, [
      ["Title: (Dentist)", "Enter"],
      [`(${TOMORROW})`, "Enter"],
      ["(12:00)", "Enter"],
      ["(1h)", "Enter"],
      ["❯ ● 2", "Enter"],
      ["◉ Ben", "Enter"],
      ["exit 0"],
    ]);
    expect(terminal.screen()).toContain("nothing was changed");
    expect(await read()).toEqual(before);
    ask("--fields title");
    await answer(terminal, [
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
    const { terminal, ask, read } = await openForm();
    ask(`--all-day --start ${TOMORROW} --duration 2d`);
    await terminal.shows("exit 0");
    ask("--fields title");
    await answer(terminal, [
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
    await answer(terminal, [
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

  test.each([["Escape"], ["C-c"]])("%s changes nothing", async (key) => {
    const { terminal, ask, read } = await openForm();
    const before = await read();
    ask();
    await answer(terminal, [["Title:", ":Doctor", "Enter"], ["Day (", key], ["exit 130"]]);
    expect(await read()).toEqual(before);
  });
});

describeWithSystem("tmux", "an import", () => {
  test.each([
    ["of the same source", "club", "exit 13"],
    ["of another source", "school", "exit 0"],
  ])("%s may run while it asks", async (_, source, shown) => {
    const installation = createInstallation({ TZ: "UTC" });
    const file = (title: string) => {
      const path = join(installation.home, `${title}.ndjson`);
      const times = { start_at: `${TOMORROW}T12:00:00.000Z`, end_at: `${TOMORROW}T13:00:00.000Z` };
      writeFileSync(path, `${JSON.stringify({ id: title, title, ...times })}\n`);
      return path;
    };
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl import "${file("Match")}" --source club; echo "exit $?"`, "Enter");
    await terminal.shows("Write 1 change");
    const other = await installation.run("import", file("Lesson"), "--source", source, "--yes");
    expect(other).toMatchObject({ exitCode: 0 });
    await answer(terminal, [["Write 1 change", ":y", "Enter"], [shown]]);
    const isRefused = shown === "exit 13";
    if (isRefused) expect(terminal.screen()).toContain("error: another import of this source");
    const titles = (await readEvents(installation)).map(({ title }) => title);
    expect(titles.sort()).toEqual(isRefused ? ["Lesson"] : ["Lesson", "Match"]);
  });
});

describeWithSystem("tmux", "other questions", () => {
  test("a new password is asked for twice, and never shown", async () => {
    const installation = createInstallation();
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl service users add Ben --fields name; echo "exit $?"`, "Enter");
    await answer(terminal, [
      ["Password for Ben", ":short", "Enter"],
      ["must have at least 8 characters", ":correct horse", "C-t", "Enter"],
      ["The same again", ":battery staple", "Enter"],
      ["Not the same. Password for Ben", ":correct horse", "Enter"],
      ["? The same again", ":correct horse", "Enter"],
      ["exit 0"],
    ]);
    expect(terminal.screen()).not.toMatch(/correct|battery|ctrl\+t|toggle/);
  });

  test("the service's commands ask for names, users and addresses that are missing", async () => {
    const installation = createInstallation();
    await addWork(installation);
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.start(`calctl service users add --fields name; echo "exit $?"`);
    await answer(terminal, [
      ["Name:", "Enter"],
      ["the name is empty", ":Eva", "Enter"],
      ["Password for Eva", "Enter"],
      ["exit 0"],
    ]);
    terminal.start(`calctl service users password; echo "exit $?"`);
    await answer(terminal, [
      ["User:", ":eva"],
      ["User: eva", "Enter"],
      ["New password", ":correct horse", "Enter"],
      ["The same again", ":correct horse", "Enter"],
      ["password of Eva set"],
      ["exit 0"],
    ]);
    terminal.start(`calctl service tokens create --fields user_id; echo "exit $?"`);
    await answer(terminal, [["User:", ":ben"], ["User: ben", "Enter"], ["exit 0"]]);
    terminal.start(`calctl service clients add --fields redirect_uris; echo "exit $?"`);
    await answer(terminal, [["Name:", ":Phone", "Enter"], ["Redirect URI:", "Enter"], ["exit 0"]]);
    expect(terminal.screen()).toMatch(/^Redirect URIs +http:\/\/127.0.0.1\/callback$/m);
    terminal.start(`calctl service clients add --redirect-uri https://x.example; echo "exit $?"`);
    await answer(terminal, [["Name:", "Escape"], ["exit 130"]]);
    const { stdout } = await installation.run("service", "clients", "list", "--fields", "name");
    expect(stdout).toBe("Phone\n");
  });

  test("what a command line leaves out is picked from what there is, or typed", async () => {
    const installation = createInstallation({ NO_COLOR: "1" });
    await addWork(installation);
    const terminal = openTerminal(installation, { columns: 100 });
    const rows: readonly (readonly [
      line: string,
      note: string,
      ...answers: (readonly [string, string])[],
    ])[] = [
      ["targets test", "there are no targets"],
      ["service clients remove", "there are no clients"],
      ["service tokens revoke", "there are no tokens"],
      ["profiles remove", "there are no profiles"],
      [PREPARE, "saved target team"],
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
      ["targets test --dry-run | head -n 2", "target team", ["Target:\n❯", "team"]],
      ["targets remove", "removed target team", ["Target:\n❯", "team"]],
      ["profiles use", "profile in use: club", ["Profile:\n❯", "club"]],
      ["profiles remove", "removed profile club", ["Profile:\n❯", "club"]],
    ];
    for (const [run, [line, note, ...answers]] of rows.entries()) {
      terminal.start(`calctl ${line}; echo "run ${run} ended"`);
      for (const [shown, typed] of answers)
        await answer(terminal, [
          [shown, `:${typed}`],
          [`${shown.replace("\n❯", "")} ${typed}`, "Enter"],
        ]);
      await terminal.shows(`run ${run} ended\n`);
      expect(terminal.screen().replace(/ +/g, " ")).toContain(note);
    }
  }, 120_000);

  test("targets add asks for name, format and URL, and checks what is given first", async () => {
    const installation = createInstallation();
    const terminal = openTerminal(installation, { columns: 80 });
    const wrong = [
      ["--as slack --chat 5", "chat"],
      ["--to nobody", "nobody"],
      ["'a b'", "not a valid name"],
    ] as const;
    for (const [run, [flags, problem]] of wrong.entries()) {
      terminal.start(`calctl targets add ${flags}; echo "exit $? in run ${run}"`);
      await terminal.shows(`exit 2 in run ${run}`);
      expect(terminal.screen()).toContain(problem);
      expect(terminal.screen()).not.toMatch(/^\? /m);
    }
    terminal.start(`calctl targets add --insecure-storage; echo "exit $?"`);
    await answer(terminal, [
      ["Name:", ":a b", "Enter"],
      ["not a valid name", "C-u", ":team", "Enter"],
      ["Message format:", ":slack", "Enter"],
      ["URL of the webhook", ":hooks.example/secret", "Enter"],
      ["is not an https URL", ":https://hooks.example/secret", "Enter"],
      ["exit 0"],
    ]);
    expect(terminal.text()).not.toContain("secret");
    expect((await installation.run("targets", "list")).stdout).toBe("team\tslack\n");
  });

  test("login asks for what is missing, and says what is wrong", async () => {
    const { baseUrl } = await startAuthorizationServer();
    const installation = createInstallation();
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl login --client-id abc --insecure-storage; echo "exit $?"`, "Enter");
    await answer(terminal, [
      ["URL of the service:", "Enter"],
      ["this is needed", ":http://calendar.example", "Enter"],
      ["http://calendar.example is not encrypted", "C-u", `:${baseUrl}`, "Enter"],
      ["URL of its authorization server:", "Escape"],
      ["exit 130"],
    ]);
    expect(terminal.screen()).not.toContain("Client id");
  });

  test("a calendar is picked where several could be meant", async () => {
    const installation = createInstallation();
    await addWork(installation);
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl members --fields name; echo "exit $?"`, "Enter");
    await answer(terminal, [["Calendar:", ":work"], ["Calendar: work", "Enter"], ["exit 0"]]);
    expect(terminal.screen()).toContain("Ben");
  });

  test("an event is not moved to the calendar in which it is", async () => {
    const installation = createInstallation();
    await addWork(installation);
    const id = await createEvent(installation, "Dentist", "-c", "Personal");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl events move ${id} --fields calendar_name; echo "exit $?"`, "Enter");
    await answer(terminal, [["Move this event to Work?", ":y", "Enter"], ["exit 0"]]);
    expect(terminal.screen()).toContain("Calendar  Work");
  });

  test("a comment may be written in the editor", async () => {
    const installation = createInstallation({ EDITOR: "printf 'one\\ntwo\\n' >" });
    const id = await createEvent(installation, "Dentist");
    const terminal = openTerminal(installation, { columns: 80 });
    terminal.type(`calctl comment ${id} -o json --fields content; echo "exit $?"`, "Enter");
    await answer(terminal, [["Comment (nothing opens the editor):", "Enter"], ["exit 0"]]);
    expect(terminal.screen()).toContain(String.raw`"one\ntwo"`);
  });

  test.each([
    ["ends with an error after saving", "printf 'long text' > \"$1\"; exit 1", "130", "long text"],
    ["saves something else than UTF-8", "printf 'caf\\351' > \"$1\"", "2", "caf\ufffd"],
    ["saves nothing", "true", "130", null],
    ["saves a comment that is too long", "printf '%01001d' 0 > \"$1\"", "2", "0".repeat(1001)],
  ])("a comment from an editor that %s is not lost", async (_, script, exitCode, kept) => {
    const installation = createInstallation();
    const [editor, TMPDIR] = [join(installation.home, "editor"), join(installation.home, "tmp")];
    mkdirSync(TMPDIR);
    writeFileSync(editor, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const id = await createEvent(installation, "Dentist");
    const env = { ...installation.env, EDITOR: editor, TMPDIR };
    const terminal = openTerminal({ env }, { columns: 120 });
    terminal.type(`calctl comment ${id}; echo "exit $?"`, "Enter");
    await answer(terminal, [["Comment (nothing opens the editor):", "Enter"], [`exit ${exitCode}`]]);
    const [, path] = /^your text is kept in (.*)$/m.exec(terminal.text()) ?? [];
    expect(path === undefined ? null : readFileSync(path, "utf8")).toBe(kept);
    expect(readdirSync(TMPDIR)).toHaveLength(kept === null ? 0 : 1);
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

  test.each(commands)("without a terminal: %j is exit 2", async (argv, message) => {
    const { run, service, userId } = await createHarness();
    await service.admin.calendars.add({ name: "Work", owner: userId });
    expect(await run(...argv)).toMatchObject(failed(2, message));
  });

  describeWithSystem("script", "on a terminal", () => {
    test.each([
      ["with --no-input", "calctl events get --no-input"],
      ["with CALCTL_NO_INPUT", "CALCTL_NO_INPUT=1 calctl events get"],
      ["with CI", "CI=true calctl events get"],
      ["with a pipe as stdin", "true | calctl events get"],
      ["with a file as stderr", 'calctl events get 2> "$HOME/err"; code=$?; cat "$HOME/err"; exit $code'],
    ])("%s", async (_, line) => {
      const { exitCode, stdout } = await createInstallation().startOnTerminal(line).ended;
      expect({ exitCode, stdout }).toMatchObject({
        exitCode: 2,
        stdout: expect.stringContaining("needs ID"),
      });
    });
  });

  test.each<readonly string[]>([
    ["events", "list"],
    ["events", "get", "x"],
    ["events", "create"],
    ["--help"],
  ])("and nothing that asks is loaded by %j", async (...argv) => {
    const { home, runWith } = createInstallation();
    const folder = join(home, "coverage");
    mkdirSync(folder);
    await runWith({ env: { NODE_V8_COVERAGE: folder } }, ...argv);
    for (const text of ["You must provide a valid value", "The same without questions"])
      expect(timesRun(folder, text)).toBe(0);
  });
});
