import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDigest, createTextMessage } from "../../../src/commands/messages/message.js";
import { renderMessage } from "../../../src/commands/messages/render.js";
import { cutText, type LengthUnit, textLength } from "../../../src/commands/messages/text-length.js";
import { EVENTS, event, NOW, OPTIONS, PLACE } from "./fixtures.js";
import { type ChatKind, problemsOf, TOTALS } from "./support/published-limits.js";

/** Lines of 50 characters, and a last one of its own length. */
function linesOf(count: number, lastLength: number): string {
  return `${`${"x".repeat(50)}\n`.repeat(count)}${"y".repeat(lastLength - 1)}Z`;
}

async function bodyOf(kind: ChatKind, text: string): Promise<string> {
  const payload = await renderMessage(kind, createTextMessage("Title", text), { ...PLACE, now: NOW });
  expect(problemsOf(kind, payload)).toEqual([]);
  return payload.body;
}

/** The largest number below 1,024 for which a condition holds, which holds up to some number. */
async function largest(holds: (number: number) => Promise<boolean>): Promise<number> {
  let number = 0;
  for (let step = 512; step >= 1; step /= 2) if (await holds(number + step)) number += step;
  return number;
}

test.each(Object.entries(TOTALS) as [ChatKind, (typeof TOTALS)["slack"]][])(
  "%s gets exactly as much as it takes, and not one more",
  async (kind, { max, sizeOf }) => {
    const isWhole = async (count: number, length: number) =>
      (await bodyOf(kind, linesOf(count, length))).includes("yZ");
    const count = await largest((number) => isWhole(number, 50));
    const length = await largest((number) => isWhole(count, number));
    expect(sizeOf(await bodyOf(kind, linesOf(count, length)))).toBe(max);
    const shortened = await bodyOf(kind, linesOf(count, length + 1));
    expect(shortened).not.toContain("yZ");
    expect(shortened).toContain("…");
  },
);

test("one's own text that does not fit keeps 200 characters of each line", async () => {
  const body = await bodyOf("googlechat", `${"a".repeat(5_000)}\nb`);
  expect(JSON.parse(body).text).toBe(`*Title*\n\n${"a".repeat(199)}…\nb`);
});

test.each([
  [150, "t".repeat(150)],
  [151, `${"t".repeat(149)}…`],
])("a header of slack of %i characters", async (length, header) => {
  const { body } = await renderMessage("slack", createTextMessage("t".repeat(length), "x"), { now: NOW });
  expect(JSON.parse(body).blocks[0].text.text).toBe(header);
});

test("a day of slack that is longer than a section goes on in the next", async () => {
  const events = Array.from({ length: 80 }, (_, index) =>
    event(`${index} ${"t".repeat(40)}`, "2026-11-21T09:00", "2026-11-21T10:00"),
  );
  const payload = await renderMessage("slack", createDigest(events, OPTIONS), { now: NOW });
  expect(problemsOf("slack", payload)).toEqual([]);
  const sections: string[] = JSON.parse(payload.body)
    .blocks.slice(1, -1)
    .map(({ text }: { text: { text: string } }) => text.text);
  expect(sections.slice(0, -1).every((text) => text.length > 2_900 && text.length <= 3_000)).toBe(true);
  expect(sections.join("\n").match(/• /g)).toHaveLength(80);
});

test.each([10, 11])("%i days with events fit in the embeds of discord", async (count) => {
  const days = Array.from({ length: count }, (_, index) => `2026-12-${String(index + 1).padStart(2, "0")}`);
  const events = days.map((day) => event(`On ${day}`, day, day));
  const range = { first: days[0] ?? "", last: days.at(-1) ?? "" };
  const payload = await renderMessage("discord", createDigest(events, { ...OPTIONS, range }), { now: NOW });
  expect(problemsOf("discord", payload)).toEqual([]);
  expect(JSON.parse(payload.body).embeds).toHaveLength(count === 10 ? 10 : 1);
  for (const day of days) expect(payload.body).toContain(`On ${day}`);
});

