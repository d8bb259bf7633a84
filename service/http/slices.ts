import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Bytes of a connection that Node.js parses in a turn of the event loop. It takes up to 2 µs for a byte. */
const SLICE = 1024;

const NOTHING = new Uint8Array();

interface Chunk {
  readonly chunk: Uint8Array | string;
  readonly encoding: BufferEncoding;
}

/**
 * A connection as an HTTP server reads and writes it: what it receives is passed on in slices, one in each turn of the event loop.
 * Node.js would parse the 64 KiB that it reads from each connection at once, which can be thousands of requests or chunks. An HTTP
 * server takes any stream for a connection (`server.emit("connection", stream)`).
 * @param socket from which nothing was read yet
 */
export function createSlicedConnection(socket: Socket): Duplex {
  /** What was received and is not passed on yet; empty if there is nothing. Nothing more is read before it is. */
  let received = NOTHING;
  let isWanted = false;
  let isScheduled = false;
  // What is passed on while the HTTP server pauses would be parsed when it resumes, all at once.
  const mayPass = () => isWanted && !connection.isPaused() && !connection.destroyed;
  const passSlice = () => {
    const slice = received.subarray(0, SLICE);
    received = received.subarray(SLICE);
    if (received.byteLength === 0) socket.resume();
    isWanted = connection.push(slice);
  };
  const next = () => {
    if (isScheduled || received.byteLength === 0 || !mayPass()) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (mayPass()) passSlice();
      next();
    });
  };
  const connection = new Duplex({
    // The HTTP server writes heads as latin1.
    decodeStrings: false,
    read() {
      isWanted = true;
      next();
    },
    write: (chunk, encoding, done) => writeTogether(socket, [{ chunk, encoding }], done),
    writev: (chunks, done) => writeTogether(socket, chunks, done),
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
    if (mayPass() && chunk.byteLength <= SLICE) {
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
  return connection;
}

function writeTogether(socket: Socket, chunks: readonly Chunk[], done: (error?: Error | null) => void): void {
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
}
