import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { hashBearerToken } from "../authentication.js";
import { createBudget, type Quota } from "../budget.js";
import { createLine } from "../fair-queue.js";
import type { IncomingRequest, NetworkSource } from "../request.js";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { createClientFailures, formatLastResponse } from "./client-errors.js";
import { createConnectionQueue } from "./connection-queue.js";
import {
  hasSeveral,
  hasTooManyHeaders,
  isLargelyUnread,
  joinHeaders,
  MAX_HEADERS,
  readBody,
} from "./incoming-message.js";
import { badRequest, ProblemError, refuseExceeded } from "./response.js";
import { createSchedulingKeys } from "./scheduler.js";
import { sendResponse } from "./send-response.js";

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

/** Size of a body (bytes) from which on parsing it takes long enough to have a turn of the event loop. The largest takes about 10 ms. */
const LARGE_BODY = 16 * 1024;

/** Bytes of responses that clients have not received yet. The largest has 24 MiB of events. */
const RESPONSES = { perClient: 32 * MIB, total: 512 * MIB };

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
  /** The key by which it is scheduled. */
  readonly client: string;
}

/** Passes the requests of an HTTP server to the service and sends its responses. */
export function createRequestListener(service: Service, options: RequestListenerOptions) {
  const { addressOf, baseUrl, isCertified } = options;
  const queue = createConnectionQueue();
  const keys = createSchedulingKeys();
  const failures = createClientFailures();
  /** Of the clients, by connection. */
  const addresses = new WeakMap<Duplex, string>();
  let isDraining = false;
  const handle = createExchangeHandler(service, options, {
    keys,
    failures,
    isDraining: () => isDraining,
  });

  const add = (request: IncomingMessage, response: ServerResponse, expectation: Exchange["expectation"]) => {
    const { socket, headers } = request;
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(", ");
    const address = addressOf(socket.remoteAddress ?? "", forwarded);
    const tokenHash = hashBearerToken(headers.authorization);
    const source = { kind: "network", address, tokenHash, baseUrl, isCertified } as const;
    const key = keys.keyOf(address, tokenHash);
    const hasBody = "content-length" in headers || "transfer-encoding" in headers;
    const exchange = { request, response, source, expectation, client: key };
    queue.add({ socket, client: address, key, hasBody, handle: () => handle(exchange) });
  };

  const addFailure = (error: Error, socket: Duplex) => {
    const refusal = failures.note(error, socket);
    if (refusal === null) return;
    const address = addresses.get(socket) ?? "";
    const respond = async () => {
      const request = { method: "-", target: "-", headers: {}, body: new Uint8Array(), refusal };
      const response = await service.handle(request, { kind: "network", address, baseUrl });
      socket.end(formatLastResponse(response), () => socket.destroy());
      return false;
    };
    queue.add({ socket, client: address, key: keys.keyOf(address, null), hasBody: false, handle: respond });
  };

  const listener: RequestListener = (request, response) => add(request, response, null);
  return {
    /** Takes one request. */
    listener,
    /** Call it for every connection that is accepted. */
    noteConnection: queue.noteConnection,
    /** Reads requests from a connection. @param server that parses them, to which this listener is attached */
    readFrom(socket: Socket, server: Server): void {
      const address = addressOf(socket.remoteAddress ?? "", undefined);
      const connection = queue.connectionOf(socket, address);
      addresses.set(connection, address);
      server.emit("connection", connection);
    },
    /** Takes the requests of a server from now on, also those that Node.js would answer by itself. */
    attach(server: Server): void {
      server.on("request", listener);
      server.on("checkContinue", (request, response) => add(request, response, "100-continue"));
      server.on("checkExpectation", (request, response) => add(request, response, "unknown"));
      server.on("clientError", addFailure);
    },
    /** Resolves when no request is in progress. From now on, responses close their connection. */
    async drain(): Promise<void> {
      isDraining = true;
      await queue.drain();
    },
  };
}

interface ListenerState {
  readonly keys: ReturnType<typeof createSchedulingKeys>;
  readonly failures: ReturnType<typeof createClientFailures>;
  /** Whether the server ends: responses then close their connection. */
  readonly isDraining: () => boolean;
}

/** How far a request has come. */
interface Progress {
  /** What the body takes of its budget; null until it is read. */
  body: Quota | null;
  /** Bytes of the response that were taken before it was complete. */
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
  { keys, failures, isDraining }: ListenerState,
): (exchange: Exchange) => Promise<boolean> {
  const bodies = createBudget(BODIES.authenticated);
  const anonymousBodies = createBudget(BODIES.anonymous);
  const responses = createBudget(RESPONSES);
  const inTurn = createLine();
  /** Resolves in a turn of the event loop that no other large body has. */
  const waitForTurn = (client: string) =>
    new Promise<void>((resolve) => {
      void inTurn(client, async () => {
        resolve();
        await new Promise(setImmediate);
      });
    });

  const incomingOf = (exchange: Exchange, quota: Quota, progress: Progress): IncomingRequest => {
    const { request, response, source, expectation, client } = exchange;
    let budget = anonymousBodies;
    const onBegin = () => {
      if (expectation === "100-continue") response.writeContinue();
      progress.awaitsContinue = false;
    };
    return {
      method: request.method ?? "",
      target: request.url ?? "",
      headers: joinHeaders(request),
      client,
      refusal: refusalOf(exchange),
      async body() {
        progress.body = budget.open(source.address);
        const signal = failures.watch(request);
        const body = await readBody(request, { quota: progress.body, signal, onBegin });
        if (body.byteLength >= LARGE_BODY) await waitForTurn(client);
        return body;
      },
      onIdentified(userId) {
        keys.note(source.tokenHash ?? null, userId);
        if (userId !== null) budget = bodies;
      },
      admit: () => refuseExceeded(responses.exceeded(source.address)),
      reserve(size) {
        refuseExceeded(quota.tryTake(size));
        progress.reserved = size;
      },
    };
  };

  return async (exchange) => {
    const { request, response, source, expectation } = exchange;
    const quota = responses.open(source.address);
    const progress: Progress = { body: null, reserved: 0, awaitsContinue: expectation !== null };
    try {
      const handled = await service.handle(incomingOf(exchange, quota, progress), source);
      progress.body?.close();
      quota.take(handled.body.byteLength - progress.reserved);
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
      progress.body?.close();
      quota.close();
    }
  };
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
