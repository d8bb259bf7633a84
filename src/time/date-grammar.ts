import { DAY_MS, HOUR_MS, isCalendarDate, MINUTE_MS } from "../../contract/date-time.js";
import { type CliError, usageError } from "../errors.js";
import {
  AmbiguousTextError,
  DAY_HINT,
  type DateInputOptions,
  DURATION_PATTERN,
  NUMBER_WORDS,
  notADayError,
  numberOf,
  readDuration,
} from "./dates.js";
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
    }
  /** Several days of a week, by default of this one; from 0 for Monday. */
  | { readonly kind: "week"; readonly weeks: number; readonly first: number; readonly last: number };

/** Milliseconds after 00:00; midnight alone is the coming one. */
export type Clock = number | "midnight";

/** What a text, or a part of it, says. */
export interface Words {
  readonly day?: Day;
  readonly clock?: Clock;
  /** How the clock is named without am and pm: as it is spoken, `at 8` or `half past 3`, or with digits, `9:30`. */
  readonly bare?: "spoken" | "digits";
  /** In which part of the day a time must be: `tonight`. */
  readonly part?: PartOfDay;
  /** With which the time is written: `+09:00`, `Z`. */
  readonly offset?: string;
  /** From now. */
  readonly elapsed?: Duration;
}

/** From which hour on, and before which. */
export const PARTS_OF_DAY = {
  morning: [0, 12],
  afternoon: [12, 19],
  evening: [16, 24],
  night: [17, 24],
} as const;
type PartOfDay = keyof typeof PARTS_OF_DAY;

type Groups = Readonly<Record<string, string | undefined>>;

/** How a part of a text is understood. `read` gives null for what only looks like it. */
interface Rule {
  readonly pattern: RegExp;
  readonly isClock: boolean;
  readonly read: (groups: Groups, source: string, inSentence: boolean) => Words | null;
}

export const WEEKDAY =
  "(?<weekday>sun(?:day)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?)";
export const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
/** Not every number: `nov 21 1500` would be the year 1500. */
const YEAR = "(?:,?\\s+(?<year>(?:19|20|21)\\d\\d))?";
export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const RELATIVE_DAYS: Readonly<Record<string, number>> = {
  "day before yesterday": -2,
  yesterday: -1,
  today: 0,
  tonight: 0,
  tomorrow: 1,
  "day after tomorrow": 2,
};
const WEEKS: Readonly<Record<string, number>> = { last: -1, next: 1 };
const ON = "(?:on\\s+)?(?:the\\s+)?";
const COMING = "(?:(?:this\\s+)?(?:up)?coming\\s+|(?<which>this|next|last)\\s+)?";
const PART = "(?<part>morning|afternoon|evening|night)";
const HALF = "(?<half>[ap](?:m|\\.\\s?m\\.))";
/** Minutes after an hour. After a point, only those that cannot be a month, or before am and pm: `12.30`, but not `12.11`. */
export const MINUTES =
  "(?::\\d\\d|\\.(?:00|1[3-9]|[2-5]\\d|\\d\\d(?=\\s?[ap]\\.?\\s?m))|(?<=\\b\\d\\d)h\\d\\d)";
export const NUMBER_NAMES = NUMBER_WORDS.slice(1).join("|");
const HOUR = `(?<hour>\\d{1,2}|${NUMBER_NAMES})`;

function rule(pattern: string, read: Rule["read"], isClock = false): Rule {
  return { pattern: new RegExp(`^(?:${pattern})(?=[\\s,]|$)`, "i"), isClock, read };
}

function clockRule(pattern: string, read: Rule["read"]): Rule {
  return rule(`(?:at\\s+|@\\s?)?(?:${pattern})`, read, true);
}

