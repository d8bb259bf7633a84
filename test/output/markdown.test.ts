import fc from "fast-check";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { describe, expect, test } from "vitest";
import { activityView } from "../../src/commands/comments/comment.js";
import { eventView } from "../../src/events/views/event.js";
import { createEventListView } from "../../src/events/views/event-list.js";
import { sanitizeLine } from "../../src/output/sanitize.js";
import { hostileText } from "../support/harmful-text.js";
import { numberOfRuns } from "../support/shared.js";
import { ACTIVITY, ALL_DAY_EVENT, BARE_KEEP, EVENT, MEMBER, WORK_LABEL } from "./fixtures.js";
import { rendered } from "./rendered.js";

const listView = createEventListView({
  range: { first: "2026-11-21", last: "2026-11-22" },
  calendars: [{ id: EVENT.calendar_id }],
  layout: "list",
  shorten: (id) => id,
});
const NIGHT = {
  ...EVENT,
  title: "Night train",
  location: null,
  start_local: "2026-11-21T22:00:00+09:00",
  end_local: "2026-11-22T02:00:00+09:00",
};
const EVENTS = [ALL_DAY_EVENT, EVENT, NIGHT, BARE_KEEP];

describe("a list of events", () => {
  test("as markdown is days with bullet lists", async () => {
    expect(await rendered(listView, EVENTS, { format: "markdown" })).toBe(
      [
        "## Sat 21 Nov 2026",
        "",
        "- **all day →** 🎉 文化祭、来場者の皆さまへのご案内 ↻ (day 1 of 2) \\[仕事\\]",
        "- **15:00–16:00** Parents' evening at the school by the river ↻ (Room 12)",
        "- **22:00 →** Night train ↻ (until Sun 02:00)",
        "",
        "## Sun 22 Nov 2026",
        "",
        "- **→ all day** 🎉 文化祭、来場者の皆さまへのご案内 ↻ (day 2 of 2) \\[仕事\\]",
        "- **→ 02:00** Night train ↻ (since Sat 22:00)",
        "",
        "## No date",
        "",
        "- Someday",
        "",
      ].join("\n"),
    );
  });

  test("as text is days without ids", async () => {
    expect(await rendered(listView, EVENTS, { format: "text" })).toBe(
      [
        "Sat 21 Nov 2026",
        "  all day →    🎉 文化祭、来場者の皆さまへのご案内 ↻ (day 1 of 2) [仕事]",
        "  15:00–16:00  Parents' evening at the school by the river ↻  Room 12",
        "  22:00 →      Night train ↻ (until Sun 02:00)",
        "",
        "Sun 22 Nov 2026",
        "  → all day    🎉 文化祭、来場者の皆さまへのご案内 ↻ (day 2 of 2) [仕事]",
        "  → 02:00      Night train ↻ (since Sat 22:00)",
        "",
        "No date",
        "               Someday",
        "",
      ].join("\n"),
    );
  });

  test("of several calendars names them", async () => {
    const events = [EVENT, { ...NIGHT, calendar_id: "other", calendar_name: "Trips" }];
    expect(await rendered(eventView, events, { format: "markdown" })).toBe(
      [
        "## Sat 21 Nov 2026",
        "",
        "- **15:00–16:00** Parents' evening at the school by the river ↻ (Room 12) – Family",
        "- **22:00 →** Night train ↻ (until Sun 02:00) – Trips",
        "",
      ].join("\n"),
    );
    expect(await rendered(eventView, events, { format: "text" })).toMatch(/Room 12 +Family\n.* +Trips\n$/);
  });

  test("in an agenda names the days without events", async () => {
    const range = { first: "2026-11-20", last: "2026-11-21" };
    const calendars = [{ id: EVENT.calendar_id }];
    const agenda = createEventListView({ range, calendars, layout: "agenda", shorten: (id) => id });
    expect(await rendered(agenda, [EVENT], { format: "markdown" })).toMatch(
      /^## Fri 20 Nov 2026\n\nNo events\n\n## Sat 21 Nov 2026\n\n- /,
    );
    expect(await rendered(agenda, [EVENT], { format: "text" })).toMatch(
      /^Fri 20 Nov 2026\n {2}no events\n\nSat 21 Nov 2026\n /,
    );
    expect(await rendered(agenda, [], { format: "markdown" })).toMatch(
      /^## Fri 20 Nov 2026\n\nNo events\n\n## Sat 21 Nov 2026\n\nNo events\n/,
    );
  });

  test("with --fields is a table", async () => {
    const fields = "title,id";
    expect(await rendered(listView, [EVENT], { format: "markdown", fields })).toBe(
      `| Title | ID |\n| --- | --- |\n| ${EVENT.title} | ${EVENT.id} |\n`,
    );
    expect(await rendered(listView, [EVENT], { format: "text", fields: "id" })).toBe(`ID\n${EVENT.id}\n`);
  });

  test.each(["markdown", "text"])("that is empty is nothing as %s", async (format) => {
    expect(await rendered(listView, [], { format })).toBe("");
  });
});

