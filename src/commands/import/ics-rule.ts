import { slotText } from "../../../contract/extensions.js";
import { usageError } from "../../errors.js";
import { dateOfTime, type IcsTime, readTime } from "./ics-times.js";

/** The RRULE of other programs, which slips in ways that have one meaning. @see RFC 5545 §3.3.10 */

interface RuleOptions {
  /** Of the event. */
  readonly start: Pick<IcsTime, "isDate">;
  /** Zones whose midnight a time in UTC may be. */
  readonly midnights: readonly string[];
  readonly count: (remark: string) => void;
}

/** The RRULE lines of an event, each once. @throws CliError usage for an UNTIL that is no time, and another calendar */
export function readRules(lines: readonly string[], options: RuleOptions): readonly string[] {
  const written = lines.map((line) => line.slice(line.indexOf(":") + 1)).filter((rule) => rule.trim() !== "");
  const old = written.find((rule) => !rule.includes("="));
  if (old !== undefined)
    throw usageError(`the rule "${old.slice(0, 40)}" is of vCalendar 1.0, which is not supported`);
  const rules = written.map((rule) => readParts(rule, options));
  const meanings = new Map(rules.map((parts) => [parts.toSorted().join(";"), parts.join(";")]));
  if (meanings.size < rules.length) options.count("with the same RRULE twice: read once");
  return [...meanings.values()].map((rule) => `RRULE:${rule}`);
}

/** The parts of a rule, each once, without those that mean nothing. */
function readParts(rule: string, options: RuleOptions): readonly string[] {
  const parts = rule.replace(/\s+/g, "").toUpperCase().split(";");
  return [...new Set(parts.flatMap((part) => readPart(part, options) ?? []))];
}

/** Null for one that means nothing: some programs end a rule, or a list, with its separator, and a date has no hours. */
function readPart(part: string, options: RuleOptions): string | null {
  const [, name = "", values = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
  if (name === "") return part === "" ? null : part;
  const value = values
    .split(",")
    .filter((each) => each !== "")
    .join(",");
  if (isDefault(name, value)) return null;
  if (options.start.isDate && /^BY(?:HOUR|MINUTE|SECOND)$/.test(name)) return null;
  if (name === "RSCALE" || name === "SKIP")
    throw usageError(`${name}=${value.slice(0, 40)} is not supported, only RSCALE=GREGORIAN;SKIP=OMIT`);
  if (value === "") options.count(`with an empty ${name.slice(0, 40)} in its rule: left out`);
  if (value === "") return null;
  if (name !== "INTERVAL" || Number(value) !== 0)
    return `${name}=${name === "UNTIL" ? readUntil(value, options) : value}`;
  options.count("with INTERVAL=0 in its rule: read as INTERVAL=1");
  return null;
}

/** RFC 7529 writes out what a rule means without it. */
function isDefault(name: string, value: string): boolean {
  return (
    (name === "RSCALE" && /^(?:GREGORIAN|GREGORY)$/.test(value)) || (name === "SKIP" && value === "OMIT")
  );
}

/**
 * The end of a series as RFC 5545 writes it, without a fraction. That of an all-day series is a date: a time in UTC is the day of
 * which it is midnight for the user or in a zone of the file, as Outlook and Exchange write it, otherwise its day in UTC.
 */
function readUntil(written: string, { start, midnights }: RuleOptions): string {
  const { isDate, wallClock, offset } = readTime(written, "UNTIL");
  const instant = wallClock - (offset ?? 0);
  const isFloating = offset === null;
  const zone = isFloating || offset === 0 ? "UTC" : "";
  if (start.isDate)
    return slotText(dateOfTime({ isDate, isFloating, wallClock, instant, zone }, midnights), true);
  if (isDate) return slotText(wallClock, true);
  const text = slotText(Math.floor(instant / SECOND) * SECOND, false);
  return isFloating ? text.replace("Z", "") : text;
}

/** In milliseconds. */
const SECOND = 1000;
