import { expect, test } from "vitest";
import {
  alignWords,
  quoteForBash,
  quoteForPowerShell,
  splitBashLine,
  splitFishLine,
} from "../../src/cli/completion/reply.js";
import { commentView } from "../../src/commands/comments/comment.js";
import { CliError } from "../../src/errors.js";
import { eventView } from "../../src/events/views/event.js";
import { createEventListView } from "../../src/events/views/event-list.js";
import { html } from "../../src/html/page.js";
import { renderError, stackTrace } from "../../src/output/error-report.js";
import { createTemplateProgram } from "../../src/output/formats/template.js";
import { sanitizeBlock, sanitizeLine } from "../../src/output/sanitize.js";
import { PLAIN_STYLE } from "../../src/output/style.js";
import { textWidth, truncateText, wrapText } from "../../src/output/table/text-width.js";
import { createRedactor } from "../../src/terminal/redaction.js";
import { ACTIVITY, EVENT, MEMBER } from "../output/fixtures.js";
import { rendered, VIEWER } from "../output/rendered.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

/** Texts of services that are longer than the contract allows. Where the time grew with their square, it would run out. */

const TEXTS = SLOW_TEXTS.map(([, textOf]) => textOf(15_000));
const TIMEOUT = 20_000;

const RANGE = { first: "2026-11-21", last: "2026-11-27" };
const week = (layout: "list" | "week") =>
  createEventListView({ layout, range: RANGE, calendars: [], shorten: (id) => id });

const eventOf = (text: string) => ({ ...EVENT, title: text, description: text });

/** What prints an event, by what it is called. */
const PRINTERS: Readonly<Record<string, (text: string) => Promise<string>>> = {
  "details on a terminal": (text) => rendered(eventView, eventOf(text), { format: "table", columns: 80 }),
  "a table": (text) =>
    rendered(eventView, [eventOf(text)], { format: "table", columns: 80, fields: "id,title,description" }),
  "a list of days": (text) => rendered(week("list"), [eventOf(text)], { format: "table", columns: 80 }),
  "a grid": (text) => rendered(week("week"), [eventOf(text)], { format: "table", columns: 120 }),
  "Markdown of days": (text) => rendered(week("list"), [eventOf(text)], { format: "markdown" }),
  Markdown: (text) => rendered(eventView, eventOf(text), { format: "markdown" }),
  csv: (text) => rendered(eventView, eventOf(text), { format: "csv", csvSafe: true }),
  tsv: (text) => rendered(eventView, eventOf(text), { format: "tsv", columns: 80 }),
  ics: (text) => rendered(eventView, eventOf(text), { format: "ics" }),
  "json on a terminal": (text) =>
    rendered(eventView, { ...EVENT, title: text }, { format: "json", columns: 80 }),
  "a comment": (text) =>
    rendered(commentView, { ...ACTIVITY, content: text, creator: MEMBER }, { columns: 80 }),
  "comments in Markdown": (text) =>
    rendered(commentView, [{ ...ACTIVITY, content: text, creator: MEMBER }], { format: "markdown" }),
};

test.each(Object.entries(PRINTERS))(
  "%s",
  async (_, print) => {
    for (const text of TEXTS) expect(await print(text)).not.toBe("");
  },
  TIMEOUT,
);

test.each([
  "escape",
  "strip_html",
  "strip",
  "truncatewords: 3",
  "normalize_whitespace",
  "url_encode",
  "date: '%Y'",
])(
  "the filter %s of a template",
  (filter) => {
    const program = createTemplateProgram(`{{ title | ${filter} }}.`, "--template");
    const capabilities = { isTerminal: true, columns: 80, color: false, unicode: true };
    for (const text of TEXTS) {
      const values = [eventOf(text)];
      const rendering = {
        view: eventView,
        values,
        single: true,
        fields: null,
        csvSafe: false,
        capabilities,
        ...VIEWER,
      };
      expect(program.render(rendering)).toContain(".");
    }
  },
  TIMEOUT,
);

test(
  "errors",
  () => {
    const wrap = (text: string, margin: number) => wrapText(text, { width: 80 - margin, breakWords: false });
    for (const text of TEXTS) {
      const error = new CliError("rejected", text, { hint: text, details: { [text]: [text] } });
      for (const json of [true, false])
        expect(renderError(error, { json, style: PLAIN_STYLE, wrap })).not.toBe("");
      expect(stackTrace(new Error(text))).not.toBe("");
    }
  },
  TIMEOUT,
);

test("pages", () => {
  for (const text of TEXTS) expect(html`<p title="${text}">${text}</p>`.html).toMatch(/<\/p>$/);
});

test.each(SLOW_TEXTS)("%s are measured, cut and wrapped", (_, textOf) => {
  expect(textWidth(textOf(100_000))).toBeTypeOf("number");
  expect(truncateText(textOf(100_000), 80).length).toBeGreaterThan(0);
  const lines = wrapText(sanitizeBlock(textOf(20_000)), { width: 80, breakWords: true });
  expect(lines.length).toBeGreaterThan(0);
});

// The secrets are what such texts begin with.
test.each(SLOW_TEXTS)("secrets are looked for in %s", (_, textOf) => {
  const text = textOf(50_000);
  const redactor = createRedactor(() => []);
  redactor.add("tok/en+with=odd&signs-0123");
  for (const length of [20, 600])
    for (const secret of [`${textOf(length)}!`, `${"\\".repeat(length)}!`]) redactor.add(secret);
  for (const shown of [text, JSON.stringify(text), sanitizeLine(text), encodeURIComponent(text)])
    expect(redactor.mask(shown)).toBe(shown);
});

test.each(SLOW_TEXTS)("a name of 20,000 %s is quoted, split and listed for a shell", async (_, textOf) => {
  const text = textOf(20_000);
  for (const quote of [null, "'", '"'] as const) expect(quoteForBash(text, quote)).not.toBe("");
  expect(quoteForPowerShell(text)).not.toBe("");
  expect(splitBashLine(`calctl ${text}`, " \t\n\"'><=;|&(:").words.length).toBeGreaterThan(0);
  expect(splitFishLine(`calctl ${text}`).length).toBeGreaterThan(0);
  expect(await alignWords([{ shown: "x", description: text }], "80")).toHaveLength(1);
});
