import { expect, test } from "vitest";
import type { LocalizedEvent } from "../../src/events/localized-event.js";
import { eventView } from "../../src/events/views/event.js";
import { createEventListView } from "../../src/events/views/event-list.js";
import { EVENT } from "./fixtures.js";
import { rendered, visible } from "./rendered.js";

const TERMINAL = { format: "table", color: true, hyperlinks: true, columns: 60 };

const LIST = createEventListView({
  range: { first: "2026-11-21", last: "2026-11-21" },
  calendars: [{ id: EVENT.calendar_id }],
  layout: "list",
  shorten: (id) => id.slice(0, 4),
});

const LINK = /<1b>]8;;(?<url>.*?)<1b>\\(?<shown>.*?)<1b>]8;;<1b>\\/g;

/** The target and the text of each link (OSC 8), without colors. */
function linksOf(text: string): readonly (readonly [string, string])[] {
  const found = visible(text)
    .replace(/<1b>\[[\d;]*m/g, "")
    .matchAll(LINK);
  return Array.from(found, ({ groups }) => [groups?.["url"] ?? "", groups?.["shown"] ?? ""]);
}

function withUrl(url: string | null): LocalizedEvent {
  return { ...EVENT, title: "Seminar", url };
}

test("the URL of an event is a link, every line of it to the whole", async () => {
  const url = `https://example.org/${"a".repeat(80)}?b=ü`;
  const links = linksOf(await rendered(eventView, withUrl(url), { ...TERMINAL, columns: 50 }));
  expect(links.map(([target]) => target)).toEqual(
    links.map(() => `https://example.org/${"a".repeat(80)}?b=%C3%BC`),
  );
  expect(links.map(([, shown]) => shown).join("")).toBe(url);
});

test("the title of a listed event leads to its URL, and takes no more room", async () => {
  const listed = await rendered(LIST, [withUrl("https://example.org/x")], TERMINAL);
  expect(linksOf(listed)).toEqual([["https://example.org/x", "Seminar ↻"]]);
  const unlinked = await rendered(LIST, [withUrl(null)], TERMINAL);
  expect(visible(listed).replace(LINK, "$<shown>")).toBe(visible(unlinked));
});

test.each([
  ["a URL that runs code", "javascript:alert(1)"],
  ["a file", "file:///etc/passwd"],
  ["a relative URL", "/calendars"],
  ["one that is too long", `https://example.org/${"a".repeat(2100)}`],
  ["none", null],
])("%s is not a link", async (_, url) => {
  expect(linksOf(await rendered(eventView, withUrl(url), TERMINAL))).toEqual([]);
  expect(await rendered(LIST, [withUrl(url)], TERMINAL)).not.toContain("\u001b]8");
});

test("a URL cannot end its sequence early", async () => {
  const text = await rendered(eventView, withUrl("https://example.org/\u001b\\\u0007\u009c"), TERMINAL);
  expect(linksOf(text).map(([target]) => target)).toEqual(["https://example.org/%1B/%07%C2%9C"]);
});

test.each([
  ["a terminal without links", { ...TERMINAL, hyperlinks: false }],
  ["a terminal without colors", { ...TERMINAL, color: false }],
])("%s shows the URL as text", async (_, options) => {
  const text = await rendered(eventView, withUrl("https://example.org/x"), options);
  expect(text).toContain("https://example.org/x");
  expect(text).not.toContain("\u001b]8");
});
