import { beforeAll, expect, test } from "vitest";
import {
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../src/commands/messages/message.js";
import { renderMessage } from "../../src/commands/messages/render.js";
import { event, NOW, OPTIONS, PLACE, person, ZONE } from "../commands/messages/fixtures.js";
import { CHAT_KINDS } from "../commands/messages/support/published-limits.js";
import { SLOW_TEXTS } from "../support/slow-texts.js";

/** Texts that are longer than the contract allows. Where the time grew with their square, it would run out. */

const TIMEOUT = 20_000;
const DESTINATION = { ...PLACE, to: "ana@example.com", now: NOW };

let messages: readonly Message[];
beforeAll(() => {
  messages = SLOW_TEXTS.flatMap(([, textOf]) => {
    const text = textOf(25_000);
    const details = {
      description: text,
      location: text,
      url: `https://a.example/${text}`,
      attendees: [person(text)],
    };
    const shown = event(text, "2026-11-21T15:00", "2026-11-21T16:00", details);
    return [
      createDigest([shown], { ...OPTIONS, title: text }),
      createReminder([shown], { zone: ZONE, now: NOW, showCalendar: true }),
      createTextMessage("Title", text),
    ];
  });
}, TIMEOUT);

test.each([...CHAT_KINDS, "mail" as const])(
  "a message to %s",
  async (kind) => {
    for (const message of messages)
      expect((await renderMessage(kind, message, DESTINATION)).body).not.toBe("");
  },
  TIMEOUT,
);
