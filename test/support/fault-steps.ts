import type { Service } from "../../src/service/service.js";
import { bufferOf, type Framing, formatAnswer, type WireAnswer } from "./http-bytes.js";

/** What a fault server does about one request, step by step. */

/** One request over one connection, as steps see it. */
export interface Exchange {
  readonly request: ReceivedRequest;
  /** Resolves once the whole request has come, or the peer has ended. */
  receive(): Promise<void>;
  /** Resolves when the bytes have been handed to the system. */
  write(bytes: Uint8Array): Promise<void>;
  /** Sends FIN and goes on reading. */
  halfClose(): void;
  /** Sends FIN behind what was written, and lets go of the connection. */
  close(): void;
  /** Sends RST. */
  reset(): void;
  /** No further connection is taken: whoever tries is refused. */
  leave(): Promise<void>;
  /** Resolves once the connection is gone. */
  readonly gone: Promise<void>;
  /** Resolves once the peer has given up: its time passes meanwhile. */
  outlast(): Promise<void>;
}

export interface ReceivedRequest {
  /** Position of its connection among the server's. */
  readonly connection: number;
  readonly method: string;
  /** As in the request line. */
  readonly target: string;
  /** The target without its query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty until the whole request has come. */
  readonly body: Buffer;
}

export type Step = (exchange: Exchange) => Promise<void> | void;

/** Steps in order. A connection that none of them ended waits for its next request. */
export type Script = readonly Step[];

/** An answer, or how one is found. */
export type Reply = WireAnswer | ((request: ReceivedRequest) => WireAnswer | Promise<WireAnswer>);

/** Waits for the whole request: otherwise steps begin with its head. */
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

/** Answers, but closes the connection after so many bytes. */
export function cut(answer: Reply, { at, framing = "length" }: Cut): Step {
  return async (exchange) => {
    await exchange.write((await bytesOf(exchange, answer, framing)).subarray(0, at));
    exchange.close();
  };
}

/** Finds the answer, so that whatever it does is done, and sends nothing of it. */
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

/** Sends bytes one by one, each in a turn of its own. */
export function drip(bytes: string | Uint8Array): Step {
  return async (exchange) => {
    for (const byte of Buffer.from(bytes)) await exchange.write(Buffer.of(byte));
  };
}

/** Sends one byte after the other until the peer gives up, which it does only after some: never silent, and never done. */
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

/** Lets the embedded service answer. */
export function byService(
  service: Pick<Service, "handle">,
): (request: ReceivedRequest) => Promise<WireAnswer> {
  return ({ method, target, headers, body }) =>
    service.handle({ method, target, headers, body }, { kind: "network", address: "127.0.0.1" });
}
