import { isJsonObject, parseJson } from "../../contract/json.js";
import { RATE_LIMIT_HEADERS } from "../../contract/rate-limit.js";
import { transportFailure, waitHint } from "../api/json-api/errors.js";
import type { RateLimitReached } from "../api/sending/rate-limit.js";
import { outcomeUnknown } from "../api/sending/retry.js";
import {
  createSender,
  describeStatus,
  type RequestErrors,
  type SenderOptions,
} from "../api/sending/sender.js";
import { type HttpResponse, isRedirect, type Transport, TransportError } from "../api/transport.js";
import { CliError, type CliErrorOptions } from "../errors.js";
import { VERSION } from "../version.js";
import type { Payload } from "./target.js";

/** A webhook, as the errors name it. */
export interface WebhookAddress {
  /** Such as `target team`. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What to do when the platform no longer knows the URL, or refuses it. */
  readonly renewHint: string;
}

/** Posts one message. @throws CliError, see `Target.deliver` */
export type PostToWebhook = (payload: Payload) => Promise<void>;

export interface WebhookOptions extends Omit<SenderOptions, "onResponse"> {
  readonly mask: MaskSecrets;
}

/** Discord may turn away a client without one before it looks at the message. */
const USER_AGENT = `calctl/${VERSION}`;

/**
 * Creates what posts to a webhook. A message is sent again only when it certainly did not arrive: without a connection,
 * after a 429, and once, smaller, when its blocks are refused.
 */
export function createWebhookPost(webhook: WebhookAddress, options: WebhookOptions): PostToWebhook {
  const transport = withPlatformLimits(options.transport);
  const send = createSender({ ...options, transport, onResponse: () => undefined });
  const errors = createErrors(webhook, options.mask);
  const { name, url } = webhook;
  const post: PostToWebhook = ({ contentType, headers, query = {}, body }) =>
    send({
      request: {
        method: "POST",
        url: withQuery(url, query),
        headers: { "user-agent": USER_AGENT, ...webhook.headers, ...headers, "content-type": contentType },
        body,
      },
      name,
      errors,
      read: async (response) => checkResponse(response, webhook, options.mask),
    });
  return async (payload) => {
    try {
      return await post(payload);
    } catch (error) {
      const isForBlocks = error instanceof RefusedError && REFUSED_BLOCKS.has(error.reason);
      if (!isForBlocks || payload.smaller === undefined) throw error;
      return post(payload.smaller());
    }
  };
}

function withQuery(url: string, query: NonNullable<Payload["query"]>): string {
  const extended = new URL(url);
  for (const [name, value] of Object.entries(query)) extended.searchParams.set(name, value);
  return Object.keys(query).length === 0 ? url : extended.href;
}

/**
 * Looks whether something listens at a webhook, without posting.
 * @param connect rejects with a TransportError
 * @throws CliError unavailable, configuration
 */
export async function checkWebhook(
  webhook: WebhookAddress,
  connect: (url: string) => Promise<void>,
): Promise<void> {
  try {
    await connect(webhook.url);
  } catch (error) {
    throw error instanceof TransportError
      ? transportFailure(error, `${webhook.name}: ${error.message}`)
      : error;
  }
}

/**
 * Slack refuses the blocks of a message. With ours, the only cause can be their total length.
 * @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
const REFUSED_BLOCKS: ReadonlySet<string | null> = new Set(["invalid_blocks", "msg_blocks_too_long"]);

const CHECK_ARRIVAL = "check whether it arrived";
const CHECK_URL = "is it the URL that the platform shows for the webhook?";

/** @throws CliError rejected for a success that says otherwise, outcome_unknown for one that is not of a webhook */
function checkResponse(response: HttpResponse, { name }: WebhookAddress, mask: MaskSecrets): void {
  const { status } = response;
  const refusal = findRefusal(response, mask);
  if (refusal !== null)
    throw new RefusedError(`${name} refused the message: ${refusal}`, { status, reason: refusal });
  if (!isWebPage(response)) return;
  const message = `${name} answered with a web page (${status})`;
  throw outcomeUnknown(new CliError("rejected", message, { status }), {
    checkHint: `${CHECK_URL} ${CHECK_ARRIVAL}`,
  });
}

function createErrors(webhook: WebhookAddress, mask: MaskSecrets): RequestErrors {
  return {
    fromResponse: (response) => errorFromResponse(webhook, response, mask),
    fromTransport: (error) => transportFailure(error, `${webhook.name}: ${error.message}`),
    fromRateLimit: (limit) => errorFromRateLimit(webhook, limit),
    checkHint: CHECK_ARRIVAL,
  };
}

function errorFromResponse(
  { name, renewHint, url }: WebhookAddress,
  response: HttpResponse,
  mask: MaskSecrets,
): CliError {
  const { status } = response;
  const reason = readReason(response, mask);
  const because = reason === null ? `(${status})` : `(${status}: ${reason})`;
  const options: CliErrorOptions = { status };
  switch (status) {
    case 401:
    case 403:
      return new CliError("forbidden", `${name} may not post ${because}`, { ...options, hint: renewHint });
    case 404:
    case 410:
      return new RefusedError(`${name} does not exist any more ${because}`, {
        ...options,
        hint: renewHint,
        reason,
      });
    case 413:
      return new CliError("rejected", `${name} refused the message as too large ${because}`, options);
    default:
      if (status >= 500) {
        const said = reason === null ? "" : `: ${reason}`;
        return new CliError("unavailable", `${name}: ${describeStatus(status)}${said}`, options);
      }
      if (isRedirect(status)) {
        return new CliError("rejected", `${name} redirects elsewhere (${status})`, {
          ...options,
          hint: `messages are posted only to ${new URL(url).host}: ${CHECK_URL}`,
        });
      }
      return refusedOrMoved(response, `${name} refused the message ${because}`, { ...options, reason });
  }
}

