import { formatWireDateTime } from "./date-time.js";

/** What a service has beyond the contract. @see docs/extensions.md */

/** The response header that names the extensions which a service has, separated by commas. */
export const EXTENSIONS_HEADER = "calendar-extensions";

/** Those of the embedded service. */
export const EXTENSIONS = ["events", "activities", "changes", "keys", "recurrences", "feeds"] as const;

/** Which occurrences of a series a PUT or a DELETE means. */
export const SCOPES = ["this", "following", "all"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * A start by the rule as ids of occurrences and RFC 5545 have it: `20261207T080000Z`, of an all-day event `20261207`.
 * @param start milliseconds since the Unix epoch
 */
export function originalStartText(start: number, isAllDay: boolean): string {
  const digits = formatWireDateTime(start).replace(/[-:]/g, "");
  return isAllDay ? digits.slice(0, "YYYYMMDD".length) : `${digits.slice(0, "YYYYMMDDTHHmmss".length)}Z`;
}

/** Starts that the EXDATE lines of a series except, as the ids of its occurrences have them: `20261207T080000Z`. */
export function excludedStarts(recurrences: readonly string[]): readonly string[] {
  const lines = recurrences.filter((line) => line.startsWith("EXDATE"));
  return lines.flatMap((line) => line.split(":")[1]?.split(",") ?? []);
}

/** The request header of a create that may be sent again: the same key gives what the first one made. */
export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";

/** The response header, `true` where the key made the resource before this request. */
export const REPLAYED_HEADER = "idempotent-replayed";

/** A key: 1 to 255 printable characters of ASCII, without a space at either end. */
export const IDEMPOTENCY_KEY_PATTERN = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/** Whether a text can be a key. */
export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY_PATTERN.test(text);
}
