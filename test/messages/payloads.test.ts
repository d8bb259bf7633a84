import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHANGE_KINDS } from "../../src/calendar/event-changes.js";
import type { LocalizedEvent } from "../../src/calendar/event-view.js";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import { checkPayload, type SentPayload } from "../support/chat/checks.js";
import { type ChatPage, showMessage } from "../support/chat/pages.js";
import { CHAT_KINDS, type ChatKind } from "../support/chat/services.js";
import { hostileText } from "../support/harmful-text.js";
import {
  DINNER,
  EVENTS,
  event,
  HOSTILE_TITLES,
  HOSTILE_WEEK,
  NOW,
  numberOf,
  OPTIONS,
  PLACE,
  person,
  ZONE,
} from "./fixtures.js";

const LIMITED = CHAT_KINDS.filter((kind) => kind !== "json");

/** What a service gets, once it has accepted it. */
async function sent(kind: ChatKind, message: Message): Promise<SentPayload> {
  const payload = await renderMessage(kind, message, { ...PLACE, now: NOW });
  expect(checkPayload(kind, payload), kind).toEqual([]);
  return payload;
}

async function shown(kind: ChatKind, message: Message): Promise<ChatPage & { readonly text: string }> {
  const page = showMessage(kind, await sent(kind, message));
  return { ...page, text: textOf(page.html) };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

/** What a person reads: without tags, and without what is not visible. */
function textOf(page: string): string {
  const main = page.replace(/^.*<main[^>]*>|<\/main>.*$/gs, "");
  const text = main.replace(/<br>/g, "\n").replace(/<[^>]*>/g, "");
  return text.replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => ENTITIES[name] ?? "").replaceAll("\u200b", "");
}

test.each(LIMITED)(
  "%s keeps the marks of a title that is written from right to left, and no other control of direction",
  async (kind) => {
    const title = "פגישה (Zoom)\u200f 3\u200e מ\u061cغداء\u202e";
    const { text } = await shown(
      kind,
      createDigest([event(title, "2026-11-21T09:00", "2026-11-21T10:00")], OPTIONS),
    );
    expect(text).toContain("פגישה (Zoom)\u200f 3\u200e מ\u061cغداء\\");
    expect(text).not.toContain("\u202e");
  },
);

