import { isJsonObject, parseJson } from "../../contract/json.js";
import type { HttpResponse } from "../api/transport.js";
import { CliError, type CliErrorOptions } from "../errors.js";

/** What the platforms say in the bodies of their responses. */

/** Masks the secrets whose values are known: a platform may repeat the URL in its reason. */
export type MaskSecrets = (text: string) => string;

/** How much of a platform's reason is shown, in Unicode code points. */
const MAX_REASON = 200;
/** How much of a body is read, in bytes: Discord and Slack repeat the whole message. */
const MAX_READ = 256 * 1024;

/** A platform has refused a message, and may have said why in words of its own. */
export class RefusedError extends CliError {
  readonly reason: string | null;

  constructor(message: string, { reason, ...options }: CliErrorOptions & { readonly reason: string | null }) {
    super("rejected", message, options);
    this.reason = reason;
  }
}

/** What a webhook of the former Office connectors answers with 200 when it has refused a message. */
const CONNECTOR_REFUSAL = /^(?:Webhook message delivery failed|Summary or Text is required|Bad payload)/i;

/**
 * Why a message was refused although the status is that of a success; null when it was accepted. Telegram and others
 * say `{"ok": false}`, Zulip `{"result": "error"}`, and former connectors of Teams a sentence.
 */
export function findRefusal(response: HttpResponse, mask: MaskSecrets): string | null {
  const { text, json } = readBody(response);
  if (isJsonObject(json)) {
    const isRefusal = json["ok"] === false || json["success"] === false || json["result"] === "error";
    return isRefusal ? (showReason(reasonIn(json), mask) ?? "it gave no reason") : null;
  }
  return CONNECTOR_REFUSAL.test(text) ? showReason(text, mask) : null;
}

/** Whether the body is HTML, as from a login page or a gateway. No webhook answers with one. */
export function isWebPage(response: HttpResponse): boolean {
  const { text } = readBody(response);
  return /^(?:<!doctype|<html|<head|<body)/i.test(text);
}

/**
 * The new id of a chat; null where the body names none.
 * @see https://core.telegram.org/bots/api#responseparameters
 */
export function readNewChat(response: HttpResponse): number | null {
  const { json } = readBody(response);
  const parameters = isJsonObject(json) ? json["parameters"] : null;
  const chat = isJsonObject(parameters) ? parameters["migrate_to_chat_id"] : null;
  return Number.isSafeInteger(chat) ? Number(chat) : null;
}

/** The platform's own reason on one line; null when the body has none. */
export function readReason(response: HttpResponse, mask: MaskSecrets): string | null {
  const { text, json } = readBody(response);
  return showReason(json === undefined ? text : reasonIn(json), mask);
}

function readBody({ body }: HttpResponse): { readonly text: string; readonly json: unknown } {
  const text = new TextDecoder().decode(body.subarray(0, MAX_READ)).trim();
  // Slack answers with plain text, and gateways with pages.
  return { text, json: parseJson(text) };
}

/** Where platforms have their reason: Telegram, Discord, Mattermost, Slack, ntfy, Google Chat and Teams, Zulip. */
const REASON_KEYS = ["description", "message", "error", "error_description", "detail", "msg"];

/** Also in an error that is an object. */
function reasonIn(json: unknown, depth = 0): string | null {
  if (typeof json === "string") return json.trim() === "" ? null : json;
  if (!isJsonObject(json) || depth > 1) return null;
  for (const key of REASON_KEYS) {
    const reason = reasonIn(json[key], depth + 1);
    if (reason !== null) return reason;
  }
  return null;
}

/** How much of a reason is masked, in UTF-16 code units: more than is shown, so that no part of a secret remains. */
const MAX_MASKED = 16 * 1024;

/** One line of at most 200 characters; null for nothing, and for markup. */
function showReason(reason: string | null, mask: MaskSecrets): string | null {
  const text = reason?.trim() ?? "";
  if (text === "" || text.startsWith("<")) return null;
  const characters = [...mask(text.slice(0, MAX_MASKED)).replace(/\s+/g, " ")];
  if (characters.length <= MAX_REASON) return characters.join("");
  return `${characters.slice(0, MAX_REASON - 1).join("")}…`;
}
