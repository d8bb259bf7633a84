import { parseLenientDateTime } from "../../contract/date-time.js";
import { emptyValueError, usageError } from "../errors.js";
import { WEEKDAY, WEEKDAYS } from "./date-grammar.js";
import { type RecurrenceRule, readRule, writeRule } from "./recurrence-rule.js";
import { wallClockAt } from "./zoned-time.js";

/** Rules of repeating events in words, and back: the small grammar of docs/writing.md. */

const DAY = WEEKDAY.replace("?<weekday>", "?:");
const UNITS = ["day", "week", "month", "year"];
const FREQUENCIES = ["daily", "weekly", "monthly", "yearly"];
const NUMBERS = ["last", "first", "second", "third", "fourth", "fifth"];

const RULE = new RegExp(
  `^(?:(?<frequency>${FREQUENCIES.join("|")})|every\\s+(?:(?<interval>other|\\d{1,3})\\s+)?(?<unit>${UNITS.join("|")})s?)` +
    `(?:\\s+on\\s+(?:(?<weekdays>${DAY}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+)${DAY})*)` +
    `|the\\s+(?<number>${NUMBERS.join("|")}|[1-5](?:st|nd|rd|th))\\s+(?<day>${DAY})` +
    `|the\\s+(?:(?<monthDay>\\d{1,2})(?:st|nd|rd|th)|(?<lastDay>last\\s+day))))?$`,
);

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
    .replace(/^(?:every weekday|weekdays)$/, "weekly on mon,tue,wed,thu,fri")
    .replace(new RegExp(`^every\\s+(?=${DAY})`), "weekly on ");
  const { frequency, interval = "1", unit = "", ...on } = RULE.exec(text)?.groups ?? {};
  const index = frequency === undefined ? UNITS.indexOf(unit) : FREQUENCIES.indexOf(frequency);
  if (index < 0) return null;
  const days = readDays(on);
  if (days !== null && days.frequency !== FREQUENCIES[index]) return null;
  const every = interval === "other" ? "2" : interval;
  const parts = [`FREQ=${FREQUENCIES[index]?.toUpperCase()}`, every === "1" ? [] : `INTERVAL=${every}`];
  return [...parts.flat(), ...(days === null ? [] : [days.part])].join(";");
}

function readDays(on: Readonly<Record<string, string | undefined>>) {
  const { weekdays, number, day = "", monthDay, lastDay } = on;
  const short = (name: string): string => name.slice(0, 2).toUpperCase();
  if (weekdays !== undefined) {
    const names = weekdays.split(/[\s,]+(?:and\s+)?/).map(short);
    return { frequency: "weekly", part: `BYDAY=${names.join(",")}` };
  }
  if (number !== undefined) {
    const count = NUMBERS.includes(number) ? NUMBERS.indexOf(number) || -1 : Number.parseInt(number, 10);
    return { frequency: "monthly", part: `BYDAY=${count}${short(day)}` };
  }
  const date = lastDay === undefined ? monthDay : "-1";
  return date === undefined ? null : { frequency: "monthly", part: `BYMONTHDAY=${date}` };
}

/**
 * `every 2 weeks on Monday and Thursday, until 30 Jun 2027`; the rule itself where it has parts that words do not cover.
 * @param zone of the event, in which its last day is
 */
export function describeRule(rule: RecurrenceRule, zone: string): string {
  const { FREQ, INTERVAL = "1", COUNT, UNTIL, WKST: _ignored, ...days } = rule;
  const unit = UNITS[FREQUENCIES.indexOf(FREQ.toLowerCase())];
  const on = describeDays(FREQ, days);
  if (unit === undefined || on === null) return writeRule(rule);
  const every = INTERVAL === "1" ? `every ${unit}` : `every ${INTERVAL} ${unit}s`;
  const words = `${every}${on}`.replace("week on Monday, Tuesday, Wednesday, Thursday and Friday", "weekday");
  if (COUNT !== undefined) return `${words}, ${COUNT === "1" ? "once" : `${COUNT} times`}`;
  if (UNTIL === undefined) return words;
  const until = parseLenientDateTime(UNTIL)?.instant ?? 0;
  const last = UNTIL.endsWith("Z") ? wallClockAt(until, zone) : until;
  return `${words}, until ${new Date(last).toUTCString().slice("Wed, ".length, "Wed, 30 Jun 2027".length).replace(/^0/, "")}`;
}

/** Null for what words do not cover. */
function describeDays(frequency: string, days: Partial<RecurrenceRule>): string | null {
  const [[part, value] = [], other] = Object.entries(days);
  if (part === undefined || value === undefined) return "";
  const words = value.split(",").map((day) => describeDay(`${frequency} ${part}`, day));
  if (other !== undefined || words.includes(null)) return null;
  return ` on ${words.join(", ").replace(/, ([^,]*)$/, " and $1")}`;
}

function describeDay(kind: string, day: string): string | null {
  const [, digits = "", name = ""] = /^(.*?)([A-Z]*)$/.exec(day) ?? [];
  const [number, weekday] = [Number(digits), WEEKDAYS.find((each) => each.toUpperCase().startsWith(name))];
  if (kind === "WEEKLY BYDAY") return weekday ?? null;
  if (kind === "MONTHLY BYMONTHDAY" && number > 0) return `the ${ordinal(number)}`;
  if (kind === "MONTHLY BYMONTHDAY") return number === -1 ? "the last day" : null;
  const [last, ...counts] = NUMBERS;
  const count = number === -1 ? last : counts[number - 1];
  return kind === "MONTHLY BYDAY" && count !== undefined ? `the ${count} ${weekday}` : null;
}

function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? undefined : ["th", "st", "nd", "rd"][day % 10];
  return `${day}${ending ?? "th"}`;
}
