import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createExampleWeek, exampleId } from "../support/example-week.js";
import { createInstallation } from "../support/spawned.js";
import { describeWithSystem } from "../support/system.js";
import { openTerminal, type Terminal } from "../support/tmux.js";

/** What the built program shows on a real terminal, on a Saturday afternoon. */

const NOW = "2026-11-21 15:30:00";
const WIDTHS = [40, 80, 120, 200];

/** What a page of screens has, and the command that shows it. */
const SCREENS: readonly (readonly [title: string, line: string])[] = [
  ["The events of two days", "calctl events list --all-calendars --days 2"],
  ["The week", "calctl agenda"],
  ["The week as a grid", "calctl agenda --grid"],
  ["One event", `calctl events get ${exampleId("Dinner with the neighbors").slice(0, 4)}`],
  ["Help", "calctl agenda --help"],
  ["An error", "calctl events list --calendar Wrok"],
];

/** A terminal with the example week, on which the clock stands still. */
async function openScreen(columns: number): Promise<Terminal> {
  const { directory } = await createExampleWeek();
  const installation = createInstallation({ CALCTL_DATA_DIR: directory });
  const starter = `faketime --exclude-monotonic -f "${NOW}"`;
  return openTerminal(installation, { columns, rows: 100, starter });
}

describeWithSystem("tmux", "screens", () => {
  describeWithSystem("faketime", "at a fixed time", () => {
    test.each(WIDTHS)("of %i columns", async (columns) => {
      const terminal = await openScreen(columns);
      const screens = SCREENS.map(
        ([, line]) => `$ ${line}\n${stripVTControlCharacters(terminal.run(line))}\n`,
      );
      await expect(screens.join("\n")).toMatchFileSnapshot(`golden/screens-${columns}.txt`);
    });
  });
});
