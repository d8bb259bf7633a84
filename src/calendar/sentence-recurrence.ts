import type { Words } from "./date-grammar.js";
import { readDuration } from "./dates.js";
import { refuseIf } from "./sentence-doubts.js";

/** What a sentence says of an event that repeats: when it begins, and what may be read in two ways. */

/** Whether words say which day is meant. */
export function namesDay({ day, elapsed }: Words): boolean {
  return (day ?? elapsed) !== undefined;
}

/** When what repeats begins; without a day that is today, or tomorrow where its time is over. */
export function withFirstDay(start: Words, isOver: (words: Words) => boolean): Words {
  if (namesDay(start)) return start;
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
const WITHOUT_DAYS = /^(?:\w+ly|every\s+(?:(?:other|\d+)\s+)?(?:day|week|month|year)s?)$/i;

/** Either the rule names the days, or the sentence the first one; what is daily may begin today. @throws CliError usage */
export function checkRepeat(repeat: string, { start, end, whole, length }: Repeated): void {
  const isOnDays = !WITHOUT_DAYS.test(repeat);
  refuseIf(namesDay(start) && isOnDays, ` has two days, "${repeat}" and "${whole}"`);
  // "every 2 weeks on mon" does not say which Monday is the first.
  const isClear = isOnDays ? !/^every\s+(?:other|\d)/i.test(repeat) : /daily|days?$/i.test(repeat);
  const hint = "write it, as in mon 10:00 every 2 weeks";
  refuseIf(!namesDay(start) && !isClear, ` does not say when "${repeat}" begins`, hint);
  const days = readDuration(length ?? "0m")?.days ?? 0;
  refuseIf(
    end.day !== undefined || days > 0,
    `: "${end.day === undefined ? `for ${length}` : whole}" may be how long it repeats or how long each event is`,
    "events create --repeat has --until for the one, --end and --duration for the other",
  );
}
