import type { Socket } from "node:net";

/**
 * Bytes of a connection that Node.js parses at a time. It makes objects of each request, header and chunk, which takes up to 2 µs
 * for a byte.
 */
const SLICE = 4096;

/** Bytes of all connections that are parsed as they arrive, in each turn of the event loop: those of small requests. */
const AT_ONCE = 16 * 1024;

/** Runs work of a client in one of the next turns of the event loop. */
type TakeTurn = (client: string, work: () => Promise<void>) => void;

/**
 * Passes on what connections receive in slices, those of each client in turn. Node.js would parse the 64 KiB that it reads from each
 * connection at once, which can be thousands of requests or chunks.
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
  /**
   * @param socket of an HTTP server that has not read from it yet
   * @returns what holds the reading and lets it go on, whatever the HTTP server asks for
   */
  return (socket: Socket, client: string) => {
    /** Not passed on yet; null is the end. */
    const received: (Uint8Array | null)[] = [];
    let isHeld = false;
    let isPaused = false;
    let isScheduled = false;
    const push = socket.push.bind(socket);
    const read = socket._read.bind(socket);
    const takeSlice = () => {
      const [first = null] = received;
      if (first === null || first.byteLength <= SLICE) received.shift();
      else received[0] = first.subarray(SLICE);
      return first === null ? null : first.subarray(0, SLICE);
    };
    const next = () => {
      if (isScheduled || isHeld || isPaused || received.length === 0) return;
      isScheduled = true;
      takeTurn(client, async () => {
        isScheduled = false;
        if (!isHeld && !isPaused && !socket.destroyed) push(takeSlice());
      });
    };
    // The HTTP server reads past the stream, unless somebody else listens.
    const ignore = () => undefined;
    socket.on("data", ignore).off("data", ignore);
    Object.assign(socket, {
      push(chunk: Uint8Array | null): boolean {
        const isFirst = received.length === 0 && !isHeld && !isPaused;
        if (isFirst && mayPassAtOnce(chunk?.byteLength ?? 0)) return push(chunk);
        received.push(chunk);
        next();
        // Nothing is read until it is asked for.
        return false;
      },
      _read(size: number): void {
        if (received.length === 0) read(size);
        else next();
      },
      // The HTTP server calls them for the body of a request, and resumes after each message.
      pause(): Socket {
        isPaused = true;
        return socket;
      },
      resume(): Socket {
        isPaused = false;
        next();
        return socket;
      },
    });
    return {
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
