import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { isLoopback, parseUrl } from "../contract/url.js";
import { addressOfServer, startListening } from "./listen.js";
import type { Metrics } from "./metrics.js";
import { splitTarget } from "./request.js";

export interface MetricsListener {
  /** `HOST:PORT` that it listens on. */
  readonly address: string;
  close(): Promise<void>;
}

export interface MetricsAddress {
  /** Name or address; an IPv6 address may be in brackets. */
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

/** Of all that read the metrics; each does so a few times a minute. */
const MAX_CONNECTIONS = 20;
/** How long a request and its headers may take, and how often this is looked at (ms). Node does so every 30 seconds. */
const REQUEST_TIMEOUTS = {
  requestTimeout: 10_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
};

/**
 * Serves `GET /metrics` at an address of its own, which no proxy needs to pass on. They have no personal data, so there is
 * neither a token nor TLS.
 * @throws CliError configuration when it cannot listen there
 */
export async function listenForMetrics(
  metrics: Metrics,
  { host: written, port }: MetricsAddress,
): Promise<MetricsListener> {
  const host = written.replace(/^\[(.*)\]$/, "$1");
  const server = createServer(REQUEST_TIMEOUTS, (request, response) => {
    respondToOwnHost(request, response).catch(() => response.destroy());
  });
  const respondToOwnHost = async (request: IncomingMessage, response: ServerResponse) => {
    if (isOwnHost(request, host)) return respond(metrics, request, response);
    const ways = "ask by IP address, as localhost, or by the name in --metrics, with the port";
    end(response, 421, `the metrics are not at this host: ${ways}`);
  };
  server.maxConnections = MAX_CONNECTIONS;
  await startListening(server, { host, port, hint: "choose another --metrics; port 0 chooses a free one" });
  return {
    address: addressOfServer(server, host),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  metrics: Metrics,
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (splitTarget(url).path !== "/metrics")
    return end(response, 404, "not found: the metrics are at /metrics");
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return end(response, 405, "the metrics can only be read");
  }
  const text = await metrics.text();
  response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" });
  response.end(text);
}

/**
 * Whether the request means this listener: a name that somebody else points at it must not show the metrics to a page in a
 * browser. An address is no such name. @see RFC 9110 §7.4
 */
function isOwnHost({ headers, socket }: IncomingMessage, listening: string): boolean {
  const url = parseUrl(`http://${headers.host}`);
  if (url === null || Number(url.port || "80") !== socket.localPort) return false;
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(name) !== 0 || isLoopback(name) || name === listening.toLowerCase();
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
  response.end(`${text}\n`);
}