describe.each(CHAT_KINDS)("%s", (kind) => {
  test.each([
    ["a week", createDigest(HOSTILE_WEEK, OPTIONS)],
    [
      "changes",
      createChangesDigest(
        HOSTILE_WEEK.map((one, index) => ({
          change: CHANGE_KINDS[index % 3] ?? "added",
          event: one,
          before: null,
        })),
        OPTIONS,
      ),
    ],
    ["a reminder", createReminder(HOSTILE_WEEK, { zone: ZONE, now: NOW, showCalendar: true })],
  ])(
    "takes %s of 120 hostile events: shown and left out are 120, and nobody is mentioned",
    async (_, message) => {
      const { text, mentions } = await shown(kind, message);
      const numbers = HOSTILE_WEEK.filter((__, index) => text.includes(numberOf(index))).length;
      // A title may end so, too: what is left out is said last.
      const left = numbers === 120 ? 0 : Number([...text.matchAll(/… and (\d+) more/g)].at(-1)?.[1]);
      expect({ total: numbers + left, mentions }).toEqual({ total: 120, mentions: [] });
      expect(numbers).toBeGreaterThan(10);
    },
  );

  test("takes any of them alone, notifies nobody, and shows the title as it is", async () => {
    for (const hostile of HOSTILE_TITLES) {
      const one = event(hostile, "2026-11-21T09:00", "2026-11-21T10:00");
      const { html, text, mentions } = await shown(
        kind,
        createDigest([one, one], { ...OPTIONS, title: hostile }),
      );
      expect(mentions, hostile).toEqual([]);
      if (kind === "json") continue;
      const [entry] = messageEntries(createDigest([one], OPTIONS));
      expect(
        plain(text).split(plain(entry?.name ?? "?")).length - 1,
        `${hostile}\n${text}`,
      ).toBeGreaterThanOrEqual(2);
      expect(html.match(/<(?:a|i|em|code|s|del|blockquote|h3|script|table)\b/g) ?? [], html).toEqual([]);
    }
  });

  test("takes any event, with any text anywhere", async () => {
    const texts = fc.array(hostileText, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), async (texts, count) => {
        const one = hostileEvent(texts);
        const events = Array.from({ length: count }, () => ({ ...one }));
        const title = texts[7] ?? "";
        for (const message of [
          createDigest(events, { ...OPTIONS, title, showCalendar: true }),
          createChangesDigest(
            [
              { change: "removed", event: one, before: one },
              { change: "changed", event: EVENTS[1] ?? one, before: one },
            ],
            { ...OPTIONS, title },
          ),
          createReminder([one], { zone: ZONE, now: OPTIONS.now, showCalendar: true }),
          createTextMessage(title, texts.join("\n")),
        ]) {
          expect((await shown(kind, message)).mentions).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("takes text of any length", async () => {
    for (const text of [
      "x".repeat(50_000),
      "line\n".repeat(5_000),
      "👩‍👩‍👧‍👦".repeat(2_000),
      "*".repeat(9_000),
    ]) {
      await sent(kind, createTextMessage("Title", text));
    }
  });
});

function hostileEvent([
  title = "",
  location = "",
  description = "",
  url = "",
  calendar = "",
  ...others
]: readonly string[]): LocalizedEvent {
  const details = { location, description, url, attendees: others.map(person) };
  return { ...event(title, "2026-11-21T09:00", "2026-11-22T10:00", details), calendar_name: calendar };
}

function messageEntries({ body }: Message) {
  return body.kind === "days" ? body.days.flatMap(({ entries }) => entries) : [];
}

/** Marks that have a lookalike, and control characters that pages replace, are the same here. */
function plain(text: string): string {
  const same: Readonly<Record<string, string>> = {
    "∗": "*",
    ˍ: "_",
    "∼": "~",
    ˋ: "`",
    "‹": "<",
    "›": ">",
    "–": "-",
    ǀ: "|",
  };
  return text.replace(/[∗ˍ∼ˋ‹›–ǀ]/g, (mark) => same[mark] ?? "");
}

describe.each(LIMITED)("what does not fit %s", (kind) => {
  test("loses its details before any event is left out", async () => {
    const events = Array.from({ length: 30 }, (_, index) =>
      event(numberOf(index), "2026-11-21T09:00", "2026-11-21T10:00", {
        description: "d".repeat(500),
        attendees: Array.from({ length: 20 }, (_, n) => person(`Person number ${n}`)),
        location: "l".repeat(100),
      }),
    );
    const { text } = await shown(kind, createDigest(events, OPTIONS));
    expect(events.filter((_, index) => text.includes(numberOf(index)))).toHaveLength(30);
    expect(text).not.toContain("… and");
  });

  test("is left out from the end, in whole events", async () => {
    const events = Array.from({ length: 400 }, (_, index) =>
      event(`${numberOf(index)} ${"t".repeat(40)} end`, "2026-11-21T09:00", "2026-11-21T10:00"),
    );
    const { text } = await shown(kind, createDigest(events, OPTIONS));
    const count = text.match(/E\d{3} t{40} end/g)?.length ?? 0;
    expect(text).toContain(`… and ${400 - count} more`);
    expect(text).toContain(`${numberOf(count - 1)} `);
    expect(text).not.toContain(numberOf(count));
  });
});

test.each(LIMITED)("of 120 changed events %s shows as many as fit, with their former times", async (kind) => {
  const changes = HOSTILE_WEEK.map((before) => ({
    ...{ change: "changed" as const, before },
    event: { ...DINNER, start_local: "2026-11-21T19:01:00+01:00" },
  }));
  const { text, mentions } = await shown(kind, createChangesDigest(changes, OPTIONS));
  expect(mentions).toEqual([]);
  const count = text.match(/Changed:/g)?.length ?? 0;
  const left = Number(/… and (\d+) more/.exec(text)?.[1] ?? 0);
  expect(count + left).toBe(120);
  expect(text).toContain(", was ");
});

test("json has what an event was among its notes", async () => {
  const before = { ...DINNER, location: "Room 1" };
  const changes = [{ change: "changed" as const, event: DINNER, before }];
  const payload = await renderMessage("json", createChangesDigest(changes, OPTIONS), { now: NOW });
  expect(JSON.parse(payload.body).days[0].entries[0].notes).toEqual(["[Visits]", "(was at Room 1)"]);
});

test("a message of telegram goes into its topic", async () => {
  const message = createDigest(EVENTS, OPTIONS);
  const payload = await renderMessage("telegram", message, { chat: "-100123", topic: "42", now: NOW });
  expect(checkPayload("telegram", payload)).toEqual([]);
  expect(JSON.parse(payload.body)).toMatchObject({ chat_id: "-100123", message_thread_id: 42 });
});

test.each(CHAT_KINDS)("a week is shown whole by %s", async (kind) => {
  const { text } = await shown(kind, createDigest(EVENTS, OPTIONS));
  for (const { title } of EVENTS) expect(text).toContain(title);
  expect(text).toContain("Times in Europe/Berlin");
  expect(text).not.toContain("more");
});
