import { DAY_MS, dateToInstant, MINUTE_MS } from "../../../contract/date-time.js";
import { type CliError, usageError } from "../../errors.js";
import { readPart, WEEKDAY, type Words } from "../../time/date-grammar.js";
import {
  AmbiguousTextError,
  type DateInput,
  dayOfInput,
  formatMinutes,
  readDuration,
  typedInput,
} from "../../time/dates.js";
import { addDays } from "../../time/zoned-time.js";
import { refuseIf } from "./sentence-doubts.js";
import { SOURCE } from "./sentence-parts.js";

/** What a sentence says of an event that repeats: when it begins, and what may be read in two ways. */

/** Whether words say which day is meant. */
export function namesDay({ day, elapsed }: Words): boolean {
  return (day ?? elapsed) !== undefined;
}

/** `every other tuesday`, `every 2 weeks on tue`: begins on the coming one. */
const ONE_WEEKDAY = new RegExp(`^every\\s+\\w+\\s+(?:weeks?\\s+on\\s+)?${WEEKDAY}$`, "i");

function firstWeekday(repeat: string): Words["day"] {
  const name = ONE_WEEKDAY.exec(repeat)?.groups?.["weekday"] ?? "";
  return readPart(name, name, { source: SOURCE })?.[1].day;
}

/** When what repeats begins; without a day that is today, or tomorrow where its time is over. */
export function withFirstDay(start: Words, repeat: string, isOver: (words: Words) => boolean): Words {
  if (namesDay(start)) return start;
  const day = firstWeekday(repeat);
  if (day !== undefined) return { ...start, day };
  const today: Words = { ...start, day: { kind: "relative", days: 0 } };
  return isOver(today) ? { ...start, day: { kind: "relative", days: 1 } } : today;
}

/** A rule that names no days. */
const WITHOUT_DAYS = /^(?:\w+ly|every\s+(?:\w+\s+)?(?:day|week|month|year)s?)$/i;

/** Either the rule names the days, or the sentence the first one; what is daily may begin today. @throws CliError usage */
export function checkRepeat(repeat: string, start: Words, whole: string): void {
  const isOnDays = !WITHOUT_DAYS.test(repeat);
  refuseIf(namesDay(start) && isOnDays, ` has two days, "${repeat}" and "${whole}"`);
  const isPast = start.day?.kind === "weekday" && start.day.which === "last";
  refuseIf(isPast, `: "${whole}" is before now, beside "${repeat}"`, "write monthly on the last fri");
  const isOneOfMonth = start.day?.kind === "weekday" && !isOnDays && /month|year/i.test(repeat);
  refuseIf(
    isOneOfMonth,
    `: "${repeat}" with "${whole}" may be a weekday or a date of each month`,
    "write monthly on the last fri, or the first date, as in 27 nov monthly",
  );
  // "every 2 weeks on mon,thu" does not say which day is the first.
  const isEvery =
    firstWeekday(repeat) !== undefined || !/^every\s+(?:other\s|\w+\s+\w+s?\s+on\b)/i.test(repeat);
  const isClear = isOnDays ? isEvery : /daily|days?$/i.test(repeat);
  const hint = "write it, as in mon 10:00 every 2 weeks";
  refuseIf(!namesDay(start) && !isClear, ` does not say when "${repeat}" begins`, hint);
}

/** Refuses `daily 9:00 for 3 days`. @param first the day from which it repeats @throws CliError usage */
export function checkLength(length: string | undefined, first: string): void {
  const days = readDuration(length ?? "")?.days ?? 0;
  const written = `for ${length}`;
  if (days > 0) throw eitherRepeated(written, [`until ${addDays(first, days - 1)}`, `${written} each`]);
}

interface Ends {
  readonly first: DateInput;
  readonly last: DateInput;
  readonly zone: string;
  /** Whether the text says until when it repeats. */
  readonly hasUntil: boolean;
}

/** `daily mon-wed`, `fri 18:00 - sun 12:00 every week`. */
export function eitherRange(written: string, { first, last, zone, hasUntil }: Ends): CliError {
  const [from, to] = [first, last].map((input) => typedInput(input, zone).replace("T", " "));
  const [start, end] = [first, last].map((input) =>
    input.kind === "date" ? dateToInstant(input.date) : input.instant,
  );
  const isTimed = last.kind === "date-time";
  const length = formatMinutes(((end ?? 0) - (start ?? 0) + (isTimed ? 0 : DAY_MS)) / MINUTE_MS);
  const each = `${from} for ${length} each`;
  if (hasUntil)
    return usageError(`${SOURCE}: "${written}" does not say how long each event is`, `write ${each}`);
  const times = isTimed ? `${from}-${to?.slice("YYYY-MM-DD ".length)}` : from;
  return eitherRepeated(written, [`${times} until ${dayOfInput(last, zone)}`, each]);
}

function eitherRepeated(written: string, readings: readonly string[]): CliError {
  const problem = `${SOURCE}: "${written}" may be how long it repeats or how long each event is`;
  return new AmbiguousTextError(problem, { hint: `write ${readings.join(" or ")}`, written, readings });
}
