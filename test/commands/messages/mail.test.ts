import fc from "fast-check";
import ICAL from "ical.js";
import PostalMime, { type Email } from "postal-mime";
import { describe, expect, test } from "vitest";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../../src/commands/messages/message.js";
import { renderMessage } from "../../../src/commands/messages/render.js";
import { hostileText } from "../../support/harmful-text.js";
import { numberOfRuns } from "../../support/shared.js";
import {
  DINNER,
  EVENTS,
  event,
  HOSTILE_TITLES,
  HOSTILE_WEEK,
  NOW,
  numberOf,
  OPTIONS,
  ZONE,
} from "./fixtures.js";

const TO = "ana@example.com";

async function raw(message: Message, to = TO): Promise<string> {
  const { contentType, headers, body } = await renderMessage("mail", message, { to, now: NOW });
  expect([contentType, headers]).toEqual(["message/rfc822", {}]);
  return body;
}

/** The mail as a mail program reads it. */
async function read(message: Message): Promise<Email> {
  return PostalMime.parse(await raw(message));
}

/** Names of headers, each once. */
const HEADERS = ["subject", "auto-submitted", "to", "message-id", "date", "mime-version", "content-type"];

test("an email has text, HTML and headers that mark it as written by a program", async () => {
  const mail = await read(createDigest(EVENTS, OPTIONS));
  expect(mail.headers.map(({ key }) => key)).toEqual(HEADERS);
  expect(mail).toMatchObject({
    to: [{ address: TO }],
    subject: "This week",
    date: "2026-11-21T07:00:00.000Z",
  });
  expect(mail.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-generated");
  expect(mail.messageId).toMatch(/^<[\w-]{36}@[\w.-]+>$/);
  expect(mail.attachments).toEqual([]);
});

test("an email has its sender and its blind copies for sendmail, which takes these away", async () => {
  const addresses = { to: "a@example.com, b@example.com", from: "cal@example.com", bcc: "c@example.com" };
  const { body } = await renderMessage("mail", createDigest(EVENTS, OPTIONS), { ...addresses, now: NOW });
  expect(body).toMatch(/^From: cal@example\.com$/m);
  expect(body).toMatch(/^To: a@example\.com, b@example\.com$/m);
  expect(body).toMatch(/^Bcc: c@example\.com$/m);
});

describe("--ics", () => {
  async function attached(message: Message) {
    const { body } = await renderMessage("mail", message, { to: TO, ics: true, now: NOW });
    expect(body).toMatch(/^[\n\x20-\x7e]*$/);
    const { attachments, text } = await PostalMime.parse(body);
    expect(text?.trim()).not.toBe("");
    return attachments.map(({ filename, mimeType, content, method }) => {
      const source = new TextDecoder().decode(content as ArrayBuffer);
      const calendar = new ICAL.Component(ICAL.parse(source));
      expect([filename, mimeType, method]).toEqual(["events.ics", "text/calendar", "PUBLISH"]);
      expect(calendar.getFirstPropertyValue("method")).toBe("PUBLISH");
      return calendar.getAllSubcomponents("vevent").map((block) => block.getFirstPropertyValue("summary"));
    });
  }

  test("attaches the events of a digest, of one's own text and of a reminder", async () => {
    const titles = EVENTS.filter(({ start_local }) => start_local !== null).map(({ title }) => title);
    expect(await attached(createDigest(EVENTS, OPTIONS))).toEqual([titles]);
    expect(await attached(createTextMessage("Title", "x", EVENTS))).toEqual([titles]);
    const moment = { zone: ZONE, now: NOW, showCalendar: false };
    expect(await attached(createReminder([DINNER], moment))).toEqual([[DINNER.title]]);
    expect((await attached(createDigest(HOSTILE_WEEK.slice(0, 23), OPTIONS)))[0]).toHaveLength(23);
  });

  test("leaves out what was removed, and attaches nothing where there is nothing", async () => {
    const [visit = DINNER] = EVENTS;
    const changes = [
      { change: "added" as const, event: visit, before: null },
      { change: "removed" as const, event: DINNER, before: DINNER },
    ];
    expect(await attached(createChangesDigest(changes, OPTIONS))).toEqual([[visit.title]]);
    expect(await attached(createDigest([], OPTIONS))).toEqual([]);
  });
});

test("two emails have different ids", async () => {
  const digest = createDigest(EVENTS, OPTIONS);
  expect((await read(digest)).messageId).not.toBe((await read(digest)).messageId);
});

describe("a hostile title", () => {
  test("is only a title", async () => {
    for (const title of [...HOSTILE_TITLES, "long ".repeat(39), ".", "From here"]) {
      const one = event(title, "2026-11-21T09:00", "2026-11-21T10:00");
      const message = createDigest([one], { ...OPTIONS, title });
      const mail = await read(message);
      expect(mail.headers.map(({ key }) => key)).toEqual(HEADERS);
      expect([mail.to?.map(({ address }) => address), mail.bcc]).toEqual([[TO], undefined]);
      expect(mail.subject).toBe(message.title);
      expect(mail.text).toContain(message.title);
      expect(mail.html?.match(/<(?:script|a|i|b)\b[^>]*>/g)).toEqual(["<b>"]);
    }
  });

  test("of any text anywhere keeps the mail whole: lines of at most 78 characters, ASCII only", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (title, text) => {
        const message = createTextMessage(title, text);
        const source = await raw(message);
        expect(source).toMatch(/^[\n\x20-\x7e]*$/);
        // The name of this machine may be long.
        const lines = source.split("\n").filter((line) => !line.startsWith("Message-ID"));
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(78);
        const mail = await PostalMime.parse(source);
        expect(mail.headers.map(({ key }) => key)).toEqual(HEADERS);
        expect(mail.subject).toBe(message.title);
        expect(mail.text?.trimEnd()).toBe(message.body.kind === "text" ? message.body.text : "");
      }),
      { numRuns: numberOfRuns(20) },
    );
  });
});

test("a line that would start an email in a mailbox file is encoded", async () => {
  const message = createTextMessage("From here", "From here\nFrom there");
  expect(await raw(message)).not.toMatch(/^From /m);
  expect((await read(message)).text?.trimEnd()).toBe("From here\nFrom there");
});

test("a week of 120 hostile events is whole", async () => {
  const { text = "", html = "" } = await read(createDigest(HOSTILE_WEEK, OPTIONS));
  for (const part of [text, html]) {
    expect(HOSTILE_WEEK.filter((_, index) => part.includes(numberOf(index)))).toHaveLength(120);
    expect(part).not.toContain("… and");
  }
});

test.each(["", " ", "a@b.example\nBcc: x@evil.example", "a@b.example\r\n\r\nx", "ä@b.example"])(
  "%j is not an address",
  async (to) => {
    await expect(raw(createDigest(EVENTS, OPTIONS), to)).rejects.toMatchObject({ code: "usage" });
  },
);

test("many addresses are on lines of their own, and all of them are read back", async () => {
  const addresses = Array.from({ length: 20 }, (_, index) => `${"a".repeat(60)}${index}@example.com`);
  const mail = await raw(createTextMessage("Title", "x"), addresses.join(", "));
  expect(Math.max(...mail.split("\n").map((line) => line.length))).toBeLessThan(100);
  expect((await PostalMime.parse(mail)).to).toMatchObject(addresses.map((address) => ({ address })));
});
