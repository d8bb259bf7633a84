import { isTimeZone, parseLenientDateTime } from "../../../contract/date-time.js";
import { CliError } from "../../errors.js";
import { wallClockAt } from "../zoned-time.js";
import { FREQUENCIES, NUMBERS, type RecurrenceRule, readRule, UNITS, writeRule } from "./rule.js";

/** Rules of repeating events in words. */

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * The recurrences of an event in words, as far as there are words: `every week on Monday, except 21 Dec 2026`. Lines that
 * cannot be read stay as they are.
 * @param lines of RFC 5545 @param zone of the event
 */
export function describeRecurrences(lines: readonly string[], zone: string): string {
  const [RRULE, EXDATE, RDATE] = ["RRULE", "EXDATE", "RDATE"].map((name) => valuesOf(lines, name));
  const rules = RRULE?.map((text) => describeRuleText(text, zone)) ?? [];
  const others = [
    { word: "also on", dates: RDATE ?? [] },
    { word: "except", dates: EXDATE ?? [] },
  ].map(({ word, dates }) => describeDates(word, dates, zone));
  const unknown = lines.filter((line) => !LINE.test(line));
  return [...rules, ...others, ...unknown].filter((text) => text !== "").join(", ");
}

const LINE = /^(RRULE|EXDATE|RDATE)(?:;[^:]*)?:(.*)$/i;

function valuesOf(lines: readonly string[], name: string): readonly string[] {
  return lines.flatMap((line) => {
    const [, property = "", value = ""] = LINE.exec(line) ?? [];
    if (property.toUpperCase() !== name) return [];
    return name === "RRULE" ? [value] : value.split(",");
  });
}

function describeRuleText(text: string, zone: string): string {
  try {
    return describeRule(readRule(text, "RRULE"), zone);
  } catch (error) {
    if (error instanceof CliError) return text;
    throw error;
  }
}

/** How many dates are named; more are counted. */
const NAMED_DATES = 3;

function describeDates(word: string, dates: readonly string[], zone: string): string {
  if (dates.length === 0) return "";
  if (dates.length > NAMED_DATES) return `${word} ${dates.length} dates`;
  return `${word} ${dates.map((date) => dayText(date, zone)).join(" and ")}`;
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
  return `${words}, until ${dayText(UNTIL, zone)}`;
}

/** The day of a date or time of RFC 5545 in a zone: `30 Jun 2027`; what cannot be read as it is. */
function dayText(text: string, zone: string): string {
  const instant = parseLenientDateTime(text)?.instant;
  if (instant === undefined) return text;
  const day = new Date(text.endsWith("Z") && isTimeZone(zone) ? wallClockAt(instant, zone) : instant);
  return day.toUTCString().slice("Wed, ".length, "Wed, 30 Jun 2027".length).replace(/^0/, "");
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
