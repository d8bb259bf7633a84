import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Random rules of RFC 5545, the same in each run, and what python3-dateutil makes of them. */

const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
/** Of each rule the starts until its end are compared, at most this many. */
export const COMPARED = 12;

/** Reads one JSON array of cases and prints the starts of each, in milliseconds, as dateutil finds them on the zone's clock. */
const ORACLE = `
import itertools, json, sys, warnings
from datetime import datetime, timezone
from zoneinfo import ZoneInfo
from dateutil.rrule import rrulestr
warnings.simplefilter("ignore")
def starts(case):
    rule = case["rule"] if "UNTIL" in case["rule"] else case["rule"] + ";UNTIL=" + case["end"]
    start = datetime.fromisoformat(case["start"]).replace(tzinfo=ZoneInfo(case["timezone"]))
    try:
        found = itertools.islice(rrulestr(rule, dtstart=start), 2 * case["compared"])
    except ValueError: # A rule without any.
        return []
    # A time that is skipped has the offset before it, as RFC 5545 says: fold is 0.
    return sorted({round(one.timestamp() * 1000) for one in found})[:case["compared"]]
print(json.dumps([starts(case) for case in json.load(sys.stdin)]))
`;

export interface RuleCase {
  readonly rule: string;
  readonly start: string;
  readonly timezone: string;
  /** `20360101T000000Z` */
  readonly end: string;
  readonly compared: number;
}

/** @returns as many as asked for */
export function randomRules(count: number): readonly RuleCase[] {
  return Array.from({ length: count }, (_, seed) => randomCase(createRandom(seed + 1)));
}

/** The starts of each until its end, at most `COMPARED`. */
export async function startsByDateutil(cases: readonly RuleCase[]): Promise<readonly (readonly number[])[]> {
  const oracle = promisify(execFile)("/usr/bin/python3", ["-c", ORACLE], { maxBuffer: 2 ** 26 });
  oracle.child.stdin?.end(JSON.stringify(cases));
  return JSON.parse((await oracle).stdout);
}

type Random = (count: number) => number;

/** Whole numbers from 0 to below `count`, the same for the same seed. */
function createRandom(seed: number): Random {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

function randomCase(random: Random): RuleCase {
  const freq = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"][random(18) % 5] ?? "DAILY";
  const parts = [`FREQ=${freq}`, ...intervalOf(freq, random), ...daysOf(freq, random), ...endOf(random)];
  if (freq !== "HOURLY" && random(6) === 0) parts.push(`BYHOUR=${some(random, 0, 23)}`);
  if (random(10) === 0) parts.push(`BYMINUTE=${some(random, 0, 59)}`);
  if (random(5) === 0) parts.push(`WKST=${DAYS[random(7)]}`);
  const two = (number: number): string => String(number).padStart(2, "0");
  const [year, month] = [26 + random(3), 1 + random(11)];
  return {
    rule: parts.join(";"),
    start: `20${year}-${two(month)}-${two(1 + random(28))}T${two(random(24))}:${two(15 * random(4))}:00`,
    timezone: ZONES[random(ZONES.length)] ?? "UTC",
    end: freq === "HOURLY" ? `20${year}${two(month + 1)}28T000000Z` : `20${year + 8}0101T000000Z`,
    compared: COMPARED,
  };
}

function intervalOf(freq: string, random: Random): readonly string[] {
  return random(2) === 0 ? [] : [`INTERVAL=${1 + random(freq === "YEARLY" ? 3 : 9)}`];
}

function endOf(random: Random): readonly string[] {
  const kind = random(4);
  if (kind === 0) return [`COUNT=${1 + random(30)}`];
  return kind === 1 ? [`UNTIL=20${26 + random(8)}0${1 + random(9)}15T${10 + random(10)}3000Z`] : [];
}

/** Not what RFC 5545 leaves open: a week of the year without weekdays, and one that is partly in another year. */
function daysOf(freq: string, random: Random): readonly string[] {
  const months = freq !== "HOURLY" && random(5) === 0 ? [`BYMONTH=${some(random, 1, 12)}`] : [];
  const byMonthDay = `BYMONTHDAY=${some(random, -31, 31)}`;
  const weekdays = `BYDAY=${randomDays(random)}`;
  const number = ["", "1", "2", "-1", "-2"][random(5)] ?? "";
  const numbered = `BYDAY=${randomDays(random, number)}`;
  const position = number === "" && random(2) === 0 ? [`BYSETPOS=${some(random, -2, 2)}`] : [];
  const choices: Readonly<Record<string, readonly (readonly string[])[]>> = {
    YEARLY: [
      [],
      [numbered, ...position],
      [byMonthDay],
      [byMonthDay, weekdays],
      [`BYYEARDAY=${some(random, -366, 366)}`],
      [`BYWEEKNO=${some(random, 2, 51)}`, weekdays],
    ],
    MONTHLY: [[], [byMonthDay], [numbered, ...position], [byMonthDay, weekdays]],
    WEEKLY: [[], [weekdays]],
    DAILY: [[], [weekdays], [byMonthDay], [byMonthDay, weekdays]],
    HOURLY: [[], [weekdays], [byMonthDay]],
  };
  const days = choices[freq] ?? [];
  return [...months, ...(days[random(days.length)] ?? [])];
}

/** Up to three different numbers, never 0 where there are some below it. */
function some(random: Random, least: number, most: number): string {
  const numbers = Array.from({ length: 1 + random(3) }, () => least + random(most - least + 1));
  return [...new Set(numbers.map((number) => (number === 0 && least < 0 ? 1 : number)))].join(",");
}

function randomDays(random: Random, number = ""): string {
  const days = Array.from({ length: 1 + random(3) }, () => DAYS[random(7)]);
  return [...new Set(days)].map((day) => `${number}${day}`).join(",");
}
