import type { Event } from "../../../contract/shapes.js";
import { processEach } from "../../cli/items.js";
import { type CliError, nullOn, wrapError } from "../../errors.js";
import type { Run } from "../../run/run.js";
import type { Remembered } from "../../state/seen.js";
import { parseUpcomingDays } from "../../time/dates.js";
import type { ChosenCalendar } from "../find/calendar-choice.js";
import { nameEvent } from "../find/event-ids.js";
import { type LocalizedEvent, localizeEvent } from "../localized-event.js";
import { filterEvents, type SortOptions, sortEvents } from "../order.js";
import {
  type Comparison,
  compareEvents,
  type EventChange,
  joinMovedOccurrences,
  type LookupResult,
  readLookup,
  type SeenCalendar,
  type SeenDays,
} from "./compare.js";
import { type ChangesFlags, readCalendars, type Snapshot } from "./read.js";
import { checkName, readState, type SeenState, type WatchedCalendar } from "./scope.js";

/** What changed since the last run under a name. */
export interface Diff {
  /** In the order of a list of events, with their times in the chosen zone. */
  readonly changes: readonly EventChange<LocalizedEvent>[];
  readonly calendars: readonly ChosenCalendar[];
  /** The days that were read. */
  readonly days: SeenDays;
  /** Whether nothing was remembered under the name before. */
  readonly isFirst: boolean;
  /** Whether there is more to remember than that nothing has changed. */
  readonly isNew: boolean;
  /** How many events are watched from now on. */
  readonly watched: number;
  /** How often something was remembered under the name: changes that were not remembered come again with the same number. */
  readonly revision: number;
  /** What is to be remembered: with `remember`, or together with a message that was sent. */
  readonly remembered: Remembered & { readonly seen: SeenState };
  /** Call it once the changes were delivered. Does nothing with `--dry-run`. */
  remember(): Promise<void>;
  /** Call it once they were delivered to one of several readers: who comes new sees what changes from now on. */
  rememberForNewReaders(): Promise<void>;
  /** Reports what could not be read; call it last. @throws CliError partial when there is something */
  reportFailures(): void;
}

/**
 * Finds the changes since the last run under a name, for work that delivers them. Other runs under that name wait until the
 * work has ended. Nothing is remembered unless the work says so.
 * @throws CliError configuration when the state cannot be used; usage for a name that is bound to other events; the first
 * failure when no calendar could be read
 */
export async function withDiff<T>(
  run: Run,
  flags: ChangesFlags,
  work: (diff: Diff) => Promise<T>,
): Promise<T> {
  const name = checkName(flags);
  const count = parseUpcomingDays(flags.days ?? "7", "--days");
  const seen = await run.state.seen();
  const findAndWork = async () => work(await findChanges(run, { name, count, flags }));
  return run.flags.dryRun ? findAndWork() : seen.exclusively(name, findAndWork);
}

async function findChanges(
  run: Run,
  { name, count, flags }: { readonly name: string; readonly count: number; readonly flags: ChangesFlags },
): Promise<Diff> {
  const seen = await run.state.seen();
  const { reader } = flags;
  const again = flags.again === true;
  const ofReader = reader === undefined ? null : await seen.read({ name, reader }, { beforeUnknown: again });
  const remembered = ofReader ?? (await seen.read({ name }, { beforeUnknown: again }));
  const own = ofReader === null ? { name } : { name, reader };
  const before = remembered === null ? null : readState(remembered.seen, name);
  const snapshot = await readCalendars(run, { count, flags }, before);
  const diffs = compareCalendars(snapshot, before, flags.fromStart === true);
  const lookups = await lookUpMissing(run, diffs, snapshot);
  const { binding, since, calendars, days } = snapshot;
  const watched = watchedAfter(diffs, lookups.results, snapshot);
  const state = {
    ...own,
    seen: { version: 1, binding, since, calendars: watched } as const,
    coversUnknown: again,
  };
  const changes = listChanges(run, diffs, {
    lookups: lookups.results,
    flags,
    zone: days.zone,
    firstDay: days.first,
  });
  return {
    changes,
    calendars,
    days,
    isFirst: before === null,
    isNew: changes.length > 0 || placesOf(before?.calendars) !== placesOf(watched),
    watched: watched.reduce((sum, { events }) => sum + events.length, 0),
    revision: remembered?.revision ?? 0,
    remembered: state,
    async remember() {
      if (!run.flags.dryRun) await seen.saveSnapshot(state);
    },
    async rememberForNewReaders() {
      if (!run.flags.dryRun && ofReader !== null) await seen.saveSnapshot({ ...state, reader: undefined });
    },
    reportFailures() {
      try {
        snapshot.reportFailures();
      } finally {
        // The warnings of both are needed; of two errors, the last one is as good.
        lookups.reportFailures();
      }
    },
  };
}

/** How far each calendar was read. */
function placesOf(calendars: readonly WatchedCalendar[] = []): string {
  return JSON.stringify(calendars.map(({ id, days, revision }) => [id, days, revision]));
}

/** Has each of several readers go on by itself from what was seen under a name, unless it does so already. */
export async function separateReaders(
  { state, flags }: Run,
  name: string,
  readers: readonly string[],
): Promise<void> {
  if (flags.dryRun) return;
  const seen = await state.seen();
  await seen.exclusively(name, async () => {
    const common = await seen.read({ name });
    if (common === null) return;
    for (const reader of readers)
      if ((await seen.read({ name, reader })) === null)
        await seen.saveSnapshot({ name, reader, seen: common.seen });
  });
}

