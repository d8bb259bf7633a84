import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createInstallation, type Installation } from "../support/spawned.js";
import { describeWithSystem, fixedTime } from "../support/system.js";
import { createExampleWeek } from "./support/example-week.js";
import { peersPage, TASKS, type Way } from "./support/peer-tasks.js";
import { openTerminal, type Terminal } from "./support/tmux.js";

/** docs/peers.md, and what it has people type, on a real terminal, on a Saturday afternoon. */

test("docs/peers.md has the keystrokes", async () => {
  await expect(peersPage()).toMatchFileSnapshot("../../docs/peers.md");
});

const STARTER = `env ${fixedTime("2026-11-21 15:30:00")
  .map((word) => `"${word}"`)
  .join(" ")}`;

/** The example week, and a third member of the calendar in which events are made. */
async function createWeek(): Promise<Installation> {
  const { directory } = await createExampleWeek();
  const installation = createInstallation({ CALCTL_DATA_DIR: directory });
  for (const line of [
    "service users add Cleo --no-input",
    "service members add Cleo -c Family",
    "config set write_calendar Family -p local",
  ])
    expect(await installation.run(...line.split(" "))).toMatchObject({ exitCode: 0 });
  return installation;
}

function open(installation: Installation): Terminal {
  return openTerminal(installation, { columns: 100, rows: 100, starter: STARTER });
}

/** Types a way of a task. @returns what the screen shows in the end */
async function type(terminal: Terminal, { line, answers }: Way): Promise<string> {
  if (answers === undefined) return stripVTControlCharacters(terminal.run(line));
  terminal.start(`${line}; echo "exit $?"`);
  for (const [question, answer] of answers) {
    await terminal.shows(question);
    terminal.type("-l", "--", answer);
    terminal.type("Enter");
  }
  await terminal.shows("exit 0");
  return terminal.screen();
}

/** The events of the week in khal. */
async function importIntoKhal(installation: Installation): Promise<void> {
  const folder = join(installation.home, ".config/khal");
  for (const each of [folder, join(installation.home, "family")]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, "config"), KHAL_CONFIG.replaceAll("HOME", installation.home));
  const week = "--from 2026-11-21 --to 2026-11-28 --all-calendars -o ics";
  const { stderr } = await installation.shell(
    `cd; calctl events list ${week} > week.ics; khal import --batch week.ics`,
  );
  expect(stderr).toBe("");
}

const KHAL_CONFIG = `[calendars]
[[family]]
path = HOME/family
[sqlite]
path = HOME/khal.db
[locale]
local_timezone = Europe/Berlin
default_timezone = Europe/Berlin
timeformat = %H:%M
dateformat = %d.%m.
longdateformat = %d.%m.%Y
datetimeformat = %d.%m. %H:%M
longdatetimeformat = %d.%m.%Y %H:%M
[default]
default_calendar = family
`;

/** Lists what the tasks wrote. */
const LISTS = {
  calctl: "calctl agenda --days 14",
  khal: 'khal list today 14d -f "{start-end-time-style} {title} {location}"',
};

/** Does the tasks of which a program is capable, in order. */
async function runTasks(terminal: Terminal, program: keyof typeof LISTS): Promise<void> {
  for (const task of TASKS) {
    const way = task[program];
    if (way === null) continue;
    const screen = await type(terminal, way);
    const shown = task.writes ? await type(terminal, { line: LISTS[program] }) : screen;
    expect(shown, way.line).toMatch(task.shows[program] ?? "what it does");
  }
}

describeWithSystem("tmux", "typed on a terminal,", () => {
  describeWithSystem("faketime", "at a fixed time,", () => {
    test("the tasks are done by calctl", async () => {
      const terminal = open(await createWeek());
      // The beginnings of ids are known from a list.
      terminal.run("calctl agenda");
      await runTasks(terminal, "calctl");
    });

    describeWithSystem("khal", "with khal", () => {
      test("the tasks are done by khal", async () => {
        const installation = await createWeek();
        await importIntoKhal(installation);
        const terminal = open(installation);
        // It asks for locales, which need not be installed.
        for (const name of ["khal", "ikhal"])
          terminal.run(`${name}() { ${STARTER} LC_ALL=C PYTHONUTF8=1 ${name} "$@"; }`);
        await runTasks(terminal, "khal");
        terminal.start("ikhal");
        for (const shown of ["Birthday party", "Conference in Lyon", "Dec "]) await terminal.shows(shown);
      });
    });
  });
});

describeWithSystem("gcalcli", "gcalcli", () => {
  test.each(TASKS.flatMap(({ gcalcli }) => gcalcli?.line ?? []))("can parse %s", async (line) => {
    const parse =
      "import sys; from gcalcli.argparsers import get_argument_parser as p; p().parse_args(sys.argv[1:])";
    const { exitCode, stderr } = await createInstallation().shell(
      `gcalcli() { /usr/bin/python3 -c '${parse}' "$@"; }; ${line}`,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });
});
