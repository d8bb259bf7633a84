/** Limits of the contract. Text is counted in Unicode code points. @see contract section 8 */
export const MAX_TITLE = 50;
export const MAX_DESCRIPTION = 10_000;
export const MAX_LOCATION = 100;
export const MAX_COMMENT = 1_000;

/** `days` of upcoming_events: whole days, from 1 to 7. */
export const MIN_DAYS = 1;
export const MAX_DAYS = 7;
export const DEFAULT_DAYS = 1;

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
