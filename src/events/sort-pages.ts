import type { Event } from "../../contract/shapes.js";
import {
  compareKeyed,
  createKeyReader,
  dayOf,
  type KeyedEvent,
  type SortOptions,
  sortKeyed,
} from "./order.js";
import { readStart } from "./times.js";

/** Batches of events in the order of lists, of which each is read only when it is asked for. */
type EventBatches<T extends Event> = AsyncIterator<readonly KeyedEvent<T>[]>;

/**
 * Puts pages that are ordered by start into the order of lists. A day is passed on once no later event can be of it, so
 * that only a few days are held.
 */
export async function* sortPages<T extends Event>(
  pages: AsyncIterable<readonly T[]>,
  options: SortOptions,
): AsyncGenerator<readonly KeyedEvent<T>[]> {
  const withKey = createKeyReader(options);
  let held: readonly KeyedEvent<T>[] = [];
  for await (const page of pages) {
    held = sortKeyed([...held, ...page.map(withKey)]);
    const last = page.at(-1);
    const start = last === undefined ? null : readStart(last);
    if (start === null) continue;
    // The day of a later event is that of its start in UTC, or the one before or after.
    const open = dayOf(start) - 1;
    const first = held.findIndex(({ key }) => key === null || key.day >= open);
    const end = first === -1 ? held.length : first;
    yield held.slice(0, end);
    held = held.slice(end);
  }
  yield held;
}

/** What is left of a batch, and where the next ones come from. */
interface Source<T extends Event> {
  readonly batches: EventBatches<T>;
  batch: readonly KeyedEvent<T>[];
  position: number;
}

/**
 * Reads the first batch of each source with `prime`, and merges them into one list.
 * @param prime calls a function for each of the sources, several at a time
 */
export async function mergeSorted<T extends Event>(
  batches: readonly EventBatches<T>[],
  prime: (read: (source: Source<T>) => Promise<void>, sources: readonly Source<T>[]) => Promise<unknown>,
): Promise<AsyncIterable<readonly T[]>> {
  const sources = batches.map((each) => ({ batches: each, batch: [], position: 0 }));
  await prime(refill, sources);
  return merge(sources);
}

async function refill<T extends Event>(source: Source<T>): Promise<void> {
  while (source.position === source.batch.length) {
    const { value, done } = await source.batches.next();
    if (done === true) return;
    source.batch = value;
    source.position = 0;
  }
}

async function* merge<T extends Event>(sources: readonly Source<T>[]): AsyncGenerator<readonly T[]> {
  for (let open = sources.filter(hasNext); open.length > 0; open = open.filter(hasNext)) {
    yield takeUntilEmpty(open);
    for (const source of open) await refill(source);
  }
}

function hasNext<T extends Event>({ batch, position }: Source<T>): boolean {
  return position < batch.length;
}

/** The next events of all sources, until one of them has to be read on. */
function takeUntilEmpty<T extends Event>(sources: readonly Source<T>[]): readonly T[] {
  const taken: T[] = [];
  while (sources.every(hasNext)) {
    const heads = sources.flatMap((source) => {
      const head = source.batch[source.position];
      return head === undefined ? [] : [{ source, head }];
    });
    const first = heads.reduce((least, each) => (compareKeyed(each.head, least.head) < 0 ? each : least));
    first.source.position += 1;
    taken.push(first.head.event);
  }
  return taken;
}
