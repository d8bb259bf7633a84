import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createTurns } from "../../src/system/clock.js";
import { hashBearerToken } from "../authentication.js";
import { createLimit, type Limit } from "../concurrency-limit.js";
import type { IncomingRequest, NetworkSource } from "../request.js";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { createClientFailures, formatLastResponse } from "./client-errors.js";
import {
  hasSeveral,
  hasTooManyHeaders,
  isLargelyUnread,
  joinHeaders,
  MAX_HEADERS,
  readBody,
} from "./incoming-message.js";
import { badRequest, ProblemError } from "./response.js";
import { sendResponse } from "./send-response.js";
import { createSlicedConnection } from "./slices.js";

export interface RequestListenerOptions {
  readonly addressOf: ClientAddressReader;
  /** Public URL of the service. */
  readonly baseUrl: string;
  readonly isCertified?: ((host: string) => boolean) | undefined;
  /** How long a client may take to receive a response of a size in bytes (ms). */
  readonly sendTimeout?: ((size: number) => number) | undefined;
  /** How long it may take nothing of it (ms). */
  readonly stallTimeout?: number | undefined;
}

const MIB = 1024 * 1024;

/** Bytes of request bodies in memory: of clients with a valid token, and of those without one. */
const BODIES = {
  authenticated: { perClient: 8 * MIB, total: 64 * MIB },
  anonymous: { perClient: MIB, total: 16 * MIB },
};

/** Bytes of responses that clients have not received yet. The largest has 24 MiB of events. */
const RESPONSES = { perClient: 32 * MIB, total: 512 * MIB };

/** Requests of a connection that may wait for the response to the one before them. Each takes about 10 KB of memory. */
const MAX_PIPELINED = 16;

/** How long requests wait for connections that are being accepted (ms). */
const MAX_ACCEPTING = 25;

/** 30 seconds, and what a connection of 32 KB/s takes. */
const SEND_TIMEOUT = (size: number): number => 30_000 + size / 32;
const STALL_TIMEOUT = 30_000;

/** A request that a server has received, and what responds to it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly source: NetworkSource;
  /** What the client waits for before it sends the body. @see RFC 9110 §10.1.1 */
  readonly expectation: "100-continue" | "unknown" | null;
}

/** Passes the requests of an HTTP server to the service and sends its responses. */
export function createRequestListener(service: Service, options: RequestListenerOptions) {
  const { addressOf, baseUrl, isCertified } = options;
  const failures = createClientFailures();
  const connections = createConnections();
  /** Of the clients, by connection. */
  const addresses = new WeakMap<Duplex, string>();
  let isDraining = false;
  const handle = createExchangeHandler(service, options, { failures, isDraining: () => isDraining });

  const add = (request: IncomingMessage, response: ServerResponse, expectation: Exchange["expectation"]) => {
    const { socket, headers } = request;
    connections.run(socket, () => {
      const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(", ");
      const address = addressOf(socket.remoteAddress ?? "", forwarded);
      const tokenHash = hashBearerToken(headers.authorization);
      const source = { kind: "network", address, tokenHash, baseUrl, isCertified } as const;
      return handle({ request, response, source, expectation });
    });
  };

  const addFailure = (error: Error, socket: Duplex) => {
    const refusal = failures.note(error, socket);
    if (refusal === null) return;
    const address = addresses.get(socket) ?? "";
    connections.run(socket, async () => {
      const request = { method: "-", target: "-", headers: {}, body: new Uint8Array(), refusal };
      const response = await service.handle(request, { kind: "network", address, baseUrl });
      socket.end(formatLastResponse(response), () => socket.destroy());
      return false;
    });
  };

  return {
    /** Call it for every connection that is accepted. */
    noteConnection: connections.accept,
    /** Reads requests from a connection. @param server that parses them, to which this listener is attached */
    readFrom(socket: Socket, server: Server): void {
      const connection = createSlicedConnection(socket);
      addresses.set(connection, addressOf(socket.remoteAddress ?? "", undefined));
      server.emit("connection", connection);
    },
    /** Takes the requests of a server from now on, also those that Node.js would answer by itself. */
    attach(server: Server): void {
      server.on("request", (request, response) => add(request, response, null));
      server.on("checkContinue", (request, response) => add(request, response, "100-continue"));
      server.on("checkExpectation", (request, response) => add(request, response, "unknown"));
      server.on("clientError", addFailure);
    },
    /** Resolves when no request is in progress. From now on, responses close their connection. */
    async drain(): Promise<void> {
      isDraining = true;
      await connections.drain();
    },
  };
}

/**
 * Handles one request of a connection at a time, since responses are in order anyway. A connection that sends many more before it
 * receives responses is closed. @see RFC 9112 §9.3.2
 */
