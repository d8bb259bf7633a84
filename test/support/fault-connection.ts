import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import { type ByteReader, createByteReader } from "./http-bytes.js";

/** PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** One connection of a server. */
export interface Connection {
  readonly raw: Socket;
  /** The stream to read and write: the raw socket, or TLS over it. */
  readonly stream: Socket;
  readonly reader: ByteReader;
  readonly gone: Promise<void>;
}

/** Begins to read from a socket; with a certificate it speaks TLS. */
export function openConnection(raw: Socket, tls?: Certificate): Connection {
  const stream = tls === undefined ? raw : speakTls(raw, tls);
  // This server resets connections on purpose.
  raw.on("error", () => undefined);
  stream.on("error", () => undefined);
  const gone = new Promise<void>((resolve) => {
    stream.on("close", () => resolve());
  });
  return { raw, stream, reader: createByteReader(stream), gone };
}

/** TLS that treats the raw socket like every other stream: over a socket it would swallow a reset. */
function speakTls(raw: Socket, tls: Certificate): TLSSocket {
  const bytes = Duplex.from({ readable: raw, writable: raw });
  bytes.on("error", () => undefined);
  // The type is a socket, but any stream works.
  return new TLSSocket(bytes as Socket, { isServer: true, secureContext: createSecureContext(tls) });
}
