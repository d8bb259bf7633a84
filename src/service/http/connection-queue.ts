import type { Socket } from "node:net";
import { createBudget, type Share } from "./budget.js";

/** Requests of one connection that wait for the one before them. Beyond that, nothing more is read from it. */
const MAX_WAITING = 16;

/**
 * Requests that wait, of all connections. Node.js parses whatever one read delivers, which can be thousands of short
 * requests at about 10 KB of memory each; a connection that goes beyond this is closed.
 */
const WAITING = { perClient: 4096, total: 16_384 };

/** What handles one request. It does not reject. */
type Work = () => Promise<void>;

export interface ConnectionQueue {
  add(socket: Socket, work: Work): void;
  /** Resolves when no request is in progress or waits. */
  drain(): Promise<void>;
}

/**
 * Handles one request of a connection at a time, and gives other connections a turn between two of them. Otherwise the
 * requests that a client sends at once (pipelining) would all run before another client's. @see RFC 9112 §9.3.2
 */
export function createConnectionQueue(): ConnectionQueue {
  const budget = createBudget(WAITING);
  const queues = new Map<Socket, { readonly waiting: Work[]; readonly share: Share }>();
  const running = new Set<Promise<void>>();
  const run = async (socket: Socket, work: Work) => {
    const waiting: Work[] = [];
    const share = budget.open(socket.remoteAddress ?? "");
    queues.set(socket, { waiting, share });
    await work();
    for (let next = waiting.shift(); next !== undefined && !socket.destroyed; next = waiting.shift()) {
      share.give(1);
      if (waiting.length === MAX_WAITING - 1) resumeReading(socket);
      await nextTurn();
      await next();
    }
    queues.delete(socket);
    share.close();
  };
  return {
    add(socket, work) {
      const queue = queues.get(socket);
      if (queue === undefined) {
        const done = run(socket, work).finally(() => running.delete(done));
        running.add(done);
        return;
      }
      try {
        queue.share.take(1);
      } catch {
        socket.destroy();
        return;
      }
      queue.waiting.push(work);
      if (queue.waiting.length === MAX_WAITING) stopReading(socket);
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** The HTTP server resumes a socket after every response, whatever still waits. */
function stopReading(socket: Socket): void {
  socket.pause();
  socket.resume = () => socket;
}

function resumeReading(socket: Socket): void {
  Reflect.deleteProperty(socket, "resume");
  socket.resume();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
