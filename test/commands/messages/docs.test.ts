import { expect, test } from "vitest";
import { DISCORD_LIMITS } from "../../../src/commands/messages/kinds/discord.js";
import { GOOGLE_CHAT_LIMITS } from "../../../src/commands/messages/kinds/google-chat.js";
import { MAIL_LIMITS } from "../../../src/commands/messages/kinds/mail.js";
import { MATTERMOST_LIMITS } from "../../../src/commands/messages/kinds/mattermost.js";
import { NTFY_LIMITS } from "../../../src/commands/messages/kinds/ntfy.js";
import { SLACK_LIMITS } from "../../../src/commands/messages/kinds/slack.js";
import { TEAMS_LIMITS } from "../../../src/commands/messages/kinds/teams.js";
import { TELEGRAM_LIMITS } from "../../../src/commands/messages/kinds/telegram.js";
import { createDigest } from "../../../src/commands/messages/message.js";
import { renderMessage } from "../../../src/commands/messages/render.js";
import { TARGET_KINDS, type TargetKind } from "../../../src/delivery/target.js";
import { readPage } from "../../support/docs-pages.js";
import { EVENTS, NOW, OPTIONS } from "./fixtures.js";

const PAGE = readPage("messages");
/** The page breaks its lines anywhere. */
const ROWS = new Map(
  [...PAGE.matchAll(/^\| `([\w-]+)` \|.*\| (.*) \|$/gm)].map(([, kind, limits = ""]) => [kind, limits]),
);

/** Without the content of discord, which only has the title. */
const { content: _, ...discord } = DISCORD_LIMITS;
const LIMITS: Readonly<Partial<Record<TargetKind, Readonly<Record<string, string | number>>>>> = {
  slack: SLACK_LIMITS,
  discord,
  teams: TEAMS_LIMITS,
  mattermost: MATTERMOST_LIMITS,
  telegram: TELEGRAM_LIMITS,
  googlechat: GOOGLE_CHAT_LIMITS,
  ntfy: NTFY_LIMITS,
  mail: MAIL_LIMITS,
};

test("docs/messages.md has every target, with its limits and their unit", () => {
  expect([...ROWS.keys()]).toEqual([...TARGET_KINDS]);
  for (const [kind, limits] of Object.entries(LIMITS)) {
    const { unit, ...numbers } = limits;
    const row = ROWS.get(kind) ?? "";
    expect(row, kind).toContain(String(unit));
    const named = row.match(/(?<![\w-])\d[\d,]*/g)?.map((number) => Number(number.replaceAll(",", "")));
    expect(named?.sort(), kind).toEqual(Object.values(numbers).sort());
  }
});

test("docs/messages.md shows what json gets", async () => {
  const example = /```json\n(.*?)```/s.exec(PAGE)?.[1] ?? "";
  const { body } = await renderMessage("json", createDigest(EVENTS, OPTIONS), { now: NOW });
  const [sent, shown] = [JSON.parse(body), JSON.parse(example)];
  expect(Object.keys(sent)).toEqual(Object.keys(shown));
  expect(Object.keys(sent.days[0].entries[0])).toEqual(Object.keys(shown.days[0].entries[0]));
  expect(sent.days[0].entries[2]).toMatchObject({
    time: "19:00–21:30",
    notes: ["[Visits]"],
    location: "Noodle bar",
  });
});
