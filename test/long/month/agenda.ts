import type { Draw } from "../draw.js";
import type { WallClock } from "./wall-clock.js";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** What the job announces: starts after `now - GRACE`, until `now + BEFORE`. */
const BEFORE = 15 * MINUTE;
const GRACE = HOUR;

/** When an event takes place. All-day: the midnights, as if in UTC, of its first day and of the day after its last. */
interface Span {
  readonly allDay: boolean;
  readonly start: number;
  readonly end: number;
}

/** Its title tells an event from every other. */
interface PlannedEvent {
  readonly title: string;
  /** Index of its calendar. */
  readonly calendar: number;
  readonly span: Span;
}

/** Something that a person does to a calendar. A span of null deletes. */
export interface Change {
  readonly at: number;
  readonly title: string;
  readonly calendar: number;
  readonly span: Span | null;
}

export interface Start {
  readonly title: string;
  readonly calendar: number;
  readonly start: number;
}

export interface Month {
  readonly clock: WallClock;
  /** `HH:MM` of all-day events. */
  readonly allDayAt: string;
  /** From, and until, in milliseconds since the Unix epoch. */
  readonly from: number;
  readonly until: number;
  /** When the clocks change. */
  readonly change: number;
}

/** What the calendars hold, and what follows from it: the oracle. */
export interface Agenda {
  /** The changes until a moment, which from now on are part of what the calendars hold. */
  take(until: number): readonly Change[];
  /** Starts that are to be announced at a moment. @param margin widens the window on both sides (ms) */
  due(now: number, margin?: number): readonly Start[];
  /** The events that touch a day. @param date `YYYY-MM-DD` */
  on(date: string): readonly DayEntry[];
}

interface DayEntry {
  readonly title: string;
  /** `HH:MM` of its start; null for one that lasts all day, or has begun before. */
  readonly time: string | null;
}

export function createAgenda(month: Month, changes: readonly Change[]): Agenda {
  const { clock, allDayAt } = month;
  const waiting = [...changes].sort((one, other) => one.at - other.at);
  const held = new Map<string, PlannedEvent>();
  const startOf = ({ allDay, start }: Span): number =>
    allDay ? clock.instant(isoDate(start), allDayAt) : start;
  return {
    take(until) {
      const count = waiting.findIndex(({ at }) => at > until);
      const taken = waiting.splice(0, count === -1 ? waiting.length : count);
      for (const { title, calendar, span } of taken) {
        if (span === null) held.delete(title);
        else held.set(title, { title, calendar, span });
      }
      return taken;
    },
    due: (now, margin = 0) =>
      [...held.values()]
        .map(({ title, calendar, span }) => ({ title, calendar, start: startOf(span) }))
        .filter(({ start }) => start > now - GRACE - margin && start <= now + BEFORE + margin),
    on(date) {
      const [first, next] = [Date.parse(date), Date.parse(date) + DAY];
      const touches = ({ allDay, start, end }: Span): boolean => {
        if (allDay) return start < next && end > first;
        const [midnight, after] = [first, next].map((day) => clock.instant(isoDate(day), "00:00"));
        return start < (after ?? 0) && end > (midnight ?? 0);
      };
      return [...held.values()]
        .filter(({ span }) => touches(span))
        .map(({ title, span: { allDay, start } }) => {
          const hasBegun = allDay || clock.date(start) !== date;
          return { title, time: hasBegun ? null : new Date(clock.show(start)).toISOString().slice(11, 16) };
        });
    },
  };
}

function isoDate(midnight: number): string {
  return new Date(midnight).toISOString().slice(0, 10);
}

/** How often people do what is unusual. */
const RARELY = 0.12;

/**
 * A month as people have it: a meeting on every weekday, odd events, long ones, and many around the change of clocks; some
 * are entered too late to be announced.
 */
