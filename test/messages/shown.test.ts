import type { Page } from "playwright-core";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Chromium, launchChromium } from "../../service/test/oauth/support/chromium.js";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import { TARGET_KINDS, type TargetKind } from "../../src/messages/target.js";
import { checkPayload } from "../support/chat/checks.js";
import { showMessage } from "../support/chat/pages.js";
import { describeWithSystem } from "../support/system.js";
import {
  DINNER,
  EVENTS,
  event,
  HOSTILE_TITLES,
  HOSTILE_WEEK,
  NOW,
  OPTIONS,
  PLACE,
  ZONE,
} from "./fixtures.js";

/** Each target's message in a browser, as a person would see it. */

/** A document with the message. */
async function pageOf(kind: TargetKind, message: Message): Promise<string> {
  const payload = await renderMessage(kind, message, { ...PLACE, to: "ana@example.com", now: NOW });
  if (kind === "mail") return (await PostalMime.parse(payload.body)).html ?? "";
  expect(checkPayload(kind, payload)).toEqual([]);
  return showMessage(kind, payload).html;
}

/** What is shown without formatting by json. */
const EARLIER = event("Talk", "2026-11-21T12:00", "2026-11-21T13:00", { location: "Room 1" });
const LATER = event("Review", "2026-11-21T16:00", "2026-11-21T17:00", { location: "Room 2" });

const SHOWN = TARGET_KINDS.filter((kind) => kind !== "json");
/** What shows links as buttons. */
const BUTTONS: readonly TargetKind[] = ["slack", "discord", "teams", "telegram", "ntfy"];
/** Links are text there. */
const LINKED: readonly TargetKind[] = SHOWN.filter((kind) => kind !== "ntfy");

