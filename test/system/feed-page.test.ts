import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { listen } from "../../service/listen.js";
import { openService } from "../../service/service.js";
import { type Chromium, launchChromium } from "../../service/test/oauth/support/chromium.js";
import { eventBody, feedBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { describeWithSystem } from "../support/system.js";
import { createExampleWeek } from "./support/example-week.js";

/** The page of a feed in a real browser: the example week, on Wednesday morning. */

const NOW = Date.parse("2026-11-25T09:00:00.000Z");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Run in the page, whose types are not Node's. */
const OVERFLOWS = "document.documentElement.scrollWidth > window.innerWidth";
/** Items below the end of the grid, with half a line, or without their whole time; and how far the call is from the hour at which it begins. */
const LAYOUT = `(() => {
  const box = (element) => element.getBoundingClientRect();
  const find = (selector, text) => [...document.querySelectorAll(selector)].find((each) => each.textContent.includes(text));
  const end = box(document.querySelector(".week")).bottom;
  return {
    cutOff: [...document.querySelectorAll("li")].filter((item) => box(item).bottom > end).length,
    cutLines: [...document.querySelectorAll(".timed li > div")].filter(
      (text) => box(text).bottom > box(text.parentElement).bottom + 1,
    ).length,
    cutTimes: [...document.querySelectorAll(".timed .time")].filter((time) => {
      const [item, text] = [box(time.closest("li")), box(time)];
      return text.width === 0 || text.bottom > item.bottom + 1 || text.right > item.right + 1;
    }).length,
    shift: Math.round(Math.abs(box(find("li", "Tokyo")).top - box(find(".axis span", "08:00")).top) / 5),
  };
})()`;
/** Of narrow cards: times on more than one line or cut off, and titles of which nothing is seen. */
const NARROW = `(() => {
  const box = (element) => element.getBoundingClientRect();
  const items = [...document.querySelectorAll(".timed li")].filter((item) => item.textContent.includes("Overlap"));
  const isHidden = (title) => title.getClientRects()[0].bottom > box(title.parentElement).bottom + 1;
  const isBroken = (time) => time.getClientRects().length > 1 || box(time).right > box(time.closest("li")).right + 1;
  return {
    items: items.length,
    brokenTimes: items.filter((item) => isBroken(item.querySelector(".time"))).length,
    hiddenTitles: items.filter((item) => isHidden(item.querySelector("b"))).length,
  };
})()`;
const DAYS_FROM_ABOVE = `[...document.querySelectorAll("h2")]
  .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
  .map((day) => day.textContent.split(" ")[0])`;
const VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))";

/** A third of the size of PNG. */
const AS_WEBP = (png: string) => `(async () => {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob("${png}"), (unit) => unit.charCodeAt(0))]));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  return canvas.toDataURL("image/webp", 0.3);
})()`;

/** Serves the example week. Resolves with the address of a feed of all its calendars. */
async function serveWeek(attributes: object = {}, events: readonly object[] = []): Promise<string> {
  const { directory } = await createExampleWeek();
  const database = join(directory, "local.db");
  const service = await openService({ database, now: () => NOW, rateLimit: null });
  const listener = await listen(service, { host: "127.0.0.1", port: 0 });
  onTestFinished(async () => {
    await listener.close();
    await service.close();
  });
  await service.admin.noteBaseUrl(listener.baseUrl);
  const { userId } = await service.admin.ensureLocalUser({ name: "Ana" });
  const calendars = (await service.admin.calendars.list()).map(({ id }) => id);
  const request = (target: string, content: object) =>
    service.handle(
      {
        method: "POST",
        target,
        headers: { "content-type": "application/json" },
        body: new TextEncoder().encode(JSON.stringify(content)),
      },
      { kind: "local", userId },
    );
  for (const event of events)
    await request(`/calendars/${calendars[0]}/events`, eventBody({ ...SCHEDULE, ...event }));
  const body = feedBody(calendars, { name: "Ana's week", timezone: "Europe/Berlin", ...attributes });
  const made = await request("/feeds", body);
  const { secret } = JSON.parse(new TextDecoder().decode(made.body)).data.attributes;
  return `${listener.baseUrl}/feeds/${secret}`;
}

