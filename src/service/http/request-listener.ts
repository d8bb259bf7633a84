import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./addresses.js";
import { BODY_LIMIT } from "./content.js";
import type { ServiceResponse } from "./response.js";

export interface DrainableListener {
  readonly listener: RequestListener;
  /** Resolves when no request is in progress. From now on, responses close their connection. */
  drain(): Promise<void>;
}

/** How much of an oversized body is read and discarded, so that the client can read the response. */
const DISCARD_LIMIT = 8 * BODY_LIMIT;

export interface RequestListenerOptions {
  readonly addressOf: ClientAddressReader;
  /** Public URL of the service. */
  readonly baseUrl: string;
}

/** Passes the requests of an HTTP server to the service and sends its responses. */
export function createRequestListener(
  service: Service,
  { addressOf, baseUrl }: RequestListenerOptions,
): DrainableListener {
  const inProgress = new Set<Promise<void>>();
  let draining = false;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const headers = joinHeaders(request);
    const address = addressOf(request.socket.remoteAddress ?? "", headers["x-forwarded-for"]);
    const handled = await service.handle(
      { method: request.method ?? "", target: request.url ?? "", headers, body },
      { kind: "network", address, baseUrl },
    );
    if (draining || body.byteLength > BODY_LIMIT) response.setHeader("connection", "close");
    await send(response, handled);
  };
  return {
    listener(request, response) {
      // A client that disconnects is not a failure of the service.
      const done = handle(request, response)
        .catch(() => void response.destroy())
        .finally(() => inProgress.delete(done));
      inProgress.add(done);
    },
    async drain() {
      draining = true;
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

/** The body, cut off one byte after the limit: enough to see that it is too large. */
async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    if (size <= BODY_LIMIT) chunks.push(chunk);
    size += chunk.byteLength;
    if (size > DISCARD_LIMIT) break;
  }
  return Buffer.concat(chunks).subarray(0, BODY_LIMIT + 1);
}

/** Node.js already joins repeated headers, except set-cookie, which clients do not send. */
function joinHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]),
  );
}

/** Rejects when the client has disconnected. */
async function send(response: ServerResponse, { status, headers, body }: ServiceResponse): Promise<void> {
  response.writeHead(status, { ...(status !== 204 && { "content-length": body.byteLength }), ...headers });
  response.end(body);
  await finished(response);
}
