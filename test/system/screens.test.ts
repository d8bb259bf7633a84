import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";
import { describeWithSystem, fixedTime } from "../support/system.js";
import { createExampleWeek, exampleId } from "./support/example-week.js";
import { drawScreen, THEMES } from "./support/screen-svg.js";
import { openTerminal, type Terminal } from "./support/tmux.js";

/** What the built program shows on a real terminal, on a Saturday afternoon. */

const NOW = "2026-11-21 15:30:00";
const WIDTHS = [40, 80, 120, 200];

/** What a page of screens has, the command that shows it, and the question with which it ends, if any. */
const SCREENS: readonly (readonly [title: string, line: string, question?: string])[] = [
  ["The events of two days", "calctl events list --all-calendars --days 2"],
  ["The week", "calctl agenda"],
  ["The week as a grid", "calctl week"],
  ["A month", "calctl month"],
  ["What comes next", "calctl next -n 2"],
  ["When Ana and Ben are free", "calctl free --with Ben --for 2h --between 09:00-18:00"],
  ["One event", `calctl events get ${exampleId("Dinner with the neighbors").slice(0, 4)}`],
  ["Adding an event", "calctl add Lunch with Ana tomorrow 12-13 at Noodle bar -c Family", "Create it?"],
  ["Importing a file", "calctl import ~/season.ics -c Family", "Write 4 changes"],
  ["Undoing a command", "calctl events delete 9faa --yes; calctl undo", "Undo events delete?"],
  ["Help", "calctl agenda --help"],
  ["An error", "calctl events list --calendar Wrok"],
];

/** Four events, and one that no calendar takes. */
const SEASON = [
  "BEGIN:VCALENDAR",
  ...["First training", "Match against Riverside", "Match at Hill Park", "Christmas party"].flatMap(
    (title, index) => [
      ...["BEGIN:VEVENT", `UID:${index}@club.example`, `SUMMARY:${title}`],
      ...[`DTSTART:2026120${index + 1}T180000Z`, `DTEND:2026120${index + 1}T200000Z`, "END:VEVENT"],
    ],
  ),
  ...["BEGIN:VEVENT", "UID:5@club.example", "SUMMARY:Elections", "DTSTART;TZID=Club Time:20261209T180000"],
  ...["END:VEVENT", "END:VCALENDAR", ""],
].join("\r\n");

/** A terminal with the example week, on which the clock stands still. */
async function openScreen(columns: number): Promise<Terminal> {
  const { directory } = await createExampleWeek();
  const installation = createInstallation({ CALCTL_DATA_DIR: directory });
  writeFileSync(join(installation.home, "season.ics"), SEASON);
  const starter = `env ${fixedTime(NOW)
    .map((word) => `"${word}"`)
    .join(" ")}`;
  return openTerminal(installation, { columns, rows: 100, starter });
}

/** Runs a line up to its question, which Escape then ends. */
async function runToQuestion(terminal: Terminal, line: string, question: string): Promise<string> {
  terminal.start(line);
  await terminal.shows(question);
  const screen = terminal.screen();
  terminal.type("Escape");
  await terminal.shows("interrupted");
  return screen;
}

/** The page of screens, at 80 columns. */
function screensPage(screens: readonly string[]): string {
  const sections = SCREENS.map(
    ([title, line], index) =>
      `## ${title}\n\n\`\`\`text\n$ ${line}\n${stripVTControlCharacters(screens[index] ?? "")}\n\`\`\`\n`,
  );
  const introduction =
    "What calctl shows on a terminal of 80 columns, on a Saturday at 15:30. A test compares this page with the program.";
  return ["# Screens\n", `${introduction}\n`, ...sections].join("\n");
}

describeWithSystem("tmux", "screens", () => {
  describeWithSystem("faketime", "at a fixed time", () => {
    test.each(WIDTHS)("of %i columns", async (columns) => {
      const terminal = await openScreen(columns);
      const screens: string[] = [];
      for (const [, line, question] of SCREENS)
        screens.push(
          question === undefined ? terminal.run(line) : await runToQuestion(terminal, line, question),
        );
      const texts = screens.map(
        (screen, index) => `$ ${SCREENS[index]?.[1]}\n${stripVTControlCharacters(screen)}\n`,
      );
      await expect(texts.join("\n")).toMatchFileSnapshot(`golden/screens-${columns}.txt`);
      if (columns === 80) await expect(screensPage(screens)).toMatchFileSnapshot("../../docs/screens.md");
    });

    test.each([
      ["agenda", "The events of a week as a list by day", "calctl agenda", 80],
      ["week", "The same week as a grid, a column for each day", "calctl week", 100],
    ])("as a picture: %s", async (name, title, line, columns) => {
      const screen = (await openScreen(columns)).run(line);
      for (const [theme, colors] of Object.entries(THEMES)) {
        const picture = await drawScreen({ screen, title, theme: colors });
        await expect(picture).toMatchFileSnapshot(`../../docs/images/${name}-${theme}.svg`);
      }
    });
  });
});
