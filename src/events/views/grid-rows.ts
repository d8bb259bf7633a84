import type { LocalizedEvent } from "../localized-event.js";

/** Which rows a grid of days has, and which of them an event takes. */
export interface GridRows {
  /** Minutes since midnight at which row 0 begins. */
  readonly start: number;
  /** Minutes that a row stands for. */
  readonly step: number;
  /** The events of each day. */
  readonly blocks: readonly (readonly Placed<Block>[])[];
  /** The rows that are drawn, in order; null stands for hours that are left out. */
  readonly shown: readonly (number | null)[];
}

/** An event of one day, in rows. */
export interface Block extends Interval {
  readonly event: LocalizedEvent;
  /** `16:15` for one that does not begin with its row; null for any other. */
  readonly startClock: string | null;
}

const HOUR = 60;
const DAY = 24 * HOUR;
/** The part of the day that is always shown (minutes). */
const SHOWN = { start: 9 * HOUR, end: 17 * HOUR };

/** Rows of half an hour, unless they would be too many. */
const FINE_STEP = 30;

export interface RowOptions {
  /** The days of the columns, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  /** Minutes since midnight whose row is always shown; null for none. */
  readonly now: number | null;
  /** If rows of half an hour were more than this, rows are of an hour; 34 by default. */
  readonly maxRows?: number;
}

/**
 * Rows of half an hour or an hour, from 09:00 to 17:00 at least, and as far as the events reach.
 * @param days the events of each day, without those that last all of it
 */
export function divideIntoRows(
  days: readonly (readonly LocalizedEvent[])[],
  { dates, now, maxRows = 34 }: RowOptions,
): GridRows {
  const timed = days.map((events, index) =>
    events
      .map((event) => ({ event, ...minutesOf(event, dates[index] ?? "") }))
      .sort((one, other) => one.start - other.start),
  );
  const start = Math.min(SHOWN.start, ...timed.flat().map((event) => event.start));
  const end = Math.max(SHOWN.end, ...timed.flat().map((event) => event.end));
  const hours = { start: Math.floor(start / HOUR) * HOUR, end: Math.ceil(end / HOUR) * HOUR };
  const fine = rowsOf(timed, { ...hours, step: FINE_STEP, now });
  return fine.shown.length <= maxRows ? fine : rowsOf(timed, { ...hours, step: HOUR, now });
}

export function covers({ start, end }: Interval, row: number): boolean {
  return start <= row && row < end;
}

/** Minutes since midnight of `2026-11-21T15:00:00+09:00`. */
export function clockMinutes(local: string): number {
  return Number(local.slice(11, 13)) * HOUR + Number(local.slice(14, 16));
}

/** An event on one day, in minutes since midnight. */
interface TimedEvent extends Interval {
  readonly event: LocalizedEvent;
}

function minutesOf({ start_local, end_local }: LocalizedEvent, date: string): Interval {
  const start = start_local?.startsWith(date) === true ? clockMinutes(start_local) : 0;
  const endsToday = end_local?.startsWith(date) === true;
  const end = endsToday ? clockMinutes(end_local) : end_local === null ? start : DAY;
  return { start, end: Math.max(start, end) };
}

/** Which minutes the rows stand for. */
interface Scale extends Interval {
  readonly step: number;
  readonly now: number | null;
}

function rowsOf(days: readonly (readonly TimedEvent[])[], scale: Scale): GridRows {
  const { start, step, end, now } = scale;
  const blocks = days.map((day) => placeInLanes(day.map((event) => blockOf(event, scale))));
  const nowRow = now === null || now < start || now >= end ? null : Math.floor((now - start) / step);
  const isFree = (row: number) => row !== nowRow && blocks.flat().every(({ item }) => !covers(item, row));
  return { start, step, blocks, shown: shownRows(scale, isFree) };
}

/** At least one row. */
function blockOf({ event, start, end }: TimedEvent, scale: Scale): Block {
  const first = Math.floor((start - scale.start) / scale.step);
  const last = Math.ceil((end - scale.start) / scale.step);
  const startClock = start % scale.step === 0 ? null : (event.start_local?.slice(11, 16) ?? null);
  return { event, startClock, start: first, end: Math.max(first + 1, last) };
}

/** Without the hours of the morning or evening in which nothing takes place; a single row is not left out. */
function shownRows({ start, end, step }: Scale, isFree: (row: number) => boolean): (number | null)[] {
  const rows = Array.from({ length: (end - start) / step }, (_, row) => row);
  const isIdle = (row: number) => {
    const minutes = start + row * step;
    return row >= 0 && minutes < end && (minutes < SHOWN.start || minutes >= SHOWN.end) && isFree(row);
  };
  // The label of a full hour also stands for the half hour after it.
  const isLabel = (row: number) => (start + row * step) % HOUR === 0 && step < HOUR && !isIdle(row + 1);
  const isLeftOut = (row: number) => isIdle(row) && !isLabel(row) && (isIdle(row - 1) || isIdle(row + 1));
  return rows.flatMap((row) => {
    if (!isLeftOut(row)) return [row];
    return isLeftOut(row - 1) ? [] : [null];
  });
}

/** Something that takes up a part of a line, from `start` up to `end`. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Where an interval is drawn among those that it overlaps, directly or through others. */
export interface Placed<T> {
  readonly item: T;
  /** From 0. */
  readonly lane: number;
  /** How many lanes its group needs. */
  readonly lanes: number;
}

/**
 * Places overlapping intervals beside each other, in as few lanes as possible. Of those that start together, the first
 * comes first.
 */
export function placeInLanes<T extends Interval>(items: readonly T[]): Placed<T>[] {
  const sorted = items.toSorted((one, other) => one.start - other.start);
  const placed: Placed<T>[] = [];
  let group: { readonly item: T; readonly lane: number }[] = [];
  let ends: number[] = [];
  const finishGroup = () => {
    placed.push(...group.map((member) => ({ ...member, lanes: ends.length })));
    group = [];
    ends = [];
  };
  for (const item of sorted) {
    if (ends.every((end) => end <= item.start)) finishGroup();
    const free = ends.findIndex((end) => end <= item.start);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = item.end;
    group.push({ item, lane });
  }
  finishGroup();
  return placed;
}
