import type { Service } from "../../service/service.js";
import { bufferOf, type Framing, formatAnswer, type WireAnswer } from "./http-bytes.js";

/** The steps of a fault server's response to one request. */

/** One request over one connection, as steps see it. */
export interface Exchange {
  readonly request: ReceivedRequest;
  /** Resolves when the whole request has arrived, or the peer has ended. */
  receive(): Promise<void>;
  /** Resolves when the system has taken the bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends FIN and continues to read. */
  halfClose(): void;
  /** Sends FIN after what was written, and releases the connection. */
  close(): void;
  /** Sends RST. */
  reset(): void;
  /** Refuses new connections. */
  leave(): Promise<void>;
  /** Resolves when the connection is closed. */
  readonly gone: Promise<void>;
  /** Advances the peer's timers until it has given up. */
  outlast(): Promise<void>;
}

export interface ReceivedRequest {
  /** Index of its connection at the server. */
  readonly connection: number;
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  /** The target without its query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty until the whole request has arrived. */
  readonly body: Buffer;
}

export type Step = (exchange: Exchange) => Promise<void> | void;

/** Steps in order. If none of them ends the connection, it waits for the next request. */
export type Script = readonly Step[];

/** An answer, or a function that returns one. */
export type Reply = WireAnswer | ((request: ReceivedRequest) => WireAnswer | Promise<WireAnswer>);

/** Waits for the whole request: otherwise steps start when its head has arrived. */
export const receive: Step = (exchange) => exchange.receive();

/** Sends bytes as they are. */
export function send(bytes: string | Uint8Array): Step {
  return (exchange) => exchange.write(bufferOf(bytes));
}

/** Waits for the whole request and answers it. */
export function reply(answer: Reply, framing: Framing = "length"): Step {
  return async (exchange) => {
    await exchange.write(await bytesOf(exchange, answer, framing));
    if (framing === "close") exchange.close();
  };
}

export interface Cut {
  /** Number of bytes that are sent; below 0 it counts from the end. */
  readonly at: number;
  readonly framing?: Framing;
}

/** Answers, but closes the connection after a number of bytes. */
export function cut(answer: Reply, { at, framing = "length" }: Cut): Step {
  return async (exchange) => {
    await exchange.write((await bytesOf(exchange, answer, framing)).subarray(0, at));
    exchange.close();
  };
}

/** Computes the answer for its side effects, and sends nothing of it. */
export function apply(answer: Reply): Step {
  return async (exchange) => {
    await bytesOf(exchange, answer, "length");
  };
}

async function bytesOf(exchange: Exchange, answer: Reply, framing: Framing): Promise<Buffer> {
  await exchange.receive();
  return formatAnswer(typeof answer === "function" ? await answer(exchange.request) : answer, framing);
}

export const halfClose: Step = (exchange) => exchange.halfClose();
export const close: Step = (exchange) => exchange.close();
export const reset: Step = (exchange) => exchange.reset();
export const leave: Step = (exchange) => exchange.leave();

/** Does nothing more until the peer gives up. */
export const hang: Step = (exchange) => exchange.outlast();

/** Sends bytes one by one, each in its own turn of the event loop. */
export function drip(bytes: string | Uint8Array): Step {
  return async (exchange) => {
    for (const byte of Buffer.from(bytes)) await exchange.write(Buffer.of(byte));
  };
}

/** Sends one byte after the other until the peer gives up: never silent, and never complete. */
export function dripForever(byte: string): Step {
  return async (exchange) => {
    let over = false;
    void exchange.gone.then(() => {
      over = true;
    });
    for (let count = 1; !over; count += 1) {
      await exchange.write(Buffer.from(byte));
      await new Promise((resolve) => setImmediate(resolve));
      if (count === 20) void exchange.outlast();
    }
  };
}

/** Passes the request to the embedded service. */
export function byService(
  service: Pick<Service, "handle">,
): (request: ReceivedRequest) => Promise<WireAnswer> {
  return ({ method, target, headers, body }) =>
    service.handle({ method, target, headers, body }, { kind: "network", address: "127.0.0.1" });
}
