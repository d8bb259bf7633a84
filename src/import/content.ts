import { DAY_MS, dateToInstant, formatWireDateTime } from "../../contract/date-time.js";
import {
  codePointLength,
  MAX_DESCRIPTION,
  MAX_LOCATION,
  MAX_TITLE,
  URL_SCHEMES,
} from "../../contract/limits.js";
import { parseUrl } from "../../contract/url.js";
import type { EventInput } from "../calendar/event-input.js";
import { checkText } from "../calendar/event-text.js";
import { usageError } from "../errors.js";

/** What a reader has found of an event, not checked yet. A timed event may lack its end. */
export type DraftContent = Omit<EventInput, "notes">;

/** Checks what the contract limits. @throws CliError usage */
export function checkContent(content: DraftContent): void {
  checkText(content);
  for (const [name, text] of Object.entries(content))
    if (typeof text === "string" && /[\0\p{Surrogate}]/u.test(text))
      throw usageError(`${name} has a NUL or half a character, which cannot be stored`);
  const { url } = content;
  if (url === undefined || url === "") return;
  const protocol = parseUrl(url)?.protocol;
  if (/\p{Cc}/u.test(url) || !URL_SCHEMES.some((scheme) => scheme === protocol))
    throw usageError(`url "${url.slice(0, 80)}" does not begin with one of ${URL_SCHEMES.join(", ")}`);
}

const [FIRST, LAST] = [dateToInstant("0000-01-01"), dateToInstant("9999-12-31") + DAY_MS - 1];

/** An instant as the contract writes it. @throws CliError usage for a year that has no four digits */
export function wireTime(instant: number): string {
  if (instant >= FIRST && instant <= LAST) return formatWireDateTime(instant);
  throw usageError("its times are not in the years 0000 to 9999");
}

const LIMITS = { title: MAX_TITLE, location: MAX_LOCATION, description: MAX_DESCRIPTION };

/** The same fields, texts beyond the limits cut at a character and ended with `…`; `fields` itself where none is. */
export function shortenTexts<T extends object>(fields: T): T {
  const long = Object.entries(LIMITS).flatMap(([key, max]) => {
    const text: unknown = Object.entries(fields).find(([name]) => name === key)?.[1];
    return typeof text === "string" && codePointLength(text) > max ? [[key, shorten(text, max)]] : [];
  });
  return long.length === 0 ? fields : { ...fields, ...Object.fromEntries(long) };
}

function shorten(text: string, max: number): string {
  // A character has at most two code units.
  const [...start] = text.slice(0, 2 * max);
  return `${start
    .slice(0, max - 1)
    .join("")
    .trimEnd()}…`;
}
