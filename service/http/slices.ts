import type { Socket } from "node:net";
import { Duplex, Readable } from "node:stream";

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
  async function* slices(): AsyncGenerator<Uint8Array> {
    for await (const chunk of socket) {
      for (let start = 0; start < chunk.byteLength; start += SLICE) {
        if (start > 0) await new Promise(setImmediate);
        const slice = chunk.subarray(start, start + SLICE);
        passed += slice.byteLength;
        yield slice;
      }
    }
  }
  const readable = Readable.from(slices(), { objectMode: false, highWaterMark: SLICE });
  const connection = Duplex.from({ readable, writable: socket });
  connection.once("close", () => socket.destroy());
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
