import { HOUR_MS, isCalendarDate, MINUTE_MS } from "../../contract/date-time.js";
import { type CliError, usageError } from "../errors.js";
import { DAY_HINT, type DateInputOptions, DURATION_PATTERN, notADayError, readDuration } from "./dates.js";
import type { Duration } from "./zoned-time.js";

/** What texts such as `tomorrow 3pm` say, whatever the date and the zone: the small grammar of docs/dates.md. */

/** A day as it is named. */
export type Day =
  /** Days after today. */
  | { readonly kind: "relative"; readonly days: number }
  /** From 0 for Sunday. */
  | { readonly kind: "weekday"; readonly weekday: number; readonly which: "this" | "next" | "last" }
  | {
      readonly kind: "date";
      /** Null for the coming one. */
      readonly year: string | null;
      /** `-11-21` */
      readonly monthDay: string;
      /** The weekday written with it. */
      readonly weekday?: number;
    };

/** Milliseconds after 00:00; midnight alone is the coming one. */
export type Clock = number | "midnight";

/** What a text, or a part of it, says. */
export interface Words {
  readonly day?: Day;
  readonly clock?: Clock;
  /** From now. */
  readonly elapsed?: Duration;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** How a part of a text is understood. `read` gives null for what only looks like it. */
interface Rule {
  readonly pattern: RegExp;
  readonly isClock: boolean;
  readonly read: (groups: Groups, source: string) => Words | null;
}

const WEEKDAY =
  "(?<weekday>sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?)";
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
/** Not every number: `nov 21 1500` would be the year 1500. */
const YEAR = "(?:,?\\s+(?<year>(?:19|20|21)\\d\\d))?";
export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const RELATIVE_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

function rule(pattern: string, read: Rule["read"], isClock = false): Rule {
  return { pattern: new RegExp(`^(?:${pattern})(?=[\\s,]|$)`, "i"), isClock, read };
}

function clockRule(pattern: string, read: Rule["read"]): Rule {
  return rule(`(?:at\\s+)?(?:${pattern})`, read, true);
}

const RULES: readonly Rule[] = [
  rule("now", () => ({ elapsed: { days: 0, minutes: 0 } })),
  rule(`(?:\\+\\s*|in\\s+)(?<duration>${DURATION_PATTERN})`, ({ duration = "" }) => readElapsed(duration)),
  clockRule("(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?:\\s*(?<half>[ap]m))?", readClock),
  clockRule("(?<hour>\\d{1,2})\\s*(?<half>[ap]m)", readClock),
  clockRule("noon", () => ({ clock: 12 * HOUR_MS })),
  clockRule("midnight", () => ({ clock: "midnight" })),
  rule("(?<word>yesterday|today|tomorrow)", ({ word = "" }) => ({
    day: { kind: "relative", days: RELATIVE_DAYS[word.toLowerCase()] ?? 0 },
  })),
  rule("(?:on\\s+)?(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)", ({ year = "", month, day }) => ({
    day: { kind: "date", year, monthDay: `-${month}-${day}` },
  })),
  rule(`(?:on\\s+)?${DAY}(?:\\s+of)?\\s+${MONTH}${YEAR}`, readMonthDay),
  rule(`(?:on\\s+)?${MONTH}\\s+${DAY}${YEAR}`, readMonthDay),
  rule(`(?:on\\s+)?(?:(?<which>this|next|last)\\s+)?${WEEKDAY}`, readWeekday),
  rule(
    "(?<all>(?<first>\\d{1,4})(?<sign>[./-])(?<second>\\d{1,2})\\k<sign>(?<third>\\d{1,4})?)",
    refuseNumbers,
  ),
  rule("(?<all>(?<first>\\d{1,2})/(?<second>\\d{1,2}))", refuseNumbers),
];

function readElapsed(text: string): Words | null {
  const elapsed = readDuration(text);
  if (elapsed === null) return null;
  return elapsed.minutes === 0 ? { day: { kind: "relative", days: elapsed.days } } : { elapsed };
}

function readClock({ hour = "", minute = "00", half }: Groups, source: string): Words {
  const twelve = half === undefined ? null : half.toLowerCase() === "pm" ? 12 : 0;
  const hours = twelve === null ? Number(hour) : (Number(hour) % 12) + twelve;
  const exists = twelve === null ? hours < 24 : Number(hour) >= 1 && Number(hour) <= 12;
  if (!exists || Number(minute) > 59) {
    const written = `${hour}${minute === "00" && half !== undefined ? "" : `:${minute}`}${half ?? ""}`;
    throw usageError(`${source}: the time ${written} does not exist`, "write a time from 0:00 to 23:59");
  }
  return { clock: hours * HOUR_MS + Number(minute) * MINUTE_MS };
}

function readMonthDay({
  day = "",
  month = "",
  year = null,
}: Groups & { readonly year?: string | null }): Words {
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  const monthDay = [number, day].map((part) => `-${String(part).padStart(2, "0")}`).join("");
  return { day: { kind: "date", year, monthDay } };
}

function readWeekday({ which = "this", weekday = "" }: Groups): Words {
  const found = (["this", "next", "last"] as const).find((word) => word === which.toLowerCase());
  const index = WEEKDAYS.findIndex(
    (name) => name.slice(0, 3).toLowerCase() === weekday.slice(0, 3).toLowerCase(),
  );
  return { day: { kind: "weekday", weekday: index, which: found ?? "this" } };
}

/** Which number is the month depends on the country. */
function refuseNumbers({ all, first = "", second = "", third = "" }: Groups, source: string): never {
  const dates =
    first.length === 4
      ? [isoDate(first, second, third)]
      : [isoDate(third, first, second), isoDate(third, second, first)];
  const possible = [...new Set(dates)].filter(isCalendarDate);
  const problem = possible.length > 1 ? "may be either of two dates" : "is not a valid date";
  const instead = possible.length === 0 ? "YYYY-MM-DD or 24 dec" : possible.join(" or ");
  throw usageError(`${source}: "${all}" ${problem}: write ${instead}`);
}

function isoDate(year: string, month: string, day: string): string {
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/**
 * Reads all parts of a text together: at most one day and one time. The whole text must be understood.
 * @throws CliError usage
 */
export function readWords(typed: string, options: WordsOptions): Words {
  const { source } = options;
  let words: Words = {};
  let rest = typed;
  while (rest !== "") {
    const [length, part] = readPart(rest, typed, options) ?? [];
    if (length === undefined || part === undefined) throw notUnderstood(rest, typed, options);
    words = combine(words, part, `${source}: "${typed}"`);
    rest = rest.slice(length).replace(/^[\s,]+/, "");
  }
  return words;
}

type WordsOptions = Pick<DateInputOptions, "source" | "dayOnly">;

/** What a text begins with, and how long that is. */
function readPart(
  text: string,
  typed: string,
  { source, dayOnly = false }: WordsOptions,
): readonly [number, Words] | null {
  for (const { pattern, isClock, read } of RULES) {
    const match = pattern.exec(text);
    if (match !== null && isClock && dayOnly) throw notADayError(typed, source);
    const words = match === null ? null : read(match.groups ?? {}, source);
    if (match === null || words === null) continue;
    if (words.elapsed !== undefined && dayOnly) throw notADayError(typed, source);
    return [match[0].length, words];
  }
  return null;
}

const TIME_HINT = "write 15:00, tomorrow 3pm, fri 9:30, 24 dec 15:00, +2h or YYYY-MM-DDTHH:MM";

/** Words that are only read together with what follows them, which is then what is wrong. */
const LEADING_WORDS = /^(?:(?:at|in|on|this|next|last)\s+)+(?=\S)/i;

function notUnderstood(rest: string, typed: string, { source, dayOnly = false }: WordsOptions): CliError {
  const duration = readDuration(typed);
  if (duration !== null) {
    if (dayOnly && duration.minutes > 0) return notADayError(typed, source);
    const meant = dayOnly ? "day" : "time";
    return usageError(`${source}: "${typed}" is a duration`, `write +${typed} for a ${meant} from now`);
  }
  const hint = dayOnly ? DAY_HINT : TIME_HINT;
  const [word = ""] = rest.replace(LEADING_WORDS, "").split(/[\s,]/);
  if (word === typed || word === "") {
    return usageError(`${source}: "${typed}" is not a valid ${dayOnly ? "date" : "date or time"}`, hint);
  }
  return usageError(`${source}: "${word}" in "${typed}" is not understood`, hint);
}

function combine(words: Words, part: Words, what: string): Words {
  const hasTime = words.clock !== undefined || words.elapsed !== undefined;
  const addsTime = part.clock !== undefined || part.elapsed !== undefined;
  if (
    (hasTime && addsTime) ||
    words.elapsed !== undefined ||
    (part.elapsed !== undefined && words.day !== undefined)
  ) {
    throw usageError(`${what} names more than one time`, "write one time, or one day and one time");
  }
  if (words.day === undefined || part.day === undefined) return { ...words, ...part };
  const day = withWeekday(words.day, part.day) ?? withWeekday(part.day, words.day);
  if (day === null) throw usageError(`${what} names more than one day`, "write one day");
  return { ...words, day };
}

/** `sat 21 nov` is one day. */
function withWeekday(date: Day, other: Day): Day | null {
  if (date.kind !== "date" || other.kind !== "weekday" || other.which !== "this") return null;
  return { ...date, weekday: other.weekday };
}
