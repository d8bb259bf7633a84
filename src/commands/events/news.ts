import { lastOfDays, parseDays } from "../../calendar/dates.js";
import {
  type ChangeKind,
  type Comparison,
  compareEvents,
  type EventChange,
  type JudgedEvent,
  judgeMissing,
  type SeenCalendar,
  type SeenDays,
} from "../../calendar/event-changes.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { type LocalizedEvent, localizeEvent } from "../../calendar/event-view.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import type { CalendarEvent } from "../../contract/shapes.js";
import { CliError, configurationError, emptyValueError, usageError, wrapError } from "../../errors.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { requireChosenService } from "../command.js";
import { processEach } from "../process-each.js";
import { CALENDARS_READ, readCalendar } from "./event-source.js";
import { createListing, type FilterFlags, type ListingContext, listedEvents } from "./listing.js";
import { type Binding, checkBinding, createBinding, type NewsName } from "./name-binding.js";

/** The flags that say what is news, as typed. */
export interface NewsFlags extends FilterFlags, NewsName {
  readonly days?: string;
  /** Reports the events of calendars that were never read under this name as added. */
  readonly fromStart?: boolean;
}

export type NewsContext = ListingContext & Pick<Context, "ledger" | "dryRun">;

/** A change with the times of its event in the chosen zone, and the name of its calendar. */
export interface LocalizedChange {
  readonly change: ChangeKind;
  readonly event: LocalizedEvent;
}

/** What is new since the last run under a name. */
export interface News {
  /** In the order of a list of events. */
  readonly changes: readonly LocalizedChange[];
  readonly calendars: readonly ChosenCalendar[];
  /** The days that were looked at. */
  readonly days: SeenDays;
  /** Whether nothing was remembered under the name before. */
  readonly isFirst: boolean;
  /** How many events are watched from now on. */
  readonly watched: number;
  /** How often something was remembered under the name: news that were not remembered come again with the same number. */
  readonly revision: number;
  /** What the ledger is to remember: with `remember`, or together with a message that was sent. */
  readonly remembered: { readonly name: string; readonly seen: unknown };
  /** Call it once the news were delivered. Does nothing with `--dry-run`. */
  remember(): Promise<void>;
  /** Reports what could not be read; call it last. @throws CliError partial when there is something */
  reportFailures(): void;
}

/**
 * Finds the news since the last run under a name, for work that delivers them. Other runs under that name wait until the
 * work has ended. Nothing is remembered unless the work says so.
 * @throws CliError configuration when no service was chosen or the ledger cannot be used; usage for a name that is bound
 * to other events; the first failure when no calendar could be read
 */
export async function withNews<T>(
  context: NewsContext,
  flags: NewsFlags,
  work: (news: News) => Promise<T>,
): Promise<T> {
  requireChosenService(context.settings());
  const name = checkName(flags);
  const run = { name, days: parseDays(flags.days ?? "7", "--days"), flags };
  const ledger = await context.ledger();
  const collectAndWork = async () => work(await collectNews(context, run));
  return context.dryRun ? collectAndWork() : ledger.exclusively(name, collectAndWork);
}

/** Code units of a name. */
const MAX_NAME = 200;

function checkName({ sinceLast: name, nameFlag }: NewsName): string {
  if (name === "") throw emptyValueError(nameFlag);
  if (name.length <= MAX_NAME) return name;
  throw usageError(`${nameFlag}: the name is longer than ${MAX_NAME} characters`);
}

interface NewsRun {
  readonly name: string;
  readonly days: number;
  readonly flags: NewsFlags;
}

/** What is remembered under a name. */
interface SeenState {
  readonly version: 1;
  readonly binding: Binding;
  /** When the last run began to look, by the service's clock (ms since the Unix epoch). */
  readonly since: number;
  readonly calendars: readonly WatchedCalendar[];
}

interface WatchedCalendar extends SeenCalendar {
  readonly id: string;
  readonly name: string | null;
}

