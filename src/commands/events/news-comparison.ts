import type { CalendarEvent } from "../../../contract/shapes.js";
import {
  type Comparison,
  compareEvents,
  type EventChange,
  type JudgedEvent,
  judgeMissing,
  type SeenCalendar,
} from "../../calendar/event-changes.js";
import { CliError, wrapError } from "../../errors.js";
import { processEach } from "../process-each.js";
import type { NewsContext, Reading, SeenState, WatchedCalendar } from "./news-reading.js";

/** A calendar before and now. */
export interface CalendarLook {
  readonly id: string;
  readonly name: string | null;
  readonly before: SeenCalendar;
  /** Null when it could not be read: nothing of it is news, and it stays as it was. */
  readonly now: Comparison | null;
}

/** Compares each calendar with what was seen, also those that are not there any more. */
export function compareCalendars(
  { calendars, listed, matching, days, since }: Reading,
  before: SeenState | null,
  fromStart: boolean,
): readonly CalendarLook[] {
  const known = new Map(before?.calendars.map((calendar) => [calendar.id, calendar]));
  const present = calendars.map(({ id, name }): CalendarLook => {
    const seen = known.get(id) ?? { since: before?.since ?? since, days: null, events: [] };
    const events = listed.get(id);
    if (events === undefined) return { id, name, before: seen, now: null };
    const ofCalendar = new Set(events.filter((event) => matching.has(event)));
    const isStart = seen.days === null && (before === null || fromStart);
    const now = isStart
      ? startWatching(ofCalendar, fromStart)
      : compareEvents(seen, { days, events, matching: ofCalendar });
    return { id, name, before: seen, now };
  });
  const isPresent = new Set(calendars.map(({ id }) => id));
  const absent = (before?.calendars ?? []).filter(({ id }) => !isPresent.has(id));
  const nothing = { days, events: [], matching: new Set<CalendarEvent>() };
  return [
    ...present,
    ...absent.map(({ id, name, ...seen }) => ({ id, name, before: seen, now: compareEvents(seen, nothing) })),
  ];
}

function startWatching(events: ReadonlySet<CalendarEvent>, fromStart: boolean): Comparison {
  const seen = [...events];
  const changes = seen.map((event): EventChange => ({ change: "added", event }));
  return { changes: fromStart ? changes : [], missing: [], seen };
}

/** What the missing events turned out to be. */
export interface Answers {
  readonly judged: ReadonlyMap<CalendarEvent, JudgedEvent>;
  readonly reportFailures: () => void;
}

/** Asks for each event that is not listed any more although its days are. */
export async function readMissing(
  { api, output }: NewsContext,
  looks: readonly CalendarLook[],
  { days, versions }: Pick<Reading, "days" | "versions">,
): Promise<Answers> {
  const missing = looks.flatMap(({ now }) => now?.missing ?? []);
  const client = await api();
  const judged = new Map<CalendarEvent, JudgedEvent>();
  const { reportFailures } = await processEach(missing, {
    noun: "event",
    verb: "read",
    name: ({ id }) => id,
    warn: output.warn,
    work: async (event) => {
      const address = { calendarId: event.calendar_id, eventId: event.id };
      const fate = versions.get(event.calendar_id)?.fates.get(event.id);
      const now = fate === undefined ? await client.getEvent(address).catch(nullIfUnreadable) : fate;
      judged.set(event, judgeMissing(event, now, days));
    },
  });
  return { judged, reportFailures: () => asPartial(reportFailures) };
}

function nullIfUnreadable(error: unknown): null {
  if (error instanceof CliError && ["not_found", "forbidden"].includes(error.code)) return null;
  throw error;
}

/** Everything else was read. */
function asPartial(reportFailures: () => void): void {
  try {
    reportFailures();
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    throw wrapError(error, "partial", `could not check whether an event is gone: ${error.message}`);
  }
}

/** What is remembered of each calendar. An event that could not be asked for stays, and is asked for again. */
export function watchedAfter(
  looks: readonly CalendarLook[],
  { judged }: Answers,
  { days, since, calendars, versions }: Reading,
): readonly WatchedCalendar[] {
  const watched = looks.map(({ id, name, before, now }): WatchedCalendar => {
    if (now === null) return { id, name, ...before };
    const missing = now.missing.flatMap((event) => {
      const answer = judged.get(event);
      return answer === undefined ? [event] : (answer.seen ?? []);
    });
    const isComplete = now.missing.every((event) => judged.has(event));
    const revision = isComplete ? versions.get(id)?.revision : null;
    const events = [...now.seen, ...missing];
    return { id, name, since, days, events, ...(typeof revision === "number" && { revision }) };
  });
  return watched.filter(({ id, events }) => events.length > 0 || calendars.some((each) => each.id === id));
}
