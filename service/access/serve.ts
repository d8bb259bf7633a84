import { readFile } from "node:fs/promises";
import { CliError, configurationError, dryRunError, fileProblemOf } from "../../src/errors.js";
import type { ServiceSample } from "../admin/sample.js";
import { continueDaily } from "../daily.js";
import type { ListenOptions } from "../listen.js";
import type { MetricsAddress } from "../metrics.js";
import type { RateLimitPolicy } from "../rate-limit.js";
import type { HandledRequest } from "../request-handler.js";
import { createLogWriter, formatLogLine, type LogFormat } from "../request-log.js";
import type { Service, ServiceOptions } from "../service.js";
import { type AccessRun, chooseDatabase, messagesOf, openChosen } from "./admin.js";

export interface ServeOptions {
  /** As `--db` names it. */
  readonly database: string | undefined;
  readonly memory: boolean;
  readonly sample: boolean;
  readonly rateLimit: RateLimitPolicy | null;
  readonly log: LogFormat;
  /** Whether users may sign in with the public client. */
  readonly publicClient: boolean;
  /** Where metrics are served; null for nowhere. */
  readonly metrics: MetricsAddress | null;
  readonly listen: Omit<ListenOptions, "tls">;
  /** Paths of PEM files. */
  readonly tls: ListenOptions["tls"];
  readonly onListening: (report: ListeningReport) => Promise<void>;
}

/** What `service start` reports once it listens. */
export interface ListeningReport {
  readonly base_url: string;
  readonly auth_url: string;
  /** `HOST:PORT`. */
  readonly listen: string;
  /** Absent without `--metrics`. */
  readonly metrics_url?: string;
  /** What `--sample` has added; null without it. */
  readonly sample: ServiceSample | null;
}

/** Serves the embedded service until the run is interrupted. */
export async function serve(run: AccessRun, options: ServeOptions): Promise<void> {
  if (run.flags.dryRun) throw dryRunError();
  const superseded = new AbortController();
  const metrics = await startMetrics(options.metrics);
  try {
    const service = await openServed(run, options, {
      observer: metrics?.observer,
      onSuperseded: (error) => superseded.abort(error),
    });
    const signal = AbortSignal.any([run.machine.signal(), superseded.signal]);
    const { debug } = messagesOf(run);
    await listenUntilAborted(service, { ...options, metricsUrl: metrics?.url, signal, debug });
  } finally {
    await metrics?.close();
  }
  superseded.signal.throwIfAborted();
}

/** Measures the service and serves the metrics; null if nobody asks for them. @throws CliError configuration */
async function startMetrics(address: ServeOptions["metrics"]) {
  if (address === null) return null;
  const { createMetrics, listenForMetrics } = await import("../metrics.js");
  const metrics = createMetrics();
  const listener = await listenForMetrics(metrics, address);
  return {
    observer: metrics.observer,
    url: `http://${listener.address}/metrics`,
    close: listener.close,
  };
}

async function openServed(
  run: AccessRun,
  { database: flag, memory, sample, rateLimit, publicClient, log }: ServeOptions,
  watching: Pick<ServiceOptions, "observer" | "onSuperseded">,
): Promise<Service> {
  const database = memory ? ":memory:" : chooseDatabase(run, flag);
  // A sample needs a database without users, and is the only content that it should have.
  const isLocal = database === undefined && !sample;
  return openChosen(
    run,
    { database, isLocal, isServed: true },
    {
      ...watching,
      rateLimit,
      publicClient,
      onHandled: createRequestLog(run, log),
      // Requests in progress may end after an interruption.
      signal: undefined,
    },
  );
}

function createRequestLog(run: AccessRun, format: LogFormat): (request: HandledRequest) => void {
  const { log, debug } = messagesOf(run);
  const write = createLogWriter(log, format);
  return (request) => {
    const line = formatLogLine(request, format);
    if (line !== null) write(line);
    if (request.failure !== undefined) debug(request.failure);
  };
}

interface Serving extends ServeOptions {
  readonly debug: (error: unknown) => void;
  readonly metricsUrl: string | undefined;
  readonly signal: AbortSignal;
}

async function listenUntilAborted(
  service: Service,
  { debug, signal, metricsUrl, sample, tls, ...options }: Serving,
): Promise<void> {
  const { listen } = await import("../listen.js");
  const pem = tls && {
    cert: await readPem(tls.cert, "--tls-cert"),
    key: await readPem(tls.key, "--tls-key"),
  };
  const listener = await listen(service, { ...options.listen, ...(pem && { tls: pem }) });
  const served = new AbortController();
  let daily = Promise.resolve();
  try {
    // Only after listening: a start that fails must not create secrets that are never shown.
    const added = sample ? await service.admin.addSample() : null;
    const { baseUrl: base_url, authUrl: auth_url, address: listen } = listener;
    const addresses = { base_url, auth_url, listen, ...(metricsUrl && { metrics_url: metricsUrl }) };
    await noteBaseUrl(service, base_url);
    await options.onListening({ ...addresses, sample: added });
    daily = continueDaily(service, { signal: served.signal, debug });
    await aborted(signal);
  } finally {
    served.abort();
    await listener.close();
    service.abandonWaiting();
    await daily;
  }
}

/** A database that is read-only is served all the same. */
async function noteBaseUrl({ admin }: Service, baseUrl: string): Promise<void> {
  await admin.noteBaseUrl(baseUrl).catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
  });
}

async function readPem(path: string, source: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw configurationError(`${source}: ${path} cannot be read (${fileProblemOf(cause)})`, { cause });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