const RULES: readonly Rule[] = [
  rule("now", () => ({ elapsed: { days: 0, minutes: 0 } })),
  rule(`(?:\\+\\s*|in\\s+)(?<duration>${DURATION_PATTERN})`, ({ duration = "" }) => readElapsed(duration)),
  clockRule("(?:12(?::00)?\\s+)?(?:noon|midday)", () => ({ clock: 12 * HOUR_MS })),
  clockRule(
    `(?<hour>\\d{1,2})(?=${MINUTES})[:.h](?<minute>\\d\\d)(?:(?<=:\\d\\d):00)?(?:\\s*${HALF})?`,
    readClock,
  ),
  clockRule(`${HOUR}\\s*${HALF}`, readClock),
  clockRule(
    `(?:(?<quarter>half|(?:a\\s+)?quarter)\\s+past|(?:a\\s+)?quarter\\s+to)\\s+${HOUR}(?:\\s*${HALF})?`,
    readSpoken,
  ),
  clockRule(
    "(?<hour>\\d\\d):(?<minute>\\d\\d)(?::00)?(?<offset>z|[+-]\\d\\d:\\d\\d)",
    ({ offset = "", ...clock }, source) => ({
      ...readClock(clock, source),
      offset,
    }),
  ),
  clockRule("midnight", () => ({ clock: "midnight" })),
  rule(
    `(?:(?:at\\s+|@\\s?)${HOUR}|(?<clock>\\d{1,2}|${NUMBER_NAMES})(?=\\s+o['’]clock))(?:\\s+o['’]clock)?`,
    ({ hour, clock = "" }) => ({ clock: hourOf(hour ?? clock) * HOUR_MS, bare: "spoken" }),
    true,
  ),
  rule(
    `(?:the\\s+)?(?<word>day\\s+(?:after\\s+tomorrow|before\\s+yesterday)|yesterday|today|tonight|tomorrow)(?:\\s+${PART})?`,
    ({ word = "", part = /^tonight$/i.test(word) ? "night" : undefined }) => {
      const days = RELATIVE_DAYS[word.toLowerCase().replace(/\s+/g, " ")] ?? 0;
      return { day: { kind: "relative", days }, ...partOf(part) };
    },
  ),
  rule(`this\\s+${PART}`, ({ part }) => ({ day: { kind: "relative", days: 0 }, ...partOf(part) })),
  rule(`in\\s+the\\s+${PART}`, ({ part }) => partOf(part)),
  rule("(?<which>this|next|last)\\s+week", ({ which }) => readWeek(which, 0)),
  rule(`(?:(?:on|over|at)\\s+)?(?:the\\s+)?${COMING}weekend`, ({ which }) => readWeek(which, 5)),
  rule("(?:on\\s+)?(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)", ({ year = "", month, day }) => ({
    day: { kind: "date", year, monthDay: `-${month}-${day}` },
  })),
  rule(`${ON}${DAY}(?:\\s+of)?\\s+${MONTH}${YEAR}`, readMonthDay),
  rule(`(?:on\\s+)?${MONTH}\\s+${DAY}${YEAR}`, readMonthDay),
  rule(`(?:on\\s+)?${COMING}${WEEKDAY}(?:\\s+${PART})?`, readWeekday),
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

function partOf(text: string | undefined): Words {
  return text === undefined ? {} : { part: text.toLowerCase() as PartOfDay };
}

function readWeek(which = "this", first: number): Words {
  return { day: { kind: "week", weeks: WEEKS[which.toLowerCase()] ?? 0, first, last: 6 } };
}

function hourOf(text: string): number {
  return Number(numberOf(text.toLowerCase()));
}

/** The time of day that was written, in milliseconds after 00:00. @throws CliError usage for one that does not exist */
export function readClock(
  { hour = "", minute = "00", half }: Groups,
  source: string,
): { readonly clock: number; readonly bare?: "digits" } {
  const twelve = half === undefined ? null : /^p/i.test(half) ? 12 : 0;
  const [number, minutes] = [hourOf(hour), Number(minute)];
  const hours = twelve === null ? number : (number % 12) + twelve;
  const exists = twelve === null ? hours < 24 : number >= 1 && number <= 12;
  if (!exists || minutes > 59) {
    const written = `${hour}${minute === "00" && half !== undefined ? "" : `:${minute}`}${half ?? ""}`;
    throw usageError(`${source}: the time ${written} does not exist`, "write a time from 0:00 to 23:59");
  }
  const clock = hours * HOUR_MS + minutes * MINUTE_MS;
  return twelve === null && !hour.startsWith("0") ? { clock, bare: "digits" } : { clock };
}

/** `half past 3`, `quarter to 4 pm`. */
function readSpoken({ quarter, hour, half }: Groups, source: string): Words | null {
  if (hourOf(hour ?? "") < 1 || hourOf(hour ?? "") > 12) return null;
  const minutes = quarter === undefined ? -15 : /^half/i.test(quarter) ? 30 : 15;
  const clock = (readClock({ hour, half }, source).clock + minutes * MINUTE_MS + DAY_MS) % DAY_MS;
  return half === undefined ? { clock, bare: "spoken" } : { clock };
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

function readWeekday({ which = "this", weekday = "", part }: Groups): Words {
  const found = (["this", "next", "last"] as const).find((word) => word === which.toLowerCase());
  const index = WEEKDAYS.findIndex(
    (name) => name.slice(0, 3).toLowerCase() === weekday.slice(0, 3).toLowerCase(),
  );
  return { day: { kind: "weekday", weekday: index, which: found ?? "this" }, ...partOf(part) };
}

/** Which number is the month depends on the country. */
function refuseNumbers(
  { all, first = "", second = "", third = "" }: Groups,
  source: string,
  inSentence: boolean,
): never {
  const possible = third === "" ? datesWithoutYear(first, second) : datesOfYear(first, second, third);
  const problem = possible.length > 1 ? "may be either of two dates" : "is not a valid date";
  const instead = possible.length === 0 ? "YYYY-MM-DD or 24 dec" : possible.join(" or ");
  const message = `${source}: "${all}" ${problem}: write ${instead}`;
  const hint = inSentence ? "put it in quotes if it is part of the title" : undefined;
  if (possible.length < 2) throw usageError(message, hint);
  const readings = [...possible, ...(inSentence ? [`"${all}"`] : [])];
  throw new AmbiguousTextError(message, { written: all ?? "", readings, ...(hint && { hint }) });
}

function datesOfYear(first: string, second: string, third: string): readonly string[] {
  const dates =
    first.length === 4
      ? [isoDate(first, second, third)]
      : [isoDate(third, first, second), isoDate(third, second, first)];
  return [...new Set(dates)].filter(isCalendarDate);
}

/** `24/12` is `24 dec`. */
function datesWithoutYear(first: string, second: string): readonly string[] {
  const pairs = [
    [first, second],
    [second, first],
  ] as const;
  const dates = pairs.flatMap(([day, month]) =>
    isCalendarDate(isoDate("2024", month, day)) ? [`${Number(day)} ${MONTHS[Number(month) - 1]}`] : [],
  );
  return [...new Set(dates)];
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
  return finishWords(words, typed, options);
}

/**
 * The words of a whole text, with the time that `at 8` and `tonight` say together.
 * @throws CliError usage for a time that may be in either half of the day, or is not in the part that is named
 */
export function finishWords(said: Words, typed: string, options: WordsOptions): Words {
  const { bare, part, ...words } = said;
  const what = `${options.source}: "${typed}"`;
  const { clock } = words;
  if (typeof clock === "number" && clock >= DAY_MS)
    readClock({ hour: String(clock / HOUR_MS) }, options.source);
  const clocks = bare !== undefined && isOfMorning(clock) ? [clock, clock + 12 * HOUR_MS] : [clock];
  if (part === undefined) {
    checkSpoken(said, typed, options);
    return words;
  }
  if (clock === undefined) {
    if (options.dayOnly === true) return words;
    throw usageError(
      `${what} names a part of a day`,
      `add a time, such as ${part === "morning" ? "9am" : "8pm"}`,
    );
  }
  const [from, until] = PARTS_OF_DAY[part];
  const isIn = (time: Clock | undefined) =>
    time === "midnight" || (time !== undefined && time >= from * HOUR_MS && time < until * HOUR_MS);
  const found = clocks.find(isIn);
  if (found !== undefined) return { ...words, clock: found };
  throw usageError(`${what}: the time is not in that part of the day`, "write the day and the time");
}

/** Whether a time without am and pm has another one in the afternoon. */
function isOfMorning(clock: Clock | undefined): clock is number {
  return typeof clock === "number" && clock >= HOUR_MS && clock < 12 * HOUR_MS;
}

/** @throws CliError usage for `at 8` and `half past 3`, which may be in either half of the day */
export function checkSpoken(
  { bare, clock }: Pick<Words, "bare" | "clock">,
  typed: string,
  { source }: WordsOptions,
): void {
  if (bare !== "spoken" || !isOfMorning(clock) || clock >= 10 * HOUR_MS) return;
  const [hour, minutes] = [
    Math.floor(clock / HOUR_MS),
    `:${String((clock % HOUR_MS) / MINUTE_MS).padStart(2, "0")}`,
  ];
  const short = hour + minutes.replace(":00", "");
  throw new AmbiguousTextError(`${source}: "${typed}" may be ${hour}${minutes} or ${hour + 12}${minutes}`, {
    hint: `write ${short}am or ${short}pm`,
    written: typed,
    readings: ["morning", hour < 6 ? "afternoon" : "evening"].map((part) => `${typed} in the ${part}`),
  });
}

interface WordsOptions extends Pick<DateInputOptions, "source" | "dayOnly"> {
  /** Whether the text is part of a sentence, in which what is in quotes is the title. */
  readonly inSentence?: boolean;
}

/** What a text begins with, and how long that is. */
export function readPart(
  text: string,
  typed: string,
  { source, dayOnly = false, inSentence = false }: WordsOptions,
): readonly [number, Words] | null {
  for (const { pattern, isClock, read } of RULES) {
    const match = pattern.exec(text);
    if (match !== null && isClock && dayOnly) throw notADayError(typed, source);
    const words = match === null ? null : read(match.groups ?? {}, source, inSentence);
    if (match === null || words === null) continue;
    if (words.elapsed !== undefined && dayOnly) throw notADayError(typed, source);
    return [match[0].length, words];
  }
  return null;
}

const TIME_HINT = "write 15:00, tomorrow 3pm, fri 9:30, 24 dec 15:00, +2h or YYYY-MM-DDTHH:MM";

/** Words that are only read together with what follows them, which is then what is wrong. */
const LEADING_WORDS = /^(?:(?:at|in|on|this|next|last)\s+)+(?=\S)/i;

const WEEKDAY_AND_NUMBER = new RegExp(`^(?:on\\s+)?${WEEKDAY}[\\s,]+(\\d{1,2})$`, "i");

function notUnderstood(rest: string, typed: string, { source, dayOnly = false }: WordsOptions): CliError {
  const duration = readDuration(typed);
  if (duration !== null) {
    if (dayOnly && duration.minutes > 0) return notADayError(typed, source);
    const meant = dayOnly ? "day" : "time";
    return usageError(`${source}: "${typed}" is a duration`, `write +${typed} for a ${meant} from now`);
  }
  const hint = dayOnly ? DAY_HINT : TIME_HINT;
  const [, weekday, number = ""] = WEEKDAY_AND_NUMBER.exec(typed) ?? [];
  if (!dayOnly && weekday !== undefined && Number(number) < 24) {
    throw usageError(
      `${source}: "${typed}" may be ${number}:00 on that day or day ${number} of a month`,
      `write ${weekday} ${number}:00 or ${number} dec`,
    );
  }
  const [word = ""] = rest.replace(LEADING_WORDS, "").split(/[\s,]/);
  if (word === typed || word === "") {
    return usageError(`${source}: "${typed}" is not a valid ${dayOnly ? "date" : "date or time"}`, hint);
  }
  return usageError(`${source}: "${word}" in "${typed}" is not understood`, hint);
}

/** What two parts of a text say together. @throws CliError usage when they name two days or two times */
export function combine(words: Words, part: Words, what: string): Words {
  const [hasTime, addsTime] = [words, part].map(({ clock, elapsed }) => (clock ?? elapsed) !== undefined);
  if (
    (hasTime && addsTime) ||
    (words.elapsed !== undefined && part.day !== undefined) ||
    (part.elapsed !== undefined && words.day !== undefined)
  ) {
    throw usageError(`${what} names more than one time`, "write one time, or one day and one time");
  }
  if (words.day === undefined || part.day === undefined) return { ...words, ...part };
  const day = withWeekday(words.day, part.day) ?? withWeekday(part.day, words.day);
  if (day === null) throw usageError(`${what} names more than one day`, "write one day");
  return { ...words, ...part, day };
}

/** `sat 21 nov` is one day, and so are `mon next week` and a weekday that is named twice. */
function withWeekday(day: Day, other: Day): Day | null {
  if (other.kind !== "weekday" || other.which !== "this") return null;
  if (day.kind === "weekday" && day.which === "this" && day.weekday === other.weekday) return day;
  if (day.kind === "date") return { ...day, weekday: other.weekday };
  const index = (other.weekday + 6) % 7;
  return day.kind === "week" && day.first === 0 ? { ...day, first: index, last: index } : null;
}