describeWithSystem("chromium", "the page of a feed", () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await launchChromium();
  });
  afterAll(() => chromium.close());

  async function open(address: string): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await chromium.context.newPage();
    onTestFinished(() => page.close());
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto(address);
    return { page, complaints };
  }

  const SCHEMES = ["light", "dark"] as const;

  test("fits every screen, and axe finds nothing", async () => {
    const { page, complaints } = await open(await serveWeek());
    await page.evaluate(AXE);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 390, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate(OVERFLOWS), `${width}`).toBe(false);
        expect(await page.evaluate(VIOLATIONS), `${colorScheme} at ${width}`).toEqual([]);
      }
    }
    expect(complaints).toEqual([]);
  });

  test("is a grid where there is room, and one sheet of paper", async () => {
    const { page } = await open(await serveWeek());
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await page.evaluate(LAYOUT)).toEqual({ cutOff: 0, cutLines: 0, cutTimes: 0, shift: 0 });
    await page.emulateMedia({ media: "print" });
    expect(await page.evaluate(LAYOUT)).toEqual({ cutOff: 0, cutLines: 0, cutTimes: 0, shift: 0 });
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  test("shows when four events that overlap begin, and of each a part of its title", async () => {
    const at = (time: string) => `2026-11-28T${time}:00.000Z`;
    const events = ["09:00", "09:00", "09:15", "09:30"].map((start, index) => ({
      title: `Overlap ${index}`,
      start_at: at(start),
      end_at: at(index === 0 ? "10:00" : "11:30"),
    }));
    const { page } = await open(await serveWeek({}, events));
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await page.evaluate(NARROW)).toEqual({ items: 4, brokenTimes: 0, hiddenTitles: 0 });
  });

  test("begins with today on a phone, and has the days that are over at its end", async () => {
    const { page } = await open(await serveWeek());
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(DAYS_FROM_ABOVE)).toEqual([
      ...["Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday"],
    ]);
  });

  test("leads to other weeks by keyboard, and reads by day", async () => {
    const { page } = await open(await serveWeek());
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Previous");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\?week=2026-W49$/);
    expect(await page.textContent("header p")).toBe("30 November – 6 December 2026, week 49");
    await page.getByRole("link", { name: "This week" }).click();
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      ...["Monday 23 November", "Tuesday 24 November", "Wednesday 25 November", "Thursday 26 November"],
      ...["Friday 27 November", "Saturday 28 November", "Sunday 29 November"],
    ]);
    expect(await page.locator("section.today li").allInnerTexts()).toEqual([
      "All day\nConference in Lyon Work",
      "08:00–09:00 Call with Tokyo Work",
    ]);
  });

  test.each(["?week=9999-W99", "?week=2026-W54", "?week=monday", "-gone"])(
    "%s is a clear page",
    async (end) => {
      const { page } = await open(`${await serveWeek()}${end}`);
      await page.evaluate(AXE);
      expect(await page.evaluate(VIOLATIONS)).toEqual([]);
      expect(await page.textContent("h1")).toBe(
        end === "-gone" ? "There is no calendar here" : "There is no such week",
      );
    },
  );

  test("looks as its decision record shows it", async () => {
    const { page } = await open(await serveWeek());
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: width === 390 ? 720 : 860 });
        const picture = await page.screenshot();
        expect(picture.byteLength).toBeGreaterThan(10_000);
        // Not compared: fonts differ from machine to machine.
        const folder = process.env["FEED_PICTURES"];
        if (folder === undefined) continue;
        const small = await page.evaluate(AS_WEBP(picture.toString("base64")));
        writeFileSync(
          join(folder, `feed-${width}-${colorScheme}.webp`),
          Buffer.from(String(small).split(",")[1] ?? "", "base64"),
        );
      }
    }
  });
});
