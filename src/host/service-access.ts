import { readFile } from "node:fs/promises";
import type { ServeOptions, ServiceAccess } from "../context.js";
import { configurationError, errorCodeOf, usageError } from "../errors.js";
import type { HandledRequest } from "../service/request-handler.js";
import { createLogWriter, formatLogLine, type LogFormat } from "../service/request-log.js";
import type { Service, ServiceOptions } from "../service/service.js";
import { sleepFor } from "../system/clock.js";
import type { ProgressBar } from "../terminal/progress-bar.js";
import { isSigterm } from "../terminal/signals.js";
import { type OpenService, openLocalService } from "./local-service.js";
import type { Messages } from "./messages.js";

export interface ServiceAccessOptions {
  /** Used without `--db`. */
  readonly defaultDatabase: () => string;
  readonly open: OpenService;
  /** The same, for a service that others use: makes the database private. */
  readonly openPrivate: OpenService;
  readonly signal: () => AbortSignal;
  readonly messages: Pick<Messages, "note" | "log" | "debug">;
  readonly createProgressBar: () => Promise<ProgressBar>;
}

/** The embedded service for the `service` commands. */
export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const { defaultDatabase, messages } = options;
  const { note } = messages;
  const openWithNote = async (open: OpenService, serviceOptions: Parameters<OpenService>[0]) => {
    const service = await open(serviceOptions);
    if (service.created !== null) note(`created the database ${service.created}`);
    return service;
  };
  const openLocal = async (
    open: OpenService,
    changes: Pick<ServiceOptions, "rateLimit" | "onHandled" | "cors" | "observer" | "signal">,
  ) => (await openLocalService(open, { database: defaultDatabase(), ...changes }, note)).service;
  const locate = (database: string | undefined) =>
    database === undefined ? defaultDatabase() : parseDatabase(database);
  const loadWholeDatabase = async () => {
    const { createWholeDatabase } = await import("./whole-database.js");
    return createWholeDatabase({ ...options, choose: locate, parse: parseDatabase });
  };
  const logRequests = (format: LogFormat) => {
    const log = createLogWriter(messages.log, format);
    return (request: HandledRequest): void => {
      const line = formatLogLine(request, format);
      if (line !== null) log(line);
      if (request.failure !== undefined) messages.debug(request.failure);
    };
  };
  const openServed = async (serveOptions: ServeOptions, observer: ServiceOptions["observer"]) => {
    const { memory, sample, database, rateLimit } = serveOptions;
    const cors = await loadCors(serveOptions.cors);
    // A sample needs a database without users, and is the only content that it should have.
    const isLocal = database === undefined && !memory && !sample;
    const path = memory ? ":memory:" : locate(database);
    const settings = {
      rateLimit,
      cors,
      observer,
      onHandled: logRequests(serveOptions.log),
      // Requests in progress may end after an interruption.
      signal: undefined,
    };
    const { openPrivate } = options;
    return isLocal
      ? openLocal(openPrivate, settings)
      : openWithNote(openPrivate, { database: path, ...settings });
  };
  return {
    async admin(database, { create = database === undefined } = {}) {
      if (database === undefined && create) return (await openLocal(options.open, { rateLimit: null })).admin;
      return (await openWithNote(options.open, { database: locate(database), create, rateLimit: null }))
        .admin;
    },
    async serve(serveOptions) {
      const metrics = await startMetrics(serveOptions.metrics);
      try {
        const service = await openServed(serveOptions, metrics?.observer);
        await service.requireFinished();
        await serve(service, { ...serveOptions, metricsUrl: metrics?.url, signal: options.signal(), note });
      } finally {
        await metrics?.close();
      }
    },
    backup: async (request) => (await loadWholeDatabase()).backup(request),
    check: async (database) => (await loadWholeDatabase()).check(database),
    copy: async (databases) => (await loadWholeDatabase()).copy(databases),
    async openApi() {
      const { openApiDocument } = await import("../service/openapi/document.js");
      return openApiDocument({ baseUrl: "{base_url}", authUrl: "{auth_url}" });
    },
  };
}

async function loadCors(origins: readonly string[]): Promise<ServiceOptions["cors"]> {
  if (origins.length === 0) return undefined;
  const { createCors } = await import("../service/http/cors.js");
  return createCors(origins);
}

/** Measures the service and serves the metrics; null if nobody asks for them. @throws CliError configuration */
async function startMetrics(address: ServeOptions["metrics"]) {
  if (address === null) return null;
  const [{ createMetrics }, { listenForMetrics }] = await Promise.all([
    import("../service/metrics.js"),
    import("../service/metrics-listener.js"),
  ]);
  const metrics = createMetrics();
  const listener = await listenForMetrics(metrics, address);
  return {
    observer: metrics.observer,
    url: `http://${listener.address}/metrics`,
    close: listener.close,
  };
}

interface ServingOptions extends ServeOptions {
  readonly metricsUrl: string | undefined;
  readonly signal: AbortSignal;
  readonly note: Messages["note"];
}

async function serve(service: Service, options: ServingOptions): Promise<void> {
  const { listen } = await import("../service/listen.js");
  const tls = options.tls && {
    cert: await readPem(options.tls.cert, "--tls-cert"),
    key: await readPem(options.tls.key, "--tls-key"),
  };
  const listener = await listen(service, { ...options.listen, ...(tls && { tls }) });
  try {
    // Only after listening: a start that fails must not create secrets that are never shown.
    const sample = options.sample ? await service.admin.addSample() : null;
    const { baseUrl: base_url, authUrl: auth_url, address: listen } = listener;
    const { metricsUrl, signal } = options;
    const addresses = { base_url, auth_url, listen, ...(metricsUrl && { metrics_url: metricsUrl }) };
    await options.onListening({ ...addresses, sample });
    await aborted(signal);
    service.drain();
    if (options.drainTime > 0 && isSigterm(signal.reason)) {
      options.note(`stopping in ${options.drainTime / 1_000} s; /readyz answers 503 from now on`);
      await sleepFor(options.drainTime);
    }
  } finally {
    await listener.close();
  }
}

async function readPem(path: string, source: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = errorCodeOf(cause) ?? "unknown";
    throw configurationError(`${source}: ${path} cannot be read (${code})`, { cause });
  }
}

/** The path of `sqlite:PATH`, or of a plain path. @throws CliError usage */
function parseDatabase(flag: string, source = "--db"): string {
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(flag)?.[1]?.toLowerCase();
  const path = scheme === "sqlite" ? flag.slice("sqlite:".length) : flag;
  if (scheme !== undefined && scheme !== "sqlite") {
    throw usageError(`${source}: "${scheme}" is not a supported kind of database`, "write sqlite:PATH");
  }
  if (path === "") throw usageError(`${source}: the path is empty`, "write sqlite:PATH");
  return path;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
