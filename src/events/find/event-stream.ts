import type { Event } from "../../../contract/shapes.js";
import { firstFailure, type ItemResult, readFailure, reportMissing } from "../../cli/items.js";
import type { Output } from "../../output/view.js";
import type { Run } from "../../run/run.js";
import type { LocalizedEvent } from "../localized-event.js";
import { filterEvents, type KeyedEvent, mergeSorted, type SortOptions, sortPages } from "../order.js";
import type { EventQuery } from "./event-query.js";
import { CALENDARS_READ, createEventReader } from "./event-reader.js";

/**
 * Reads the first page of each calendar, and prints events as the other pages arrive, in the order of the list: of each
 * calendar, a page and a few days are held. A calendar that fails ends, and the others go on; those that were not begun
 * are left out if they would fail for the same reason.
 * @returns whether there was nothing to print
 * @throws CliError when something is missing
 */
export async function streamEvents(
  run: Run,
  query: EventQuery,
  { stream, limit }: StreamOptions,
): Promise<boolean> {
  const { timezone: zone } = run.config.settings();
  const options = { zone, firstDay: query.days.first };
  const opened = await openStream(run, query, options);
  const { localize, noteMissingKeeps, merged, filter, attempts } = opened;
  noteMissingKeeps();
  let printed = 0;
  for await (const batch of merged) {
    const events = filterEvents(batch, filter, zone).slice(0, limit - printed);
    printed += events.length;
    // Nobody reads the rest.
    if (!(await stream(events.map(localize)))) return false;
    if (printed === limit) break;
  }
  reportMissing(attempts(), { ...CALENDARS_READ, warn: run.output.warn });
  return printed === 0;
}

interface StreamOptions {
  readonly stream: NonNullable<Output<LocalizedEvent>["stream"]>;
  /** How many events are printed at most. */
  readonly limit: number;
}

async function openStream(run: Run, query: EventQuery, options: SortOptions) {
  const reader = await createEventReader(run, query);
  const { calendars, filterOf } = reader;
  const results: CalendarResults = new Map();
  const sources = calendars.map(({ id }) =>
    readUntilFailure(id, sortPages(reader.pages(id), options), results),
  );
  const merged = await mergeSorted(sources, async (read, all) => {
    const stopped = await firstFailure(all, read);
    if (stopped !== undefined) throw stopped;
  });
  const attempts = () => calendars.map((item) => ({ item, result: results.get(item.id) }));
  const filter = filterOf(attempts().every(({ result }) => result?.kind === "done"));
  return { ...reader, merged, filter, attempts };
}

/** By calendar; without those that were not begun. */
type CalendarResults = Map<string, ItemResult<void>>;

/**
 * The same batches, which end at a failure; none after a failure that every calendar would have.
 * @throws an interruption or an unexpected error
 */
async function* readUntilFailure(
  calendarId: string,
  batches: AsyncIterable<readonly KeyedEvent<Event>[]>,
  results: CalendarResults,
): AsyncGenerator<readonly KeyedEvent<Event>[]> {
  if ([...results.values()].some(({ kind }) => kind === "failed_for_all")) return;
  results.set(calendarId, { kind: "done", value: undefined });
  try {
    yield* batches;
  } catch (error) {
    const failure = readFailure(error);
    if (failure.kind === "stopped") throw error;
    results.set(calendarId, failure);
  }
}