test("60 days with events fit in the blocks of slack", async () => {
  const days = Array.from({ length: 60 }, (_, index) =>
    new Date(Date.UTC(2026, 11, index + 1)).toISOString().slice(0, 10),
  );
  const range = { first: days[0] ?? "", last: days.at(-1) ?? "" };
  const events = days.map((day) => event(`On ${day}`, day, day));
  const payload = await renderMessage("slack", createDigest(events, { ...OPTIONS, range }), { now: NOW });
  expect(problemsOf("slack", payload)).toEqual([]);
  for (const day of days) expect(payload.body).toContain(`On ${day}`);
});

describe("cutting", () => {
  const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });
  const units = fc.constantFrom<LengthUnit>("code points", "UTF-16 units", "bytes");
  const texts = fc
    .array(fc.constantFrom("a", "é", "e\u0301", "仕", "👩‍👩‍👧‍👦", "🇩🇪", "שׁ", " ", "👍🏽"), { maxLength: 40 })
    .map((parts) => parts.join(""));

  test("keeps whole characters, as many as fit", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 3, max: 80 }), units, (text, max, unit) => {
        const cut = cutText(text, max, unit);
        expect(textLength(cut, unit)).toBeLessThanOrEqual(max);
        if (textLength(text, unit) <= max) {
          expect(cut).toBe(text);
          return;
        }
        const kept = cut.slice(0, -1);
        const all = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
        const starts = all.map((_, index) => all.slice(0, index).join("").trimEnd());
        expect(starts).toContain(kept);
        const next = all.slice(0, Array.from(GRAPHEMES.segment(kept)).length + 1).join("");
        expect(textLength(`${next.trimEnd()}…`, unit) > max || next.trimEnd() === kept).toBe(true);
      }),
    );
  });

  test.each<[LengthUnit, number]>([
    ["code points", 7],
    ["UTF-16 units", 11],
    ["bytes", 25],
  ])("a family is %s: %i", (unit, length) => {
    expect(textLength("👩‍👩‍👧‍👦", unit)).toBe(length);
    expect(cutText("👩‍👩‍👧‍👦", length, unit)).toBe("👩‍👩‍👧‍👦");
    expect(cutText("👩‍👩‍👧‍👦", length - 1, unit)).toBe("…");
  });
});

test.each([
  ["slack", 3_000, 1],
  ["slack", 3_001, 2],
  ["discord", 4_096, 1],
  ["discord", 4_097, 2],
] as const)("text for %s of %i characters takes %i of its parts", async (kind, length, count) => {
  const lines = [...Array.from({ length: Math.floor(length / 1_000) }, () => "x".repeat(999)), ""];
  const text = `${lines.join("\n")}${"y".repeat(length % 1_000 || 1)}`;
  const exact = length % 1_000 === 0 ? text.slice(1) : text;
  expect(exact).toHaveLength(length);
  const { blocks, embeds } = JSON.parse(await bodyOf(kind, exact));
  expect(kind === "slack" ? blocks.slice(1) : embeds).toHaveLength(count);
});

test("a message that slack refuses has a smaller one, with half of the text at most", async () => {
  const events = Array.from({ length: 120 }, (_, index) =>
    event(`E${index} ${"t".repeat(40)}`, "2026-11-21T09:00", "2026-11-21T10:00", {
      description: "d".repeat(150),
    }),
  );
  for (const some of [events, EVENTS]) {
    const payload = await renderMessage("slack", createDigest(some, OPTIONS), { now: NOW });
    const second = payload.smaller?.() ?? payload;
    expect(problemsOf("slack", second)).toEqual([]);
    expect(TOTALS.slack.sizeOf(second.body)).toBeLessThanOrEqual(TOTALS.slack.sizeOf(payload.body) / 2);
    expect(second.body).toContain(some[0]?.title ?? "?");
    expect(second.smaller).toBeUndefined();
  }
});
