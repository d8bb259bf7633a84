import { isDeepStrictEqual } from "node:util";
import { DAY_MS } from "../../contract/date-time.js";
import type { Scope } from "../../contract/extensions.js";
import { wallClockAt } from "../../src/time/zoned-time.js";
import { badRequest, ProblemError } from "../http/response.js";
import { attendeesOf, isChangedAlone, isSeries, occurrenceId, occurrenceOf } from "../occurrence.js";
import { eventDocument } from "../resources.js";
import { createHexId } from "../secrets.js";
import { clockOf, moveLines, moveSlot, type SeriesMove } from "../series-move.js";
import {
  continueFrom,
  endBefore,
  exceptSlots,
  includeSlot,
  parseLines,
  requireRuleSlot,
  requireStart,
} from "../series-rule.js";
import { findEvent } from "../store/events.js";
import { advanceRevision } from "../store/revisions.js";
import type { EventRow, SeriesRow } from "../store/schema.js";
import { findSeries, listOccurrences, storeSeries } from "../store/series.js";
import type { Transaction } from "../store/store.js";
import type { WriteContext, WriteResult } from "./endpoint.js";
import type { EventColumns, ParsedEvent } from "./event-body.js";
import { listAttendeesOf } from "./event-reads.js";
import { writeEvent } from "./event-rows.js";
import { showSeries } from "./series-reads.js";
import { writeSeries } from "./series-rows.js";

export interface Update extends ParsedEvent {
  /** Of the calendar, which this write gave it. */
  readonly revision: number;
}

interface UpdateOfMany {
  readonly stored: EventRow;
  readonly series: SeriesRow;
  readonly update: Update;
  /** Null: the rule stays. */
  readonly lines: readonly string[] | null;
}

/** Updates a series, or all of it from one occurrence on. @throws ProblemError 400 */
export async function updateMany(context: WriteContext, change: UpdateOfMany): Promise<WriteResult> {
  const { db, now, query } = context;
  const { stored, series, update, lines } = change;
  const { rows, earlier, slot } = await splitRows(db, stored, query.scope);
  if (slot !== null && lines === null) requireRuleSlot(series, slot);
  const from =
    slot === null
      ? series
      : { ...series, start_clock: clockOf(slot, series), recurrences: await continueFrom(series, slot) };
  const updated_at = nextModification(series, now);
  const { move, ...times } = moveOf(from, stored, update.content);
  if (times.start_clock !== series.start_clock) await requireStart(times);
  let { recurrences } = from;
  if (lines !== null) recurrences = await parseLines(lines, times);
  else if (move !== null) recurrences = await moveLines(move);
  const written: SeriesRow = {
    ...from,
    ...textsOf(update.content),
    ...times,
    id: slot === null ? series.id : createHexId(),
    attendees: update.attendeeIds.join(" "),
    recurrences,
    updated_at,
    modified_at: updated_at,
  };
  const target = (row: EventRow) => (move === null ? (row.slot ?? 0) : moveSlot(row.slot ?? 0, move));
  await writeSeries(db, written, { rows, move: target, now });
  if (slot !== null) await endSeries(db, { series, earlier, slot, now });
  const id = occurrenceId(written, target(stored));
  if (isChangedAlone(stored)) await updateChanged(db, { ...written, id }, { update, now });
  const kept = rows.filter((row) => isChangedAlone(row) && row.id !== stored.id).length;
  return { body: await seriesDocument(db, written, { meta: { kept } }) };
}

/** The occurrences that a scope has and those before; the slot from which on, null for all. */
export async function splitRows(db: Transaction, stored: EventRow, scope: Scope | null) {
  const all = await listOccurrences(db, stored.series_id ?? "");
  const { slot } = stored;
  const isLater = (row: EventRow) => slot === null || (row.slot ?? 0) >= slot;
  const earlier = all.filter((row) => !isLater(row));
  if (scope !== "following" || isSeries(stored) || earlier.length === 0)
    return { rows: all, earlier: [], slot: null };
  return { rows: all.filter(isLater), earlier, slot };
}

interface EndOfSeries {
  readonly series: SeriesRow;
  readonly earlier: readonly EventRow[];
  readonly slot: number;
  readonly now: number;
}

/** Ends a series before a slot. */
export async function endSeries(db: Transaction, { series, earlier, slot, now }: EndOfSeries): Promise<void> {
  const updated_at = nextModification(series, now);
  const recurrences = endBefore(series, slot);
  const ended = { ...series, recurrences, updated_at, modified_at: updated_at };
  await writeSeries(db, ended, { rows: earlier, move: (row) => row.slot ?? 0, now });
}

