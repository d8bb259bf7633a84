import type { FaultServer } from "../fault-server.js";
import { type ReceivedRequest, reply } from "../fault-steps.js";
import type { WireAnswer } from "../http-bytes.js";

/** The messages of a channel whose service changes them in place, by their ids. */
export interface Channel {
  readonly messages: Map<string, string>;
}

type Listener = (request: ReceivedRequest, messages: Map<string, string>) => WireAnswer;

/** Makes a server the service of a channel. */
export function serveChannel(server: FaultServer, kind: keyof typeof LISTENERS): Channel {
  const messages = new Map<string, string>();
  const listener = LISTENERS[kind];
  server.otherwise([reply((request) => listener(request, messages))]);
  return { messages };
}

function json(status: number, value: unknown): WireAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: status === 204 ? "" : JSON.stringify(value) };
}

/** @see https://discord.com/developers/docs/resources/webhook */
const discord: Listener = ({ method, path, query, body }, messages) => {
  const { content, embeds } = JSON.parse(body.toString("utf8"));
  const text = JSON.stringify({ content, embeds });
  if (method === "POST" && path === "/hook/s3cret") {
    // Without the parameter the answer has no message.
    if (query["wait"] !== "true") return json(204, null);
    const id = String(1_200_000_000_000_000_000n + BigInt(messages.size));
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
const telegram: Listener = ({ method, path, body }, messages) => {
  const refuse = (description: string) => json(400, { ok: false, error_code: 400, description });
  if (method !== "POST") return json(404, { ok: false, error_code: 404, description: "Not Found" });
  const { chat_id: chat, message_id: id, text } = JSON.parse(body.toString("utf8"));
  if (typeof text !== "string" || String(chat) !== "-100") return refuse("Bad Request: chat not found");
  const accept = (number: number) => {
    messages.set(String(number), text);
    return json(200, { ok: true, result: { message_id: number, chat: { id: -100 }, date: 1, text } });
  };
  if (path.endsWith("/sendMessage") && id === undefined) return accept(messages.size + 41);
  if (!path.endsWith("/editMessageText")) return refuse("Bad Request: message text is empty");
  if (!messages.has(String(id))) return refuse("Bad Request: message to edit not found");
  if (messages.get(String(id)) === text)
    return refuse("Bad Request: message is not modified: specified new message content is exactly the same");
  return accept(id);
};

const LISTENERS = { discord, telegram } as const;