async function collectNews(context: NewsContext, run: NewsRun): Promise<News> {
  const ledger = await context.ledger();
  const remembered = await ledger.readSeen(run.name);
  const before = remembered === null ? null : readState(remembered.seen, run.name);
  const { reading, looks, answers } = await context.names.whileReading(async () => {
    const read = await readCalendars(context, run, before);
    const compared = compareCalendars(read, before, run.flags.fromStart === true);
    return { reading: read, looks: compared, answers: await readMissing(context, compared, read.days) };
  });
  const { binding, since, calendars, days } = reading;
  const seen: SeenState = { version: 1, binding, since, calendars: watchedAfter(looks, answers, reading) };
  const state = { name: run.name, seen };
  return {
    changes: sortChanges(context, localizeChanges(looks, answers, days), run.flags, days),
    ...{ calendars, days },
    isFirst: before === null,
    watched: seen.calendars.reduce((sum, { events }) => sum + events.length, 0),
    revision: remembered?.revision ?? 0,
    remembered: state,
    async remember() {
      if (!context.dryRun) await ledger.remember(state);
    },
    reportFailures() {
      try {
        reading.reportFailures();
      } finally {
        // The warnings of both are needed; of two errors, the last one is as good.
        answers.reportFailures();
      }
    },
  };
}

function readState(seen: unknown, name: string): SeenState {
  // Written by calctl, to a file of its user.
  const state = seen as SeenState;
  if (state.version === 1) return state;
  throw configurationError(`what is remembered under the name "${name}" was written by a newer calctl`, {
    hint: "update calctl, or choose another name",
  });
}

/** The calendars as they are now. */
interface Reading {
  readonly binding: Binding;
  readonly calendars: readonly ChosenCalendar[];
  readonly days: SeenDays;
  /** As in SeenState. */
  readonly since: number;
  /** Of each calendar that could be read. */
  readonly listed: ReadonlyMap<string, readonly CalendarEvent[]>;
  /** Those of the events that the run is about. */
  readonly matching: ReadonlySet<CalendarEvent>;
  readonly reportFailures: () => void;
}

/** @throws CliError the first failure when no calendar could be read */
async function readCalendars(
  context: NewsContext,
  { days: count, flags }: NewsRun,
  before: SeenState | null,
): Promise<Reading> {
  const { timezone: zone, service, defaultCalendar } = context.settings();
  const look = await beginLook(context, before);
  const { remaining, ...filters } = flags;
  const listing = await createListing(
    context,
    listedEvents(context, { kind: "upcoming", days: count }),
    filters,
  );
  const { calendars } = listing;
  const hasChoice = context.calendarFlags.length > 0 || (flags.allCalendars !== true && defaultCalendar);
  const chosen = hasChoice ? calendars.map(({ id }) => id) : null;
  // Once it is known, it stays known.
  const account = look.account ?? before?.binding.account ?? null;
  const binding = createBinding({ service, flags, account, calendars: chosen, days: count });
  if (before !== null) checkBinding(flags, before.binding, binding);
  const listed = new Map<string, readonly CalendarEvent[]>();
  const { reportFailures } = await processEach(calendars, {
    ...CALENDARS_READ,
    warn: context.warn,
    work: async ({ id }) => void listed.set(id, await readCalendar(id, listing)),
  });
  if (listed.size === 0) reportFailures();
  const filter = listing.filterOf(listed.size === calendars.length);
  const first = localDate(look.time, zone);
  return {
    ...{ binding, calendars, listed, reportFailures },
    days: { first, last: lastOfDays(first, count), zone },
    since: look.since,
    matching: new Set(filterEvents([...listed.values()].flat(), filter, zone)),
  };
}

/** When a look begins, and for whom. */
interface Look {
  /** Id of the user; null where the service does not tell it. */
  readonly account: string | null;
  /** By the service's clock, as far as it is known, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** What is written from now on is not older, by the service's clock. */
  readonly since: number;
}