/** When a series is modified: later than before, whatever the clock says. */
export function nextModification({ modified_at }: SeriesRow, now: number): number {
  return Math.max(now, modified_at + 1);
}

/** Updates the occurrence whose id was given, if it was changed on its own: `writeSeries` leaves such as they are. */
async function updateChanged(
  db: Transaction,
  { calendar_id, id }: Pick<EventRow, "calendar_id" | "id">,
  { update, now }: Pick<UpdateOfOne, "update" | "now">,
) {
  const stored = await findEvent(db, calendar_id, id);
  if (stored === undefined) return;
  const series = await findSeries(db, calendar_id, stored.series_id ?? "");
  if (series === undefined) return;
  const revision = await advanceRevision(db, calendar_id);
  await updateOne(db, { stored, series, update: { ...update, revision }, now });
}

interface UpdateOfOne {
  readonly stored: EventRow;
  readonly series: SeriesRow;
  readonly update: Update;
  readonly now: number;
}

/** Updates one occurrence. If it then equals what its series has there, it is no longer an exception. @returns the response */
export async function updateOne(db: Transaction, { stored, series, update, now }: UpdateOfOne) {
  const { content, attendeeIds } = update;
  const row = { ...stored, ...content };
  const slot = stored.slot ?? 0;
  const own = occurrenceOf(series, slot);
  const isEqual = isDeepStrictEqual(
    eventDocument({ ...own, ...content }, attendeeIds),
    eventDocument(own, attendeesOf(series)),
  );
  const included = isEqual ? includeSlot(series, slot) : null;
  const updated_at = Math.max(now, stored.updated_at + 1);
  const changed = included === null ? { ...row, recurrences: "", updated_at } : own;
  await writeEvent(db, stored, { ...update, row: changed });
  const recurrences = included ?? (await exceptSlots(series, [slot]));
  await storeSeries(db, { ...series, recurrences, modified_at: nextModification(series, now) });
  return eventDocument(changed, attendeeIds);
}

/** The times of a series after an update of one of its events; `move` is null where they stay. @throws ProblemError 400 */
function moveOf(from: SeriesRow, stored: EventRow, content: EventColumns) {
  const names = ["all_day", "start_at", "end_at", "start_timezone", "end_timezone"] as const;
  if (names.every((name) => stored[name] === content[name])) {
    const { all_day, start_clock, length, start_timezone, end_timezone } = from;
    return { move: null, all_day, start_clock, length, start_timezone, end_timezone };
  }
  const times = timesOf(content);
  const clock = shownAt(stored, from);
  const step = times.start_clock - clock;
  const days = DAY_MS * (Math.floor(times.start_clock / DAY_MS) - Math.floor(clock / DAY_MS));
  const to = { ...times, start_clock: from.start_clock + step };
  const move: SeriesMove = { from, to, step, days };
  return { ...to, move };
}

/** What the clock shows at the start of an occurrence, or is meant to. */
function shownAt({ all_day, start_at, start_timezone, slot }: EventRow, series: SeriesRow): number {
  const start = start_at ?? 0;
  if (start === slot) return clockOf(slot, series);
  return all_day === 1 ? start : wallClockAt(start, start_timezone ?? "UTC");
}

/** @throws ProblemError 400 for an event without times, and for one that does not start at a full second */
export function timesOf(content: EventColumns) {
  const { all_day, start_at: start, end_at: end, start_timezone, end_timezone } = content;
  if (start === null || end === null || start_timezone === null || end_timezone === null) {
    throw badRequest({ recurrences: ["only an event with start_at and end_at can repeat"] });
  }
  if (start % 1_000 !== 0)
    throw badRequest({ start_at: ["must be at a full second for an event that repeats"] });
  const start_clock = all_day === 1 ? start : wallClockAt(start, start_timezone);
  return { all_day, start_clock, length: end - start, start_timezone, end_timezone };
}

/** What an event has besides its times. */
export function textsOf({ category, title, description, location, url, label_number }: EventColumns) {
  return { category, title, description, location, url, label_number };
}

/** The answer to a write to a series. */
export async function seriesDocument(db: Transaction, series: SeriesRow, rest: object = {}): Promise<object> {
  const stored = await findSeries(db, series.calendar_id, series.id);
  const shown = stored && (await showSeries(db, stored));
  if (shown === undefined) throw new ProblemError(404);
  return eventDocument(shown, await listAttendeesOf(db, shown), rest);
}
