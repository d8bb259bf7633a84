import { isTimeZone } from "../../contract/date-time.js";
import type { Starts } from "../../src/calendar/recurrence.js";
import { yieldToEventLoop } from "../../src/system/clock.js";
import { attendeesOf, isChangedAlone, occurrenceId, occurrenceOf } from "../occurrence.js";
import { eventJson } from "../resources.js";
import { addKey, LAST_TIME, type Problem } from "./check-rows.js";
import type { EventRow, SeriesRow } from "./schema.js";
import { listOccurrences } from "./series.js";
import type { LongWorkOptions, Transaction } from "./store.js";
import { countRows } from "./tables.js";

/** The part of the rule engine that is needed, which is loaded when there are series. */
type Rules = typeof import("../series-rule.js");

/** What is wrong with series: whether their occurrences are exactly those that their rules give. */
export async function checkSeries(
  db: Transaction,
  { onProgress, signal }: LongWorkOptions,
): Promise<readonly Problem[]> {
  const total = await countRows(db, "series");
  if (total === 0) return [];
  const rules = await import("../series-rule.js");
  const problems = new Map<string, string[]>();
  const all = await db.selectFrom("series").selectAll().orderBy("id").execute();
  for (const [done, series] of all.entries()) {
    onProgress({ what: "checking series", done, total });
    await yieldToEventLoop(signal);
    const rows = await listOccurrences(db, series.id);
    for (const [what, key] of problemsOf(series, rows, rules)) addKey(problems, what, key);
  }
  return [...problems].map(([what, keys]) => ({ what, keys }));
}

/** What is wrong, and the keys of its rows. */
function problemsOf(
  series: SeriesRow,
  rows: readonly EventRow[],
  rules: Rules,
): readonly (readonly [what: string, key: string])[] {
  if (!isReadable(series, rules)) return [["series with a rule that cannot be read", series.id]];
  const made = new Set(rows.filter((row) => !isChangedAlone(row)).map(({ slot }) => slot));
  const isComplete = firstSlots(series, rules, rows.length + 1).every((slot) => made.has(slot));
  const { has } = rules.openSlots(series);
  const problems = rows.flatMap((row) => {
    const what = problemOf(series, row, has);
    return what === null ? [] : [[what, row.id] as const];
  });
  if (isComplete) return problems;
  return [...problems, ["series without some of their occurrences", series.id]];
}

function isReadable(series: SeriesRow, { slotsOf }: Rules): boolean {
  if (!isTimeZone(series.start_timezone)) return false;
  try {
    for (const _ of slotsOf(series)) return true;
    return true;
  } catch {
    return false;
  }
}

/** The slots of which there should be rows; if there are too few rows, some of them. */
function firstSlots(series: SeriesRow, { slotsOf }: Rules, count: number): readonly number[] {
  const slots: number[] = [];
  for (const slot of slotsOf(series)) {
    if (slot >= series.made_until || slots.length === count) break;
    slots.push(slot);
  }
  return slots;
}

/** What is wrong with an occurrence, null if nothing is. */
function problemOf(series: SeriesRow, row: EventRow, has: Starts["has"]): string | null {
  const { slot, id } = row;
  if (slot === null || Math.abs(slot) > LAST_TIME || id !== occurrenceId(series, slot))
    return "occurrences whose id is not that of their start";
  if (isChangedAlone(row)) return null;
  if (!has(slot)) return "occurrences that the rule of their series does not give";
  const isSame = row.json === eventJson(occurrenceOf(series, slot), attendeesOf(series));
  return isSame ? null : "occurrences that differ from their series";
}
