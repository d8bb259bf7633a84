import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { finished, pipeline } from "node:stream/promises";
import type { NetworkSource } from "../request.js";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { createBudget } from "./budget.js";
import { createConnectionQueue } from "./connection-queue.js";
import { discardBody, isLargelyUnread, readBody } from "./request-body.js";
import { refuseExceeded, type ServiceResponse } from "./response.js";
import { createTurnKeys } from "./turns.js";

export interface DrainableListener {
  readonly listener: RequestListener;
  /** For the server's event `connection`. */
  readonly onConnection: () => void;
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
/** Bytes of a response that are handed to the connection at a time. */
const PART = MIB / 4;

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
  let draining = false;
  const handle = async (request: IncomingMessage, response: ServerResponse, source: NetworkSource) => {
    const { address } = source;
    let body = anonymousBodies.open(address);
    const share = responses.open(address);
    let reserved = 0;
    const handled = await service
      .handle(
        {
          method: request.method ?? "",
          target: request.url ?? "",
          headers: joinHeaders(request),
          body: () => readBody(request, body),
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
      if (draining || isLargelyUnread(request)) response.setHeader("connection", "close");
      const staysOpen = response.shouldKeepAlive && !response.hasHeader("connection");
      const timeouts = { timeout: sendTimeout(handled.body.byteLength), stallTimeout };
      await send(request, response, { ...handled, ...timeouts });
      return staysOpen;
    } finally {
      share.close();
    }
  };
  return {
    onConnection: queue.noteConnection,
    listener(request, response) {
      const { socket, headers } = request;
      const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(", ");
      const address = addressOf(socket.remoteAddress ?? "", forwarded);
      queue.add({
        socket,
        client: address,
        turn: turnKeys.keyOf(address, headers.authorization),
        hasBody: "content-length" in headers || "transfer-encoding" in headers,
        handle: () =>
          handle(request, response, { kind: "network", address, baseUrl, isCertified }).catch(() => {
            // A client that disconnects is not a failure of the service.
            socket.destroy();
            return false;
          }),
      });
    },
    drain() {
      draining = true;
      return queue.drain();
    },
  };
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

interface Sending extends ServiceResponse {
  readonly timeout: number;
  readonly stallTimeout: number;
}

/** Rejects when the client has disconnected, or has not received the response in time. */
async function send(request: IncomingMessage, response: ServerResponse, sending: Sending): Promise<void> {
  const { status, headers, body, timeout, stallTimeout } = sending;
  response.writeHead(status, { ...(status !== 204 && { "content-length": body.byteLength }), ...headers });
  const deadline = new AbortController();
  const timers = [timeout, stallTimeout].map((time) => setTimeout(() => deadline.abort(), time));
  const { signal } = deadline;
  try {
    if (isLargelyUnread(request)) {
      // Closing the connection now would take the response from a client that is still sending.
      response.write(body);
      await discardBody(request);
      response.end();
      await finished(response, { signal });
    } else if (body.byteLength <= PART) {
      response.end(body);
      await finished(response, { signal });
    } else {
      const [, stalled] = timers;
      await pipeline(
        partsOf(body, () => stalled?.refresh()),
        response,
        { signal },
      );
    }
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** @param onNext called when a part is needed, because those before it were taken */
function* partsOf(body: Uint8Array, onNext: () => void): Generator<Uint8Array> {
  for (let start = 0; start < body.byteLength; start += PART) {
    onNext();
    yield body.subarray(start, start + PART);
  }
}
