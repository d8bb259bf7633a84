/** Limits of the contract. Text is counted in Unicode code points. @see contract section 8 */
export const TITLE_MAX = 50;
export const DESCRIPTION_MAX = 10_000;
export const LOCATION_MAX = 100;
export const COMMENT_MAX = 1_000;

/** `days` of upcoming_events: whole days, from 1 to 7. */
export const DAYS_MIN = 1;
export const DAYS_MAX = 7;
export const DAYS_DEFAULT = 1;

/** The contract's default rate limit: requests per window. */
export const RATE_LIMIT_DEFAULT = { limit: 600, windowSeconds: 600 } as const;

/** Lifetime of an authorization code in seconds. */
export const AUTHORIZATION_CODE_SECONDS = 600;

/** `#` and six hex digits. @see contract section 2 */
export const HEX_COLOR = /^#[0-9a-fA-F]{6}$/;

/** Length of text as the contract counts it. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** The vendor in the contract's media type; each service has its own. */
export const DEFAULT_VENDOR = "service";

/** `application/vnd.<vendor>.v1+json`. @see contract section 9 */
export function vendorMediaType(vendor: string = DEFAULT_VENDOR): string {
  return `application/vnd.${vendor}.v1+json`;
}

/** The `Accept` header of clients by default. */
export const DEFAULT_MEDIA_TYPE = vendorMediaType();

/** Media type of request bodies. */
export const JSON_MEDIA_TYPE = "application/json";

/** Media type of error bodies. @see RFC 9457 §3 */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
