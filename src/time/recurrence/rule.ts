import { DAY_MS, formatWireDateTime, isTimeZone, parseLenientDateTime } from "../../../contract/date-time.js";
import { originalStartText } from "../../../contract/extensions.js";
import type { EventDraft } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { instantAt, wallClockAt } from "../zoned-time.js";

/** What words call the parts of rules. */

export const UNITS = ["day", "week", "month", "year"];
export const FREQUENCIES = ["daily", "weekly", "monthly", "yearly"];
export const NUMBERS = ["last", "first", "second", "third", "fourth", "fifth"];

/** The parts of an RRULE by their names, as they are written, in capitals: `{FREQ: "WEEKLY", BYDAY: "MO,TH"}`. */
export type RecurrenceRule = Readonly<Partial<Record<RulePart, string>>> & { readonly FREQ: string };

type RulePart = keyof typeof PARTS;

/** The most occurrences that a rule may give. */
export const MAX_OCCURRENCES = 10_000;

const WEEKDAY = "(?:SU|MO|TU|WE|TH|FR|SA)";

/** What a value of a part is: a pattern with its description, or the least and the most of a number, which is not 0 if that may be negative. */
const PARTS = {
  FREQ: [
    // An import makes single events of the last two, see `checkRuleBounds`.
    /^(?:YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY|MINUTELY)$/,
    "DAILY, WEEKLY, MONTHLY or YEARLY",
  ],
  UNTIL: [/^\d{8}(?:T\d{6}Z?)?$/, "a date 20261231, or a time in UTC 20261231T225959Z"],
  WKST: [new RegExp(`^${WEEKDAY}$`), "a weekday such as MO"],
  BYDAY: [new RegExp(`^(?:[+-]?(?:[1-9]|[1-4]\\d|5[0-3]))?${WEEKDAY}$`), "weekdays such as MO,TU or -1FR"],
  INTERVAL: [1, 9999],
  COUNT: [1, MAX_OCCURRENCES],
  BYMONTH: [1, 12],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYSECOND: [0, 59],
  BYSETPOS: [-366, 366],
} as const satisfies Readonly<Record<string, readonly [RegExp, string] | readonly [number, number]>>;

/** With which frequencies a part has a meaning, if not with all of them. */
const FREQUENCIES_OF: Readonly<Record<string, readonly string[]>> = {
  BYWEEKNO: ["YEARLY"],
  BYYEARDAY: ["YEARLY", "HOURLY", "MINUTELY"],
  BYMONTHDAY: ["MONTHLY", "YEARLY", "DAILY", "HOURLY", "MINUTELY"],
};

/**
 * Reads an RRULE: `FREQ=WEEKLY;BYDAY=MO`. @param source how messages name where it is written
 * @throws CliError usage for anything that is not a rule, and for SECONDLY
 * @see RFC 5545 §3.3.10
 */
export function readRule(text: string, source: string): RecurrenceRule {
  const rule: Partial<Record<RulePart, string>> = {};
  for (const part of text.toUpperCase().split(";")) {
    const [name = "", value = ""] = part.split(/=(.*)/);
    if (!isRulePart(name)) throw usageError(`${source}: "${part}" is not a part of a rule`, RULE_HINT);
    if (rule[name] !== undefined)
      throw usageError(`${source}: ${name} is given twice`, "write each part once");
    checkValues(name, value, source);
    rule[name] = withoutRepeats(value.split(",")).join(",");
  }
  const { FREQ } = rule;
  if (FREQ === undefined) throw usageError(`${source}: the rule has no FREQ`, RULE_HINT);
  checkTogether({ ...rule, FREQ }, source);
  return { ...rule, FREQ };
}

/** The values of a part without repeats: `1`, `+1` and `01` are the same. */
function withoutRepeats(values: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return values.filter((text) => {
    const meaning = text.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1");
    const isNew = !seen.has(meaning);
    seen.add(meaning);
    return isNew;
  });
}

/** Frequencies that a series may have. */
const SERIES_FREQUENCIES_OF = ["DAILY", "WEEKLY", "MONTHLY", "YEARLY"];

/** Checks that a series may have this rule. @throws CliError usage for one that repeats within a day */
export function checkRuleBounds(rule: RecurrenceRule, source: string): void {
  const { FREQ } = rule;
  if (!SERIES_FREQUENCIES_OF.includes(FREQ))
    throw usageError(`${source}: FREQ=${FREQ} is not supported`, "write DAILY, WEEKLY, MONTHLY or YEARLY");
  const part = (["BYHOUR", "BYMINUTE", "BYSECOND"] as const).find((name) => rule[name] !== undefined);
  if (part !== undefined)
    throw usageError(`${source}: ${part} is not supported`, "create a series for each time of day");
}

/** The rule as RFC 5545 has it. */
export function writeRule(rule: Partial<RecurrenceRule>): string {
  const parts = Object.entries(rule).map((part) => part.join("="));
  return parts.join(";");
}

