import fc from "fast-check";
import { expect } from "vitest";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../../../src/commands/messages/message.js";
import { renderMessage } from "../../../../src/commands/messages/render.js";
import type { Payload } from "../../../../src/delivery/target.js";
import type { LocalizedEvent } from "../../../../src/events/localized-event.js";
import { hostileText } from "../../../support/harmful-text.js";
import { DINNER, EVENTS, event, NOW, OPTIONS, PLACE, person, ZONE } from "../fixtures.js";
import { type ChatKind, mentionsIn, problemsOf } from "./published-limits.js";

/** Renders a message that the target must take, and that must mention nobody. */
export async function takenBy(kind: ChatKind, message: Message): Promise<Payload> {
  const payload = await renderMessage(kind, message, { ...PLACE, now: NOW });
  const found = { kind, problems: problemsOf(kind, payload), mentions: mentionsIn(kind, payload) };
  expect(found, payload.body).toEqual({ kind, problems: [], mentions: [] });
  return payload;
}

/** URLs, some with an IP address as their host. */
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

/** Every kind of message, about an event whose fields have hostile text and links. */
export const hostileMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(fc.array(hostileText, { minLength: 8, maxLength: 8 }), urls, urls)
  .map(([texts, one, other]) => {
    const hostile = hostileEvent(texts, [one, other]);
    const title = texts[7] ?? "";
    return [
      createDigest([hostile, hostile], { ...OPTIONS, title, showCalendar: true }),
      createChangesDigest([{ change: "changed", event: EVENTS[1] ?? DINNER, before: hostile }], {
        ...OPTIONS,
        title,
      }),
      createReminder([hostile], { zone: ZONE, now: NOW, showCalendar: true }),
      createTextMessage(title, texts.join("\n")),
    ];
  });
