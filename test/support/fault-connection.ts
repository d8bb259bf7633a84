import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import { type ByteReader, createByteReader } from "./http-bytes.js";

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** One connection of a server, as the server holds it. */
export interface Connection {
  readonly raw: Socket;
  /** What is read and written: the raw socket, or TLS over it. */
  readonly stream: Socket;
  readonly reader: ByteReader;
  readonly gone: Promise<void>;
}

/** Begins to read from a socket; with a certificate it speaks TLS. */
export function openConnection(raw: Socket, tls?: Certificate): Connection {
  const stream = tls === undefined ? raw : speakTls(raw, tls);
  // Resets are what this server is for.
  raw.on("error", () => undefined);
  stream.on("error", () => undefined);
  const gone = new Promise<void>((resolve) => {
    stream.on("close", () => resolve());
  });
  return { raw, stream, reader: createByteReader(stream), gone };
}

/** TLS that takes the raw socket for just any stream: over a socket of its own it would swallow a reset. */
function speakTls(raw: Socket, tls: Certificate): TLSSocket {
  const bytes = Duplex.from({ readable: raw, writable: raw });
  bytes.on("error", () => undefined);
  // The types ask for a socket; any stream does.
  return new TLSSocket(bytes as Socket, { isServer: true, secureContext: createSecureContext(tls) });
}