/** A calendar before and now. */
interface CalendarDiff {
  readonly id: string;
  readonly name: string | null;
  readonly before: SeenCalendar;
  /** Null when it could not be read: nothing of it has changed, and it stays as it was. */
  readonly now: Comparison | null;
}

/** Compares each calendar with what was seen, also those that are not there any more. */
function compareCalendars(
  { calendars, versions, matching, days, since }: Snapshot,
  before: SeenState | null,
  fromStart: boolean,
): readonly CalendarDiff[] {
  const known = new Map(before?.calendars.map((calendar) => [calendar.id, calendar]));
  const present = new Set(calendars.map(({ id }) => id));
  const absent = before?.calendars.filter(({ id }) => !present.has(id)) ?? [];
  return [...calendars, ...absent].map(({ id, name }) => {
    const seen: SeenCalendar = known.get(id) ?? { since: before?.since ?? since, days: null, events: [] };
    const events = present.has(id) ? versions.get(id)?.events : [];
    if (events === undefined) return { id, name, before: seen, now: null };
    const ofCalendar = new Set(events.filter((event) => matching.has(event)));
    const isStart = seen.days === null && (before === null || fromStart);
    const now = isStart
      ? startWatching([...ofCalendar], fromStart)
      : compareEvents(seen, { days, events, matching: ofCalendar });
    return { id, name, before: seen, now };
  });
}

function startWatching(seen: readonly Event[], fromStart: boolean): Comparison {
  const changes = fromStart ? seen.map((event) => ({ change: "added", event, before: null }) as const) : [];
  return { changes, missing: [], seen };
}

/** Of the events that are not listed any more; without those that could not be looked up. */
type LookupResults = ReadonlyMap<Event, LookupResult>;

/** Asks for each event that is not listed any more although its days are. */
async function lookUpMissing(
  { api, config, output }: Run,
  diffs: readonly CalendarDiff[],
  { days, versions }: Pick<Snapshot, "days" | "versions">,
): Promise<{ readonly results: LookupResults; readonly reportFailures: () => void }> {
  const missing = diffs.flatMap(({ now }) => now?.missing ?? []);
  const client = await api();
  const results = new Map<Event, LookupResult>();
  const { reportFailures } = await processEach(missing, {
    noun: "event",
    verb: "read",
    name: (event) => nameEvent(localizeEvent(event, config.settings().timezone, null)),
    id: ({ id }) => id,
    warn: output.warn,
    work: async (event) => {
      const address = { calendarId: event.calendar_id, eventId: event.id };
      const written = versions.get(event.calendar_id)?.written.get(event.id);
      const now =
        written === undefined
          ? await client.getEvent(address).catch(nullOn("not_found", "forbidden"))
          : written;
      results.set(event, readLookup(event, now, days));
    },
  });
  // Everything else was read.
  const asPartial = (failure: CliError) =>
    wrapError(failure, "partial", `could not check whether an event was removed: ${failure.message}`);
  return { results, reportFailures: () => reportFailures(asPartial) };
}

/** What is remembered of each calendar. An event that could not be looked up stays, and is looked up again. */
function watchedAfter(
  diffs: readonly CalendarDiff[],
  lookups: LookupResults,
  { days, since, calendars, versions }: Snapshot,
): readonly WatchedCalendar[] {
  const watched = diffs.map(({ id, name, before, now }): WatchedCalendar => {
    if (now === null) return { id, name, ...before };
    const missing = now.missing.flatMap((event) => {
      const lookup = lookups.get(event);
      return lookup === undefined ? [event] : (lookup.seen ?? []);
    });
    const isComplete = now.missing.every((event) => lookups.has(event));
    const revision = isComplete ? versions.get(id)?.revision : null;
    const events = [...now.seen, ...missing];
    return { id, name, since, days, events, ...(typeof revision === "number" && { revision }) };
  });
  return watched.filter(({ id, events }) => events.length > 0 || calendars.some((each) => each.id === id));
}

/** In the order of a list; without those of events that are over, where only the remaining ones are wanted. */
function listChanges(
  { now }: Run,
  diffs: readonly CalendarDiff[],
  { lookups, flags, zone, firstDay }: ListOptions,
): Diff["changes"] {
  const changes = diffs.flatMap(({ name, now: compared }) => {
    const found = compared?.missing.flatMap((event) => lookups.get(event)?.change ?? []) ?? [];
    const all = joinMovedOccurrences([...(compared?.changes ?? []), ...found]);
    return all.map(({ change, event, before }) => ({
      change,
      event: localizeEvent(event, zone, name),
      before: before === null ? null : localizeEvent(before, zone, name),
    }));
  });
  const byEvent = new Map(changes.map((change) => [change.event, change]));
  const filter = flags.remaining === true ? { remaining: { now: now() } } : {};
  const events = filterEvents([...byEvent.keys()], filter, zone);
  return sortEvents(events, { zone, firstDay }).flatMap((event) => byEvent.get(event) ?? []);
}

interface ListOptions extends SortOptions {
  readonly lookups: LookupResults;
  readonly flags: ChangesFlags;
}
