import { readFile } from "node:fs/promises";
import { readVariable } from "../../src/config/environment.js";
import type { ServeOptions, ServiceAccess } from "../../src/context.js";
import { configurationError, errorCodeOf } from "../../src/errors.js";
import { type OpenService, openLocalService } from "../../src/host/local-service.js";
import type { Messages } from "../../src/host/messages.js";
import { sleepFor } from "../../src/system/clock.js";
import { parseDatabase } from "../../src/system/database-location.js";
import { isSigterm } from "../../src/terminal/signals.js";
import type { HandledRequest } from "../request-handler.js";
import { createLogWriter, formatLogLine, type LogFormat } from "../request-log.js";
import type { Service, ServiceOptions } from "../service.js";
import type { WholeDatabaseParts } from "./whole-database.js";

export interface ServiceAccessOptions extends WholeDatabaseParts {
  /** Used without `--db` and CALCTL_SERVICE_DB. */
  readonly defaultDatabase: () => string;
  readonly open: OpenService;
  /** The same, for a service that others use: makes the database private. */
  readonly openPrivate: OpenService;
  readonly messages: Pick<Messages, "note" | "warn" | "log" | "debug">;
}

/** The embedded service for the `service` commands. */
export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const { defaultDatabase, messages } = options;
  const { note } = messages;
  const choose = (flag: string | undefined) => chooseDatabase(flag, options);
  const openWithNote = async (open: OpenService, serviceOptions: Parameters<OpenService>[0]) => {
    const service = await open(serviceOptions);
    if (service.created !== null) note(`created the database ${service.created}`);
    return service;
  };
  const openLocal = async (
    open: OpenService,
    changes: Pick<
      ServiceOptions,
      "rateLimit" | "onHandled" | "publicClient" | "cors" | "observer" | "signal" | "onSuperseded"
    >,
  ) => (await openLocalService(open, { database: defaultDatabase(), ...changes }, note)).service;
  const loadWholeDatabase = async () => {
    const { createWholeDatabase } = await import("./whole-database.js");
    return createWholeDatabase({
      ...options,
      choose: (flag) => choose(flag) ?? defaultDatabase(),
      parse: (database, source) => parseDatabase(database, { source, note }),
    });
  };
  const logRequests = (format: LogFormat) => {
    const log = createLogWriter(messages.log, format);
    return (request: HandledRequest): void => {
      const line = formatLogLine(request, format);
      if (line !== null) log(line);
      if (request.failure !== undefined) messages.debug(request.failure);
    };
  };
  const openServed = async (
    serveOptions: ServeOptions,
    watching: Pick<ServiceOptions, "observer" | "onSuperseded">,
  ) => {
    const { memory, sample, rateLimit, publicClient } = serveOptions;
    const database = memory ? ":memory:" : choose(serveOptions.database);
    const cors = await loadCors(serveOptions.cors);
    // A sample needs a database without users, and is the only content that it should have.
    const isLocal = database === undefined && !sample;
    const settings = {
      rateLimit,
      publicClient,
      cors,
      ...watching,
      onHandled: logRequests(serveOptions.log),
      // Requests in progress may end after an interruption.
      signal: undefined,
    };
    const { openPrivate } = options;
    return isLocal
      ? openLocal(openPrivate, settings)
      : openWithNote(openPrivate, { database: database ?? defaultDatabase(), ...settings });
  };
  return {
    async admin(flag, { create } = {}) {
      const database = choose(flag);
      if (database === undefined && create !== false)
        return (await openLocal(options.open, { rateLimit: null })).admin;
      const chosen = { database: database ?? defaultDatabase(), create: create === true };
      return (await openWithNote(options.open, { ...chosen, rateLimit: null })).admin;
    },
    async serve(serveOptions) {
      const superseded = new AbortController();
      const metrics = await startMetrics(serveOptions.metrics);
      try {
        const service = await openServed(serveOptions, {
          observer: metrics?.observer,
          onSuperseded: (error) => superseded.abort(error),
        });
        const signal = AbortSignal.any([options.signal(), superseded.signal]);
        await serve(service, { ...serveOptions, metricsUrl: metrics?.url, signal, note });
      } finally {
        await metrics?.close();
      }
      superseded.signal.throwIfAborted();
    },
    backup: async (request) => (await loadWholeDatabase()).backup(request),
    check: async (database) => (await loadWholeDatabase()).check(database),
    copy: async (databases) => (await loadWholeDatabase()).copy(databases),
    async openApi() {
      const { openApiDocument } = await import("../openapi/document.js");
      return openApiDocument({ baseUrl: "{base_url}", authUrl: "{auth_url}" });
    },
  };
}

async function loadCors(origins: readonly string[]): Promise<ServiceOptions["cors"]> {
  if (origins.length === 0) return undefined;
  const { createCors } = await import("../http/cors.js");
  return createCors(origins);
}

/** Measures the service and serves the metrics; null if nobody asks for them. @throws CliError configuration */
async function startMetrics(address: ServeOptions["metrics"]) {
  if (address === null) return null;
  const [{ createMetrics }, { listenForMetrics }] = await Promise.all([
    import("../metrics.js"),
    import("../metrics-listener.js"),
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
  const { listen } = await import("../listen.js");
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

/**
 * The database of `--db` or CALCTL_SERVICE_DB, as `parseDatabase` gives it; undefined for none.
 * @throws CliError usage
 */
function chooseDatabase(
  flag: string | undefined,
  { env, messages }: Pick<ServiceAccessOptions, "env" | "messages">,
): string | undefined {
  if (flag !== undefined) return parseDatabase(flag, { source: "--db", note: messages.note });
  const database = readVariable(env, "CALCTL_SERVICE_DB");
  return database === undefined ? undefined : parseDatabase(database, { source: "CALCTL_SERVICE_DB" });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
