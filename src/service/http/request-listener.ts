import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { NetworkSource } from "../request.js";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { createBudget } from "./budget.js";
import { createClientFailures, formatLastResponse } from "./client-errors.js";
import { createConnectionQueue } from "./connection-queue.js";
import { isLargelyUnread, readBody } from "./request-body.js";
import { badRequest, ProblemError, refuseExceeded } from "./response.js";
import { sendResponse } from "./send-response.js";
import { createTurnKeys } from "./turns.js";

export interface DrainableListener {
  /** Takes one request. */
  readonly listener: RequestListener;
  /** Takes the connections and requests of a server from now on, also those that Node.js would answer by itself. */
  attach(server: Server): void;
  /** Resolves when no request is in progress. From now on, responses close their connection. */
  drain(): Promise<void>;
}

export interface RequestListenerOptions {
  readonly addressOf: ClientAddressReader;
  /** Public URL of the service. */
  readonly baseUrl: string;
  /** How long a client may take to receive a response of a size in bytes (ms). */
  readonly sendTimeout?: ((size: number) => number) | undefined;
  /** How long it may take nothing of it (ms). */
  readonly stallTimeout?: number | undefined;
  readonly isCertified?: ((host: string) => boolean) | undefined;
}

const MIB = 1024 * 1024;

/** Bytes of request bodies in memory: of clients with a valid token, and of those without one. */
const BODIES = {
  authenticated: { perClient: 8 * MIB, total: 64 * MIB },
  anonymous: { perClient: MIB, total: 16 * MIB },
};

/** Bytes of responses that clients have not received yet. The largest has 24 MiB of events. */
const RESPONSES = { perClient: 32 * MIB, total: 512 * MIB };

/** 30 seconds, and what a connection of 32 KB/s takes. */
const SEND_TIMEOUT = (size: number): number => 30_000 + size / 32;
/** How long a client may take nothing of a response (ms). */
const STALL_TIMEOUT = 30_000;

/** Passes the requests of an HTTP server to the service and sends its responses. */
export function createRequestListener(service: Service, options: RequestListenerOptions): DrainableListener {
  const {
    addressOf,
    baseUrl,
    isCertified,
    sendTimeout = SEND_TIMEOUT,
    stallTimeout = STALL_TIMEOUT,
  } = options;
  const queue = createConnectionQueue();
  const turnKeys = createTurnKeys();
  const bodies = createBudget(BODIES.authenticated);
  const anonymousBodies = createBudget(BODIES.anonymous);
  const responses = createBudget(RESPONSES);
  const failures = createClientFailures();
  let draining = false;

  const handle = async (exchange: Exchange) => {
    const { request, response, source, expectation } = exchange;
    const { address } = source;
    let body = anonymousBodies.open(address);
    const share = responses.open(address);
    let reserved = 0;
    let awaitsContinue = expectation !== null;
    const failed = failures.watch(request);
    const readOwnBody = () => {
      const onBegin = () => {
        if (expectation === "100-continue") response.writeContinue();
        awaitsContinue = false;
      };
      return readBody(request, { share: body, signal: failed, onBegin });
    };
    const handled = await service
      .handle(
        {
          method: request.method ?? "",
          target: request.url ?? "",
          headers: joinHeaders(request),
          refusal: refusalOf(exchange),
          body: readOwnBody,
          onIdentified: (userId) => {
            turnKeys.note(request.headers.authorization, userId);
            if (userId !== null) body = bodies.open(address);
          },
          admit: () => refuseExceeded(responses.exceeded(address)),
          reserve: (size) => {
            refuseExceeded(share.tryTake(size));
            reserved = size;
          },
        },
        source,
      )
      .finally(() => body.close());
    share.take(handled.body.byteLength - reserved);
    try {
      // Otherwise the next request would be taken for the rest of this one.
      const isCutOff = awaitsContinue || failed.aborted;
      if (draining || isCutOff || isLargelyUnread(request)) response.setHeader("connection", "close");
      const staysOpen = response.shouldKeepAlive && !response.hasHeader("connection");
      await sendResponse(request, response, {
        ...handled,
        timeout: sendTimeout(handled.body.byteLength),
        stallTimeout,
        discard: isCutOff ? null : failed,
      });
      return staysOpen;
    } finally {
      share.close();
    }
  };

  const add = (request: IncomingMessage, response: ServerResponse, expectation: Exchange["expectation"]) => {
    const { socket, headers } = request;
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(", ");
    const address = addressOf(socket.remoteAddress ?? "", forwarded);
    const source = { kind: "network", address, baseUrl, isCertified } as const;
    queue.add({
      socket,
      client: address,
      turn: turnKeys.keyOf(address, headers.authorization),
      hasBody: "content-length" in headers || "transfer-encoding" in headers,
      handle: () =>
        handle({ request, response, source, expectation }).catch(() => {
          // A client that disconnects is not a failure of the service.
          socket.destroy();
          return false;
        }),
    });
  };

  const addFailure = (error: Error, socket: Socket) => {
    const problem = failures.note(error, socket);
    if (problem === null) return;
    const address = addressOf(socket.remoteAddress ?? "", undefined);
    const handleFailure = async () => {
      const request = { method: "-", target: "-", headers: {}, body: new Uint8Array(), refusal: problem };
      socket.write(formatLastResponse(await service.handle(request, { kind: "network", address, baseUrl })));
      socket.destroySoon();
      return false;
    };
    const turn = turnKeys.keyOf(address, undefined);
    queue.add({
      socket,
      client: address,
      turn,
      hasBody: false,
      handle: () =>
        handleFailure().catch(() => {
          socket.destroy();
          return false;
        }),
    });
  };

  const listener: RequestListener = (request, response) => add(request, response, null);
  return {
    listener,
    attach(server) {
      server.on("connection", queue.noteConnection);
      server.on("request", listener);
      server.on("checkContinue", (request, response) => add(request, response, "100-continue"));
      server.on("checkExpectation", (request, response) => add(request, response, "unknown"));
      server.on("clientError", (error, socket) => {
        if (socket instanceof Socket) addFailure(error, socket);
      });
    },
    drain() {
      draining = true;
      return queue.drain();
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly source: NetworkSource;
  /** What the client waits for before it sends the body. @see RFC 9110 §10.1.1 */
  readonly expectation: "100-continue" | "unknown" | null;
}

/** The problem of the head of a request, as far as the API does not check it; undefined if there is none. */
function refusalOf({ request, expectation }: Exchange): ProblemError | undefined {
  if (expectation === "unknown") {
    return new ProblemError(417, { errors: "the expectation must be 100-continue" });
  }
  // Older clients send none. @see RFC 9112 §3.2
  const needsHost = request.httpVersionMajor === 1 && request.httpVersionMinor >= 1;
  return needsHost && request.headers.host === undefined
    ? badRequest("the request has no Host header")
    : undefined;
}

/**
 * Node.js already joins repeated headers, except set-cookie, which clients do not send, and those of which it keeps only
 * the first, such as host: several of them must be refused.
 */
function joinHeaders({ headers, headersDistinct }: IncomingMessage): Record<string, string> {
  const host = headersDistinct["host"];
  return Object.fromEntries(
    Object.entries({ ...headers, ...(host && { host }) }).map(([name, value]) => [
      name,
      [value ?? []].flat().join(", "),
    ]),
  );
}
