import type { FaultServer } from "../fault-server.js";
import { type ReceivedRequest, reply } from "../fault-steps.js";
import type { WireAnswer } from "../http-bytes.js";

/** The messages of a channel whose service changes them in place, by their ids. */
export interface Channel {
  readonly messages: Map<string, string>;
}

export type ChannelKind = keyof typeof LISTENERS;

/** Answers a request as the service does. */
type Listen = (request: ReceivedRequest) => WireAnswer;

/** @param count how many messages there were before */
type Listener = (request: ReceivedRequest, messages: Map<string, string>, count: number) => WireAnswer;

export function createChannel(kind: ChannelKind): Channel & { readonly listen: Listen } {
  const messages = new Map<string, string>();
  const all = new Set<string>();
  return {
    messages,
    listen(request) {
      const answer = LISTENERS[kind](request, messages, all.size);
      for (const id of messages.keys()) all.add(id);
      return answer;
    },
  };
}

/** Makes a server the service of a channel. */
export function serveChannel(server: FaultServer, kind: ChannelKind): Channel {
  const { messages, listen } = createChannel(kind);
  server.otherwise([reply(listen)]);
  return { messages };
}

function json(status: number, value: unknown): WireAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: status === 204 ? "" : JSON.stringify(value) };
}

/** @see https://discord.com/developers/docs/resources/webhook */
const discord: Listener = ({ method, path, query, body }, messages, count) => {
  const { content, embeds } = JSON.parse(body.toString("utf8"));
  const text = JSON.stringify({ content, embeds });
  if (method === "POST" && path === "/hook/s3cret") {
    // Without the parameter the answer has no message.
    if (query["wait"] !== "true") return json(204, null);
    const id = String(1_200_000_000_000_000_000n + BigInt(count));
    messages.set(id, text);
    return json(200, { id, type: 0, content, embeds, channel_id: "1" });
  }
  const [, id = ""] = /^\/hook\/s3cret\/messages\/(\d+)$/.exec(path) ?? [];
  if (method !== "PATCH" || id === "") return json(405, { message: "405: Method Not Allowed", code: 0 });
  if (!messages.has(id)) return json(404, { message: "Unknown Message", code: 10008 });
  messages.set(id, text);
  return json(200, { id, type: 0, content, embeds, channel_id: "1" });
};

/** @see https://core.telegram.org/bots/api#sendmessage */
const telegram: Listener = ({ method, path, body }, messages, count) => {
  const refuse = (description: string) => json(400, { ok: false, error_code: 400, description });
  if (method !== "POST") return json(404, { ok: false, error_code: 404, description: "Not Found" });
  const { chat_id: chat, message_id: id, text } = JSON.parse(body.toString("utf8"));
  if (typeof text !== "string" || String(chat) !== "-100") return refuse("Bad Request: chat not found");
  const accept = (number: number) => {
    messages.set(String(number), text);
    return json(200, { ok: true, result: { message_id: number, chat: { id: -100 }, date: 1, text } });
  };
  if (path.endsWith("/sendMessage") && id === undefined) return accept(count + 41);
  if (!path.endsWith("/editMessageText")) return refuse("Bad Request: message text is empty");
  if (!messages.has(String(id))) return refuse("Bad Request: message to edit not found");
  if (messages.get(String(id)) === text)
    return refuse("Bad Request: message is not modified: specified new message content is exactly the same");
  return accept(id);
};

/** Its answers have the status 200. @see https://docs.slack.dev/reference/methods/chat.postMessage */
const slackBot: Listener = ({ method, path, headers, body }, messages, count) => {
  const refuse = (error: string) => json(200, { ok: false, error });
  const action = /^\/api\/chat\.(postMessage|update)$/.exec(path)?.[1];
  if (method !== "POST" || action === undefined) return refuse("unknown_method");
  if (headers["authorization"] !== `Bearer ${SLACK_TOKEN}`) return refuse("invalid_auth");
  if (headers["content-type"] !== "application/json; charset=utf-8") return refuse("invalid_post_type");
  const { channel, ts: old, text, ...others } = JSON.parse(body.toString("utf8"));
  if (channel !== SLACK_CHANNEL) return refuse("channel_not_found");
  if (typeof text !== "string" || text === "") return refuse("no_text");
  const known = action === "update" ? ["blocks"] : ["blocks", "unfurl_links", "unfurl_media"];
  if (Object.keys(others).some((name) => !known.includes(name))) return refuse("invalid_arguments");
  const ts = action === "update" ? old : `1503435956.${String(count).padStart(6, "0")}`;
  if (action === "update" && !messages.has(ts)) return refuse("message_not_found");
  messages.set(ts, JSON.stringify({ text, blocks: others.blocks }));
  return json(200, { ok: true, channel, ts, message: { text, ts } });
};

export const SLACK_TOKEN = "xoxb-sentinel-0123456789-abcdefghij";
export const SLACK_CHANNEL = "C012AB3CD";

const LISTENERS = { discord, telegram, "slack-bot": slackBot } as const;
