import type { Socket } from "node:net";

/** Requests of one connection that wait for the one before them, at most: beyond that nothing more is read from it. */
const MAX_WAITING = 16;

/** Runs the work of one request when the requests before it on its connection are done. */
export type EnqueueRequest = (socket: Socket, work: () => Promise<void>) => Promise<void>;

/**
 * Handles one request of a connection at a time, and gives other connections a turn between two of them. Otherwise the
 * requests that a client sends at once (pipelining) would all run before another client's. @see RFC 9112 §9.3.2
 */
export function createConnectionQueue(): EnqueueRequest {
  const queues = new WeakMap<Socket, { waiting: number; last: Promise<void> }>();
  return (socket, work) => {
    const queue = queues.get(socket) ?? { waiting: 0, last: Promise.resolve() };
    queues.set(socket, queue);
    const isFirst = queue.waiting === 0;
    queue.waiting += 1;
    if (queue.waiting === MAX_WAITING) socket.pause();
    const previous = isFirst ? queue.last : queue.last.then(nextTurn);
    const done = previous
      .then(() => (socket.destroyed ? undefined : work()))
      .finally(() => {
        queue.waiting -= 1;
        if (queue.waiting === MAX_WAITING - 1) socket.resume();
      });
    queue.last = done.catch(() => undefined);
    return done;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
