import { type EventFilter, filterEvents, type KeyedEvent } from "../../calendar/event-order.js";
import { mergeSorted, sortPages } from "../../calendar/event-stream.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import type { CalendarEvent } from "../../contract/shapes.js";
import { CliError } from "../../errors.js";
import type { Output } from "../../output/view.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { firstFailure, processEach } from "../process-each.js";
import type { ListedDays } from "./date-flags.js";
import { CALENDARS_READ, createLocalizer, type ReadOptions, type UpcomingContext } from "./upcoming.js";

/** What a list of events is made of. */
export interface EventListing extends ReadOptions {
  readonly calendars: readonly ChosenCalendar[];
  readonly days: ListedDays;
  /**
   * What the events are filtered by, once the calendars were opened.
   * @param allRead whether all of them could be
   */
  readonly filterOf: (allRead: boolean) => EventFilter;
}

/** A list whose calendars could be opened. */
export interface OpenListing {
  /**
   * Prints the list, then reports what is missing.
   * @returns whether there was nothing to print
   * @throws CliError when something is missing
   */
  print(): Promise<boolean>;
}

/**
 * Reads the first page of each calendar, and prints events as the other pages arrive, in the order of the list: of each
 * calendar, a page and a few days are held. A calendar that fails ends, and the others go on.
 */
export async function openStream(
  { settings, warn }: Pick<UpcomingContext, "settings" | "warn">,
  list: EventListing,
  stream: NonNullable<Output<LocalizedEvent>["stream"]>,
): Promise<OpenListing> {
  const { calendars, days, filterOf } = list;
  const { timezone: zone } = settings();
  const failures = new Map<string, CliError>();
  const sources = calendars.map(({ id }) =>
    readUntilFailure(sortedEvents(id, list, { zone, firstDay: days.first }), (error) =>
      failures.set(id, error),
    ),
  );
  const merged = await mergeSorted(sources, async (read, all) => {
    const stopped = await firstFailure(all, read);
    if (stopped !== undefined) throw stopped;
  });
  const filter = filterOf(failures.size === 0);
  const localize = createLocalizer(calendars, zone);
  return {
    async print() {
      let isEmpty = true;
      for await (const batch of merged) {
        const events = filterEvents(batch, filter, zone);
        isEmpty &&= events.length === 0;
        // Nobody reads the rest.
        if (!(await stream(events.map(localize)))) return false;
      }
      await reportFailures(calendars, failures, warn);
      return isEmpty;
    },
  };
}

async function reportFailures(
  calendars: readonly ChosenCalendar[],
  failures: ReadonlyMap<string, CliError>,
  warn: (text: string) => void,
): Promise<void> {
  const processed = await processEach(calendars, {
    ...CALENDARS_READ,
    warn,
    // All at once: one that failed must not keep the others from being counted.
    concurrency: calendars.length,
    work: async ({ id }) => {
      const error = failures.get(id);
      if (error !== undefined) throw error;
    },
  });
  processed.reportFailures();
}

async function* sortedEvents(
  calendarId: string,
  { open, before }: ReadOptions,
  options: Parameters<typeof sortPages>[1],
): AsyncGenerator<readonly KeyedEvent<CalendarEvent>[]> {
  await before?.(calendarId);
  yield* sortPages(await open(calendarId), options);
}

/** The same batches, which end at a failure. An interruption or an unexpected error is thrown. */
async function* readUntilFailure<T>(
  batches: AsyncIterable<T>,
  onFailure: (error: CliError) => void,
): AsyncGenerator<T> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof CliError) || error.code === "interrupted") throw error;
    onFailure(error);
  }
}
