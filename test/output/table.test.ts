import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { labelView } from "../../src/events/views/calendar.js";
import { eventView } from "../../src/events/views/event.js";
import { textWidth } from "../../src/output/table/text-width.js";
import { unicodeText } from "../support/any-text.js";
import { EVENT, WORK_LABEL } from "./fixtures.js";
import { rendered } from "./rendered.js";

const RUNS = { numRuns: 25 };

const anyText = fc.oneof(
  unicodeText(),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "\u001b]0;x\u0007",
    "\u202e",
    "a\r\n\tb",
    "日本語の長い名前です",
    "👩‍💻".repeat(20),
    "xxx",
    "   ",
  ),
);

const label = anyText.map((name) => ({ ...WORK_LABEL, name }));
const event = fc.record({ title: anyText, description: anyText, location: anyText, label }).map((texts) => ({
  ...EVENT,
  ...texts,
  url: null,
}));

/** Lines without the last line feed. */
function linesOf(text: string): readonly string[] {
  return text.split("\n").slice(0, -1);
}

function expectTidy(text: string, columns: number): void {
  for (const line of linesOf(text)) {
    expect(textWidth(line)).toBeLessThanOrEqual(columns);
    expect(line).not.toMatch(/\s$|[^\P{Cc}]|\p{Bidi_Control}|\p{Cs}/u);
  }
}

describe("a table on a terminal", () => {
  test("of labels is one header and one line each, never wider than the terminal", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(label, { minLength: 1 }),
        fc.integer({ min: 45, max: 120 }),
        async (labels, columns) => {
          const text = await rendered(labelView, labels, { columns });
          expectTidy(text, columns);
          const [header, ...rows] = linesOf(text);
          // A column that is empty in every row is left out.
          expect(header).toMatch(/^Number {2}(?:Name +)?Color +ID$/);
          expect(rows).toHaveLength(labels.length);
          expect(rows.every((row) => row.endsWith(`  ${WORK_LABEL.id}`))).toBe(true);
        },
      ),
      RUNS,
    );
  });

  test("of events is never wider than the terminal and shows every id whole", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1 }),
        fc.integer({ min: 40, max: 120 }),
        async (events, columns) => {
          const text = await rendered(eventView, events, { columns });
          expectTidy(text, columns);
          expect(text.split(EVENT.id)).toHaveLength(events.length + 1);
        },
      ),
      RUNS,
    );
  });

  test("is never wider than the terminal in color", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1 }),
        fc.integer({ min: 40, max: 120 }),
        async (events, columns) => {
          const text = await rendered(eventView, events, { columns, color: true });
          expectTidy(stripVTControlCharacters(text), columns);
        },
      ),
      RUNS,
    );
  });

  test.each([
    ["a list", [WORK_LABEL, WORK_LABEL]],
    ["one value", WORK_LABEL],
  ])("marks colors of %s with ASCII where the terminal shows no more", async (_, value) => {
    const marks = async (unicode: boolean) =>
      (await rendered(labelView, value, { columns: 80, color: true, unicode })).match(/(?<=38;5;\d+m)./g);
    expect(await marks(true)).toContain("●");
    expect(await marks(false)).toEqual((await marks(true))?.map(() => "*"));
  });

  test("of one event is never wider than the terminal and shows the whole description", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[a-z0-9 ]{0,200}$/),
        fc.integer({ min: 40, max: 120 }),
        async (description, columns) => {
          const text = await rendered(
            eventView,
            { ...EVENT, description, url: null },
            { columns, fields: "description,id" },
          );
          expectTidy(text, columns);
          const [shown = ""] = text.split("\nID");
          expect(shown.replace("Description", "").replace(/\s/g, "")).toBe(description.replaceAll(" ", ""));
        },
      ),
      RUNS,
    );
  });

  test("assumes 80 columns if the width of the terminal is unknown", async () => {
    const long = { ...WORK_LABEL, name: "n".repeat(200) };
    const [, row = ""] = linesOf(await rendered(labelView, [long], { columns: 0 }));
    expect(textWidth(row)).toBe(80);
  });

  test("has no limit of width in a pipe, and is sanitized there too", async () => {
    const long = { ...WORK_LABEL, name: `${"n".repeat(200)}\u001b[2J` };
    const [, row] = linesOf(await rendered(labelView, [long], { format: "table" }));
    expect(row).toBe(`6       ${"n".repeat(200)}\\x1b[2J  #e73b3b  ${WORK_LABEL.id}`);
  });
});

describe("tsv", () => {
  test("can be read back cell by cell", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1 }), async (names) => {
        const labels = names.map((name) => ({ ...WORK_LABEL, name }));
        const rows = linesOf(await rendered(labelView, labels, { format: "tsv" }));
        const cells = rows.map((row) => row.split("\t").map(readCell));
        expect(cells).toEqual(names.map((name) => [WORK_LABEL.id, "6", name, WORK_LABEL.color]));
      }),
      RUNS,
    );
  });
});

function readCell(cell: string): string {
  const meanings: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
  return cell.replace(/\\([tnr\\])/g, (_, letter: string) => meanings[letter] ?? "");
}