async function beginLook({ api, settings, now }: NewsContext, before: SeenState | null): Promise<Look> {
  const client = await api();
  const started = now();
  const account = await client.getCurrentUser().then(
    ({ id }) => id,
    (error: unknown) => {
      if (error instanceof CliError && error.code === "forbidden") return null;
      throw error;
    },
  );
  const served = settings().service.kind === "local" ? started : (client.lastResponse()?.serverTime ?? null);
  return { account, time: served ?? started, since: served ?? latestWrite(before) ?? started };
}

/** When the last of the events that were seen was written, by the service's clock; null if that is not known. */
function latestWrite(before: SeenState | null): number | null {
  const events = before?.calendars.flatMap(({ events: seen }) => seen) ?? [];
  const times = events.map(({ updated_at }) => Date.parse(updated_at ?? "")).filter((time) => time > 0);
  return times.length === 0 ? null : times.reduce((latest, time) => Math.max(latest, time));
}

/** A calendar before and now. */
interface CalendarLook {
  readonly id: string;
  readonly name: string | null;
  readonly before: SeenCalendar;
  /** Null when it could not be read: nothing of it is news, and it stays as it was. */
  readonly now: Comparison | null;
}

/** Compares each calendar with what was seen, also those that are not there any more. */
function compareCalendars(
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
interface Answers {
  readonly judged: ReadonlyMap<CalendarEvent, JudgedEvent>;
  readonly reportFailures: () => void;
}

/** Asks for each event that is not listed any more although its days are. */
async function readMissing(
  { api, warn }: NewsContext,
  looks: readonly CalendarLook[],
  days: SeenDays,
): Promise<Answers> {
  const missing = looks.flatMap(({ now }) => now?.missing ?? []);
  const client = await api();
  const judged = new Map<CalendarEvent, JudgedEvent>();
  const { reportFailures } = await processEach(missing, {
    noun: "event",
    verb: "read",
    name: ({ id }) => id,
    warn,
    work: async (event) => {
      const address = { calendarId: event.calendar_id, eventId: event.id };
      const now = await client.getEvent(address).catch(nullIfUnreadable);
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
    throw wrapError(error, "partial", `whether an event is gone could not be asked: ${error.message}`);
  }
}

/** What is remembered of each calendar. An event that could not be asked for stays, and is asked for again. */
function watchedAfter(
  looks: readonly CalendarLook[],
  { judged }: Answers,
  { days, since, calendars }: Reading,
): readonly WatchedCalendar[] {
  const watched = looks.map(({ id, name, before, now }): WatchedCalendar => {
    if (now === null) return { id, name, ...before };
    const missing = now.missing.flatMap((event) => {
      const answer = judged.get(event);
      return answer === undefined ? [event] : (answer.seen ?? []);
    });
    return { id, name, since, days, events: [...now.seen, ...missing] };
  });
  return watched.filter(({ id, events }) => events.length > 0 || calendars.some((each) => each.id === id));
}

function localizeChanges(
  looks: readonly CalendarLook[],
  { judged }: Answers,
  { zone }: SeenDays,
): readonly LocalizedChange[] {
  return looks.flatMap(({ name, now }) => {
    const answered = now?.missing.flatMap((event) => judged.get(event)?.change ?? []) ?? [];
    return [...(now?.changes ?? []), ...answered].map(({ change, event }) => ({
      change,
      event: localizeEvent(event, zone, name),
    }));
  });
}

/** In the order of a list; without those of events that are over, where only the remaining ones are wanted. */
function sortChanges(
  { now }: Pick<NewsContext, "now">,
  changes: readonly LocalizedChange[],
  { remaining = false }: FilterFlags,
  { first, zone }: SeenDays,
): readonly LocalizedChange[] {
  const byEvent = new Map(changes.map((change) => [change.event, change]));
  const filter = remaining ? { remaining: { now: now() } } : {};
  const events = filterEvents([...byEvent.keys()], filter, zone);
  return sortEvents(events, { zone, firstDay: first }).flatMap((event) => byEvent.get(event) ?? []);
}
