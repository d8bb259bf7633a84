import { readFile } from "node:fs/promises";
import { type Environment, readVariable } from "../../src/config/environment.js";
import { configurationError, dryRunError, errorCodeOf } from "../../src/errors.js";
import { sleepFor } from "../../src/system/clock.js";
import { parseDatabase } from "../../src/system/database-location.js";
import { readOnlyIf } from "../../src/system/read-only.js";
import { createMessages, type Messages } from "../../src/terminal/messages.js";
import { isSigterm } from "../../src/terminal/signals.js";
import type { ServiceAdmin } from "../admin/admin.js";
import type { HandledRequest } from "../request-handler.js";
import { createLogWriter, formatLogLine, type LogFormat } from "../request-log.js";
import type { Service, ServiceOptions } from "../service.js";
import type { AccessContext, OpenService, ServeOptions, ServiceAccess } from "./access.js";
import { withPermissionsNote, withPrivateDatabase } from "./database-permissions.js";
import { createServiceOpener, openLocalService } from "./local-service.js";

/** The embedded service for the `service` commands. With `--dry-run` it changes nothing. */
export function createServiceAccess(context: AccessContext): ServiceAccess {
  const { machine, flags } = context;
  const messages = createMessages(machine.stderr, flags);
  const { note } = messages;
  const permissions = { userId: machine.userId, note };
  const openService = createServiceOpener(machine);
  const open = withPermissionsNote(openService, permissions);
  // For a service that others use.
  const openPrivate = withPrivateDatabase(openService, permissions);
  const choose = (flag: string | undefined) => chooseDatabase(flag, machine.env, note);
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
  ) => (await openLocalService(open, { database: machine.database(), ...changes }, note)).service;
  const loadWholeDatabase = async () => {
    const { createWholeDatabase } = await import("./whole-database.js");
    return createWholeDatabase({
      ...context,
      messages,
      choose: (flag) => choose(flag) ?? machine.database(),
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
    return isLocal
      ? openLocal(openPrivate, settings)
      : openWithNote(openPrivate, { database: database ?? machine.database(), ...settings });
  };
  const openAdmin: ServiceAccess["admin"] = async (flag, { create } = {}) => {
    const database = choose(flag);
    if (database === undefined && create !== false) return (await openLocal(open, { rateLimit: null })).admin;
    const chosen = { database: database ?? machine.database(), create: create === true };
    return (await openWithNote(open, { ...chosen, rateLimit: null })).admin;
  };
  const access: ServiceAccess = {
    async admin(database, options) {
      // One that does not exist is not created either.
      if (flags.dryRun && options?.create === true) throw dryRunError();
      return readOnlyAdmin(flags.dryRun, await openAdmin(database, options));
    },
    async serve(serveOptions) {
      const superseded = new AbortController();
      const metrics = await startMetrics(serveOptions.metrics);
      try {
        const service = await openServed(serveOptions, {
          observer: metrics?.observer,
          onSuperseded: (error) => superseded.abort(error),
        });
        const signal = AbortSignal.any([machine.signal(), superseded.signal]);
        await serve(service, { ...serveOptions, metricsUrl: metrics?.url, signal, note });
      } finally {
        await metrics?.close();
      }
      superseded.signal.throwIfAborted();
    },
    backup: async (request) => (await loadWholeDatabase()).backup(request),
    check: async (database) => (await loadWholeDatabase()).check(database),
    copy: async (databases) => (await loadWholeDatabase()).copy(databases),
    async checkPassword(password) {
      const { requireNewPassword } = await import("../admin/users.js");
      requireNewPassword(password);
    },
    async openApi() {
      const { openApiDocument } = await import("../openapi/document.js");
      return openApiDocument({ baseUrl: "{base_url}", authUrl: "{auth_url}" });
    },
  };
  return readOnlyIf(flags.dryRun, access, ["admin", "check", "checkPassword", "openApi"]);
}

function readOnlyAdmin(dryRun: boolean, admin: ServiceAdmin): ServiceAdmin {
  const { users, calendars, members, labels, clients, tokens } = admin;
  return {
    ...readOnlyIf(dryRun, admin, []),
    users: readOnlyIf(dryRun, users, ["list"]),
    calendars: readOnlyIf(dryRun, calendars, ["list", "inspect"]),
    members: readOnlyIf(dryRun, members, ["list"]),
    labels: readOnlyIf(dryRun, labels, []),
    clients: readOnlyIf(dryRun, clients, ["list"]),
    tokens: readOnlyIf(dryRun, tokens, ["list"]),
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
  env: Environment,
  note: Messages["note"],
): string | undefined {
  if (flag !== undefined) return parseDatabase(flag, { source: "--db", note });
  const database = readVariable(env, "CALCTL_SERVICE_DB");
  return database === undefined ? undefined : parseDatabase(database, { source: "CALCTL_SERVICE_DB" });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
