import type { Page } from "playwright-core";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Chromium, launchChromium } from "../../service/test/oauth/support/chromium.js";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  describeChanges,
  describeDigest,
  type Message,
} from "../../src/commands/messages/message.js";
import { renderMessage } from "../../src/commands/messages/render.js";
import { TARGET_KINDS } from "../../src/delivery/target.js";
import {
  DINNER,
  EVENTS,
  event,
  HOSTILE_WEEK,
  label,
  NOW,
  OPTIONS,
  person,
  ZONE,
} from "../commands/messages/fixtures.js";
import { describeWithSystem } from "../support/system.js";
import { drawPicture } from "./support/message-pictures.js";

/** Messages in a browser: an email, which is a page, and the pictures of docs/messages.md. */

const TODAY = "2026-11-21";
const MOMENT = { zone: ZONE, now: NOW, filters: [] };
const CALL = event("Planning with the band", `${TODAY}T15:00`, `${TODAY}T16:00`, {
  location: "https://meet.example/band",
  description: "Which songs, and who drives.",
  attendees: [person("Ana"), person("Ben")],
  label: label(3, "Music", "#47b2f7"),
});
const TODAYS = [...EVENTS.slice(0, 2), CALL, DINNER];
const LUNCH = {
  ...DINNER,
  location: "Room 12",
  start_local: `${TODAY}T12:00:00+01:00`,
  end_local: `${TODAY}T13:00:00+01:00`,
};
const CHANGES = [
  { change: "removed" as const, event: CALL, before: CALL },
  { change: "changed" as const, event: DINNER, before: LUNCH },
  { change: "added" as const, event: EVENTS[4] ?? DINNER, before: null },
];
const DAY = { ...MOMENT, range: { first: TODAY, last: TODAY }, showCalendar: false };
const WEEK = { ...MOMENT, range: { first: TODAY, last: "2026-11-27" }, showCalendar: false };
const SOON = { zone: ZONE, now: Date.parse("2026-11-21T13:45:00Z"), showCalendar: true };

const MESSAGES: readonly (readonly [heading: string, message: Message])[] = [
  ["Digest", createDigest(TODAYS, { ...DAY, title: describeDigest(TODAYS, DAY), titleNamesDay: true })],
  ["Reminder", createReminder([CALL], SOON)],
  ["Changes", createChangesDigest(CHANGES, { ...WEEK, title: describeChanges(CHANGES, WEEK) })],
];

async function pictureOf(kind: (typeof SHOWN)[number]): Promise<string> {
  const place = { chat: "1", to: "ana@example.com", now: NOW };
  const payloads = MESSAGES.map(
    async ([heading, message]) => [heading, await renderMessage(kind, message, place)] as const,
  );
  return drawPicture(kind, await Promise.all(payloads));
}

const SHOWN = TARGET_KINDS.filter((kind) => kind !== "json");

test.each(SHOWN)("docs/images/message-%s.svg is what is sent", async (kind) => {
  await expect(await pictureOf(kind)).toMatchFileSnapshot(`../../docs/images/message-${kind}.svg`);
});

describeWithSystem("chromium", "in a browser,", () => {
  let chromium: Chromium;
  let page: Page;
  const requests: string[] = [];
  beforeAll(async () => {
    chromium = await launchChromium({ viewport: { width: 1_280, height: 800 } });
    page = await chromium.context.newPage();
    page.on("dialog", (dialog) => void requests.push(`dialog ${dialog.message()}`));
    await page.route("**", (route) => {
      requests.push(route.request().url());
      return route.abort();
    });
  });
  afterAll(() => chromium.close());

  test.each(SHOWN)("the picture of %s is a picture, in which every message has room", async (kind) => {
    const picture = await pictureOf(kind);
    await page.setContent(`<img src="data:image/svg+xml;base64,${Buffer.from(picture).toString("base64")}">`);
    const width = "document.images[0].decode().then(() => document.images[0].naturalWidth)";
    expect(await page.evaluate(width)).toBe(1_144);
    await page.setContent(picture);
    const sizes = await page
      .locator("main")
      .evaluateAll((cards) =>
        cards.map(({ scrollWidth, scrollHeight }) => [scrollWidth <= 360, scrollHeight <= 540]),
      );
    expect(sizes).toEqual(MESSAGES.map(() => [true, true]));
  });

  /** The page of an email. */
  async function open(message: Message): Promise<void> {
    requests.splice(0);
    const { body } = await renderMessage("mail", message, { to: "ana@example.com", now: NOW });
    await page.setContent((await PostalMime.parse(body)).html ?? "");
    expect(requests).toEqual([]);
  }

  test("an email of 120 hostile events loads nothing, and links only to what they link to", async () => {
    await open(createDigest(HOSTILE_WEEK, OPTIONS));
    const links = await page
      .locator("a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    // The second is written in locations and descriptions.
    expect([...new Set(links.map((link) => new URL(link).hostname))].sort()).toEqual([
      "a.example",
      "evil.example",
    ]);
  });

  describe.each([390, 1_280])("on a screen of %i pixels", (width) => {
    test("no email is wider, however long a title or a link is", async () => {
      const long = { ...DINNER, title: "t".repeat(190), location: `https://a.example/${"x".repeat(150)}` };
      await page.setViewportSize({ width, height: 800 });
      for (const message of [
        createDigest(HOSTILE_WEEK, { ...OPTIONS, title: "t".repeat(200) }),
        createReminder([long], SOON),
        createTextMessage("Title", "x".repeat(3_000)),
      ]) {
        await open(message);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      }
    });
  });
});
