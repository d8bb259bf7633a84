import { parseDays } from "../../calendar/dates.js";
import type { ChangeKind, SeenDays } from "../../calendar/event-changes.js";
import { filterEvents, sortEvents } from "../../calendar/event-order.js";
import { type LocalizedEvent, localizeEvent } from "../../calendar/event-view.js";
import { requireChosenService } from "../../cli/command.js";
import { emptyValueError, usageError } from "../../errors.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import type { FilterFlags } from "./listing.js";
import type { NewsName } from "./name-binding.js";

import {
  type Answers,
  type CalendarLook,
  compareCalendars,
  readMissing,
  watchedAfter,
} from "./news-comparison.js";
import {
  type NewsContext,
  type NewsFlags,
  type NewsRun,
  readCalendars,
  readState,
  type SeenState,
} from "./news-reading.js";

/** A change with the times of its event in the chosen zone, and the name of its calendar. */
interface LocalizedChange {
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
  requireChosenService(context.config.settings());
  const name = checkName(flags);
  const run = { name, days: parseDays(flags.days ?? "7", "--days"), flags };
  const ledger = await context.messages.ledger();
  const collectAndWork = async () => work(await collectNews(context, run));
  return context.flags.dryRun ? collectAndWork() : ledger.exclusively(name, collectAndWork);
}

/** Code units of a name. */
const MAX_NAME = 200;

function checkName({ sinceLast: name, nameFlag }: NewsName): string {
  if (name === "") throw emptyValueError(nameFlag);
  if (name.length <= MAX_NAME) return name;
  throw usageError(`${nameFlag}: the name is longer than ${MAX_NAME} characters`);
}

async function collectNews(context: NewsContext, run: NewsRun): Promise<News> {
  const ledger = await context.messages.ledger();
  const remembered = await ledger.readSeen(run.name);
  const before = remembered === null ? null : readState(remembered.seen, run.name);
  const { reading, looks, answers } = await context.names.withCachedNames(async () => {
    const read = await readCalendars(context, run, before);
    const compared = compareCalendars(read, before, run.flags.fromStart === true);
    return { reading: read, looks: compared, answers: await readMissing(context, compared, read) };
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
      if (!context.flags.dryRun) await ledger.remember(state);
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
