import type { CalendarEvent } from "../../../contract/shapes.js";
import { lastOfDays } from "../../calendar/dates.js";
import type { SeenCalendar, SeenDays } from "../../calendar/event-changes.js";
import { filterEvents } from "../../calendar/event-order.js";
import { localDate } from "../../calendar/zoned-time.js";
import type { Context } from "../../context.js";
import { CliError, configurationError } from "../../errors.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { processEach } from "../process-each.js";
import { CALENDARS_READ, readCalendar } from "./event-source.js";
import { createListing, type FilterFlags, type ListingContext } from "./listing.js";
import { type Binding, checkBinding, createBinding, type NewsName } from "./name-binding.js";
import { type CalendarVersion, createNewsSource } from "./news-source.js";

/** The flags that say what is news, as typed. */
export interface NewsFlags extends FilterFlags, NewsName {
  readonly days?: string;
  /** Reports the events of calendars that were never read under this name as added. */
  readonly fromStart?: boolean;
}

export type NewsContext = ListingContext & Pick<Context, "messages" | "flags">;

export interface NewsRun {
  readonly name: string;
  readonly days: number;
  readonly flags: NewsFlags;
}

/** What is remembered under a name. */
export interface SeenState {
  readonly version: 1;
  readonly binding: Binding;
  /** When the last run began to look, by the service's clock (ms since the Unix epoch). */
  readonly since: number;
  readonly calendars: readonly WatchedCalendar[];
}

export interface WatchedCalendar extends SeenCalendar {
  readonly id: string;
  readonly name: string | null;
}

export function readState(seen: unknown, name: string): SeenState {
  // Written by calctl, to a file of its user.
  const state = seen as SeenState;
  if (state.version === 1) return state;
  throw configurationError(`what is remembered under the name "${name}" was written by a newer calctl`, {
    hint: "update calctl, or choose another name",
  });
}

/** The calendars as they are now. */
export interface Reading {
  readonly binding: Binding;
  readonly calendars: readonly ChosenCalendar[];
  readonly days: SeenDays;
  /** As in SeenState. */
  readonly since: number;
  /** Of each calendar that could be read. */
  readonly listed: ReadonlyMap<string, readonly CalendarEvent[]>;
  readonly versions: ReadonlyMap<string, CalendarVersion>;
  /** Those of the events that the run is about. */
  readonly matching: ReadonlySet<CalendarEvent>;
  readonly reportFailures: () => void;
}

/** @throws CliError the first failure when no calendar could be read */
export async function readCalendars(
  context: NewsContext,
  { days: count, flags }: NewsRun,
  before: SeenState | null,
): Promise<Reading> {
  const { timezone: zone, service, defaultCalendar } = context.config.settings();
  const look = await beginLook(context, before);
  const first = localDate(look.time, zone);
  const days = { first, last: lastOfDays(first, count), zone };
  const { remaining, ...filters } = flags;
  const source = createNewsSource(context, { days, count }, before?.calendars ?? []);
  const listing = await createListing(context, { days, open: source.open }, filters);
  const { calendars } = listing;
  const hasChoice = context.flags.calendars.length > 0 || (flags.allCalendars !== true && defaultCalendar);
  const chosen = hasChoice ? calendars.map(({ id }) => id) : null;
  // Once it is known, it stays known.
  const account = look.account ?? before?.binding.account ?? null;
  const binding = createBinding({ service, flags, account, calendars: chosen, days: count });
  if (before !== null) checkBinding(flags, before.binding, binding);
  const listed = new Map<string, readonly CalendarEvent[]>();
  const { reportFailures } = await processEach(calendars, {
    ...CALENDARS_READ,
    warn: context.output.warn,
    work: async ({ id }) => void listed.set(id, await readCalendar(id, listing)),
  });
  if (listed.size === 0) reportFailures();
  const filter = listing.filterOf(listed.size === calendars.length);
  return {
    ...{ binding, calendars, listed, reportFailures, days },
    versions: source.versions,
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

async function beginLook({ api, config, now }: NewsContext, before: SeenState | null): Promise<Look> {
  const client = await api();
  const started = now();
  const account = await client.getCurrentUser().then(
    ({ id }) => id,
    (error: unknown) => {
      if (error instanceof CliError && error.code === "forbidden") return null;
      throw error;
    },
  );
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
