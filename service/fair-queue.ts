/** What clients wait for. One of each client after the other is next. */
export function createFairQueue<T>() {
  /** By client; that of the one who was served longest ago is first. */
  const queues = new Map<string, T[]>();
  let last = "";
  return {
    add(client: string, item: T): void {
      const queue = queues.get(client);
      if (queue === undefined) queues.set(client, [item]);
      else queue.push(item);
    },
    /** Removes the next item, or the next one that may be taken. Undefined if there is none. */
    take(mayTake: (item: T) => boolean = () => true): T | undefined {
      const served = queues.get(last);
      // Behind those who came since.
      if (served !== undefined && queues.delete(last)) queues.set(last, served);
      for (const [client, queue] of queues) {
        const index = queue.findIndex(mayTake);
        if (index === -1) continue;
        last = client;
        const [item] = queue.splice(index, 1);
        if (queue.length === 0) queues.delete(client);
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

/**
 * Runs one piece of work at a time; clients take turns. Between two of them other events come in: work on an SQLite file waits for
 * nothing, so that they would come after all of it.
 */
export function createLine() {
  const waiting = createFairQueue<() => Promise<unknown>>();
  let isRunning = false;
  const runNext = () => {
    const work = waiting.take();
    isRunning = work !== undefined;
    void work?.().then(next, next);
  };
  const next = () => {
    if (waiting.clients() === 0) isRunning = false;
    else setImmediate(runNext);
  };
  return <T>(client: string, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(client, () => work().then(resolve, reject));
      if (!isRunning) runNext();
    });
}
