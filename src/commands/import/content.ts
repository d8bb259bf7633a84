import { DAY_MS, dateToInstant, formatWireDateTime } from "../../../contract/date-time.js";
import { codePointLength, MAX_URL, URL_SCHEMES } from "../../../contract/limits.js";
import { parseUrl } from "../../../contract/url.js";
import { usageError } from "../../errors.js";
import { type EventPatch, type LimitedTexts, TEXT_LIMITS, type WrittenPatch } from "../../events/patch.js";

/** Checks what the service could not store, besides the contract's limits. @throws CliError usage */
export function checkStorable(patch: EventPatch): void {
  for (const [name, text] of Object.entries(patch))
    if (typeof text === "string" && /[\0\p{Surrogate}]/u.test(text))
      throw usageError(`${name} has a NUL or half a character, which cannot be stored`);
}

/** The most dates that RDATE and EXDATE of an event may have together. */
const MAX_DATES = 10_000;

/** @param lines of iCalendar, of which those of RDATE and EXDATE count @throws CliError usage for more than `MAX_DATES` */
export function checkDates(lines: readonly string[]): void {
  let count = 0;
  for (const line of lines) {
    if (!/^(?:RDATE|EXDATE)[;:]/i.test(line)) continue;
    for (let index = 0; index !== -1; index = line.indexOf(",", index + 1)) count += 1;
    if (count > MAX_DATES) throw usageError(`it has more than ${MAX_DATES} dates in RDATE and EXDATE`);
  }
}

/** Whether a URL can be stored; true if there is none. A URL of another scheme could run a script or read a file. */
export function isStorableUrl(url: string | null | undefined): boolean {
  if (!url) return true;
  if (codePointLength(url) > MAX_URL || /[\p{Cc}\p{Surrogate}]/u.test(url)) return false;
  const protocol = parseUrl(url)?.protocol;
  return URL_SCHEMES.some((scheme) => scheme === protocol);
}

const [FIRST, LAST] = [dateToInstant("0000-01-01"), dateToInstant("9999-12-31") + DAY_MS - 1];

/** An instant as the contract writes it. @throws CliError usage for a year that has no four digits */
export function wireTime(instant: number): string {
  if (instant >= FIRST && instant <= LAST) return formatWireDateTime(instant);
  throw usageError("its times are not in the years 0000 to 9999");
}

/** The same patch, texts beyond the limits cut at a character and ended with `…`; `patch` itself where none is. */
export function truncateTexts(patch: WrittenPatch): WrittenPatch {
  const texts: LimitedTexts = patch;
  const long = TEXT_LIMITS.flatMap(({ field, max }) => {
    const text = texts[field] ?? "";
    return codePointLength(text) > max ? [[field, truncate(text, max)]] : [];
  });
  return long.length === 0 ? patch : { ...patch, ...Object.fromEntries(long) };
}

function truncate(text: string, max: number): string {
  // A character has at most two code units.
  const [...start] = text.slice(0, 2 * max);
  return `${start
    .slice(0, max - 1)
    .join("")
    .trimEnd()}…`;
}