export function planMonth({ clock, from, until, change }: Month, draw: Draw): readonly Change[] {
  const events: PlannedEvent[] = [];
  const add = (name: string, span: Span): void => {
    events.push({ title: `${name} ${events.length}`, calendar: draw.below(2), span });
  };
  const timed = (start: number, minutes: number): Span => ({
    allDay: false,
    start,
    end: start + minutes * MINUTE,
  });
  const allDay = (date: string, days: number): Span => {
    const start = Date.parse(date);
    return { allDay: true, start, end: start + days * DAY };
  };
  for (const date of datesOf(clock, from, until)) {
    const isWeekday = ![0, 6].includes(new Date(date).getUTCDay());
    if (isWeekday) add("Standup", timed(clock.instant(date, "09:00"), 15));
    if (draw.chance(0.5)) add("Odd", timed(clock.instant(date, timeOf(draw)), 10 + draw.below(170)));
    if (draw.chance(0.2)) add("Night", timed(clock.instant(date, "23:50") + draw.below(25) * MINUTE, 120));
    if (draw.chance(0.2)) add("Fair", allDay(date, 1 + draw.below(3)));
  }
  for (const minutes of [-75, -30, -1, 0, 1, 30, 60, 61]) add("Change", timed(change + minutes * MINUTE, 45));
  add("Day of change", allDay(clock.date(change), 1));
  // Moved on its own day, when the digest has been posted.
  const redrawn = datesOf(clock, from, until).flatMap((date, index): readonly Change[] => {
    const span = timed(clock.instant(date, "17:00"), 30);
    const at = clock.instant(date, "06:00") + draw.below(10 * 60) * MINUTE;
    const later = timed(span.start + (30 + draw.below(60)) * MINUTE, 30);
    const event = { title: `Walk ${index}`, calendar: draw.below(2) };
    if (at < from || draw.chance(0.5)) return [];
    return [
      { ...event, at: from, span },
      { ...event, at, span: later },
    ];
  });
  const tooLate = [-300, 75, 600].map((minutes, index): Change => {
    const span = timed(change + minutes * MINUTE, 240);
    return { at: span.start + GRACE + MINUTE, title: `Too late ${index}`, calendar: 0, span };
  });
  return [...events.flatMap((event) => livesOf(event, from, draw)), ...tooLate, ...redrawn];
}

function datesOf(clock: WallClock, from: number, until: number): readonly string[] {
  const dates = new Set<string>();
  for (let time = from; time < until; time += 6 * HOUR) dates.add(clock.date(time));
  return [...dates];
}

/** Half of the times are those of the job, so that the ends of its window are met. */
function timeOf(draw: Draw): string {
  const step = draw.chance(0.5) ? 5 : 1;
  const minutes = draw.below((24 * 60) / step) * step;
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** An event from its creation on: some are entered late, moved, moved back or deleted. */
function livesOf({ title, calendar, span }: PlannedEvent, from: number, draw: Draw): readonly Change[] {
  const near = (): number => span.start + (draw.below(120) - 70) * MINUTE;
  const at = draw.chance(RARELY) ? near() : from;
  const life: Change[] = [{ at: Math.max(at, from), title, calendar, span }];
  const moved = (by: number): Span => ({ ...span, start: span.start + by, end: span.end + by });
  if (draw.chance(RARELY)) {
    const by = span.allDay ? DAY : (draw.below(300) - 60) * MINUTE;
    const when = Math.max(near(), from + MINUTE);
    life.push({ at: when, title, calendar, span: moved(by) });
    if (draw.chance(0.5)) life.push({ at: when + 20 * MINUTE, title, calendar, span });
  }
  const last = life.at(-1)?.at ?? from;
  if (draw.chance(RARELY)) life.push({ at: Math.max(near(), last + MINUTE), title, calendar, span: null });
  return life.every(({ at: time }, index) => time >= (life[index - 1]?.at ?? 0)) ? life : life.slice(0, 1);
}
