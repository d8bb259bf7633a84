import type { Event } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { processEach, type ReportFailures } from "../../cli/items.js";
import { CliError, emptyValueError, hasCode, usageError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { lastUpcomingDay, upcomingDays } from "../../time/dates.js";
import { localDate } from "../../time/zoned-time.js";
import { isOnDays } from "../day-list.js";
import { type LocalizedEvent, localizeEvent } from "../localized-event.js";
import {
  describeCandidate,
  missingLabelError,
  missingMemberError,
  resolveAttendees,
  resolveLabel,
} from "../names.js";
import { type EventFilter, filterEvents, selectOncePerSeries, sortEvents } from "../order.js";
import type { UpcomingQuery } from "../reminders.js";
import { type ChosenCalendar, chooseCalendars, resolveCalendars } from "./calendar-choice.js";
import type { EventQuery, FilterFlags } from "./event-query.js";

/** A list of events, as it was read. */
export interface EventList extends Pick<EventReader, "calendars" | "noteMissingKeeps"> {
  /** In the order of lists. */
  readonly events: readonly LocalizedEvent[];
  /** How many calendars could be read. */
  readonly calendarsRead: number;
  /** Reports the calendars that could not be read. */
  readonly reportFailures: ReportFailures;
}

/**
 * Reads the events of a query.
 * @param choose finds their calendars; by default those of the flags
 * @throws CliError usage for wrong flags, not_found for a label that no calendar has
 */
export async function readEvents(run: Run, query: EventQuery, choose?: ChooseCalendars): Promise<EventList> {
  const { timezone: zone } = run.config.settings();
  const reader = await createEventReader(run, query, choose);
  const { calendars, pages, filterOf, localize, noteMissingKeeps } = reader;
  const { results, reportFailures } = await processEach(calendars, {
    ...CALENDARS_READ,
    warn: run.output.warn,
    async work({ id }) {
      const read: (readonly Event[])[] = [];
      for await (const page of pages(id)) read.push(page);
      return read.flat();
    },
  });
  const found = filterEvents(results.flat(), filterOf(results.length === calendars.length), zone);
  const sorted = sortEvents(found, { zone, firstDay: query.days.first });
  const listed =
    query.oncePerSeries === true ? selectOncePerSeries(sorted, { now: run.now(), zone }) : sorted;
  const events = listed.map(localize);
  const calendarsRead = results.length;
  return { calendars, events, calendarsRead, noteMissingKeeps, reportFailures };
}

/** Reads the events of a query calendar by calendar; nothing is requested before the pages of one are asked for. */
interface EventReader extends ChosenEvents {
  /** The pages of a calendar, in the order of their start. @throws CliError rejected for days that the service does not list */
  pages(calendarId: string): AsyncGenerator<readonly Event[]>;
  /** Adds to an event its times in the chosen zone, and the name of its calendar. */
  readonly localize: (event: Event) => LocalizedEvent;
  /** Says that a service left out the keeps without times that were asked for. */
  noteMissingKeeps(): void;
}

export async function createEventReader(
  run: Run,
  query: EventQuery,
  choose?: ChooseCalendars,
): Promise<EventReader> {
  const chosen = await chooseEvents(run, query.filters, choose);
  const client = await run.api();
  const { timezone } = run.config.settings();
  const { upcoming, search, keepsWithoutTimes = false, takeFirst } = query;
  const matches = search === null ? () => true : (await import("../search.js")).createEventSearch(search);
  let areKeepsMissing = false;
  const names = new Map(chosen.calendars.map(({ id, name }) => [id, name]));
  return {
    ...chosen,
    async *pages(calendarId) {
      await chosen.findNames(calendarId);
      if (upcoming !== null && !keepsWithoutTimes) {
        for await (const page of listUpcoming(client, calendarId, upcoming)) yield page.filter(matches);
        return;
      }
      const { first: from, last: to } = query.days;
      const category = keepsWithoutTimes ? "keep" : undefined;
      const limit = takeFirst && FIRST_PAGE;
      const list = await client.listEvents({ calendarId, timezone, from, to, search, category, limit });
      const found = list === null ? await findInWeek(run, calendarId, query) : [];
      areKeepsMissing ||= keepsWithoutTimes && list?.hasKeepsWithoutTimes !== true;
      yield found.filter(matches);
      if (list !== null) yield* takeFirst?.(list.pages) ?? list.pages;
    },
    localize: (event) => localizeEvent(event, timezone, names.get(event.calendar_id)),
    noteMissingKeeps() {
      if (areKeepsMissing) run.output.note("this service does not list keeps without times");
    },
  };
}

/** How many events a page has where only the first are wanted. */
const FIRST_PAGE = 100;

/** The events of some lists of next days, each once although two lists may have it. */
async function* listUpcoming(
  client: Api,
  calendarId: string,
  queries: readonly UpcomingQuery[],
): AsyncGenerator<readonly Event[]> {
  const seen = new Set<string>();
  for (const query of queries) {
    const { events } = await client.listUpcomingEvents({ calendarId, ...query });
    yield events.filter(({ id }) => !seen.has(id));
    for (const { id } of events) seen.add(id);
  }
}

/**
 * The events of days from a service that lists only the next ones.
 * @throws CliError rejected for other days, not_found when there is no such calendar
 */
async function findInWeek(
  { api, config, now }: Run,
  calendarId: string,
  { days: range, search, takeFirst }: EventQuery,
): Promise<readonly Event[]> {
  if (takeFirst !== undefined) return [];
  const client = await api();
  const { timezone } = config.settings();
  const today = localDate(now(), timezone);
  const days = upcomingDays(range.first, range.last, today);
  if (days === null) {
    await client.getCalendar(calendarId);
    const week = `days from ${today} to ${lastUpcomingDay(today)}`;
    throw new CliError("rejected", "this service lists only the next 7 days", {
      hint: search === null ? `use --days up to 7, or ${week}` : `add --days 7 to search those, or ${week}`,
    });
  }
  const { events } = await client.listUpcomingEvents({ calendarId, timezone, days });
  return events.filter((event) => isOnDays(localizeEvent(event, timezone), range));
}

/** The calendars of the flags, and what their events are filtered by. */
interface ChosenEvents extends Pick<NameFilters, "findNames"> {
  readonly calendars: readonly ChosenCalendar[];
  /** @throws as `nameFilter` */
  readonly filterOf: (allRead: boolean) => EventFilter;
}

export type ChooseCalendars = (run: Run, flags: FilterFlags) => Promise<readonly ChosenCalendar[]>;

/** @throws CliError usage for wrong flags */
export async function chooseEvents(
  run: Run,
  flags: FilterFlags,
  choose: ChooseCalendars = calendarsOf,
): Promise<ChosenEvents> {
  const { category, mine, remaining } = flags;
  const { findNames, nameFilter } = await createNameFilters(run, flags);
  const calendars = await choose(run, flags);
  const api = await run.api();
  const filter: EventFilter = {
    category,
    // Requested first: if it failed after the events were read, they could not be filtered.
    mine: mine === true ? { userId: (await api.getCurrentUser()).id } : undefined,
    remaining: remaining === true ? { now: run.now() } : undefined,
  };
  return { calendars, findNames, filterOf: (allRead) => ({ ...filter, ...nameFilter(allRead) }) };
}

async function calendarsOf(
  run: Run,
  { allCalendars = false }: FilterFlags,
): Promise<readonly ChosenCalendar[]> {
  if (!allCalendars) return chooseCalendars(run);
  if (run.flags.calendars.length > 0) throw usageError("use either --calendar or --all-calendars, not both");
  return resolveCalendars(run, []);
}

/** How messages name what `processEach` does. */
export const CALENDARS_READ = {
  noun: "calendar",
  verb: "read",
  name: (calendar: ChosenCalendar): string => describeCandidate(calendar),
  id: ({ id }: ChosenCalendar): string => id,
} as const;

/** Begins a message about a single calendar, which the failure to read it does not name; empty for several. */
export function nameSingle(calendars: readonly ChosenCalendar[]): string {
  const [only, another] = calendars;
  return only === undefined || another !== undefined ? "" : `calendar ${describeCandidate(only)}: `;
}

/** Remembers events that a person is shown. @returns what shortens an id to what the person may type */
export async function rememberShown(
  { names }: Run,
  events: readonly LocalizedEvent[],
): Promise<(id: string) => string> {
  const recent = names.recentEvents();
  await recent?.remember(
    events.map(({ id, calendar_id: calendarId, title, start_local: start }) => {
      return { id, calendarId, title: title ?? "", start };
    }),
  );
  return recent?.shorten ?? ((id) => id);
}

type NameFilters = Awaited<ReturnType<typeof createNameFilters>>;

/**
 * The filters that name labels and members, of which each calendar may have others.
 * @throws CliError usage for an empty name
 */
async function createNameFilters({ api, output }: Run, { label, excludeLabel, attendee }: FilterFlags) {
  const included = createLookup("--label", label, missingLabelError);
  const excluded = createLookup("--exclude-label", excludeLabel, missingLabelError);
  const attending = createLookup("--attendee", attendee, missingMemberError);
  const labels = [...(label ?? []), ...(excludeLabel ?? [])];
  const me = attendee?.includes("me") ? (await (await api()).getCurrentUser()).id : null;
  return {
    /** Looks for the names in a calendar, before its events are read. */
    async findNames(calendarId: string): Promise<void> {
      if (labels.length > 0) {
        const there = await (await api()).listLabels(calendarId);
        for (const { source, find } of [included, excluded])
          find(there, (value) => resolveLabel(value, there, { calendarId, source }).id);
      }
      if (attendee === undefined) return;
      const members = await (await api()).listMembers(calendarId);
      const { source } = attending;
      attending.find(members, (value) =>
        resolveAttendees([{ value, source }], members, { me, calendarId }).join(),
      );
    },
    /**
     * What the events are filtered by, once the calendars were opened.
     * @param allRead whether all of them could be
     * @throws CliError not_found when all calendars were read and none has a name; otherwise it is a warning
     */
    nameFilter(allRead: boolean): EventFilter {
      for (const failure of [included, excluded, attending].flatMap(({ failures }) => failures())) {
        if (allRead) throw failure;
        output.warn(failure.message);
      }
      return { labelIds: included.ids, excludedLabelIds: excluded.ids, attendeeIds: attending.ids };
    },
  };
}

/** Looks names up in one calendar after the other; one of them that has a name is enough. */
function createLookup<T>(
  source: string,
  values: readonly string[] | undefined,
  missingError: (value: string, candidates: readonly T[], source: string) => CliError,
) {
  if (values?.includes("")) throw emptyValueError(source);
  const ids = new Set<string>();
  const found = new Set<string>();
  const candidates: T[] = [];
  let isAsked = false;
  return {
    source,
    /** Composite; undefined without names. */
    ids: values === undefined ? undefined : ids,
    find(there: readonly T[], resolve: (value: string) => string): void {
      isAsked = true;
      candidates.push(...there);
      for (const value of values ?? []) {
        try {
          ids.add(resolve(value));
          found.add(value);
        } catch (error) {
          if (!hasCode(error, "not_found")) throw error;
        }
      }
    },
    /** One for each name that no calendar has. */
    failures(): readonly CliError[] {
      const missing = isAsked ? (values ?? []).filter((value) => !found.has(value)) : [];
      return missing.map((value) => missingError(value, candidates, source));
    },
  };
}