test("one event as markdown is a list of its fields", async () => {
  const event = { ...EVENT, label: WORK_LABEL, creator: MEMBER, attendees: [] };
  expect(await rendered(eventView, event, { format: "markdown" })).toBe(
    [
      "- **Title:** Parents' evening at the school by the river",
      "- **When:** Sat 21 Nov 2026 15:00–16:00",
      "- **Repeats:** every week",
      "- **Category:** schedule",
      "- **Label:** 仕事",
      "- **Location:** Room 12",
      "- **URL:** https\\://school.example/parents/evening?year=2026\\&class=4b",
      "- **Description:** Bring:\\",
      "  \\- the report\\",
      "  \\- 質問のリストを忘れずに持ってきてください。時間は三十分です。",
      "- **Creator:** 👩‍💻 経理",
      "- **Created:** Thu 1 Oct 2026 09:00",
      "- **Updated:** Fri 2 Oct 2026 09:00",
      "- **Calendar:** Family",
      "- **ID:** 0123456789abcdef0123456789abcdef",
      "",
    ].join("\n"),
  );
});

function html(markdown: string): string {
  return micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
}

/** Text as HTML shows it; names and numbers are no mentions. */
function shown(text: string): string {
  const sanitized = sanitizeLine(text)
    .trim()
    .replace(/@|#(?=\d+(?![\dA-Za-z]))/g, "$&\u200b");
  return sanitized
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const MARKUP = [
  ..."* _ ` ~~ [ ]( ) < > | ! & &amp; # ## + - = 1. $ @ana #12 https://evil.example".split(" "),
  ..."www.evil.example a@evil.example <b> [^1] [x] mailto:a@b.example xmpp:a@b.example --- *** a".split(" "),
  ..."é ” 。".split(" "),
  ...["\\", "<!-- ", "[a]: b", "    ", "\n", "\t", " "],
];
const markup = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...MARKUP) }, hostileText), { maxLength: 8 })
  .map((parts) => parts.join(""));

describe("hostile text in markdown", () => {
  test("is shown as it is in a table", async () => {
    await fc.assert(
      fc.asyncProperty(markup, async (content) => {
        const options = { format: "markdown", fields: "content,id" };
        const table = html(await rendered(activityView, [{ ...ACTIVITY, content }], options));
        expect(table).toContain(`<tbody>\n<tr>\n<td>${shown(content)}</td>\n<td>c1</td>\n</tr>\n</tbody>`);
      }),
      { numRuns: numberOfRuns(25) },
    );
  });

  test("is shown as it is in a list of events", async () => {
    await fc.assert(
      fc.asyncProperty(markup, markup, async (title, location) => {
        const list = html(await rendered(listView, [{ ...EVENT, title, location }], { format: "markdown" }));
        const where = shown(location) === "" ? "" : ` (${shown(location)})`;
        const isSeen = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(title);
        expect(list).toBe(
          "<h2>Sat 21 Nov 2026</h2>\n<ul>\n" +
            `<li><strong>15:00–16:00</strong> ${isSeen ? shown(title) : "(no title)"} ↻${where}</li>\n</ul>\n`,
        );
      }),
      { numRuns: numberOfRuns(25) },
    );
  });

  test("has no markup on any of its lines", async () => {
    await fc.assert(
      fc.asyncProperty(markup, async (content) => {
        const options = { format: "markdown", fields: "content" };
        const list = html(await rendered(activityView, { ...ACTIVITY, content }, options));
        expect(list.replaceAll("<br />", "")).toMatch(
          /^<ul>\n<li><strong>Comment:<\/strong>[^<>]*<\/li>\n<\/ul>\n?$/,
        );
      }),
      { numRuns: numberOfRuns(25) },
    );
  });
});
