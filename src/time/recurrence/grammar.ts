import { NUMBER_NAMES, WEEKDAY } from "../date-grammar.js";
import { FREQUENCIES, NUMBERS, UNITS } from "./names.js";

/** How words say that an event repeats, as patterns: the small grammar of docs/repeating.md. */

const DAY = WEEKDAY.replace("?<weekday>", "?:");
const DAYS = `${DAY}(?:(?:\\s*,\\s*(?:(?:and|&)\\s+)?|\\s+and\\s+|\\s*&\\s*)${DAY})*`;

/** `every weekday`, `every mon and thu`, `every other mon`: short for rules of weeks. */
export const EVERY_WEEKDAY = "(?:every\\s+weekday|weekdays)";
export const EVERY_DAY = `every\\s+(?:other\\s+)?(?=${DAY}\\b)`;

const ON_MONTH =
  `(?:the\\s+)?(?:(?<number>${NUMBERS.join("|")}|[1-5](?:st|nd|rd|th))\\s+(?<day>${DAY})` +
  "|(?<monthDay>\\d{1,2})(?:st|nd|rd|th)|(?<lastDay>last\\s+day))";

/** `weekly`, `every 2 weeks on mon,thu`, `monthly on the last fri`. */
export const RULE =
  `(?:(?<frequency>${FREQUENCIES.join("|")})|every\\s+(?:(?<interval>other|\\d{1,3}|${NUMBER_NAMES})\\s+)?(?<unit>${UNITS.join("|")})s?)` +
  `(?:\\s+on\\s+(?:(?<weekdays>${DAYS})|${ON_MONTH}))?`;

/** After the day: `last fri of every month`. */
export const EVERY_MONTH = "\\s+(?:of\\s+)?(?:every|each)\\s+month";

/** Any of these, without names. */
export const REPEAT = `(?:${EVERY_WEEKDAY}|${EVERY_DAY}${DAYS}|${RULE}|${ON_MONTH}${EVERY_MONTH})`.replace(
  /\?<\w+>/g,
  "?:",
);
