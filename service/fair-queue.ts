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
 * Runs work in places, each for one piece at a time. Clients take turns, and of each one piece runs at a time. Between two pieces
 * other events come in: work on an SQLite file waits for nothing, so that they would come after all of it.
 */
export function createPlaces<P>(places: readonly P[]) {
  interface Waiting {
    readonly client: string;
    readonly run: (place: P) => Promise<unknown>;
  }
  const waiting = createFairQueue<Waiting>();
  const free = [...places];
  const served = new Set<string>();
  const runNext = () => {
    const [place] = free;
    const next = place === undefined ? undefined : waiting.take(({ client }) => !served.has(client));
    if (place === undefined || next === undefined) return;
    const { client, run } = next;
    free.shift();
    served.add(client);
    const leave = () => {
      free.unshift(place);
      served.delete(client);
      runNext();
    };
    const end = () => void (waiting.clients() === 0 ? leave() : setImmediate(leave));
    run(place).then(end, end);
  };
  return <T>(client: string, work: (place: P) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      waiting.add(client, { client, run: (place) => work(place).then(resolve, reject) });
      runNext();
    });
}

/** One place. */
export function createLine() {
  return createPlaces([null]);
}
