import { describe, expect, test } from "vitest";
import { createChangesDigest, createDigest, createReminder } from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import { TARGET_KINDS } from "../../src/messages/target-kinds.js";
import { checkPayload } from "../support/chat/checks.js";
import { createHarness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { EVENTS, event, HOSTILE_WEEK, NOW, OPTIONS, PLACE, ZONE } from "./fixtures.js";

/** `--local-times`: each reader's chat shows the times in the reader's zone. */

const AT = (time: string) => Date.parse(time) / 1_000;

async function linesOf(kind: "slack" | "slack-bot" | "discord", message = createDigest(EVENTS, OPTIONS)) {
  const payload = await renderMessage(kind, message, { ...PLACE, now: NOW, localTimes: true });
  expect(checkPayload(kind, payload)).toEqual([]);
  const texts = JSON.stringify(JSON.parse(payload.body), null, 1).split("\\n").join("\n");
  return texts.match(/^.*(?:<!date|<t:|all day|Times in).*$/gm)?.map((line) => line.trim()) ?? [];
}

describe("a digest", () => {
  test("of slack has the instant of each time, and its text for what cannot show it", async () => {
    const clock = (time: string, text: string) => `<!date^${AT(time)}^{time}|${text}>`;
    const day = (time: string, text: string) => `<!date^${AT(time)}^{date_short} {time}|${text}>`;
    const text = (await linesOf("slack")).join("\n");
    for (const line of [
      "*→ all day →*  Grandma visits (day 2 of 3)",
      `• ${clock("2026-11-21T08:30Z", "09:30")}–${clock("2026-11-21T09:30Z", "10:30")}  Swimming lesson`,
      `• ${clock("2026-11-22T21:00Z", "22:00")} →  Night train (until ${day("2026-11-23T05:00Z", "Mon 06:00")})`,
      `• → ${clock("2026-11-23T05:00Z", "06:00")}  Night train (since ${day("2026-11-22T21:00Z", "Sun 22:00")})`,
      "(ends 11:00 Europe/London)",
      "Times in your own zone, days and first line in Europe/Berlin",
    ]) {
      expect(text).toContain(line);
    }
  });

  test("of discord has timestamps", async () => {
    const text = (await linesOf("discord")).join("\n");
    expect(text).toContain(
      `- <t:${AT("2026-11-21T08:30Z")}:t>–<t:${AT("2026-11-21T09:30Z")}:t>  Swimming lesson`,
    );
    expect(text).toContain(
      `<t:${AT("2026-11-22T21:00Z")}:t> →  Night train (until <t:${AT("2026-11-23T05:00Z")}:f>)`,
    );
  });
});

test("of what changed, the former time has its instants too", async () => {
  const before = event("Review", "2026-11-23T12:00", "2026-11-23T13:00");
  const now = event("Review", "2026-11-24T16:00", "2026-11-24T17:00");
  const changes = [{ change: "changed" as const, event: now, before }];
  const clock = (time: string) => `<t:${AT(`2026-11-${time}Z`)}:t>`;
  expect((await linesOf("discord", createChangesDigest(changes, OPTIONS))).join("\n")).toContain(
    `${clock("24T15:00")}–${clock("24T16:00")}, was Mon ${clock("23T11:00")}–${clock("23T12:00")}  Changed: Review`,
  );
});

test.each(["slack", "slack-bot", "discord"] as const)(
  "%s takes 120 hostile events, and one of them as a reminder",
  async (kind) => {
    expect((await linesOf(kind, createDigest(HOSTILE_WEEK, OPTIONS))).length).toBeGreaterThan(10);
    for (const one of HOSTILE_WEEK.slice(0, 22)) {
      await linesOf(kind, createReminder([one], { zone: ZONE, now: NOW, showCalendar: true }));
    }
  },
);

test("a title that looks like a time is none", async () => {
  const one = event("<!date^1^{time}|x> <t:1:R>", "2026-11-21T09:00", "2026-11-21T10:00");
  for (const [kind, time] of [
    ["slack", /<!date\^1\^/],
    ["discord", /[^\\]<t:1:/],
  ] as const) {
    const { body } = await renderMessage(kind, createDigest([one], OPTIONS), { now: NOW, localTimes: true });
    expect(body).not.toMatch(time);
  }
});

test.each([[], ["--changes", "news"]])("a template writes its own times: exit 2 (%j)", async (...flags) => {
  const { run } = await createHarness();
  const post = ["post", "-p", "local", "--as", "slack", "--dry-run", "--local-times", ...flags];
  const result = await run(...post, "--template", "{{ title }}");
  expect(result).toMatchObject(failed(2, "--local-times: a template"));
});

test.each(TARGET_KINDS.filter((kind) => !/^slack|^discord/.test(kind)))("%s cannot: exit 2", async (kind) => {
  const { run } = await createHarness();
  const where = { telegram: ["--chat", "1"], mail: ["--to", "ana@example.org"] }[kind as string] ?? [];
  const result = await run("post", "-p", "local", "--as", kind, ...where, "--dry-run", "--local-times");
  expect(result).toMatchObject(failed(2, "only slack, slack-bot, discord"));
});
