/** What a service has beyond the contract. @see docs/extensions.md */

/** The response header that names the extensions which a service has, separated by commas. */
export const EXTENSIONS_HEADER = "calendar-extensions";

/** Those of the embedded service. */
export const EXTENSIONS = ["events", "activities", "changes"] as const;

/** The request header of a create that may be sent again: the same key gives what the first one made. */
export const IDEMPOTENCY_KEY_HEADER = "idempotency-key";

/** The response header, `true` where the key made the resource before this request. */
export const REPLAYED_HEADER = "idempotent-replayed";

/** Whether a text can be a key: 1 to 255 printable characters of ASCII, without a space at either end. */
export function isIdempotencyKey(text: string): boolean {
  return /^[!-~](?:[ -~]{0,253}[!-~])?$/.test(text);
}
