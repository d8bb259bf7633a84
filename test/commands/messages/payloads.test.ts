import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../../src/commands/messages/message.js";
import type { Payload } from "../../../src/delivery/target.js";
import type { LocalizedEvent } from "../../../src/events/localized-event.js";
import { numberOfRuns } from "../../support/shared.js";
import { event, HOSTILE_WEEK, NOW, numberOf, OPTIONS, person, ZONE } from "./fixtures.js";
import { hostileMessages, takenBy } from "./support/hostile-messages.js";
import { CHAT_KINDS } from "./support/published-limits.js";

/** Whatever the events are, a target takes the message within its limits, and it mentions nobody. */

const LIMITED = CHAT_KINDS.filter((kind) => kind !== "json");
const MOMENT = { zone: ZONE, now: NOW, showCalendar: true };

const DETAILED = Array.from({ length: 30 }, (_, index) =>
  event(numberOf(index), "2026-11-21T09:00", "2026-11-21T10:00", {
    description: "d".repeat(500),
    attendees: Array.from({ length: 20 }, (_, n) => person(`Person number ${n}`)),
    location: "l".repeat(100),
  }),
);

const MANY = Array.from({ length: 400 }, (_, index) =>
  event(`${numberOf(index)} ${"t".repeat(40)} end`, "2026-11-21T09:00", "2026-11-21T10:00"),
);

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
    const payload = await takenBy(kind, message);
    const shown = countShown(HOSTILE_WEEK, payload);
    // A title may end so, too: what is left out is said last.
    const left = shown === 120 ? 0 : Number([...payload.body.matchAll(/… and (\d+) more/g)].at(-1)?.[1]);
    expect(shown + left).toBe(120);
    expect(shown).toBeGreaterThan(10);
  });

  test.each(["x".repeat(50_000), "line\n".repeat(5_000), "👩‍👩‍👧‍👦".repeat(2_000), "*".repeat(9_000)])(
    "takes one's own text of any length: %#",
    async (text) => {
      await takenBy(kind, createTextMessage("Title", text));
    },
  );
});

test("every target takes any event, with any text and links anywhere", async () => {
  await fc.assert(
    fc.asyncProperty(hostileMessages, async (messages) => {
      for (const kind of CHAT_KINDS) for (const message of messages) await takenBy(kind, message);
    }),
    { numRuns: numberOfRuns(25) },
  );
});

describe.each(LIMITED)("what does not fit %s", (kind) => {
  test("loses its details before any event is left out", async () => {
    const payload = await takenBy(kind, createDigest(DETAILED, OPTIONS));
    expect(countShown(DETAILED, payload)).toBe(30);
    expect(payload.body).not.toContain("… and");
  });

  test("is left out from the end, in whole events", async () => {
    const { body } = await takenBy(kind, createDigest(MANY, OPTIONS));
    const count = body.match(/E\d{3} t{40} end/g)?.length ?? 0;
    expect(body).toContain(`… and ${400 - count} more`);
    expect(body).toContain(`${numberOf(count - 1)} `);
    expect(body).not.toContain(numberOf(count));
  });
});
