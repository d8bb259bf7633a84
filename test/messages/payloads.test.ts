import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LocalizedEvent } from "../../src/calendar/event-view.js";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import type { Payload } from "../../src/messages/target.js";
import { hostileText } from "../support/harmful-text.js";
import {
  DINNER,
  EVENTS,
  event,
  HOSTILE_WEEK,
  NOW,
  numberOf,
  OPTIONS,
  PLACE,
  person,
  ZONE,
} from "./fixtures.js";
import { CHAT_KINDS, type ChatKind, mentionsIn, problemsOf } from "./support/published-limits.js";

/** Whatever the events are, a target takes the message within its limits, and it mentions nobody. */

const LIMITED = CHAT_KINDS.filter((kind) => kind !== "json");
const MOMENT = { zone: ZONE, now: NOW, showCalendar: true };

/** What a target takes. */
async function taken(kind: ChatKind, message: Message): Promise<Payload> {
  const payload = await renderMessage(kind, message, { ...PLACE, now: NOW });
  expect({ problems: problemsOf(kind, payload), mentions: mentionsIn(kind, payload) }, payload.body).toEqual({
    problems: [],
    mentions: [],
  });
  return payload;
}

/** How many of the events of a message are in it. */
function countShown(events: readonly LocalizedEvent[], { body }: Payload): number {
  return events.filter((_, index) => body.includes(numberOf(index))).length;
}

describe.each(CHAT_KINDS)("%s", (kind) => {
  test.each<[string, Message]>([
    ["a week", createDigest(HOSTILE_WEEK, OPTIONS)],
    [
      "changes",
      createChangesDigest(
        HOSTILE_WEEK.map((before) => ({
          change: "changed" as const,
          before,
          event: { ...before, location: "Here" },
        })),
        OPTIONS,
      ),
    ],
    ["a reminder", createReminder(HOSTILE_WEEK, MOMENT)],
  ])("takes %s of 120 hostile events, with what is left out counted", async (_, message) => {
    const payload = await taken(kind, message);
    const shown = countShown(HOSTILE_WEEK, payload);
    // A title may end so, too: what is left out is said last.
    const left = shown === 120 ? 0 : Number([...payload.body.matchAll(/… and (\d+) more/g)].at(-1)?.[1]);
    expect(shown + left).toBe(120);
    expect(shown).toBeGreaterThan(10);
  });

  test("takes any event, with any text and links anywhere", async () => {
    const all = fc.array(hostileText, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(all, urls, urls, async (texts, one, other) => {
        const hostile = hostileEvent(texts, [one, other]);
        const title = texts[7] ?? "";
        for (const message of [
          createDigest([hostile, hostile], { ...OPTIONS, title, showCalendar: true }),
          createChangesDigest([{ change: "changed", event: EVENTS[1] ?? DINNER, before: hostile }], {
            ...OPTIONS,
            title,
          }),
          createReminder([hostile], MOMENT),
          createTextMessage(title, texts.join("\n")),
        ])
          await taken(kind, message);
      }),
      { numRuns: 25 },
    );
  });

  test.each(["x".repeat(50_000), "line\n".repeat(5_000), "👩‍👩‍👧‍👦".repeat(2_000), "*".repeat(9_000)])(
    "takes one's own text of any length: %#",
    async (text) => {
      await taken(kind, createTextMessage("Title", text));
    },
  );
});

/** Also with hosts that are addresses, or names of one's own network. */
const urls = fc.webUrl({
  withFragments: true,
  withQueryParameters: true,
  authoritySettings: { withIPv4: true, withIPv6: true, withPort: true },
});

function hostileEvent(
  [title = "", location = "", description = "", calendar = "", ...others]: readonly string[],
  [one, other]: readonly [string, string],
): LocalizedEvent {
  const details = {
    location: `${location} ${one}`,
    description: `${other} ${description}`,
    url: other,
    attendees: others.map(person),
  };
  return { ...event(title, "2026-11-21T09:00", "2026-11-22T10:00", details), calendar_name: calendar };
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
    const payload = await taken(kind, createDigest(events, OPTIONS));
    expect(countShown(events, payload)).toBe(30);
    expect(payload.body).not.toContain("… and");
  });

  test("is left out from the end, in whole events", async () => {
    const events = Array.from({ length: 400 }, (_, index) =>
      event(`${numberOf(index)} ${"t".repeat(40)} end`, "2026-11-21T09:00", "2026-11-21T10:00"),
    );
    const { body } = await taken(kind, createDigest(events, OPTIONS));
    const count = body.match(/E\d{3} t{40} end/g)?.length ?? 0;
    expect(body).toContain(`… and ${400 - count} more`);
    expect(body).toContain(`${numberOf(count - 1)} `);
    expect(body).not.toContain(numberOf(count));
  });
});
