import { expect, test } from "vitest";
import { createDigest } from "../../../src/messages/message.js";
import { renderMessage } from "../../../src/messages/render.js";
import { EVENTS, NOW, OPTIONS, PLACE } from "../../messages/fixtures.js";
import { CHAT_KINDS, CHAT_SECRET, type ChatKind, startChatServices } from "./services.js";

const DIGEST = createDigest(EVENTS, OPTIONS);

async function post(url: string, kind: ChatKind): Promise<Response> {
  const { contentType, headers, body } = await renderMessage(kind, DIGEST, { ...PLACE, now: NOW });
  return send(url, { headers: { ...headers, "content-type": contentType }, body });
}

/** The password of a URL goes into a header. */
function send(url: string, options: { headers?: Record<string, string>; body: string }) {
  return fetch(url, { method: "POST", ...options });
}

const ACCEPTED: Readonly<Record<ChatKind, number>> = {
  slack: 200,
  discord: 204,
  teams: 202,
  mattermost: 200,
  telegram: 200,
  googlechat: 200,
  ntfy: 200,
  json: 204,
};

test.each(CHAT_KINDS)("%s takes a message, and shows it", async (kind) => {
  const services = await startChatServices();
  const response = await post(services.urlOf(kind), kind);
  expect(services.problems(kind)).toEqual([]);
  expect(response.status).toBe(ACCEPTED[kind]);
  expect(services.received(kind)).toHaveLength(1);
  const [message] = services.received(kind);
  expect(message?.page.html).toContain("Dinner with the neighbors");
  expect(message?.body).not.toContain(CHAT_SECRET);
});

test.each(CHAT_KINDS)("%s refuses what is not a message", async (kind) => {
  const services = await startChatServices();
  const response = await send(services.urlOf(kind), { body: "{}" });
  expect(response.status).toBe(kind === "ntfy" ? 413 : 400);
  expect(services.received(kind)).toEqual([]);
  expect(services.problems(kind)).not.toEqual([]);
  expect(services.requests(kind)).toBe(1);
});

test("planned answers come once each, in order", async () => {
  const services = await startChatServices();
  services.answerNext("discord", "rate_limited", "removed", "hang_up");
  const limited = await post(services.urlOf("discord"), "discord");
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
  const removed = await post(services.urlOf("discord"), "discord");
  expect([removed.status, await removed.json()]).toEqual([404, { message: "Unknown Webhook", code: 10015 }]);
  await expect(post(services.urlOf("discord"), "discord")).rejects.toThrow();
  expect((await post(services.urlOf("discord"), "discord")).status).toBe(204);
  expect([services.requests("discord"), services.received("discord").length]).toEqual([4, 1]);
});

test.each<[ChatKind, string]>([
  [
    "slack",
    JSON.stringify({
      text: "t",
      blocks: [{ type: "header", text: { type: "plain_text", text: "x".repeat(151) } }],
    }),
  ],
  [
    "slack",
    JSON.stringify({
      text: "t",
      blocks: [{ type: "section", text: { type: "mrkdwn", text: "x".repeat(3_001) } }],
    }),
  ],
  [
    "slack",
    JSON.stringify({
      text: "t",
      blocks: Array.from({ length: 4 }, () => ({
        type: "section",
        text: { type: "mrkdwn", text: "x".repeat(3_000) },
      })),
    }),
  ],
  [
    "discord",
    JSON.stringify({ content: "c", embeds: [{ title: "x".repeat(257) }], allowed_mentions: { parse: [] } }),
  ],
  [
    "discord",
    JSON.stringify({
      content: "c",
      embeds: [{ description: "x".repeat(3_001) }, { description: "x".repeat(3_000) }],
      allowed_mentions: { parse: [] },
    }),
  ],
  ["discord", JSON.stringify({ content: "c", embeds: [] })],
  ["mattermost", JSON.stringify({ text: "x".repeat(16_384) })],
  ["googlechat", JSON.stringify({ text: "x".repeat(4_001) })],
  [
    "telegram",
    JSON.stringify({
      chat_id: "1",
      text: "<b>",
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    }),
  ],
  [
    "telegram",
    JSON.stringify({
      chat_id: "1",
      text: "x".repeat(4_097),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    }),
  ],
])("%s refuses what is beyond its limits", async (kind, body) => {
  const services = await startChatServices();
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  expect((await fetch(services.urlOf(kind), init)).status).toBe(400);
});
