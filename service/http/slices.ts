import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * Bytes of a connection that Node.js parses at a time. It makes objects of each request, header and chunk, which takes up to 2 µs
 * for a byte.
 */
const SLICE = 4096;

/** Bytes of small requests that are parsed as they arrive, in each turn of the event loop, and of slices that had to wait. */
export const AT_ONCE = 16 * 1024;

const NOTHING = new Uint8Array();

/** Runs work of a client in one of the next turns of the event loop. The work returns how many bytes were parsed. */
type TakeTurn = (client: string, work: () => number) => void;

interface Chunk {
  readonly chunk: Uint8Array | string;
  readonly encoding: BufferEncoding;
}

/** A connection as an HTTP server reads and writes it. */
export interface SlicedConnection {
  readonly connection: Duplex;
  /** Passes nothing on, however much the HTTP server would take. */
  hold(): void;
  /** Ends that. */
  goOn(): void;
}

/**
 * Passes on what connections receive in slices, those of each client in turn. Node.js would parse the 64 KiB that it reads from each
 * connection at once, which can be thousands of requests or chunks. An HTTP server takes any stream for a connection
 * (`server.emit("connection", stream)`).
 */
export function createSlicedReading(takeTurn: TakeTurn) {
  let atOnce = 0;
  const mayPassAtOnce = (bytes: number): boolean => {
    if (bytes > SLICE || atOnce + bytes > AT_ONCE) return false;
    if (atOnce === 0) {
      setImmediate(() => {
        atOnce = 0;
      });
    }
    atOnce += bytes;
    return true;
  };
  /** @param socket from which nothing was read yet */
  return (socket: Socket, client: string): SlicedConnection => {
    /** What was received and is not passed on yet; empty if there is nothing. Nothing more is read before it is. */
    let received = NOTHING;
    let isWanted = false;
    let isHeld = false;
    let isScheduled = false;
    // What is passed on while the HTTP server pauses would be parsed when it resumes, without a turn.
    const mayPass = () => isWanted && !isHeld && !connection.isPaused() && !connection.destroyed;
    const passSlice = (): number => {
      const slice = received.subarray(0, SLICE);
      received = received.subarray(SLICE);
      if (received.byteLength === 0) socket.resume();
      isWanted = connection.push(slice);
      return slice.byteLength;
    };
    const next = () => {
      if (isScheduled || received.byteLength === 0 || !mayPass()) return;
      isScheduled = true;
      takeTurn(client, () => {
        isScheduled = false;
        const bytes = mayPass() ? passSlice() : 0;
        next();
        return bytes;
      });
    };
    const write = (chunks: readonly Chunk[], done: (error?: Error | null) => void) => {
      let isTaken = false;
      const note = (error?: Error | null) => {
        if (!isTaken) done(error);
        isTaken = true;
      };
      socket.cork();
      chunks.forEach(({ chunk, encoding }, index) => {
        socket.write(chunk, encoding, index === chunks.length - 1 ? note : undefined);
      });
      socket.uncork();
      // Usually the system takes it at once, of which the callback hears later.
      if (socket.writableLength === 0) note();
    };
    const connection = new Duplex({
      // The HTTP server writes heads as latin1.
      decodeStrings: false,
      readableHighWaterMark: SLICE,
      read() {
        isWanted = true;
        next();
      },
      write(chunk, encoding, done) {
        write([{ chunk, encoding }], done);
      },
      writev: write,
      final(done) {
        socket.end(done);
      },
      destroy(error, done) {
        socket.destroy();
        done(error);
      },
    });
    connection.on("resume", next);
    socket.on("data", (chunk) => {
      if (mayPass() && mayPassAtOnce(chunk.byteLength)) {
        isWanted = connection.push(chunk);
        return;
      }
      received = chunk;
      socket.pause();
      next();
    });
    socket.on("end", () => connection.push(null));
    socket.on("error", (error) => connection.destroy(error));
    socket.on("close", () => connection.destroy());
    socket.on("timeout", () => connection.emit("timeout"));
    // What an HTTP server uses of a socket, where it is one, and we of the sockets of requests.
    Object.assign(connection, {
      remoteAddress: socket.remoteAddress,
      setTimeout: (time: number) => socket.setTimeout(time),
      destroySoon: () => connection.end(() => connection.destroy()),
    });
    Object.defineProperty(connection, "bytesRead", {
      get: () => socket.bytesRead - socket.readableLength - received.byteLength,
    });
    return {
      connection,
      hold(): void {
        isHeld = true;
      },
      goOn(): void {
        isHeld = false;
        next();
      },
    };
  };
}
