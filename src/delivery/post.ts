import { transportFailure, waitHint } from "../api/json-api/errors.js";
import type { RateLimitReached } from "../api/sending/rate-limiter.js";
import { outcomeUnknown } from "../api/sending/retry.js";
import {
  createSender,
  describeStatus,
  type RequestErrors,
  type SenderOptions,
} from "../api/sending/sender.js";
import { type HttpResponse, isRedirect, TransportError } from "../api/transport.js";
import { CliError, type CliErrorOptions } from "../errors.js";
import { VERSION } from "../version.js";
import { withPlatformLimits } from "./limits.js";
import {
  findRefusal,
  isWebPage,
  type MaskSecrets,
  RefusedError,
  readNewChat,
  readReason,
} from "./response-body.js";
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
