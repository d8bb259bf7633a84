import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { isLoopback, parseUrl } from "../contract/url.js";
import { matchHealthEndpoint } from "./health.js";
import { matchOAuthEndpoint, OAUTH_PATHS, routePathOf } from "./http/router.js";
import { startListening, withoutBrackets } from "./listen.js";
import { type RequestHandler, splitTarget } from "./request.js";
import type { ServiceObserver } from "./service.js";
import type { Store } from "./store/store.js";

export type Metrics = ReturnType<typeof createMetrics>;

/** Upper bounds of the classes in which durations are counted (seconds). */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TRANSACTION_BUCKETS = [0.0001, 0.00025, 0.0005, ...REQUEST_BUCKETS];

/**
 * Starts measuring: what prom-client measures of the process, and requests, their durations and those of transactions. Labels have
 * few values, and none that a client has written: a route is the template of a path, such as `/calendars/{calendar_id}`.
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    observer: {
      requests: (handle) => observeRequests(handle, registers),
      store: (store) => observeStore(store, registers),
    } satisfies ServiceObserver,
    contentType: registry.contentType,
    /** Everything that was measured, in the text format of Prometheus. */
    text: () => registry.metrics(),
  };
}

function observeRequests(handle: RequestHandler, registers: Registry[]): RequestHandler {
  const requests = new Counter({
    name: "calctl_http_requests_total",
    help: "Requests by method, route and status of the response.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  const durations = new Histogram({
    name: "calctl_http_request_duration_seconds",
    help: "Time from the head of a request to its response, without sending the response.",
    labelNames: ["method", "route"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  return async (request, source) => {
    if (source.kind !== "network") return handle(request, source);
    const method = METHODS.has(request.method) ? request.method : "other";
    const route = routeOf(request.target);
    const end = durations.startTimer({ method, route });
    try {
      const response = await handle(request, source);
      requests.inc({ method, route, status: response.status });
      return response;
    } finally {
      end();
    }
  };
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** `unmatched` for any path that the service does not have. */
function routeOf(target: string): string {
  const health = matchHealthEndpoint(target);
  if (health !== null) return health;
  const endpoint = matchOAuthEndpoint(target);
  if (endpoint !== null) return OAUTH_PATHS[endpoint];
  return routePathOf(target) ?? "unmatched";
}

function observeStore(store: Store, registers: Registry[]): Store {
  const durations = new Histogram({
    name: "calctl_database_transaction_duration_seconds",
    help: "Time of transactions that read or write, with the wait for their turn and for locks.",
    labelNames: ["kind"],
    buckets: TRANSACTION_BUCKETS,
    registers,
  });
  const measure = async <T>(kind: "read" | "write", work: () => Promise<T>): Promise<T> => {
    const end = durations.startTimer({ kind });
    try {
      return await work();
    } finally {
      end();
    }
  };
  return {
    ...store,
    read: (work, options) => measure("read", () => store.read(work, options)),
    write: (work, options) => measure("write", () => store.write(work, options)),
  };
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
 * Whether the Host of a request is an IP address, localhost or the name to listen on. With any other name, which somebody may have
 * pointed at this machine, a page in a browser could read the metrics (DNS rebinding). @see RFC 9110 §7.4
 */
function isOwnHost({ headers, socket }: IncomingMessage, listening: string): boolean {
  const url = parseUrl(`http://${headers.host}`);
  if (url === null || Number(url.port || "80") !== socket.localPort) return false;
  const name = withoutBrackets(url.hostname);
  return isIP(name) !== 0 || isLoopback(name) || name === withoutBrackets(listening).toLowerCase();
}
