import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { createBudget, type Share } from "./budget.js";
import { createConnectionQueue } from "./connection-queue.js";
import { discardBody, isLargelyUnread, readBody } from "./request-body.js";
import { problemResponse, type ServiceResponse, toProblemError } from "./response.js";

export interface DrainableListener {
  readonly listener: RequestListener;
  /** Resolves when no request is in progress. From now on, responses close their connection. */
  drain(): Promise<void>;
}

export interface RequestListenerOptions {
  readonly addressOf: ClientAddressReader;
  /** Public URL of the service. */
  readonly baseUrl: string;
  /** How long a client may take to receive a response of a size in bytes (ms). */
  readonly sendTimeout?: ((size: number) => number) | undefined;
  readonly isCertified?: ((host: string) => boolean) | undefined;
}

const MIB = 1024 * 1024;

/** Bytes of request bodies in memory, and of responses that clients have not received yet. */
const BODIES = { perClient: 8 * MIB, total: 64 * MIB };
const RESPONSES = { perClient: 64 * MIB, total: 512 * MIB };

/** 30 seconds, and what a connection of 32 KB/s takes. */
const SEND_TIMEOUT = (size: number): number => 30_000 + size / 32;

/** Passes the requests of an HTTP server to the service and sends its responses. */
export function createRequestListener(
  service: Service,
  { addressOf, baseUrl, isCertified, sendTimeout = SEND_TIMEOUT }: RequestListenerOptions,
): DrainableListener {
  const queue = createConnectionQueue();
  const bodies = createBudget(BODIES);
  const responses = createBudget(RESPONSES);
  let draining = false;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = joinHeaders(request);
    const address = addressOf(request.socket.remoteAddress ?? "", headers["x-forwarded-for"]);
    const body = bodies.open(address);
    const handled = await service
      .handle(
        {
          method: request.method ?? "",
          target: request.url ?? "",
          headers,
          body: () => readBody(request, body),
        },
        { kind: "network", address, baseUrl, isCertified },
      )
      .finally(body.close);
    const share = responses.open(address);
    const deadline = setTimeout(() => response.destroy(), sendTimeout(handled.body.byteLength));
    try {
      if (draining || isLargelyUnread(request)) response.setHeader("connection", "close");
      await send(response, payFor(handled, share), request);
    } finally {
      clearTimeout(deadline);
      share.close();
    }
  };
  return {
    listener(request, response) {
      // A client that disconnects is not a failure of the service.
      queue.add(request.socket, () => handle(request, response).catch(() => void response.destroy()));
    },
    drain() {
      draining = true;
      return queue.drain();
    },
  };
}

/** What belongs to the request, whatever the response. */
const KEPT_HEADERS = /^(?:x-request-id|vary|access-control-.*)$/;

/** The response, or one that is smaller if the client has not received others yet. */
function payFor(response: ServiceResponse, share: Share): ServiceResponse {
  try {
    share.take(response.body.byteLength);
    return response;
  } catch (error) {
    const kept = Object.entries(response.headers).filter(([name]) => KEPT_HEADERS.test(name));
    const refusal = problemResponse(toProblemError(error));
    return { ...refusal, headers: { ...refusal.headers, ...Object.fromEntries(kept) } };
  }
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

/** Rejects when the client has disconnected. */
async function send(
  response: ServerResponse,
  { status, headers, body }: ServiceResponse,
  request: IncomingMessage,
): Promise<void> {
  response.writeHead(status, { ...(status !== 204 && { "content-length": body.byteLength }), ...headers });
  if (isLargelyUnread(request)) {
    // Closing the connection now would take the response from a client that is still sending.
    response.write(body);
    await discardBody(request);
    response.end();
  } else {
    response.end(body);
  }
  await finished(response);
}