const RULE_HINT = "write a rule such as FREQ=WEEKLY;BYDAY=MO";

function isRulePart(name: string): name is RulePart {
  return Object.hasOwn(PARTS, name);
}

/** More than any part has. */
const MAX_VALUES = 1_000;

function checkValues(name: RulePart, value: string, source: string): void {
  const [least, most] = PARTS[name];
  const isValid = (one: string): boolean => {
    if (typeof least !== "number") return least.test(one);
    const number = /^[+-]?\d{1,5}$/.test(one) ? Number(one) : Number.NaN;
    return number >= least && number <= Number(most) && (least >= 0 || number !== 0);
  };
  const values = name.startsWith("BY") ? value.split(",") : [value];
  if (values.length > MAX_VALUES)
    throw usageError(`${source}: ${name} has ${values.length} values`, "write each once");
  if (values.every(isValid)) return;
  const numbers = Number(least) < 0 ? `1 to ${most} or -1 to ${least}` : `${least} to ${most}`;
  const right = typeof least === "number" ? numbers : most;
  throw usageError(`${source}: ${name}=${value} is not supported`, `write ${right}`);
}

function checkTogether(rule: RecurrenceRule, source: string): void {
  const refuse = (problem: string, hint: string): never => {
    throw usageError(`${source}: ${problem}`, hint);
  };
  const { FREQ, BYDAY, BYSETPOS } = rule;
  if (rule.COUNT !== undefined && rule.UNTIL !== undefined) {
    refuse("COUNT and UNTIL are both given", "use only one of them");
  }
  const names = Object.keys(rule);
  for (const name of names) {
    if (FREQUENCIES_OF[name]?.includes(FREQ) === false) {
      refuse(`${name} has no meaning with FREQ=${FREQ}`, `write FREQ=${FREQUENCIES_OF[name]?.[0]}`);
    }
  }
  const numbered = BYDAY?.split(",").find((day) => day.length > 2);
  const beside = FREQ === "YEARLY" && rule.BYWEEKNO !== undefined ? "BYWEEKNO" : `FREQ=${FREQ}`;
  if (numbered !== undefined && !["FREQ=MONTHLY", "FREQ=YEARLY"].includes(beside)) {
    refuse(`BYDAY=${numbered} has no meaning with ${beside}`, `write BYDAY=${numbered.slice(-2)}`);
  }
  const { BYWEEKNO, BYYEARDAY, BYMONTHDAY } = rule;
  // Engines disagree on these.
  const days = Object.entries({
    BYWEEKNO,
    BYYEARDAY,
    BYMONTHDAY,
    BYDAY: BYYEARDAY === undefined ? numbered : BYDAY,
  });
  const [first, second] = days.filter(([, value]) => value !== undefined);
  if (FREQ === "YEARLY" && first !== undefined && second !== undefined) {
    refuse(`${first[0]} and ${second[0]} are not supported together`, "use only one of them");
  }
  if (BYSETPOS !== undefined && !names.some((name) => name !== "BYSETPOS" && name.startsWith("BY"))) {
    refuse("BYSETPOS is given alone", "add what it selects from, such as BYDAY=MO,TU,WE,TH,FR");
  }
  checkSize(rule, refuse);
}

/** How many times of a day a rule may name: engines make all of them for each start, several times slower to select from. */
const MAX_TIMES = { alone: 96, selected: 12 };

/** Refuses what would take an engine seconds. */
function checkSize(rule: RecurrenceRule, refuse: (problem: string, hint: string) => never): void {
  const count = (name: RulePart) => rule[name]?.split(",").length ?? 1;
  const ofHour = count("BYMINUTE") * count("BYSECOND");
  const times = count("BYHOUR") * ofHour;
  const most = rule.BYSETPOS === undefined ? MAX_TIMES.alone : MAX_TIMES.selected;
  if (times > most) refuse(`the rule names ${times} times of a day`, `name at most ${most}`);
  const candidates: Readonly<Record<string, number>> = {
    YEARLY: 366 * times,
    MONTHLY: 31 * times,
    WEEKLY: count("BYDAY") * times,
    DAILY: times,
    HOURLY: ofHour,
    MINUTELY: count("BYSECOND"),
  };
  const last = candidates[rule.FREQ] ?? Number.POSITIVE_INFINITY;
  const position = rule.BYSETPOS?.split(",").find((text) => Math.abs(Number(text)) > last);
  if (position !== undefined) refuse(`BYSETPOS=${position} selects nothing`, `write ${last} at most`);
}

/** When an event repeats. */
export interface Recurrence {
  /** One RRULE, EXDATE and RDATE lines of RFC 5545. Without an RRULE the start itself is an occurrence. */
  readonly lines: readonly string[];
  /** Local start: `YYYY-MM-DDTHH:mm:ss`, or `YYYY-MM-DD` for all-day. */
  readonly start: string;
  /** IANA; null for all-day. */
  readonly timezone: string | null;
}

