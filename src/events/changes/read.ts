import type { Event } from "../../../contract/shapes.js";
import { processEach } from "../../cli/items.js";
import { nullOn } from "../../errors.js";
import type { Run } from "../../run/run.js";
import { lastOfDays } from "../../time/dates.js";
import { localDate } from "../../time/zoned-time.js";
import type { ChosenCalendar } from "../find/calendar-choice.js";
import type { FilterFlags } from "../find/event-query.js";
import { CALENDARS_READ, chooseEvents } from "../find/event-reader.js";
import { filterEvents } from "../order.js";
import { isSameDays, listSeenAndWritten, type SeenDays, type WrittenEvents } from "./compare.js";
import { type NameFlag, resolveScope, type SeenState, type WatchedCalendar } from "./scope.js";

/** The flags that say which changes are reported, as typed. */
export interface ChangesFlags extends FilterFlags, NameFlag {
  readonly days?: string;
  /** Reports the events of calendars that were never read under this name as added. */
  readonly fromStart?: boolean;
  /** One of several that are told the changes, each of which remembers its own. */
  readonly reader?: string;
  /** Finds the changes of messages that may not have arrived, too. */
  readonly again?: boolean;
}

/** A calendar as it was read. */
interface CalendarVersion {
  readonly events: readonly Event[];
  /** Since which the service tells what changed; null if it does not. */
  readonly revision: number | null;
  /** Those of the events that were written since the last run; empty if all were listed. */
  readonly written: WrittenEvents;
}

/** The calendars as they are now. */
export interface Snapshot extends Pick<SeenState, "binding" | "since"> {
  readonly calendars: readonly ChosenCalendar[];
  readonly days: SeenDays;
  /** By id, of each calendar that could be read. */
  readonly versions: ReadonlyMap<string, CalendarVersion>;
  /** Those of the events that the run is about. */
  readonly matching: ReadonlySet<Event>;
  readonly reportFailures: () => void;
}

/**
 * Reads the events of the next days.
 * @throws CliError usage for a name that is bound to something else; the first failure when no calendar could be read
 */
export async function readCalendars(
  run: Run,
  { count, flags }: { readonly count: number; readonly flags: ChangesFlags },
  before: SeenState | null,
): Promise<Snapshot> {
  const { timezone: zone, service, defaultCalendar } = run.config.settings();
  const { account, time, since } = await beginSnapshot(run, before);
  const first = localDate(time, zone);
  const days = { first, last: lastOfDays(first, count), zone };
  const { remaining, ...filters } = flags;
  const { calendars, findNames, filterOf } = await chooseEvents(run, filters);
  const hasChoice = run.flags.calendars.length > 0 || (flags.allCalendars !== true && defaultCalendar);
  const chosen = hasChoice ? calendars.map(({ id }) => id) : null;
  const binding = resolveScope({ service, flags, account, calendars: chosen, days: count }, before?.binding);
  const known = new Map(before?.calendars.map((calendar) => [calendar.id, calendar]));
  const versions = new Map<string, CalendarVersion>();
  const { reportFailures } = await processEach(calendars, {
    ...CALENDARS_READ,
    warn: run.output.warn,
    async work({ id }) {
      await findNames(id);
      versions.set(id, await readVersion(run, { id, days, count }, known.get(id)));
    },
  });
  if (versions.size === 0) reportFailures();
  const filter = filterOf(versions.size === calendars.length);
  const listed = [...versions.values()].flatMap(({ events }) => events);
  const matching = new Set(filterEvents(listed, filter, zone));
  return { binding, calendars, versions, reportFailures, days, since, matching };
}

/** What is known before the calendars are read. */
interface SnapshotStart {
  /** Id of the user; null where the service does not tell it. */
  readonly account: string | null;
  /** By the service's clock, as far as it is known, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** What is written from now on is not older, by the service's clock. */
  readonly since: number;
}

async function beginSnapshot({ api, config, now }: Run, before: SeenState | null): Promise<SnapshotStart> {
  const client = await api();
  const started = now();
  const account = await client.getCurrentUser().then(({ id }) => id, nullOn("forbidden"));
  const served =
    config.settings().service.kind === "local" ? started : (client.lastResponse()?.serverTime ?? null);
  return { account, time: served ?? started, since: served ?? latestWrite(before) ?? started };
}

/** When the last of the events that were seen was written, by the service's clock; null if that is not known. */
function latestWrite(before: SeenState | null): number | null {
  const events = before?.calendars.flatMap(({ events: seen }) => seen) ?? [];
  const times = events.map(({ updated_at }) => Date.parse(updated_at ?? "")).filter((time) => time > 0);
  return times.length === 0 ? null : times.reduce((latest, time) => Math.max(latest, time));
}

/** Where the service tells what was written since the last run, and the days are the same, only that is asked for. */
async function readVersion(
  { api }: Run,
  { id: calendarId, days, count }: { readonly id: string; readonly days: SeenDays; readonly count: number },
  known: WatchedCalendar | undefined,
): Promise<CalendarVersion> {
  const client = await api();
  const since = isSameDays(known?.days ?? null, days) ? known?.revision : undefined;
  const changes = since === undefined ? null : await client.listChanges({ calendarId, since });
  // With other labels, other events may match.
  if (known === undefined || changes === null || changes.detailsChanged) {
    const upcoming = await client.listUpcomingEvents({ calendarId, days: count, timezone: days.zone });
    return { ...upcoming, written: new Map() };
  }
  const { events, deleted, revision } = changes;
  const written = new Map<string, Event | null>(events.map((event) => [event.id, event]));
  for (const id of deleted) written.set(id, null);
  return { events: listSeenAndWritten(known, days, written), revision, written };
}
