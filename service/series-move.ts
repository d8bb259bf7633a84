import { DAY_MS } from "../contract/date-time.js";
import { originalStartText } from "../contract/extensions.js";
import { inSlices } from "../src/system/clock.js";
import { isDate, wallClockOf } from "../src/time/recurrence/rule.js";
import { instantAt, wallClockAt } from "../src/time/zoned-time.js";
import { badRequest } from "./http/response.js";
import { changeRule, readSeriesRule, type SeriesTimes } from "./series-rule.js";

/** Load it by `import()`: few requests need the rule engine. */

/** How the slots of a series are moved: by a step of the clock, to a series of other times. */
export interface SeriesMove {
  readonly from: SeriesTimes;
  readonly to: Omit<SeriesTimes, "recurrences">;
  /** What the clock shows later (ms). */
  readonly step: number;
  /** How many days later it is then (ms). */
  readonly days: number;
}

/** Where a slot is moved. */
export function moveSlot(slot: number, { from, to, step }: SeriesMove): number {
  const clock = clockOf(slot, from) + step;
  return to.all_day === 1 ? clock : instantAt(clock, to.start_timezone);
}

const WEEK = 7 * DAY_MS;

/** The days that a rule names by itself. */
const DAY_PARTS = ["BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYMONTH"] as const;

/** The lines of the series after a move. @throws ProblemError 400 when the rule names days that it leaves */
export async function moveLines(move: SeriesMove): Promise<string> {
  const { from, to, days } = move;
  const { rule, extra, excluded } = readSeriesRule(from);
  const isByWeek = days % WEEK === 0 && (rule.FREQ === "WEEKLY" || rule.FREQ === "DAILY");
  const left = DAY_PARTS.filter((name) => days !== 0 && !(isByWeek && name === "BYDAY"));
  const part = left.find((name) => rule[name] !== undefined);
  if (part !== undefined) {
    const problem = `the rule has ${part}=${rule[part]}, which does not move with the start; send the new rule as well`;
    throw badRequest({ recurrences: [problem] });
  }
  const UNTIL = rule.UNTIL === undefined ? {} : { UNTIL: moveEnd(rule.UNTIL, move) };
  const moveAll = async (slots: readonly number[]) => {
    const moved: number[] = [];
    for await (const slot of inSlices(slots)) moved.push(moveSlot(slot, move));
    return moved;
  };
  return changeRule(
    { ...to, recurrences: from.recurrences },
    { rule: { ...rule, ...UNTIL }, extra: await moveAll(extra), excluded: await moveAll(excluded) },
  );
}

/** The end of a day stays one. Any other is moved as a start a second later would be: series are ended before a slot. */
function moveEnd(text: string, { from, to, step, days }: SeriesMove): string {
  const end = wallClockOf(text, "UNTIL");
  const clock = isDate(text) ? end + DAY_MS - 1_000 : wallClockAt(end, from.start_timezone);
  const isEndOfDay = (clock + 1_000) % DAY_MS === 0;
  const moved = isEndOfDay ? clock + days : clockOf(end + 1_000, from) - 1_000 + step;
  const isAllDay = to.all_day === 1;
  return originalStartText(isAllDay ? moved : instantAt(moved, to.start_timezone), isAllDay);
}

/** What the clock is meant to show at a slot: where a change of the clock skips that, the slot is another time. */
export function clockOf(
  slot: number,
  { all_day, start_timezone: zone, start_clock }: Omit<SeriesTimes, "recurrences">,
) {
  if (all_day === 1) return slot;
  const shown = wallClockAt(slot, zone);
  const meant = shown - timeOfDay(shown) + timeOfDay(start_clock);
  return instantAt(meant, zone) === slot ? meant : shown;
}

/** The time of the day. */
function timeOfDay(clock: number): number {
  return ((clock % DAY_MS) + DAY_MS) % DAY_MS;
}
