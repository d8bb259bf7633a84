import { readFile } from "node:fs/promises";
import { type Environment, readVariable } from "../config/environment.js";
import type { ServeOptions, ServiceAccess } from "../context.js";
import { configurationError, errorCodeOf, usageError } from "../errors.js";
import type { HandledRequest } from "../service/request-handler.js";
import { createLogWriter, formatLogLine, type LogFormat } from "../service/request-log.js";
import type { Service, ServiceOptions } from "../service/service.js";
import { type OpenService, openLocalService } from "./local-service.js";
import type { Messages } from "./messages.js";

export interface ServiceAccessOptions {
  /** Used without `--db` and CALCTL_SERVICE_DB. */
  readonly defaultDatabase: () => string;
  readonly env: Environment;
  readonly open: OpenService;
  /** The same, for a service that others use: makes the database private. */
  readonly openPrivate: OpenService;
  readonly signal: () => AbortSignal;
  readonly messages: Pick<Messages, "note" | "log" | "debug">;
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
    changes: Pick<ServiceOptions, "rateLimit" | "onHandled" | "cors" | "signal" | "onSuperseded">,
  ) => (await openLocalService(open, { database: defaultDatabase(), ...changes }, note)).service;
  const logRequests = (format: LogFormat) => {
    const log = createLogWriter(messages.log, format);
    return (request: HandledRequest): void => {
      const line = formatLogLine(request, format);
      if (line !== null) log(line);
      if (request.failure !== undefined) messages.debug(request.failure);
    };
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
      const { memory, sample, rateLimit } = serveOptions;
      const database = memory ? ":memory:" : choose(serveOptions.database);
      const cors = await loadCors(serveOptions.cors);
      // A sample needs a database without users, and is the only content that it should have.
      const isLocal = database === undefined && !sample;
      const superseded = new AbortController();
      const settings = {
        rateLimit,
        cors,
        onHandled: logRequests(serveOptions.log),
        // Requests in progress may end after an interruption.
        signal: undefined,
        onSuperseded: (error: unknown) => superseded.abort(error),
      };
      const { openPrivate } = options;
      const service = await (isLocal
        ? openLocal(openPrivate, settings)
        : openWithNote(openPrivate, { database: database ?? defaultDatabase(), ...settings }));
      await serve(service, serveOptions, AbortSignal.any([options.signal(), superseded.signal]));
      superseded.signal.throwIfAborted();
    },
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

async function serve(service: Service, options: ServeOptions, signal: AbortSignal): Promise<void> {
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
    await options.onListening({ base_url, auth_url, listen, sample });
    await aborted(signal);
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
 * The database of `--db` or CALCTL_SERVICE_DB: the path of `sqlite:PATH`, a plain path, or the URL of a PostgreSQL server;
 * undefined for none.
 * @throws CliError usage
 */
function chooseDatabase(
  flag: string | undefined,
  { env, messages }: Pick<ServiceAccessOptions, "env" | "messages">,
): string | undefined {
  const database = flag ?? readVariable(env, "CALCTL_SERVICE_DB");
  if (database === undefined) return undefined;
  const [, scheme] = /^([a-z][a-z0-9+]+):/i.exec(database) ?? [];
  const source = flag === undefined ? "CALCTL_SERVICE_DB" : "--db";
  const hint = "write sqlite:PATH or postgres://USER@HOST/DATABASE";
  switch (scheme?.toLowerCase()) {
    case "postgres":
    case "postgresql":
      if (flag !== undefined && URL.canParse(flag) && new URL(flag).password !== "") {
        messages.note(
          "others on this machine can see the password of --db: set CALCTL_SERVICE_DB to the URL instead, or PGPASSWORD",
        );
      }
      return database;
    case "sqlite":
    case undefined: {
      const path = scheme === undefined ? database : database.slice("sqlite:".length);
      if (path === "") throw usageError(`${source}: the path is empty`, hint);
      return path;
    }
    default:
      throw usageError(`${source}: "${scheme}" is not a supported kind of database`, hint);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
