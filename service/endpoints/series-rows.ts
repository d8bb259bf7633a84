import { DAY_MS } from "../../contract/date-time.js";
import { inSlices, yieldToEventLoop } from "../../src/system/clock.js";
import { badRequest } from "../http/response.js";
import { attendeesOf, HORIZON, isChangedAlone, occurrenceId, occurrenceOf } from "../occurrence.js";
import { exceptSlots, firstSlots, openSlots } from "../series-rule.js";
import { type EventWithAttendees, listAttendees, sizeOfEvent } from "../store/events.js";
import type { EventRow, SeriesRow } from "../store/schema.js";
import { countSeries, findSeries, replaceOccurrences, storeSeries } from "../store/series.js";
import type { Transaction } from "../store/store.js";
import { checkWindowSizes } from "./window-sizes.js";

/** The events that a series takes over, and where they go. */
export interface TakenRows {
  readonly rows: readonly EventRow[];
  /** The slot that an event gets. */
  readonly move: (row: EventRow) => number;
}

/**
 * Writes a series with its occurrences up to the horizon. Those that were changed on their own stay as they are, and
 * their slots are excepted; the others are made anew, and comments stay with those that have a successor.
 * @param now milliseconds since the epoch
 * @throws ProblemError 400 when the series would be too large
 */
export async function writeSeries(
  db: Transaction,
  written: SeriesRow,
  { rows, move, now }: TakenRows & { readonly now: number },
): Promise<void> {
  const [kept, others]: [MovedRow[], MovedRow[]] = [[], []];
  for await (const row of inSlices(rows))
    (isChangedAlone(row) ? kept : others).push({ row, slot: move(row) });
  const recurrences = await exceptSlots(
    written,
    kept.map(({ slot }) => slot),
  );
  const series = { ...written, recurrences };
  await requireRoom(db, series);
  await yieldToEventLoop();
  const { slots, madeUntil } = await firstSlots(series, now + HORIZON);
  await yieldToEventLoop();
  const { has } = openSlots(series);
  const commented = others.filter(({ slot }) => slot >= madeUntil && has(slot));
  const made = await makeOccurrences(series, [...slots, ...commented.map(({ slot }) => slot)]);
  const renamed = await renameKept(db, kept, series);
  await storeSeries(db, { ...series, made_until: madeUntil });
  await replaceOccurrences(db, {
    calendarId: series.calendar_id,
    removed: [...others.map(({ row }) => row.id), ...renamed.map(({ from }) => from)],
    added: [...made, ...renamed],
    successors: new Map([
      ...others.map(({ row, slot }) => [row.id, occurrenceId(series, slot)] as const),
      ...renamed.map(({ from, row }) => [from, row.id] as const),
    ]),
    now,
  });
  await checkWindows(db, made);
}

/** A calendar has at most so many series. */
const MAX_SERIES = 1_000;

/** @throws ProblemError 400 for a new series if the calendar has the maximum */
async function requireRoom(db: Transaction, { calendar_id, id }: SeriesRow): Promise<void> {
  if ((await findSeries(db, calendar_id, id)) !== undefined) return;
  if ((await countSeries(db, calendar_id)) < MAX_SERIES) return;
  throw badRequest({
    recurrences: ["a calendar can have at most 1,000 series; delete some that have ended"],
  });
}

interface MovedRow {
  readonly row: EventRow;
  readonly slot: number;
}

/** What was changed on its own, where its id changes with its slot or its series. */
async function renameKept(db: Transaction, kept: readonly MovedRow[], series: SeriesRow) {
  const renamed = [];
  for await (const { row, slot } of inSlices(kept)) {
    const id = occurrenceId(series, slot);
    if (row.id === id) continue;
    const own = { ...row, id, series_id: series.id, slot, moves: "" };
    renamed.push({ from: row.id, row: own, attendeeIds: await listAttendees(db, row.id) });
  }
  return renamed;
}

/** The most that the occurrences of a series may have in responses (bytes): enough for 10,000 with only a title. */
const MAX_BYTES = 13 * 1024 * 1024;

/** @throws ProblemError 400 when they are too large together */
async function makeOccurrences(series: SeriesRow, slots: readonly number[]): Promise<EventWithAttendees[]> {
  const attendeeIds = attendeesOf(series);
  const made: EventWithAttendees[] = [];
  let bytes = 0;
  for await (const slot of inSlices(slots)) {
    const row = occurrenceOf(series, slot);
    made.push({ row, attendeeIds });
    bytes += sizeOfEvent(row, attendeeIds);
    if (bytes <= MAX_BYTES) continue;
    throw badRequest({
      recurrences: ["the series would become too large; end it earlier or shorten its texts"],
    });
  }
  return made;
}

/** Of occurrences that are so near to each other, the days around one are checked. */
const CHECKED_EVERY = 3 * DAY_MS;

async function checkWindows(db: Transaction, events: readonly EventWithAttendees[]): Promise<void> {
  let checked = Number.NEGATIVE_INFINITY;
  for (const { row } of events) {
    const start = row.start_at ?? checked;
    if (start < checked + CHECKED_EVERY) continue;
    await checkWindowSizes(db, row);
    await yieldToEventLoop();
    checked = start;
  }
}
