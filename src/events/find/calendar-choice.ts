import type { Calendar, Event } from "../../../contract/shapes.js";
import type { Api } from "../../api/client.js";
import { firstFailure } from "../../cli/items.js";
import { CliError, hasCode, nullOn, usageError, wrapError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { checkId, describeCandidates, type Named, resolveName } from "../names.js";

/** A chosen calendar; its name is null when the service forbids listing calendars. */
export type ChosenCalendar = Pick<Calendar, "id" | "name"> & Partial<Pick<Calendar, "color">>;

/** Which default counts: that of every command, or that of new events. */
type CalendarDefault = "defaultCalendar" | "writeCalendar";

/**
 * The calendar of a command: `--calendar`, then CALCTL_CALENDAR, then the profile's, then the only one that exists, then
 * the one that is picked on a terminal.
 * @throws CliError usage when it is ambiguous, not_found when none matches
 */
export async function chooseCalendar(run: Run, byDefault?: CalendarDefault): Promise<ChosenCalendar> {
  return chooseOneCalendar(run, await candidateCalendars(run, byDefault));
}

/** The only calendar, or the one that is picked on a terminal. @throws CliError usage when there are several */
export async function chooseOneCalendar(
  run: Run,
  calendars: readonly ChosenCalendar[],
): Promise<ChosenCalendar> {
  const [calendar, another] = calendars;
  if (calendar !== undefined && another === undefined) return calendar;
  if (run.terminal.prompt.available) return pickCalendar(run, calendars);
  throw new CliError("usage", "there are several calendars: choose one with --calendar", {
    hint: `calendars: ${describeCandidates(calendars)}`,
    details: { candidates: calendars.map(({ id, name }) => ({ id, name })) },
  });
}

function pickCalendar({ terminal }: Run, calendars: readonly ChosenCalendar[]): Promise<ChosenCalendar> {
  const choices = calendars.map((calendar) => ({
    value: calendar,
    name: calendar.name || calendar.id,
    ...(calendar.color === undefined ? {} : { color: calendar.color }),
  }));
  return terminal.prompt.choose("Calendar:", choices);
}

/** An event and its calendar. */
export interface FoundEvent {
  readonly calendar: ChosenCalendar;
  readonly event: Event;
}

/** Finds events that are given by id. All throw CliError not_found when no calendar has the event. */
export interface EventFinder {
  /** Whether events are searched for in several calendars. */
  readonly several: boolean;
  /** Sends nothing when only one calendar is possible, or for an event that was found before. */
  findCalendar(eventId: string): Promise<ChosenCalendar>;
  read(eventId: string): Promise<FoundEvent>;
}

/** Events are in the calendar of `chooseCalendar`, or in any when several exist and none was chosen. */
export async function createEventFinder(run: Run): Promise<EventFinder> {
  const calendars = await candidateCalendars(run);
  const api = await run.api();
  const [calendar, another] = calendars;
  if (calendar !== undefined && another === undefined) {
    const { id: calendarId } = calendar;
    return {
      several: false,
      findCalendar: async () => calendar,
      read: async (eventId) => ({ calendar, event: await api.getEvent({ calendarId, eventId }) }),
    };
  }
  const searches = new Map<string, Promise<FoundEvent>>();
  const read = (eventId: string): Promise<FoundEvent> => {
    const search = searches.get(eventId) ?? searchLastSeenFirst(run, calendars, eventId);
    searches.set(eventId, search);
    return search;
  };
  return { several: true, findCalendar: async (eventId) => (await read(eventId)).calendar, read };
}

/** Asks the calendar in which the event was last seen, and the others only if it is no longer there. */
async function searchLastSeenFirst(
  run: Run,
  calendars: readonly ChosenCalendar[],
  eventId: string,
): Promise<FoundEvent> {
  const api = await run.api();
  const recent = run.flags.refresh ? null : run.names.recentEvents();
  const seenIn = recent?.find(eventId)[0]?.calendarId;
  const calendar = calendars.find(({ id }) => id === seenIn);
  if (calendar !== undefined) {
    const event = await api.getEvent({ calendarId: calendar.id, eventId }).catch(nullOn("not_found"));
    if (event !== null) return { calendar, event };
  }
  return searchEvent(api, calendars, eventId);
}

async function searchEvent(
  api: Api,
  calendars: readonly ChosenCalendar[],
  eventId: string,
): Promise<FoundEvent> {
  let found: FoundEvent | undefined;
  const failure = await firstFailure(calendars, async (calendar) => {
    if (found !== undefined) return;
    try {
      found = { calendar, event: await api.getEvent({ calendarId: calendar.id, eventId }) };
    } catch (error) {
      if (!(error instanceof CliError) || error.code === "interrupted") throw error;
      if (error.code === "not_found") return;
      const reason = `calendar ${calendar.name ?? calendar.id} could not be read: ${error.message}`;
      throw wrapError(error, error.code, `event ${eventId} was not found, and ${reason}`);
    }
  });
  if (found !== undefined) return found;
  if (failure !== undefined) throw failure;
  throw new CliError("not_found", `event ${eventId} is not in any of the ${calendars.length} calendars`, {
    hint: PART_OF_ID.test(eventId)
      ? "write the whole id, as calctl events list -o json has it; on a terminal, the first 4 digits are enough for an event listed lately"
      : `calendars: ${describeCandidates(calendars)}`,
    status: 404,
  });
}

/** What looks like the beginning of an id of 32 hex digits. */
const PART_OF_ID = /^[0-9a-f]{1,31}$/;

/** The calendars of `--calendar`, in order and without duplicates, otherwise the default one, otherwise all. */
export async function chooseCalendars(
  run: Run,
  byDefault: CalendarDefault = "defaultCalendar",
): Promise<readonly ChosenCalendar[]> {
  const named = namedCalendars(run);
  const setting = run.config.settings()[byDefault];
  if (named.length > 0 || setting === undefined) return resolveCalendars(run, named);
  checkId(setting.value, setting.source);
  return resolveCalendars(run, [setting]);
}

/** The calendars that a command for a single one may refer to. */
export async function candidateCalendars(
  run: Run,
  byDefault?: CalendarDefault,
): Promise<readonly ChosenCalendar[]> {
  if (run.flags.calendars.length > 1) throw usageError("--calendar: this command takes one calendar");
  const calendars = await chooseCalendars(run, byDefault);
  if (calendars.length === 0) throw new CliError("not_found", "there are no calendars");
  return calendars;
}

/** Every `--calendar`, without defaults. @throws CliError usage for an empty one */
export function namedCalendars({ flags }: Run): readonly Named[] {
  return flags.calendars.map((value) => ({
    value: checkId(value, "--calendar"),
    source: "--calendar",
  }));
}

/** Resolves names to calendars; without names all calendars. */
export async function resolveCalendars(
  { api }: Run,
  named: readonly Named[],
): Promise<readonly ChosenCalendar[]> {
  let calendars: readonly ChosenCalendar[];
  try {
    calendars = await (await api()).listCalendars();
  } catch (error) {
    // The service forbids listing calendars: names are taken as ids.
    if (!hasCode(error, "forbidden") || named.length === 0) throw error;
    return named.map(({ value }) => ({ id: value, name: null }));
  }
  if (named.length === 0) return calendars;
  const found = named.map(({ value, source }) =>
    resolveName(value, calendars, { noun: "calendar", source, byPrefix: true }),
  );
  return [...new Set(found)];
}
