/** Limits of the contract. Text is counted in Unicode code points. @see contract section 8 */
export const TITLE_MAX = 50;
export const DESCRIPTION_MAX = 10_000;
export const LOCATION_MAX = 100;
export const COMMENT_MAX = 1_000;

/** `days` of upcoming_events: whole days, from 1 to 7. */
export const DAYS_MIN = 1;
export const DAYS_MAX = 7;
export const DAYS_DEFAULT = 1;

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

/** The media type `application/vnd.<vendor>.v1+json` of a service without a vendor; clients accept it by default. */
export const DEFAULT_MEDIA_TYPE = "application/vnd.service.v1+json";

/** Media type of request bodies. */
export const JSON_MEDIA_TYPE = "application/json";

/** Media type of error bodies. @see RFC 9457 §3 */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