function createConnections() {
  const runInTurn = createTurns<Duplex>();
  /** Requests that have no response yet. */
  const pipelined = new Map<Duplex, number>();
  // What follows a response that closes its connection is never answered.
  const closing = new WeakSet<Duplex>();
  let onDrained: () => void = () => undefined;
  let isAccepting = false;
  /** Settles when no connection is accepted any more, or after a while; null if none was accepted. */
  let accepted: Promise<void> | null = null;
  const awaitOthers = async () => {
    const end = performance.now() + MAX_ACCEPTING;
    // The rest of this turn.
    await new Promise(setImmediate);
    do {
      isAccepting = false;
      await new Promise(setImmediate);
    } while (isAccepting && performance.now() < end);
    accepted = null;
  };
  const leave = (socket: Duplex) => {
    const left = (pipelined.get(socket) ?? 1) - 1;
    if (left > 0) pipelined.set(socket, left);
    else pipelined.delete(socket);
    if (pipelined.size === 0) onDrained();
  };
  return {
    /**
     * Call it for every connection that is accepted. There is one in each turn of the event loop: without a pause, those of other
     * clients would wait for the work of those before them.
     */
    accept(): void {
      isAccepting = true;
      accepted ??= awaitOthers();
    },
    /** @param handle resolves with whether the connection stays open; rejects when the client has disconnected */
    run(socket: Duplex, handle: () => Promise<boolean>): void {
      const waiting = pipelined.get(socket) ?? 0;
      if (waiting >= MAX_PIPELINED) socket.destroy();
      if (socket.destroyed || closing.has(socket)) return;
      pipelined.set(socket, waiting + 1);
      const handleNext = async () => {
        if (accepted !== null) await accepted;
        if (socket.destroyed || closing.has(socket)) return;
        // A client that disconnects is not a failure of the service.
        const isOpen = await handle().catch(() => void socket.destroy());
        if (isOpen !== true) closing.add(socket);
      };
      void runInTurn(socket, handleNext).finally(() => leave(socket));
    },
    /** Resolves when no request is in progress or waits. */
    drain: () =>
      new Promise<void>((resolve) => {
        onDrained = resolve;
        if (pipelined.size === 0) resolve();
      }),
  };
}

interface ListenerState {
  readonly failures: ReturnType<typeof createClientFailures>;
  /** Whether the server ends: responses then close their connection. */
  readonly isDraining: () => boolean;
}

/** How far a request has come. */
interface Progress {
  /** Gives back the memory of the body. */
  releaseBody: () => void;
  /** Bytes of the response that were taken. */
  reserved: number;
  /** Whether the client still waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
}

/**
 * Responds to requests, within the limits on memory for bodies and responses.
 * @returns a function that resolves when the client has the response, with whether the connection stays open
 */
function createExchangeHandler(
  service: Service,
  { sendTimeout = SEND_TIMEOUT, stallTimeout = STALL_TIMEOUT }: RequestListenerOptions,
  { failures, isDraining }: ListenerState,
): (exchange: Exchange) => Promise<boolean> {
  const bodies = createLimit(BODIES.authenticated);
  const anonymousBodies = createLimit(BODIES.anonymous);
  const responses = createLimit(RESPONSES);

  const incomingOf = (exchange: Exchange, progress: Progress): IncomingRequest => {
    const { request, response, expectation } = exchange;
    const { address } = exchange.source;
    let limit = anonymousBodies;
    return {
      method: request.method ?? "",
      target: request.url ?? "",
      headers: joinHeaders(request),
      refusal: refusalOf(exchange),
      body: () => {
        const held = holdOf(limit, address);
        progress.releaseBody = held.release;
        const onBegin = () => {
          if (expectation === "100-continue") response.writeContinue();
          progress.awaitsContinue = false;
        };
        return readBody(request, { take: held.take, signal: failures.watch(request), onBegin });
      },
      onIdentified(isAuthenticated) {
        if (isAuthenticated) limit = bodies;
      },
      admit: () => responses.take(address, 0),
      reserve(size) {
        responses.take(address, size);
        progress.reserved = size;
      },
    };
  };

  return async (exchange) => {
    const { request, response, expectation } = exchange;
    const { address } = exchange.source;
    const progress: Progress = {
      releaseBody: () => undefined,
      reserved: 0,
      awaitsContinue: expectation !== null,
    };
    try {
      const handled = await service.handle(incomingOf(exchange, progress), exchange.source);
      progress.releaseBody();
      responses.add(address, handled.body.byteLength - progress.reserved);
      progress.reserved = handled.body.byteLength;
      // Otherwise the next request would be taken for the rest of this one.
      const isCutOff =
        progress.awaitsContinue || failures.problemOf(request) !== undefined || hasTooManyHeaders(request);
      const isUnread = isLargelyUnread(request);
      if (isDraining() || isCutOff || isUnread) response.setHeader("connection", "close");
      const staysOpen = response.shouldKeepAlive && !response.hasHeader("connection");
      await sendResponse(request, response, {
        handled,
        timeout: sendTimeout(handled.body.byteLength),
        stallTimeout,
        discard: isCutOff || !isUnread ? null : () => failures.watch(request),
      });
      return staysOpen;
    } finally {
      progress.releaseBody();
      responses.add(address, -progress.reserved);
    }
  };
}

/** What one body takes of a limit. */
function holdOf(limit: Limit, client: string) {
  let held = 0;
  const release = () => {
    limit.add(client, -held);
    held = 0;
  };
  const take = (amount: number) => {
    try {
      limit.take(client, amount);
      held += amount;
    } catch (error) {
      // At once, so that others that arrive at the same time are not refused as well.
      release();
      throw error;
    }
  };
  return { take, release };
}

/** The problem of the head of a request, as far as the API does not check it; undefined if there is none. */
function refusalOf({ request, expectation }: Exchange): ProblemError | undefined {
  if (hasTooManyHeaders(request)) {
    return new ProblemError(431, { errors: `the request must have at most ${MAX_HEADERS} header lines` });
  }
  if (expectation === "unknown") {
    return new ProblemError(417, { errors: "the expectation must be 100-continue" });
  }
  // Older clients send none. @see RFC 9112 §3.2
  const needsHost = request.httpVersionMajor === 1 && request.httpVersionMinor >= 1;
  if (needsHost && request.headers.host === undefined) return badRequest("the request has no Host header");
  return hasSeveral(request, "authorization")
    ? badRequest("the request has more than one Authorization header")
    : undefined;
}
