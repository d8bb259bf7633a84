/** What clients wait for. One of each client after the other is next. */
export function createFairQueue<T>() {
  /** By client; that of the one who was served longest ago is first. */
  const queues = new Map<string, T[]>();
  return {
    add(client: string, item: T): void {
      const queue = queues.get(client);
      if (queue === undefined) queues.set(client, [item]);
      else queue.push(item);
    },
    /** Removes the next item, or the next one that may be taken. Undefined if there is none. */
    take(mayTake: (item: T) => boolean = () => true): T | undefined {
      for (const [client, queue] of queues) {
        const index = queue.findIndex(mayTake);
        if (index === -1) continue;
        queues.delete(client);
        const [item] = queue.splice(index, 1);
        if (queue.length > 0) queues.set(client, queue);
        return item;
      }
      return undefined;
    },
    /** Removes an item that waits no longer. */
    remove(client: string, item: T): void {
      const others = (queues.get(client) ?? []).filter((each) => each !== item);
      if (others.length === 0) queues.delete(client);
      else queues.set(client, others);
    },
    /** How many clients wait. */
    clients: () => queues.size,
    /** How many items wait. */
    size: () => [...queues.values()].reduce((sum, { length }) => sum + length, 0),
  };
}

/** How long work of a line goes on without a turn of the event loop (ms). */
const TURN_LENGTH = 5;

/**
 * Runs one piece of work at a time; clients take turns. Work that waits for nothing, such as queries of SQLite, leaves turns of the
 * event loop to others.
 * @param clock milliseconds that only grow
 */
export function createLine(clock: () => number = () => performance.now()) {
  const waiting = createFairQueue<() => Promise<unknown>>();
  let isRunning = false;
  let end = 0;
  const runNext = () => {
    const work = waiting.take();
    isRunning = work !== undefined;
    void work?.().then(next, next);
  };
  const begin = () => {
    end = clock() + TURN_LENGTH;
    runNext();
  };
  const next = () => {
    if (clock() < end) runNext();
    else setImmediate(begin);
  };
  return <T>(client: string, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(client, () => work().then(resolve, reject));
      if (isRunning) return;
      isRunning = true;
      begin();
    });
}
