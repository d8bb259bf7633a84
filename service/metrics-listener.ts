import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { isLoopback, parseUrl } from "../contract/url.js";
import { startListening, withoutBrackets } from "./listen.js";
import type { Metrics } from "./metrics.js";
import { splitTarget } from "./request.js";

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
export async function listenForMetrics(metrics: Metrics, { host, port }: MetricsAddress) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refuse(request, host);
    if (refusal !== null) {
      const [status, text, headers] = refusal;
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers });
      response.end(`${text}\n`);
      return;
    }
    const text = await metrics.text();
    response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" });
    response.end(text);
  };
  const server = createServer(REQUEST_TIMEOUTS, (request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  const hint = "choose another --metrics; port 0 chooses a free one";
  return {
    /** `HOST:PORT` that it listens on. */
    address: await startListening(server, { host, port, hint }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The response to a request that does not ask for the metrics; null if it does. */
function refuse(request: IncomingMessage, host: string): readonly [number, string, object?] | null {
  const { method = "", url = "" } = request;
  if (!isOwnHost(request, host)) {
    const ways = "ask by IP address, as localhost, or by the name in --metrics, with the port";
    return [421, `the metrics are not at this host: ${ways}`];
  }
  if (splitTarget(url).path !== "/metrics") return [404, "not found: the metrics are at /metrics"];
  return ["GET", "HEAD"].includes(method)
    ? null
    : [405, "the metrics can only be read", { allow: "GET, HEAD" }];
}

/**
 * Whether the request means this listener: a name that somebody else points at it must not show the metrics to a page in a
 * browser. An address is no such name. @see RFC 9110 §7.4
 */
function isOwnHost({ headers, socket }: IncomingMessage, listening: string): boolean {
  const url = parseUrl(`http://${headers.host}`);
  if (url === null || Number(url.port || "80") !== socket.localPort) return false;
  const name = withoutBrackets(url.hostname);
  return isIP(name) !== 0 || isLoopback(name) || name === withoutBrackets(listening).toLowerCase();
}
