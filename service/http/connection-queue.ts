import type { Socket } from "node:net";
import { createBudget, type Quota } from "../budget.js";
import { createInProgress } from "../in-progress.js";
import { createTurns } from "./turns.js";

/** Requests of one connection that wait for the one before them. Beyond that, nothing more is read from it. */
const MAX_WAITING = 16;

/**
 * Requests that wait, of all connections. Node.js parses whatever one read delivers, which can be thousands of short
 * requests at about 10 KB of memory each; a connection that goes beyond this is closed.
 */
const WAITING = { perClient: 4096, total: 16_384 };

/** One request that was read. */
interface QueuedRequest {
  readonly socket: Socket;
  /** Address of the client, whose waiting requests are limited. */
  readonly client: string;
  /** Whose turn it is. */
  readonly turn: string;
  /** Whether a body follows, of which Node.js buffers a part. */
  readonly hasBody: boolean;
  /** Handles it. Resolves with whether the connection stays open; does not reject. */
  readonly handle: () => Promise<boolean>;
}

export interface ConnectionQueue {
  /** Call it for every connection that is accepted. */
  noteConnection(): void;
  add(request: QueuedRequest): void;
  /** Resolves when no request is in progress or waits. */
  drain(): Promise<void>;
}

interface Connection {
  readonly waiting: QueuedRequest[];
  readonly quota: Quota;
  isStopped: boolean;
}

/**
 * Handles one request of a connection at a time, and those of the clients in turn. Otherwise those
 * that a client sends at once, on one connection (pipelining) or on many, would all run before another client's: SQLite
 * does its work in the callback in which a request was read. @see RFC 9112 §9.3.2
 */
export function createConnectionQueue(): ConnectionQueue {
  const budget = createBudget(WAITING);
  const turns = createTurns();
  const connections = new Map<Socket, Connection>();
  // What follows a response that closes its connection is never answered.
  const closing = new WeakSet<Socket>();
  const running = createInProgress();
  const run = async (first: QueuedRequest) => {
    const { socket, client, turn } = first;
    const connection: Connection = { waiting: [], quota: budget.open(client), isStopped: false };
    connections.set(socket, connection);
    let isOpen = await turns.run(turn, first.handle);
    for (;;) {
      const next = connection.waiting.shift();
      if (next === undefined || !isOpen || socket.destroyed) break;
      connection.quota.give(1);
      if (connection.isStopped && connection.waiting.length === 0) resumeReading(socket, connection);
      isOpen = await turns.run(next.turn, next.handle);
    }
    connections.delete(socket);
    connection.quota.close();
    if (!isOpen) closing.add(socket);
  };
  return {
    noteConnection: turns.noteConnection,
    add(request) {
      const { socket, hasBody } = request;
      if (closing.has(socket)) return;
      const connection = connections.get(socket);
      if (connection === undefined) {
        running.begin();
        void run(request).finally(running.end);
        return;
      }
      if (connection.quota.tryTake(1) !== null) {
        socket.destroy();
        return;
      }
      connection.waiting.push(request);
      if (hasBody || connection.waiting.length >= MAX_WAITING) stopReading(socket, connection);
    },
    drain: running.none,
  };
}

/** The HTTP server resumes a socket after every message, whatever still waits. */
function stopReading(socket: Socket, connection: Connection): void {
  if (connection.isStopped) return;
  connection.isStopped = true;
  socket.pause();
  socket.resume = () => socket;
}

function resumeReading(socket: Socket, connection: Connection): void {
  connection.isStopped = false;
  Reflect.deleteProperty(socket, "resume");
  socket.resume();
}