/** Telegram names the new chat of a group that became a supergroup. */
function refusedOrMoved(
  response: HttpResponse,
  message: string,
  options: ConstructorParameters<typeof RefusedError>[1],
): CliError {
  const chat = readNewChat(response);
  if (chat === null) return new RefusedError(message, options);
  const hint = `use --chat ${chat}; to save it, repeat targets add with it and --replace`;
  return new RefusedError(`${message}; the chat's new id is ${chat}`, { ...options, hint });
}

function errorFromRateLimit({ name }: WebhookAddress, limit: RateLimitReached): CliError {
  return new CliError("rate_limited", `${name}: its rate limit has been reached`, {
    status: limit.refusal?.status,
    hint: waitHint(limit),
  });
}

/** Seconds until requests are possible again, with a fraction; of Discord. */
const RESET_AFTER = "x-ratelimit-reset-after";

/**
 * Writes the limits of chat platforms as the headers that the rate limiter reads. Discord's and Telegram's bodies say how
 * long to wait more exactly than `Retry-After`, which of Discord is in milliseconds in some versions.
 */
function withPlatformLimits(transport: Transport): Transport {
  return async (request) => {
    const response = await transport(request);
    const headers = limitHeaders(response);
    return headers === null ? response : { ...response, headers: { ...response.headers, ...headers } };
  };
}

/** Null for those of the response. */
function limitHeaders({ status, headers, body }: HttpResponse): HttpResponse["headers"] | null {
  const resetAfter = parseSeconds(Number(headers[RESET_AFTER] ?? Number.NaN));
  if (status === 429) {
    const seconds = resetAfter ?? retryAfterIn(body);
    return seconds === null ? null : { "retry-after": seconds.toFixed(3) };
  }
  return resetAfter === null ? null : { [RATE_LIMIT_HEADERS.reset]: String(Math.ceil(resetAfter)) };
}

/** Larger bodies have no `retry_after` (bytes). */
const MAX_READ = 64 * 1024;

/** `retry_after` of Discord, `parameters.retry_after` of Telegram, in seconds; null without a valid one. */
function retryAfterIn(body: Uint8Array): number | null {
  if (body.length > MAX_READ) return null;
  const json = parseJson(new TextDecoder().decode(body));
  // Slack's body is plain text.
  if (!isJsonObject(json)) return null;
  const { retry_after: seconds, parameters } = json;
  return parseSeconds(seconds) ?? (isJsonObject(parameters) ? parseSeconds(parameters["retry_after"]) : null);
}

/** More than any platform asks for (s): beyond, it is no number of seconds. */
const MAX_SECONDS = 1e9;

function parseSeconds(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value < MAX_SECONDS ? value : null;
}

/** What the platforms say in the bodies of their responses. */

/** Masks the secrets whose values are known: a platform may repeat the URL in its reason. */
type MaskSecrets = (text: string) => string;

/** How much of a platform's reason is shown, in Unicode code points. */
const MAX_REASON = 200;
/** How much of a body is read, in bytes: Discord and Slack repeat the whole message. */
const MAX_REASON_BODY = 256 * 1024;

/** A platform has refused a message, and may have said why in words of its own. */
class RefusedError extends CliError {
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
function findRefusal(response: HttpResponse, mask: MaskSecrets): string | null {
  const { text, json } = readBody(response);
  if (isJsonObject(json)) {
    const isRefusal = json["ok"] === false || json["success"] === false || json["result"] === "error";
    return isRefusal ? (showReason(reasonIn(json), mask) ?? "it gave no reason") : null;
  }
  return CONNECTOR_REFUSAL.test(text) ? showReason(text, mask) : null;
}

/** Whether the body is HTML, as from a login page or a gateway. No webhook answers with one. */
function isWebPage(response: HttpResponse): boolean {
  const { text } = readBody(response);
  return /^(?:<!doctype|<html|<head|<body)/i.test(text);
}

/**
 * The new id of a chat; null where the body names none.
 * @see https://core.telegram.org/bots/api#responseparameters
 */
function readNewChat(response: HttpResponse): number | null {
  const { json } = readBody(response);
  const parameters = isJsonObject(json) ? json["parameters"] : null;
  const chat = isJsonObject(parameters) ? parameters["migrate_to_chat_id"] : null;
  return Number.isSafeInteger(chat) ? Number(chat) : null;
}

/** The platform's own reason on one line; null when the body has none. */
function readReason(response: HttpResponse, mask: MaskSecrets): string | null {
  const { text, json } = readBody(response);
  return showReason(json === undefined ? text : reasonIn(json), mask);
}

function readBody({ body }: HttpResponse): { readonly text: string; readonly json: unknown } {
  const text = new TextDecoder().decode(body.subarray(0, MAX_REASON_BODY)).trim();
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