describeWithSystem("chromium", "in a browser,", () => {
  let chromium: Chromium;
  let page: Page;
  const requests: string[] = [];
  beforeAll(async () => {
    chromium = await launchChromium({ viewport: { width: 640, height: 800 } });
    page = await chromium.context.newPage();
    page.on("dialog", (dialog) => void requests.push(`dialog ${dialog.message()}`));
    await page.route("**", (route) => {
      requests.push(route.request().url());
      return route.abort();
    });
  });
  afterAll(() => chromium.close());

  /** The text of the page, and where its links lead. */
  async function open(kind: TargetKind, message: Message) {
    requests.splice(0);
    await page.setContent(await pageOf(kind, message));
    const text = await page.locator("body").innerText();
    const links = await page
      .locator("a")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    expect(requests).toEqual([]);
    return { lines: text.split("\n").map((line) => line.replace(/\s+/g, " ").trim()), links };
  }

  describe.each(SHOWN)("a message for %s", (kind) => {
    test("shows a week by day", async () => {
      const { lines } = await open(kind, createDigest(EVENTS, OPTIONS));
      const bare = lines.map((line) => line.replace(/^• /, "")).filter((line) => line !== "");
      const below = [
        "https://noodles.example/tables?for=6&day=sat",
        ...(kind === "teams" ? ["Dinner with the neighbors", "meet.example"] : []),
      ];
      expect(bare.filter((line) => !below.includes(line))).toEqual([
        "This week",
        "Today, Sat 21 Nov",
        "→ all day → Grandma visits (day 2 of 3)",
        "09:30–10:30 Swimming lesson · Municipal pool",
        "19:00–21:30 Dinner with the neighbors [Visits] · Noodle bar",
        "with Ana, Ben",
        "A table for six. …",
        "Tomorrow, Sun 22 Nov",
        "→ all day Grandma visits (day 3 of 3)",
        "22:00 → Night train (until Mon 06:00)",
        "Mon 23 Nov",
        "→ 06:00 Night train (since Sun 22:00)",
        "Tue 24 Nov",
        "10:00–12:00 Flight to London (ends 11:00 Europe/London)",
        "Wed 25 Nov",
        "08:00–09:00 Team call · https://meet.example/team?x=1&y=2",
        "No date",
        "Someday",
        "Times in Europe/Berlin",
      ]);
    });

    test("shows a reminder with all there is", async () => {
      const { lines } = await open(
        kind,
        createReminder([DINNER], {
          zone: ZONE,
          now: Date.parse("2026-11-21T17:45:00Z"),
          showCalendar: false,
        }),
      );
      const buttons = BUTTONS.includes(kind) ? ["Open noodles.example"] : [];
      expect(lines.filter((line) => line !== "" && line !== "noodles.example")).toEqual([
        "In 15 min: Dinner with the neighbors",
        "Today, Sat 21 Nov",
        expect.stringMatching(/^19:00–21:30 \[Visits\] · Noodle bar · (?:https:\/\/)?noodles\.example/),
        "with Ana, Ben",
        "A table for six.",
        "Bring the photos.",
        ...(kind.startsWith("slack")
          ? [...buttons, "Times in Europe/Berlin"]
          : ["Times in Europe/Berlin", ...buttons]),
      ]);
    });

    test("shows changes: from what, and no details of what was removed", async () => {
      const [, swimming] = EVENTS;
      const changes = [
        { change: "added" as const, event: swimming ?? DINNER, before: null },
        { change: "changed" as const, event: LATER, before: EARLIER },
        { change: "removed" as const, event: DINNER, before: DINNER },
      ];
      const { lines, links } = await open(kind, createChangesDigest(changes, { ...OPTIONS, title: "News" }));
      expect(lines.map((line) => line.replace(/^• /, "")).filter((line) => line !== "")).toEqual([
        "News",
        "Today, Sat 21 Nov",
        "09:30–10:30 New: Swimming lesson · Municipal pool",
        '16:00–17:00, was 12:00–13:00 Changed: Review (was "Talk", was at Room 1) · Room 2',
        "19:00–21:30 Removed: Dinner with the neighbors [Visits] · Noodle bar",
        "Times in Europe/Berlin",
      ]);
      expect(links).toEqual([]);
    });

    test("shows one's own text, whatever is in it", async () => {
      const text = ["One *two* <three>", "", ...HOSTILE_TITLES.slice(0, 7), "end"].join("\n");
      const { lines, links } = await open(kind, createTextMessage("Title", text));
      expect([lines[0], lines.at(-1)]).toEqual(["Title", "end"]);
      // They are written in the text.
      expect(new Set(links)).toEqual(new Set(LINKED.includes(kind) ? ["https://evil.example/"] : []));
    });

    test("of 120 hostile events links only to what they link to", async () => {
      const { links } = await open(kind, createDigest(HOSTILE_WEEK, OPTIONS));
      const hosts = new Set(links.map((link) => new URL(link).hostname));
      // The second is written in locations and descriptions.
      expect([...hosts].filter((host) => host !== "a.example" && host !== "evil.example")).toEqual([]);
    });
  });

  test.each(SHOWN)("a title for %s that looks like a URL does not lead to another one", async (kind) => {
    const one = { ...DINNER, title: "https://bank.example", url: "https://evil.example/x" };
    const { lines, links } = await open(kind, createDigest([one], OPTIONS));
    expect(lines.join("\n")).toMatch(
      /19:00–21:30 https:\/\/bank\.example \[Visits\] · Noodle bar · .*evil\.example/,
    );
    expect(links).toEqual(LINKED.includes(kind) ? ["https://evil.example/x"] : []);
  });

  test.each(SHOWN.flatMap((kind) => [390, 1_280].map((width) => [kind, width] as const)))(
    "no message for %s is wider than a screen of %i pixels, however long a title or a link is",
    async (kind, width) => {
      const long = { ...DINNER, title: "t".repeat(190), location: `https://a.example/${"x".repeat(150)}` };
      const now = Date.parse("2026-11-21T17:45:00Z");
      await page.setViewportSize({ width, height: 800 });
      for (const message of [
        createDigest(HOSTILE_WEEK, { ...OPTIONS, title: "t".repeat(200) }),
        createDigest([long], OPTIONS),
        createReminder([long], { zone: ZONE, now, showCalendar: true }),
        createTextMessage("Title", "x".repeat(3_000)),
      ]) {
        await open(kind, message);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      }
    },
  );

  test.each(LINKED)("a message for %s has the links of events", async (kind) => {
    const { links } = await open(kind, createDigest(EVENTS, OPTIONS));
    expect(links).toEqual([DINNER.url, "https://meet.example/team?x=1&y=2"]);
  });
});
