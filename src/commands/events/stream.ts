import type { CalendarEvent } from "../../../contract/shapes.js";
import { type EventFilter, filterEvents, type KeyedEvent } from "../../calendar/event-order.js";
import { mergeSorted, sortPages } from "../../calendar/event-stream.js";
import type { LocalizedEvent } from "../../calendar/event-view.js";
import type { Context } from "../../context.js";
import type { Output } from "../../output/view.js";
import type { ChosenCalendar } from "../calendar-choice.js";
import { firstFailure, type ItemResult, readFailure, reportMissing } from "../process-each.js";
import type { ListedDays } from "./date-flags.js";
import { CALENDARS_READ, type ReadOptions } from "./event-source.js";
import { createLocalizer } from "./print-events.js";

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
 * calendar, a page and a few days are held. A calendar that fails ends, and the others go on; those that were not begun
 * are left out if they would fail for the same reason.
 */
export async function openStream(
  { config, output }: Pick<Context, "config" | "output">,
  list: EventListing,
  stream: NonNullable<Output<LocalizedEvent>["stream"]>,
): Promise<OpenListing> {
  const { calendars, days, filterOf } = list;
  const { timezone: zone } = config.settings();
  const results: CalendarResults = new Map();
  const sources = calendars.map(({ id }) =>
    readUntilFailure(id, sortedEvents(id, list, { zone, firstDay: days.first }), results),
  );
  const merged = await mergeSorted(sources, async (read, all) => {
    const stopped = await firstFailure(all, read);
    if (stopped !== undefined) throw stopped;
  });
  const itemResults = () => calendars.map(({ id }) => results.get(id));
  const filter = filterOf(itemResults().every((result) => result?.kind === "done"));
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
      reportMissing(calendars, itemResults(), { ...CALENDARS_READ, warn: output.warn });
      return isEmpty;
    },
  };
}

/** By calendar; without those that were not begun. */
type CalendarResults = Map<string, ItemResult<void>>;

async function* sortedEvents(
  calendarId: string,
  { open, before }: ReadOptions,
  options: Parameters<typeof sortPages>[1],
): AsyncGenerator<readonly KeyedEvent<CalendarEvent>[]> {
  await before?.(calendarId);
  yield* sortPages(await open(calendarId), options);
}

/**
 * The same batches, which end at a failure; none after a failure that every calendar would have.
 * @throws an interruption or an unexpected error
 */
async function* readUntilFailure<T>(
  calendarId: string,
  batches: AsyncIterable<T>,
  results: CalendarResults,
): AsyncGenerator<T> {
  if ([...results.values()].some(({ kind }) => kind === "failed_for_all")) return;
  results.set(calendarId, { kind: "done", result: undefined });
  try {
    yield* batches;
  } catch (error) {
    const failure = readFailure(error);
    if (failure.kind === "stopped") throw error;
    results.set(calendarId, failure);
  }
}
