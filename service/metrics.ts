import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { VERSION } from "../src/version.js";
import { matchHealthEndpoint } from "./health.js";
import { matchOAuthEndpoint, OAUTH_PATHS, routePathOf } from "./http/router.js";
import type { RateLimiter } from "./rate-limit.js";
import type { RequestHandler } from "./request.js";
import type { PoolState, Store } from "./store/store.js";

export type Metrics = ReturnType<typeof createMetrics>;

/** Upper bounds of the classes in which durations are counted (seconds). */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TRANSACTION_BUCKETS = [0.0001, 0.00025, 0.0005, ...REQUEST_BUCKETS];

/** Sums of other metrics, under names that Prometheus takes for counters. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/**
 * Starts measuring. Labels have few values, and none that a client has written: a route is the template of a path, such as
 * `/calendars/{calendar_id}`.
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  // CPU, memory, start and file descriptors of the process, delays of the event loop, garbage collection.
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: "calctl_build_info",
    help: "The version of calctl that runs; always 1.",
    labelNames: ["version"],
    registers,
  }).set({ version: VERSION }, 1);
  const lookups = new Counter({
    name: "calctl_response_cache_lookups_total",
    help: "Responses to reads, by result: hit for one from the cache, miss for one that was rendered.",
    labelNames: ["result"],
    registers,
  });
  return {
    /** Wraps the parts of a service, each in one that does the same and measures it. */
    observer: {
      requests: (handle: RequestHandler) => observeRequests(handle, registers),
      store: (store: Store) => observeStore(store, registers),
      rateLimiter: (limiter: RateLimiter) => observeRateLimiter(limiter, registers),
      countLookup: (result: "hit" | "miss") => lookups.inc({ result }),
    },
    contentType: registry.contentType,
    /** Everything that was measured, in the text format of Prometheus. */
    text: () => registry.metrics(),
  };
}

type Registers = readonly Registry[] & Registry[];

function observeRequests(handle: RequestHandler, registers: Registers): RequestHandler {
  const requests = new Counter({
    name: "calctl_http_requests_total",
    help: "Requests by method, route and status of the response.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  // Without labels, so that it is there from the start on: the first failures would not count as an increase.
  const failures = new Counter({
    name: "calctl_http_failed_requests_total",
    help: "Requests whose response has a status from 500 on, without health checks.",
    registers,
  });
  const durations = new Histogram({
    name: "calctl_http_request_duration_seconds",
    help: "Time from the head of a request to its response, without sending the response.",
    labelNames: ["method", "route"],
    buckets: REQUEST_BUCKETS,
    registers,
  });
  const inProgress = new Gauge({
    name: "calctl_http_requests_in_progress",
    help: "Requests that have no response yet.",
    registers,
  });
  return async (request, source) => {
    if (source.kind !== "network") return handle(request, source);
    const method = METHODS.has(request.method) ? request.method : "other";
    const route = routeOf(request.target);
    const end = durations.startTimer({ method, route });
    inProgress.inc();
    try {
      const response = await handle(request, source);
      requests.inc({ method, route, status: response.status });
      if (response.status >= 500 && matchHealthEndpoint(request.target) === null) failures.inc();
      return response;
    } finally {
      inProgress.dec();
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

function observeStore(store: Store, registers: Registers): Store {
  const durations = new Histogram({
    name: "calctl_database_transaction_duration_seconds",
    help: "Time of transactions that read or write, with the wait for their turn and for locks.",
    labelNames: ["kind"],
    buckets: TRANSACTION_BUCKETS,
    registers,
  });
  if (store.pool !== undefined) observePool(store.pool, registers);
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

/** Reads the pool when the metrics are read. */
function observePool(read: () => PoolState, registers: Registers): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  gauge("calctl_database_pool_connections", "Open connections to the database.", () => read().size);
  gauge("calctl_database_pool_idle_connections", "Open connections that are not in use.", () => read().idle);
  gauge("calctl_database_pool_waiting", "Transactions that wait for a connection.", () => read().waiting);
}

function observeRateLimiter(limiter: RateLimiter, registers: Registers): RateLimiter {
  const limited = new Counter({
    name: "calctl_rate_limited_requests_total",
    help: "Requests that were refused because their token or address was over the rate limit.",
    registers,
  });
  return {
    count(key, now) {
      const result = limiter.count(key, now);
      if (result.exceeded) limited.inc();
      return result;
    },
  };
}
