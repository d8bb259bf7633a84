import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linkButtons } from "../../src/messages/links.js";
import { createReminder } from "../../src/messages/message.js";
import { renderMessage } from "../../src/messages/render.js";
import type { TargetKind } from "../../src/messages/target.js";
import { checkPayload } from "../support/chat/checks.js";
import { CHAT_KINDS } from "../support/chat/services.js";
import { hostileText } from "../support/harmful-text.js";
import { event, NOW, PLACE, ZONE } from "./fixtures.js";

/** The links of a reminder as buttons: what to join first, and where each leads is said by its host. */

const NONE = { location: null, description: null, url: null };
const MOMENT = { zone: ZONE, now: NOW, showCalendar: false };

test.each([
  [{ location: "https://meet.example/team?x=1" }, ["Join meet.example https://meet.example/team?x=1"]],
  [{ url: "https://noodles.example/t" }, ["Open noodles.example https://noodles.example/t"]],
  [{ url: "https://us02web.zoom.us/j/1" }, ["Join us02web.zoom.us https://us02web.zoom.us/j/1"]],
  [
    { description: "See https://a.example/x\nJoin: https://meet.google.com/abc-defg-hij." },
    ["Join meet.google.com https://meet.google.com/abc-defg-hij"],
  ],
  [
    { location: "Room 4, https://meet.example/1", url: "https://wiki.example/agenda" },
    ["Join meet.example https://meet.example/1", "Open wiki.example https://wiki.example/agenda"],
  ],
  [{ location: "https://a.example/1", url: "https://a.example/1" }, ["Join a.example https://a.example/1"]],
  [{ location: "“https://meet.example/1” – room 4" }, ["Join meet.example https://meet.example/1"]],
  [{ url: "mailto:ana@example.com" }, []],
  [{ url: "javascript:alert(1)" }, []],
  [{ url: "https://bank.example@evil.example/" }, []],
  [{ url: "http://[fd00::1]:8080/room" }, []],
  [{ url: "http://intranet/room", location: "http://localhost:8080/" }, []],
  [{ url: "http://intranet./room" }, []],
  [{ url: "http://192.168.1.7/room" }, ["Open 192.168.1.7 http://192.168.1.7/room"]],
  [{ url: "https://notzoom.us.example/" }, ["Open notzoom.us.example https://notzoom.us.example/"]],
  [{ location: `https://a.example/${"x".repeat(500)}` }, []],
  [
    { url: `https://bank.example.${"a".repeat(60)}.evil.example/` },
    [`Open ...${"a".repeat(43)}.evil.example https://bank.example.${"a".repeat(60)}.evil.example/`],
  ],
])("%j has the buttons %j", (links, buttons) => {
  expect(linkButtons({ ...NONE, ...links }).map(({ text, url }) => `${text} ${url}`)).toEqual(buttons);
});

const WHERE: Readonly<
  Partial<Record<TargetKind, (body: string, headers: Record<string, string>) => unknown>>
> = {
  slack: (body) =>
    JSON.parse(body).blocks.find(({ type }: { type: string }) => type === "actions").elements[0].url,
  discord: (body) => JSON.parse(body).components[0].components[0].url,
  teams: (body) => JSON.parse(body).attachments[0].content.actions[0].url,
  telegram: (body) => JSON.parse(body).reply_markup.inline_keyboard[0][0].url,
  ntfy: (_, headers) => [headers["click"], JSON.parse(headers["actions"] ?? "")[0].url],
};

describe.each(Object.entries(WHERE))("%s", (kind, urlOf) => {
  test("has the link of a reminder as a button", async () => {
    const url = "https://meet.example/team?x=1&y=2";
    const call = event("Call", "2026-11-21T09:00", "2026-11-21T10:00", { url });
    const { body, headers } = await renderMessage(kind as TargetKind, createReminder([call], MOMENT), {
      ...PLACE,
      now: NOW,
    });
    expect([urlOf(body, headers)].flat()).toEqual(kind === "ntfy" ? [url, url] : [url]);
  });
});

test("only a message with buttons asks discord for them", async () => {
  const render = async (url: string | null) => {
    const call = event("Call", "2026-11-21T09:00", "2026-11-21T10:00", { url });
    return (await renderMessage("discord", createReminder([call], MOMENT), { now: NOW })).query;
  };
  expect(await render("https://meet.example/")).toEqual({ with_components: "true" });
  expect(await render(null)).toBeUndefined();
});

test.each(CHAT_KINDS)("%s takes a reminder with a link to a host with a long name", async (kind) => {
  const url = `https://${"a".repeat(63)}.example/`;
  const call = event("Call", "2026-11-21T09:00", "2026-11-21T10:00", { url });
  const payload = await renderMessage(kind, createReminder([call], MOMENT), { ...PLACE, now: NOW });
  expect(checkPayload(kind, payload)).toEqual([]);
});

/** Also with hosts that are addresses, or names of one's own network. */
const urls = fc.webUrl({
  withFragments: true,
  withQueryParameters: true,
  authoritySettings: { withIPv4: true, withIPv6: true, withPort: true },
});

test.each(CHAT_KINDS)(
  "%s takes a reminder with a link to a host that is no name of the internet",
  async (kind) => {
    for (const url of ["http://[fd00::1]:8080/room?a=[1]", "http://intranet/room", "http://localhost/"]) {
      const details = { url, location: url, description: `See ${url}` };
      const call = event("Call", "2026-11-21T09:00", "2026-11-21T10:00", details);
      const payload = await renderMessage(kind, createReminder([call], MOMENT), { ...PLACE, now: NOW });
      expect(checkPayload(kind, payload), url).toEqual([]);
      expect(payload.body, url).toContain(new URL(url).hostname.replace("[", ""));
    }
  },
);

test.each(CHAT_KINDS)("%s takes a reminder of any text with links", async (kind) => {
  await fc.assert(
    fc.asyncProperty(hostileText, urls, urls, async (text, one, other) => {
      const details = { location: `${text} ${one}`, description: `${other} ${text}`, url: other };
      const call = event(text, "2026-11-21T09:00", "2026-11-21T10:00", details);
      const payload = await renderMessage(kind, createReminder([call], MOMENT), { ...PLACE, now: NOW });
      expect(checkPayload(kind, payload)).toEqual([]);
    }),
    { numRuns: 50 },
  );
});
