import { describe, expect, test } from "vitest";
import { linkTarget, linkUrls } from "../../../src/commands/messages/links.js";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../../src/commands/messages/message.js";
import { HOSTILE } from "../../output/fixtures.js";
import { DINNER, event, label, NOW, OPTIONS, person, ZONE } from "./fixtures.js";

/** What a message says, without its details. */
function outline({ body }: Message): unknown {
  if (body.kind === "text") return body.text;
  return body.days.map(({ heading, entries }) => [
    heading,
    ...entries.map(({ time, name, notes }) => [time, name, ...notes].join(" ").trim()),
  ]);
}

describe("a digest", () => {
  test("names the zone only where there are times", () => {
    expect(createDigest([event("Holiday", "2026-11-21", "2026-11-21")], OPTIONS).zone).toBeNull();
  });

  test("names the year unless it is this year", () => {
    const next = event("Party", "2027-01-01T00:00", "2027-01-01T01:00");
    const range = { first: "2027-01-01", last: "2027-01-01" };
    expect(outline(createDigest([next], { ...OPTIONS, range }))).toEqual([
      ["Fri 1 Jan 2027", "00:00–01:00 Party"],
    ]);
  });

  test("tells both times of a repeated hour apart", () => {
    const at = { start_at: "2026-10-25T00:30:00.000Z", end_at: "2026-10-25T01:30:00.000Z" };
    const doubled = event("Watch", "2026-10-25T02:30", "2026-10-25T03:30", at);
    const range = { first: "2026-10-25", last: "2026-10-25" };
    expect(outline(createDigest([doubled], { ...OPTIONS, range }))).toEqual([
      ["Sun 25 Oct", "02:30+02:00–02:30+01:00 Watch"],
    ]);
  });

  test("of nothing says so", () => {
    expect(outline(createDigest([], OPTIONS))).toBe("No events");
    expect(outline(createChangesDigest([], OPTIONS))).toBe("No changes");
  });

  test("has links that people can follow, and no others", () => {
    const urls = [
      "https://a.example/x y",
      "mailto:a@b.example",
      "javascript:alert(1)",
      "file:///etc/passwd",
      "https://u:p@a.example/",
      "not a url",
      `https://a.example/${"x".repeat(2_000)}`,
      "https://a.example/(x)|<y>\"'",
    ];
    const events = urls.map((url, index) =>
      event(`e${index}`, "2026-11-21T09:00", "2026-11-21T10:00", { url }),
    );
    const { body } = createDigest(events, OPTIONS);
    const links =
      body.kind === "days" ? body.days.flatMap(({ entries }) => entries.map(({ url }) => url)) : [];
    expect(links).toEqual([
      "https://a.example/x%20y",
      "mailto:a@b.example",
      null,
      null,
      null,
      null,
      null,
      "https://a.example/%28x%29%7C%3Cy%3E%22%27",
    ]);
  });

  test("makes control characters harmless", () => {
    const hostile = event(HOSTILE, "2026-11-21T09:00", "2026-11-21T10:00", {
      location: HOSTILE,
      description: HOSTILE,
    });
    const { title, body } = createDigest([hostile], { ...OPTIONS, title: HOSTILE });
    const shown = String.raw`a\x1b[31mb\u{202e}c\td\ne\f`;
    expect(title).toBe(shown);
    expect(body).toMatchObject({
      days: [
        { entries: [{ name: shown, location: shown, description: String.raw`a\x1b[31mb\u{202e}c d …` }] },
      ],
    });
  });
});

test.each([
  [1, "Home", ["[Home]"]],
  [1, "", []],
  [2, "Visits", ["[Visits]"]],
])("label %i with the name %j is shown as %j", (number, name, notes) => {
  const labelled = event("Lunch", "2026-11-21", "2026-11-21", { label: label(number, name, "#e73b3b") });
  expect(createDigest([labelled], OPTIONS).body).toMatchObject({ days: [{ entries: [{ notes }] }] });
});

