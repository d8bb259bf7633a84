import { emptyValueError, usageError } from "../../errors.js";
import { NUMBER_NAMES, WEEKDAY } from "../date-grammar.js";
import { numberOf } from "../dates.js";
import { FREQUENCIES, NUMBERS, readRule, UNITS } from "./rule.js";

/** How words say that an event repeats, as patterns: the small grammar of docs/repeating.md. */

const DAY = WEEKDAY.replace("?<weekday>", "?:");
const DAYS = `${DAY}(?:(?:\\s*,\\s*(?:(?:and|&)\\s+)?|\\s+and\\s+|\\s*&\\s*)${DAY})*`;

/** `every weekday`, `every mon and thu`, `every other mon`: short for rules of weeks. */
const EVERY_WEEKDAY = "(?:every\\s+weekday|weekdays)";
const EVERY_DAY = `every\\s+(?:other\\s+)?(?=${DAY}\\b)`;

const ON_MONTH =
  `(?:the\\s+)?(?:(?<number>${NUMBERS.join("|")}|[1-5](?:st|nd|rd|th))\\s+(?<day>${DAY})` +
  "|(?<monthDay>\\d{1,2})(?:st|nd|rd|th)|(?<lastDay>last\\s+day))";

/** `weekly`, `every 2 weeks on mon,thu`, `monthly on the last fri`. */
const RULE =
  `(?:(?<frequency>${FREQUENCIES.join("|")})|every\\s+(?:(?<interval>other|\\d{1,3}|${NUMBER_NAMES})\\s+)?(?<unit>${UNITS.join("|")})s?)` +
  `(?:\\s+on\\s+(?:(?<weekdays>${DAYS})|${ON_MONTH}))?`;

/** After the day: `last fri of every month`. */
const EVERY_MONTH = "\\s+(?:of\\s+)?(?:every|each)\\s+month";

/** Any of these, without names. */
export const REPEAT = `(?:${EVERY_WEEKDAY}|${EVERY_DAY}${DAYS}|${RULE}|${ON_MONTH}${EVERY_MONTH})`.replace(
  /\?<\w+>/g,
  "?:",
);

/** Rules of repeating events from words. */

const WHOLE_RULE = new RegExp(`^${RULE}$`);

/**
 * Reads `daily`, `weekdays`, `weekly on mon`, `every 2 weeks on mon,thu`, `monthly on the last fri`, `monthly on the 15th`,
 * `yearly` and the like, or an RRULE. @returns the RRULE @throws CliError usage
 */
export function parseRepeat(text: string, source: string): string {
  const typed = text.trim().toLowerCase();
  if (typed === "") throw emptyValueError(source);
  const rule = /^(?:rrule:)?[a-z]+=/.test(typed)
    ? typed.replace(/^rrule:/, "").toUpperCase()
    : readWords(typed);
  if (rule === null) {
    throw usageError(
      `${source}: "${text}" is not understood`,
      "write daily, weekdays, weekly on mon, every 2 weeks on mon,thu, monthly on the last fri, monthly on the 15th, yearly or FREQ=…",
    );
  }
  readRule(rule, source);
  return rule;
}

function readWords(typed: string): string | null {
  const text = typed
    .replace(new RegExp(`^${EVERY_WEEKDAY}$`), "weekly on mon,tue,wed,thu,fri")
    .replace(new RegExp(`^(.*?)${EVERY_MONTH}$`), "monthly on $1")
    .replace(
      new RegExp(`^${EVERY_DAY}`),
      (every) => `every ${every.includes("other") ? "other " : ""}week on `,
    );
  const { frequency, interval = "1", unit = "", ...on } = WHOLE_RULE.exec(text)?.groups ?? {};
  const index = frequency === undefined ? UNITS.indexOf(unit) : FREQUENCIES.indexOf(frequency);
  if (index < 0) return null;
  const days = readDays(on);
  if (days !== null && days.frequency !== FREQUENCIES[index]) return null;
  const every = interval === "other" ? "2" : numberOf(interval);
  const parts = [`FREQ=${FREQUENCIES[index]?.toUpperCase()}`, every === "1" ? [] : `INTERVAL=${every}`];
  return [...parts.flat(), ...(days === null ? [] : [days.part])].join(";");
}

function readDays(on: Readonly<Record<string, string | undefined>>) {
  const { weekdays, number, day = "", monthDay, lastDay } = on;
  const short = (name: string): string => name.slice(0, 2).toUpperCase();
  if (weekdays !== undefined) {
    const names = weekdays.split(/[\s,&]+(?:and\s+)?/).map(short);
    return { frequency: "weekly", part: `BYDAY=${names.join(",")}` };
  }
  if (number !== undefined) {
    const count = NUMBERS.includes(number) ? NUMBERS.indexOf(number) || -1 : Number.parseInt(number, 10);
    return { frequency: "monthly", part: `BYDAY=${count}${short(day)}` };
  }
  const date = lastDay === undefined ? monthDay : "-1";
  return date === undefined ? null : { frequency: "monthly", part: `BYMONTHDAY=${date}` };
}
