/** Limits of the contract. Text is counted in Unicode code points. @see contract section 8 */
export const MAX_TITLE = 50;
export const MAX_DESCRIPTION = 10_000;
export const MAX_LOCATION = 100;
export const MAX_COMMENT = 1_000;

/** `days` of upcoming_events: whole days, from 1 to 7. */
export const MIN_DAYS = 1;
export const MAX_DAYS = 7;
export const DEFAULT_DAYS = 1;

/** Of the lists that the contract does not have: items of a page, characters of a search. */
export const MAX_PAGE = 500;
export const MAX_SEARCH = 200;

/**
 * Limits of the embedded service on what the contract leaves open. Clients do not check them: another service may take
 * more. Only imports leave out a longer URL, with a note.
 */
export const MAX_URL = 2_000;
export const MAX_ATTENDEES = 200;

/** Of a feed: characters of its name, and calendars. */
export const MAX_FEED_NAME = 100;
export const MAX_FEED_CALENDARS = 100;

/** Characters of what users sign in with. A login may be an email address. */
export const MAX_LOGIN = 254;
export const MAX_PASSWORD = 1_024;

/**
 * Schemes of an event's URL, which every member of the calendar may click: they open a page, or address a person or a
 * place. Others could run a script, read a local file or start a program.
 */
export const URL_SCHEMES = ["http:", "https:", "mailto:", "tel:", "sms:", "geo:", "sip:", "sips:"] as const;

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