/** When an event repeats by some lines. @throws CliError usage for one without times */
export function recurrenceOf(
  { start_at, start_timezone, all_day }: Pick<EventDraft, "start_at" | "start_timezone" | "all_day">,
  lines: readonly string[],
): Recurrence {
  if (start_at === undefined) throw usageError("it repeats, but has no start");
  const timezone = all_day === true ? null : (start_timezone ?? "UTC");
  const local = formatWireDateTime(wallClockAt(Date.parse(start_at), timezone ?? "UTC"));
  return {
    lines,
    start: local.slice(0, (timezone === null ? "YYYY-MM-DD" : "YYYY-MM-DDTHH:mm:ss").length),
    timezone,
  };
}

export interface ReadRecurrence {
  /** Null where there is none. */
  readonly rule: RecurrenceRule | null;
  /** Instants of RDATE and EXDATE. */
  readonly extra: readonly number[];
  readonly excluded: ReadonlySet<number>;
  /** Both as written. */
  readonly dates: readonly string[];
  readonly isAllDay: boolean;
  /** What the clock shows at the start, as if it were UTC. */
  readonly start: number;
  /** `UTC` for all-day. */
  readonly zone: string;
}

const LINE = /^(RRULE|EXDATE|RDATE)((?:;[^:]*)?):(.*)$/i;

/** @param source how messages name where the lines are written @throws CliError usage for lines that cannot be read */
export function readRecurrence({ lines, start, timezone }: Recurrence, source: string): ReadRecurrence {
  const zone = timezone ?? "UTC";
  const found: Record<string, { text: string; zone: string }[]> = { RRULE: [], EXDATE: [], RDATE: [] };
  for (const line of lines) {
    const [, name = "", parameters = "", value = ""] = LINE.exec(line.trim()) ?? [];
    const property = name.toUpperCase();
    const values = property === "RRULE" ? [value] : value.split(",");
    if (property === "")
      throw usageError(`${source}: "${line}" is not read`, "write RRULE, EXDATE and RDATE");
    const written = /;TZID="?([^;"]*)/i.exec(parameters)?.[1] ?? zone;
    if (!isTimeZone(written))
      throw usageError(`${source}: ${written} is not a timezone`, "write an IANA name");
    addAll(
      found[property],
      values.map((text) => ({ text, zone: written })),
    );
  }
  const textsOf = (name: string) => (found[name] ?? []).map(({ text }) => text);
  const instantsOf = (name: string) =>
    (found[name] ?? []).map((each) => instantOf(each.text, each.zone, source));
  const RRULE = textsOf("RRULE");
  const [rule, second] = RRULE;
  if (second !== undefined) throw usageError(`${source}: there are several RRULEs`, "write one");
  return {
    rule: rule === undefined ? null : readRule(rule, source),
    extra: instantsOf("RDATE"),
    excluded: new Set(instantsOf("EXDATE")),
    dates: [...textsOf("RDATE"), ...textsOf("EXDATE")],
    isAllDay: timezone === null,
    start: parseLenientDateTime(start)?.instant ?? Number.NaN,
    zone,
  };
}

/** Not as arguments of one call: they may be too many for the stack. */
function addAll<T>(list: T[] | undefined, values: readonly T[]): void {
  for (const value of values) list?.push(value);
}

/** Whether a date or time of RFC 5545 is a date. */
export function isDate(text: string): boolean {
  return !text.includes("T");
}

function instantOf(text: string, zone: string, source: string): number {
  const wallClock = wallClockOf(text, source);
  return text.endsWith("Z") ? wallClock : instantAt(wallClock, zone);
}

/** What the clock shows at a date or time of RFC 5545, as if it were UTC. @throws CliError usage */
export function wallClockOf(text: string, source: string): number {
  const time = /^\d{8}(?:T\d{6}Z?)?$/.test(text) ? parseLenientDateTime(text) : null;
  if (time !== null) return time.instant;
  throw usageError(`${source}: "${text}" is not a date or time`, "write 20261231T140000Z or 20261231");
}

/** The last instant at which the rule may give a start. */
export function untilOf({ rule, isAllDay, zone }: ReadRecurrence): number {
  const text = rule?.UNTIL;
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const wallClock = wallClockOf(text, "UNTIL");
  if (isAllDay || text.endsWith("Z")) return wallClock;
  return isDate(text) ? instantAt(wallClock + DAY_MS, zone) - 1 : instantAt(wallClock, zone);
}

/** Starts as a line of RFC 5545, sorted and without duplicates; no line if there are none. */
export function dateLines(
  name: "EXDATE" | "RDATE",
  starts: readonly number[],
  { isAllDay }: { readonly isAllDay: boolean },
): readonly string[] {
  if (starts.length === 0) return [];
  const texts = [...new Set(starts)]
    .sort((one, other) => one - other)
    .map((start) => originalStartText(start, isAllDay));
  return [`${name}${isAllDay ? ";VALUE=DATE" : ""}:${texts.join(",")}`];
}
