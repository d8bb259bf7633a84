import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import type { Service } from "../service.js";
import type { ClientAddressReader } from "./client-address.js";
import { BODY_LIMIT } from "./content.js";
import type { Reply } from "./reply.js";

export interface ServiceRequests {
  readonly listener: RequestListener;
  /** Resolves when no request is under way; answers from now on end their connection. */
  finish(): Promise<void>;
}

/** How much of a body that is too large is read and thrown away, so that its sender gets to read the answer. */
const DISCARD_LIMIT = 8 * BODY_LIMIT;

export interface RequestListenerOptions {
  readonly addressOf: ClientAddressReader;
  /** Where clients reach the service. */
  readonly baseUrl: string;
}

/** Hands requests of a server to the service and its answers back. */
export function createRequestListener(
  service: Service,
  { addressOf, baseUrl }: RequestListenerOptions,
): ServiceRequests {
  const underWay = new Set<Promise<void>>();
  let finishing = false;
  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const headers = joinHeaders(request);
    const address = addressOf(request.socket.remoteAddress ?? "", headers["x-forwarded-for"]);
    const answer = await service.handle(
      { method: request.method ?? "", target: request.url ?? "", headers, body },
      { kind: "network", address, baseUrl },
    );
    if (finishing || body.byteLength > BODY_LIMIT) response.setHeader("connection", "close");
    await send(response, answer);
  };
  return {
    listener(request, response) {
      // A client that goes away in the middle is no failure of the service.
      const done = exchange(request, response)
        .catch(() => void response.destroy())
        .finally(() => underWay.delete(done));
      underWay.add(done);
    },
    async finish() {
      finishing = true;
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** The body, or one byte more than the limit of it: enough to see that it is too large. */
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

/** Node joins repeated headers itself but for one that no client sends. */
function joinHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]),
  );
}

/** @throws when the receiver has gone away */
async function send(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
  response.writeHead(status, { ...(status !== 204 && { "content-length": body.byteLength }), ...headers });
  response.end(body);
  await finished(response);
}
