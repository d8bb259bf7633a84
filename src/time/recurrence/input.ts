import { emptyValueError, usageError } from "../../errors.js";
import { numberOf } from "../dates.js";
import { EVERY_DAY, EVERY_MONTH, EVERY_WEEKDAY, RULE } from "./grammar.js";
import { FREQUENCIES, NUMBERS, UNITS } from "./names.js";
import { readRule } from "./rule.js";

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
