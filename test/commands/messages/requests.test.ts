import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import {
  createChangesDigest,
  createDigest,
  createReminder,
  createTextMessage,
  type Message,
} from "../../../src/commands/messages/message.js";
import { renderMessage } from "../../../src/commands/messages/render.js";
import { TARGET_KINDS, type TargetKind } from "../../../src/delivery/target.js";
import { DINNER, EVENTS, event, HOSTILE_TITLES, NOW, OPTIONS, ZONE } from "./fixtures.js";
import { findCardProblems } from "./support/adaptive-card.js";
import { problemsOf } from "./support/published-limits.js";

/** The requests of each target, as golden files: texts of the calendar in them are neither markup nor mentions. */

const EARLIER = event("Talk", "2026-11-21T12:00", "2026-11-21T13:00", { location: "Room 1" });
const LATER = event("Review", "2026-11-21T16:00", "2026-11-21T17:00", { location: "Room 2" });
const CALL = event("Call", "2026-11-21T19:00", "2026-11-21T20:00", {
  location: "https://meet.example/1?x=(y)",
});
const MOMENT = { zone: ZONE, now: Date.parse("2026-11-21T17:45:00Z"), showCalendar: true };

const MESSAGES: Readonly<Record<string, Message>> = {
  "a week": createDigest(EVENTS, OPTIONS),
  changes: createChangesDigest(
    [
      { change: "added", event: EVENTS[1] ?? DINNER, before: null },
      { change: "changed", event: LATER, before: EARLIER },
      { change: "removed", event: DINNER, before: DINNER },
    ],
    { ...OPTIONS, title: "News" },
  ),
  "a reminder": createReminder([DINNER], MOMENT),
  "a reminder of two events": createReminder([DINNER, CALL], MOMENT),
  "one's own text": createTextMessage(
    "Title",
    ["One *two* <three>", "", ...HOSTILE_TITLES.slice(0, 7)].join("\n"),
  ),
  "hostile titles": createDigest(
    HOSTILE_TITLES.map((title) => {
      const details = { location: title, url: "https://a.example/(x)" };
      return event(title, "2026-11-21T09:00", "2026-11-21T10:00", details);
    }),
    { ...OPTIONS, title: HOSTILE_TITLES.slice(0, 6).join(" ") },
  ),
};

const MENTIONED: Readonly<Partial<Record<TargetKind, readonly string[]>>> = {
  slack: ["@here", "U012AB3CD"],
  discord: ["@here", "80351110224678912"],
  teams: ["ana@example.com", "0a1b2c3d-0000-4000-8000-00000000000a"],
  mattermost: ["@channel", "@ana.b"],
  telegram: ["123456"],
  googlechat: ["users/12345", "users/all"],
};

async function requestOf(kind: TargetKind, message: Message, mentions?: readonly string[]): Promise<string> {
  const place = { chat: "1", topic: "42", to: "ana@example.com" };
  const named = mentions === undefined ? {} : { mentions };
  const payload = await renderMessage(kind, message, { ...place, ...named, now: NOW });
  const { contentType, headers, query, body } = payload;
  if (kind === "mail") {
    const { subject, text, html } = await PostalMime.parse(body);
    return [subject, text, html].join("\n");
  }
  expect(problemsOf(kind, payload)).toEqual([]);
  if (kind === "teams") expect(findCardProblems(JSON.parse(body).attachments[0].content)).toEqual([]);
  const parameters = query === undefined ? [] : [JSON.stringify(query)];
  return [contentType, JSON.stringify(headers), ...parameters, kind === "ntfy" ? body : draw(body)].join(
    "\n",
  );
}

/** Lists and objects on a line each, unless they are long; of an event only its id. */
function draw(body: string): string {
  const lines = (value: unknown, indent: string): string => {
    const line = JSON.stringify(value);
    if (typeof value !== "object" || value === null || line.length < 400)
      return line.replaceAll("\\n", `\\n\n${indent}`).replaceAll("\u200b", "\\u200b");
    const members = Object.entries(value).map(([name, member]) => {
      return `\n${indent}  ${Array.isArray(value) ? "" : `"${name}": `}${lines(member, `${indent}  `)}`;
    });
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    return `${open}${members.join(",")}\n${indent}${close}`;
  };
  return lines(
    JSON.parse(body, (name, member) => (name === "event" ? member.id : member)),
    "",
  );
}

test.each(TARGET_KINDS)("%s gets these requests", async (kind) => {
  const requests = Object.entries(MESSAGES).map(
    async ([name, message]) => `# ${name}\n${await requestOf(kind, message)}`,
  );
  const mentioned = MENTIONED[kind];
  const naming = mentioned === undefined ? [] : [requestOf(kind, createDigest([CALL], OPTIONS), mentioned)];
  const all = [
    ...(await Promise.all(requests)),
    ...(await Promise.all(naming)).map((request) => `# mentions\n${request}`),
  ];
  await expect(`${all.join("\n\n")}\n`).toMatchFileSnapshot(`golden/${kind}.txt`);
});
