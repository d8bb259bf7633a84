import type { IncomingMessage, ServerResponse } from "node:http";
import { createBudget, type Quota } from "../budget.js";
import type { NetworkSource } from "../request.js";
import type { Service } from "../service.js";
import type { ClientFailures } from "./client-errors.js";
import { isLargelyUnread, readBody } from "./request-body.js";
import { badRequest, ProblemError, refuseExceeded, type ServiceResponse } from "./response.js";
import { sendResponse } from "./send-response.js";
import type { TurnKeys } from "./turns.js";

/** A request that a server has received, and what responds to it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly source: NetworkSource;
  /** What the client waits for before it sends the body. @see RFC 9110 §10.1.1 */
  readonly expectation: "100-continue" | "unknown" | null;
  /** The key by which it took its turn. */
  readonly client: string;
}

export interface ExchangeOptions {
  readonly service: Service;
  readonly turnKeys: TurnKeys;
  readonly failures: ClientFailures;
  /** Whether the server ends: responses then close their connection. */
  readonly isDraining: () => boolean;
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

/** 30 seconds, and what a connection of 32 KB/s takes. */
const SEND_TIMEOUT = (size: number): number => 30_000 + size / 32;
/** How long a client may take nothing of a response (ms). */
const STALL_TIMEOUT = 30_000;

/**
 * Responds to requests, within the limits on memory for bodies and responses.
 * @returns a function that resolves when the client has the response, with whether the connection stays open
 */
export function createExchangeHandler(options: ExchangeOptions): (exchange: Exchange) => Promise<boolean> {
  const { service, turnKeys, failures } = options;
  const bodies = createBudget(BODIES.authenticated);
  const anonymousBodies = createBudget(BODIES.anonymous);
  const responses = createBudget(RESPONSES);

  const respond = (exchange: Exchange, quota: Quota, progress: Progress): Promise<ServiceResponse> => {
    const { request, response, source, expectation, client } = exchange;
    let budget = anonymousBodies;
    const onBegin = () => {
      if (expectation === "100-continue") response.writeContinue();
      progress.awaitsContinue = false;
    };
    const incoming = {
      method: request.method ?? "",
      target: request.url ?? "",
      headers: joinHeaders(request),
      client,
      refusal: refusalOf(exchange),
      body: () => {
        progress.body = budget.open(source.address);
        return readBody(request, { quota: progress.body, signal: failures.watch(request), onBegin });
      },
      onIdentified: (userId: string | null) => {
        turnKeys.note(source.tokenHash ?? null, userId);
        if (userId !== null) budget = bodies;
      },
      admit: () => refuseExceeded(responses.exceeded(source.address)),
      reserve: (size: number) => {
        refuseExceeded(quota.tryTake(size));
        progress.reserved = size;
      },
    };
    return service.handle(incoming, source);
  };

  return async (exchange) => {
    const { request, response, source, expectation } = exchange;
    const quota = responses.open(source.address);
    const progress: Progress = { body: null, reserved: 0, awaitsContinue: expectation !== null };
    try {
      const handled = await respond(exchange, quota, progress);
      progress.body?.close();
      quota.take(handled.body.byteLength - progress.reserved);
      // Otherwise the next request would be taken for the rest of this one.
      const isCutOff = progress.awaitsContinue || failures.problemOf(request) !== undefined;
      const isUnread = isLargelyUnread(request);
      if (options.isDraining() || isCutOff || isUnread) response.setHeader("connection", "close");
      const staysOpen = response.shouldKeepAlive && !response.hasHeader("connection");
      const { sendTimeout = SEND_TIMEOUT, stallTimeout = STALL_TIMEOUT } = options;
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

/** How far a request has come. */
interface Progress {
  /** What the body takes of its budget; null until it is read. */
  body: Quota | null;
  /** Bytes of the response that were taken before it was complete. */
  reserved: number;
  /** Whether the client still waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
}

/** The problem of the head of a request, as far as the API does not check it; undefined if there is none. */
function refusalOf({ request, expectation }: Exchange): ProblemError | undefined {
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

/**
 * Node.js already joins repeated headers, except set-cookie, which clients do not send, and those of which it keeps only
 * the first, such as host: several of them must be refused.
 */
function joinHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const { headers } = request;
  if (areJoined(headers) && !hasSeveral(request, "host")) return headers;
  const host = request.headersDistinct["host"];
  return Object.fromEntries(
    Object.entries({ ...headers, ...(host && { host }) }).map(([name, value]) => [
      name,
      [value ?? []].flat().join(", "),
    ]),
  );
}

function areJoined(
  headers: Readonly<NodeJS.Dict<string | string[]>>,
): headers is Readonly<Record<string, string>> {
  return headers["set-cookie"] === undefined;
}

/** Whether a header was sent more than once. @param name in lower case */
function hasSeveral({ rawHeaders }: IncomingMessage, name: string): boolean {
  const isName = (text: string, index: number) =>
    index % 2 === 0 && text.length === name.length && text.toLowerCase() === name;
  return rawHeaders.findIndex(isName) !== rawHeaders.findLastIndex(isName);
}
