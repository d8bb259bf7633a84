import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createBudget, type Quota } from "../budget.js";
import { createFairQueue } from "../fair-queue.js";
import { createScheduler } from "./scheduler.js";
import { AT_ONCE, createSlicedReading, type SlicedConnection } from "./slices.js";

/** Requests of one connection that wait for the one before them. Beyond that, nothing more is read from it. */
const MAX_WAITING = 16;

/**
 * Requests that wait, of all connections, each about 10 KB of memory. One slice of what was received can bring a hundred; a connection
 * that goes beyond this is closed.
 */
const WAITING = { perClient: 4096, total: 16_384 };

/** One request that was read. */
interface QueuedRequest {
  readonly socket: Duplex;
  /** Address of the client, whose waiting requests are limited. */
  readonly client: string;
  /** By which it is scheduled. */
  readonly key: string;
  /** Whether a body follows, of which Node.js buffers a part. */
  readonly hasBody: boolean;
  /** Handles it. Resolves with whether the connection stays open; rejects when the client has disconnected. */
  readonly handle: () => Promise<boolean>;
}

interface Connection {
  readonly waiting: QueuedRequest[];
  readonly quota: Quota;
}

/**
 * Handles one request of a connection at a time, and those of the clients in turn. Otherwise those
 * that a client sends at once, on one connection (pipelining) or on many, would all run before another client's: SQLite
 * does its work in the callback in which a request was read. @see RFC 9112 §9.3.2
 */
export function createConnectionQueue() {
  const budget = createBudget(WAITING);
  const scheduler = createScheduler();
  /** Those with a request in progress. */
  const connections = new Map<Duplex, Connection>();
  /** What was received, by client. */
  const slices = createFairQueue<() => number>();
  const readInSlices = createSlicedReading((client, parse) => {
    slices.add(client, parse);
    void scheduler.run("slices", async () => {
      for (let bytes = 0; bytes < AT_ONCE && slices.size() > 0; ) bytes += slices.take()?.() ?? 0;
    });
  });
  const readings = new WeakMap<Duplex, SlicedConnection>();
  // What follows a response that closes its connection is never answered.
  const closing = new WeakSet<Duplex>();
  let onDrained: () => void = () => undefined;
  const run = async (first: QueuedRequest) => {
    const { socket, client } = first;
    const connection: Connection = { waiting: [], quota: budget.open(client) };
    connections.set(socket, connection);
    const handle = ({ key, handle }: QueuedRequest) =>
      // A client that disconnects is not a failure of the service.
      scheduler.run(key, handle).catch(() => {
        socket.destroy();
        return false;
      });
    let isOpen = await handle(first);
    for (;;) {
      const next = connection.waiting.shift();
      if (next === undefined || !isOpen || socket.destroyed) break;
      connection.quota.give(1);
      if (connection.waiting.length === 0) readings.get(socket)?.goOn();
      isOpen = await handle(next);
    }
    connections.delete(socket);
    connection.quota.close();
    if (!isOpen) closing.add(socket);
    if (connections.size === 0) onDrained();
  };
  return {
    /** Call it for every connection that is accepted. */
    noteConnection: scheduler.noteConnection,
    /** The connection from which an HTTP server is to read requests. */
    connectionOf(socket: Socket, client: string): Duplex {
      const reading = readInSlices(socket, client);
      readings.set(reading.connection, reading);
      return reading.connection;
    },
    add(request: QueuedRequest): void {
      const { socket, hasBody } = request;
      if (closing.has(socket)) return;
      const connection = connections.get(socket);
      if (connection === undefined) return void run(request);
      if (connection.quota.tryTake(1) !== null) {
        socket.destroy();
        return;
      }
      connection.waiting.push(request);
      if (hasBody || connection.waiting.length >= MAX_WAITING) readings.get(socket)?.hold();
    },
    /** Resolves when no request is in progress or waits. */
    drain: () =>
      new Promise<void>((resolve) => {
        onDrained = resolve;
        if (connections.size === 0) resolve();
      }),
  };
}
