import { readPart, WEEKDAY, type Words } from "./date-grammar.js";
import { readDuration } from "./dates.js";
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

interface Repeated {
  readonly start: Words;
  readonly end: Words;
  /** For messages. */
  readonly whole: string;
  readonly length: string | undefined;
}

/** A rule that names no days. */
const WITHOUT_DAYS = /^(?:\w+ly|every\s+(?:\w+\s+)?(?:day|week|month|year)s?)$/i;

/** Either the rule names the days, or the sentence the first one; what is daily may begin today. @throws CliError usage */
export function checkRepeat(repeat: string, { start, end, whole, length }: Repeated): void {
  const isOnDays = !WITHOUT_DAYS.test(repeat);
  refuseIf(namesDay(start) && isOnDays, ` has two days, "${repeat}" and "${whole}"`);
  const isPast = start.day?.kind === "weekday" && start.day.which === "last";
  refuseIf(isPast, `: "${whole}" is before now, beside "${repeat}"`, "write monthly on the last fri");
  // "every 2 weeks on mon,thu" does not say which day is the first.
  const isEvery =
    firstWeekday(repeat) !== undefined || !/^every\s+(?:other\s|\w+\s+\w+s?\s+on\b)/i.test(repeat);
  const isClear = isOnDays ? isEvery : /daily|days?$/i.test(repeat);
  const hint = "write it, as in mon 10:00 every 2 weeks";
  refuseIf(!namesDay(start) && !isClear, ` does not say when "${repeat}" begins`, hint);
  const days = readDuration(length ?? "0m")?.days ?? 0;
  refuseIf(
    end.day !== undefined || days > 0,
    `: "${end.day === undefined ? `for ${length}` : whole}" may be how long it repeats or how long each event is`,
    "write daily until 18 dec for the one; events create --repeat takes --end for the other",
  );
}
