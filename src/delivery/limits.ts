import { isJsonObject, parseJson } from "../../contract/json.js";
import { RATE_LIMIT_HEADERS } from "../../contract/rate-limit.js";
import type { HttpResponse, Transport } from "../api/transport.js";

/** Seconds until requests are possible again, with a fraction; of Discord. */
const RESET_AFTER = "x-ratelimit-reset-after";

/**
 * Writes the limits of chat platforms as the headers that the rate limiter reads. Discord's and Telegram's bodies say how
 * long to wait more exactly than `Retry-After`, which of Discord is in milliseconds in some versions.
 */
export function withPlatformLimits(transport: Transport): Transport {
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
