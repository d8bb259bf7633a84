import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { launchChromium } from "../../service/test/oauth/support/chromium.js";
import { describeChanges, describeDigest } from "../../src/messages/first-line.js";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  type Message,
} from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import { TARGET_KINDS, type TargetKind } from "../../src/messages/target.js";
import { PAGE_STYLE, showMessage } from "../support/chat/pages.js";
import { cardBody, drawCards } from "../support/chat/picture.js";
import { describeWithSystem } from "../support/system.js";
import { DINNER, EVENTS, event, label, NOW, person, ZONE } from "./fixtures.js";

/** The pictures of docs/messages.md: drawn from what is sent, and compared with it. */

const TODAY = "2026-11-21";
const MOMENT = { zone: ZONE, now: NOW, filters: [] };
const DAY = { first: TODAY, last: TODAY };
const WEEK = { first: TODAY, last: "2026-11-27" };
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

const MESSAGES: readonly (readonly [heading: string, message: Message])[] = [
  [
    "Digest",
    createDigest(TODAYS, {
      ...MOMENT,
      range: DAY,
      title: describeDigest(TODAYS, { ...MOMENT, range: DAY }),
      titleNamesDay: true,
      showCalendar: false,
    }),
  ],
  [
    "Reminder",
    createReminder([CALL], { zone: ZONE, now: Date.parse("2026-11-21T13:45:00Z"), showCalendar: true }),
  ],
  [
    "Changes",
    createChangesDigest(CHANGES, {
      ...MOMENT,
      range: WEEK,
      title: describeChanges(CHANGES, { ...MOMENT, range: WEEK }),
      showCalendar: false,
    }),
  ],
];

/** Of a card, in pixels, in which every message has room. */
const HEIGHT = 540;

async function drawTarget(kind: TargetKind): Promise<string> {
  const cards = await Promise.all(
    MESSAGES.map(async ([heading, message]) => {
      const payload = await renderMessage(kind, message, { chat: "1", to: "ana@example.com", now: NOW });
      const page =
        kind === "mail" ? (await PostalMime.parse(payload.body)).html : showMessage(kind, payload).html;
      return { heading, body: cardBody(page ?? "") };
    }),
  );
  return drawCards({
    title: `A digest, a reminder and changes, as ${kind} shows them`,
    style: PAGE_STYLE,
    cards,
    height: HEIGHT,
  });
}

const SHOWN = TARGET_KINDS.filter((kind) => kind !== "json");

test.each(SHOWN)("docs/images/message-%s.svg is what is sent", async (kind) => {
  await expect(await drawTarget(kind)).toMatchFileSnapshot(`../../docs/images/message-${kind}.svg`);
});

describeWithSystem("chromium", "in a browser,", () => {
  test("each picture is a picture, in which every message has room", async () => {
    const chromium = await launchChromium({ viewport: { width: 1_280, height: 800 } });
    try {
      const page = await chromium.context.newPage();
      for (const kind of SHOWN) {
        await page.setContent(
          `<img src="data:image/svg+xml;base64,${Buffer.from(await drawTarget(kind)).toString("base64")}">`,
        );
        expect(
          await page.evaluate("document.images[0].decode().then(() => document.images[0].naturalWidth)"),
        ).toBe(1_144);
        await page.setContent(await drawTarget(kind));
        const heights = await page
          .locator("main")
          .evaluateAll((cards) => cards.map((card) => card.scrollHeight));
        expect(heights).toHaveLength(3);
        expect(Math.max(...heights), kind).toBeLessThanOrEqual(HEIGHT);
        const widths = await page
          .locator("main")
          .evaluateAll((cards) => cards.map((card) => card.scrollWidth));
        expect(Math.max(...widths), kind).toBeLessThanOrEqual(360);
      }
    } finally {
      await chromium.close();
    }
  });
});