describe("a reminder", () => {
  const start = Date.parse("2026-11-21T18:00:00.000Z");
  test.each([
    [start - 15 * 60_000, "In 15 min: Dinner with the neighbors"],
    [start - 14.6 * 60_000, "In 15 min: Dinner with the neighbors"],
    [start - 90 * 60_000, "In 1 h 30 min: Dinner with the neighbors"],
    [start - 26 * 3_600_000, "In 1 day 2 h: Dinner with the neighbors"],
    [start, "Now: Dinner with the neighbors"],
    [start + 20_000, "Now: Dinner with the neighbors"],
    [start + 10 * 60_000, "Started 10 min ago: Dinner with the neighbors"],
  ])("at %i is titled %s", (now, title) => {
    expect(createReminder([DINNER], { zone: ZONE, now, showCalendar: false }).title).toBe(title);
  });

  test.each([
    ["2026-11-21", "Today: Holiday"],
    ["2026-11-22", "Tomorrow: Holiday"],
    ["2026-11-24", "In 3 days: Holiday"],
    ["2026-11-20", "Since yesterday: Holiday"],
  ])("of an all-day event on %s is titled %s", (date, title) => {
    expect(
      createReminder([event("Holiday", date, date)], { zone: ZONE, now: NOW, showCalendar: false }).title,
    ).toBe(title);
  });
});

test("one's own text keeps its lines", () => {
  expect(createTextMessage(" Hi \n", "a\r\nb\tc\u001b\n\n")).toEqual({
    title: "Hi",
    body: { kind: "text", text: "a\nb c\\x1b" },
    events: [],
    zone: null,
  });
});

test.each([
  ["http://[FD00::1]:80/a[1]", "http://[fd00::1]/a%5B1%5D"],
  ["https://[::1]:8443/?x=[y]", "https://[::1]:8443/?x=%5By%5D"],
  ["http://a)b'.example/", "http://a%29b%27.example/"],
  ["mailto:a@b.example?subject=[x]", "mailto:a@b.example?subject=%5Bx%5D"],
])("of %s only the brackets of an address stay", (url, link) => {
  expect(linkTarget(url)).toBe(link);
});

const QUOTED = ["https://a.example/v", "https://b.example/w", "https://c.example/x"];
/** What is within a URL, or ends one. */
const ENDING = ["https://a.example/v’s_w–x/", "https://a.example/v_", "https://a.example/?v=w-"];

describe("URLs in text", () => {
  test.each<[string, readonly string[]]>([
    ["See https://a.example/x?y=1&z=2.", ["https://a.example/x?y=1&z=2"]],
    ["(https://a.example/x), http://b.example!", ["https://a.example/x", "http://b.example"]],
    ["https://a.example/wiki/Text_(paper)", ["https://a.example/wiki/Text_(paper)"]],
    ["[x](https://a.example/y)", ["https://a.example/y"]],
    ["<https://a.example|text>", ["https://a.example"]],
    ["(https://a.example/wiki/Foo_(bar)), 2nd floor", ["https://a.example/wiki/Foo_(bar)"]],
    ["«https://a.example/v» “https://b.example/w”, „https://c.example/x“", QUOTED],
    ["‘https://a.example/v’. ‹https://b.example/w›; 「https://c.example/x」。", QUOTED],
    ["https://a.example/v— https://b.example/w– （https://c.example/x）", QUOTED],
    ["https://a.example/v） https://b.example/w。 https://c.example/x！？", QUOTED],
    ["&lt;https://a.example/v&gt; https://b.example/w&nbsp;. https://c.example/x(", QUOTED],
    ["https://a.example/v（Room 4） https://b.example/w”—then, “https://c.example/x”s", QUOTED],
    ["https://a.example/v,https://b.example/w;https://c.example/x", QUOTED],
    ["https://a.example/v’s_w–x/ https://a.example/v_ https://a.example/?v=w-", ENDING],
    ["https://a.example/cut…", []],
    ["https://user:password@a.example/", []],
    ["javascript:alert(1) file:///etc mailto:a@b.example www.a.example https://", []],
  ])("of %j lead where they say", (text, urls) => {
    const parts = linkUrls(text);
    expect(parts.map((part) => part.text).join("")).toBe(text);
    expect(parts.filter(({ url }) => url !== null).map((part) => part.text)).toEqual(urls);
    for (const { text, url } of parts) if (url !== null) expect(url).toBe(linkTarget(text));
  });
});

test("what belongs to an event of several days is said on the first that is listed", () => {
  const visit = event("Visit", "2026-11-20", "2026-11-22", {
    description: "Bring cake",
    attendees: [person("Ana")],
  });
  const { body } = createDigest([visit], OPTIONS);
  expect(body).toMatchObject({
    days: [
      { heading: "Today, Sat 21 Nov", entries: [{ description: "Bring cake", attendees: ["Ana"] }] },
      { heading: "Tomorrow, Sun 22 Nov", entries: [{ description: "", attendees: [] }] },
    ],
  });
});
