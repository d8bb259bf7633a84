import type { Socket } from "node:net";
import { Duplex, Writable } from "node:stream";

/** Bytes of a connection that Node.js parses in a turn of the event loop. It takes up to 2 µs for a byte. */
const SLICE = 1024;

/**
 * A connection as an HTTP server reads and writes it: what it receives is passed on in slices, one in each turn of the event loop.
 * Node.js would parse the 64 KiB that it reads from each connection at once, which can be thousands of requests or chunks. An HTTP
 * server takes any stream for a connection (`server.emit("connection", stream)`).
 * @param socket from which nothing was read yet
 */
export function createSlicedConnection(socket: Socket): Duplex {
  let passed = 0;
  let passNext: (() => void) | undefined;
  const connection = new Duplex({
    readableHighWaterMark: SLICE,
    // The HTTP server writes heads as latin1.
    decodeStrings: false,
    read() {
      const next = passNext;
      passNext = undefined;
      next?.();
    },
    write(chunk, encoding, done) {
      socket.write(chunk, encoding);
      whenTaken(socket, done);
    },
    // A head and its body together.
    writev(chunks, done) {
      socket.cork();
      for (const { chunk, encoding } of chunks) socket.write(chunk, encoding);
      socket.uncork();
      whenTaken(socket, done);
    },
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  const pass = (chunk: Uint8Array, done: () => void) => {
    const rest = chunk.subarray(SLICE);
    passed += chunk.byteLength - rest.byteLength;
    const next = rest.byteLength === 0 ? done : () => void setImmediate(pass, rest, done);
    if (connection.push(chunk.subarray(0, SLICE))) next();
    else passNext = next;
  };
  const slicer = new Writable({
    highWaterMark: SLICE,
    write: (chunk, _encoding, done) => pass(chunk, done),
    final(done) {
      connection.push(null);
      done();
    },
  });
  socket.pipe(slicer);
  socket.on("error", (error) => connection.destroy(error));
  socket.on("close", () => connection.destroy());
  socket.on("timeout", () => connection.emit("timeout"));
  // What an HTTP server uses of a socket, where it is one, and we of the sockets of requests.
  Object.assign(connection, {
    remoteAddress: socket.remoteAddress,
    setTimeout: (time: number) => socket.setTimeout(time),
    destroySoon: () => connection.end(() => connection.destroy()),
  });
  return Object.defineProperty(connection, "bytesRead", { get: () => passed - connection.readableLength });
}

/** Usually the system takes everything at once. */
function whenTaken(socket: Socket, done: () => void): void {
  if (socket.writableNeedDrain) socket.once("drain", done);
  else done();
}
