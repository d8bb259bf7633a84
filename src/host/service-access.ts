import { readFile } from "node:fs/promises";
import type { ServeOptions, ServiceAccess } from "../context.js";
import { configurationError, errorCodeOf, usageError } from "../errors.js";
import type { Service } from "../service/service.js";
import type { OpenService } from "./local-service.js";

export interface ServiceAccessOptions {
  /** Path of the database without `--db`. */
  readonly defaultDatabase: () => string;
  readonly open: OpenService;
  readonly signal: () => AbortSignal;
  /** Prints a line on stderr. */
  readonly note: (text: string) => void;
}

/** The embedded service for the `service` commands. */
export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const databaseOf = (flag: string | undefined) =>
    flag === undefined ? options.defaultDatabase() : parseDatabase(flag);
  const open: OpenService = async (serviceOptions) => {
    const service = await options.open(serviceOptions);
    if (service.created !== null) options.note(`created the database ${service.created}`);
    return service;
  };
  return {
    async admin(database, { create = false } = {}) {
      const service = await open({ database: databaseOf(database), create, rateLimit: null });
      return service.admin;
    },
    async serve(serveOptions) {
      const { memory, database, rateLimit } = serveOptions;
      const service = await open({ database: memory ? ":memory:" : databaseOf(database), rateLimit });
      await serve(service, serveOptions, options.signal());
    },
    async openApi() {
      const { openApiDocument } = await import("../service/openapi/document.js");
      return openApiDocument({ baseUrl: "{base_url}", authUrl: "{auth_url}" });
    },
  };
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
    const sample = options.sample ? { ...(await service.admin.addSample()) } : {};
    await options.onListening({ base_url: listener.baseUrl, auth_url: listener.authUrl, sample });
    await aborted(signal);
  } finally {
    await listener.close();
  }
}

async function readPem(path: string, source: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw configurationError(`${source}: ${path} cannot be read (${errorCodeOf(cause) ?? "unknown"})`, {
      cause,
    });
  }
}

/** The path of `sqlite:PATH`, or of a plain path. @throws CliError usage */
function parseDatabase(flag: string): string {
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(flag)?.[1]?.toLowerCase();
  const path = scheme === "sqlite" ? flag.slice("sqlite:".length) : flag;
  if (scheme !== undefined && scheme !== "sqlite") {
    throw usageError(`--db: "${scheme}" is not a supported kind of database`, "write sqlite:PATH");
  }
  if (path === "") throw usageError("--db: the path is empty", "write sqlite:PATH");
  return path;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
