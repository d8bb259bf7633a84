import { expect, test } from "vitest";
import { createProgressBar } from "../../src/terminal/progress-bar.js";

/** The lines that a bar shows on a terminal of some width. */
function createBar({ columns = 80, isTerminal = true, quiet = false, unicode = true } = {}) {
  const shown: (string | null)[] = [];
  const sink = {
    isTerminal,
    columns,
    isStuck: false,
    isClosed: false,
    write: async () => undefined,
    show: async (text: string | null) => void shown.push(text),
  };
  return { shown, bar: createProgressBar(sink, { quiet, unicode: () => unicode }) };
}

const HALF = { what: "copying events", done: 10, total: 20 };

test.each([
  [120, `copying events  50% ${"█".repeat(15)}${"░".repeat(15)}`],
  [40, `copying events  50% ${"█".repeat(9)}${"░".repeat(8)}`],
  [28, "copying events  50%"],
  [12, "50%"],
])("on %d columns it fits on one line, also with the ^C that a terminal writes after it", (columns, line) => {
  const { shown, bar } = createBar({ columns });
  bar.show(HALF);
  expect(shown).toEqual([line]);
  expect(line.length + "^C".length).toBeLessThan(columns);
});

test("is ASCII where the locale is", () => {
  const { shown, bar } = createBar({ columns: 32, unicode: false });
  bar.show(HALF);
  expect(shown).toEqual(["copying events  50% #####----"]);
});

test("is drawn when it changes, and is removed at the end", () => {
  const { shown, bar } = createBar({ columns: 12 });
  for (const done of [0, 1, 1, 5, 9]) bar.show({ ...HALF, done, total: 1_000 });
  bar.show({ ...HALF, done: 30 });
  bar.show({ what: "checking", done: 0, total: 0 });
  bar.clear();
  bar.clear();
  expect(shown).toEqual(["0%", "100%", "checking", null]);
});

test.each([{ isTerminal: false }, { quiet: true }])("%j: nothing is shown", (options) => {
  const { shown, bar } = createBar(options);
  bar.show(HALF);
  bar.clear();
  expect(shown).toEqual([]);
});
