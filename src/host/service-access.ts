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
  readonly note: (text: string) => void;
}

/** The embedded service for the `service` commands. */
export function createServiceAccess(options: ServiceAccessOptions): ServiceAccess {
  const databaseOf = (flag: string | undefined) =>
    flag === undefined ? options.defaultDatabase() : parseDatabase(flag);
  const open: OpenService = async (opening) => {
    const service = await options.open(opening);
    if (service.created !== null) options.note(`created the database ${service.created}`);
    return service;
  };
  return {
    async admin(database, { create = false } = {}) {
      const service = await open({ database: databaseOf(database), create, rateLimit: null });
      return service.admin;
    },
    async serve(serving) {
      const database = serving.memory ? ":memory:" : databaseOf(serving.database);
      const service = await open({ database, rateLimit: serving.rateLimit });
      await serve(service, serving, options.signal());
    },
    async openApi() {
      const { openApiDocument } = await import("../service/openapi/document.js");
      return openApiDocument({ baseUrl: "{base_url}", authUrl: "{auth_url}" });
    },
  };
}

async function serve(service: Service, serving: ServeOptions, signal: AbortSignal): Promise<void> {
  const { listen } = await import("../service/listen.js");
  const tls = serving.tls === undefined ? undefined : await readTls(serving.tls);
  const listener = await listen(service, { ...serving.listen, ...(tls === undefined ? {} : { tls }) });
  try {
    // After listening: a failed start must not leave secrets in the database that nobody has seen.
    const sample = serving.sample ? { ...(await service.admin.addSample()) } : {};
    await serving.onListening({ base_url: listener.baseUrl, auth_url: listener.authUrl, sample });
    await aborted(signal);
  } finally {
    await listener.close();
  }
}

async function readTls(paths: { readonly cert: string; readonly key: string }) {
  const [cert, key] = await Promise.all([readPem(paths.cert, "--tls-cert"), readPem(paths.key, "--tls-key")]);
  return { cert, key };
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

/** Reads `sqlite:PATH` or a path. @throws CliError usage */
function parseDatabase(flag: string): string {
  const scheme = /^([a-z][a-z0-9+]+):/i.exec(flag)?.[1]?.toLowerCase();
  const path = scheme === "sqlite" ? flag.slice("sqlite:".length) : flag;
  if (scheme !== undefined && scheme !== "sqlite") {
    throw usageError(`--db: "${scheme}" databases are not supported`, "write sqlite:PATH");
  }
  if (path === "") throw usageError("--db: the path is empty", "write sqlite:PATH");
  return path;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
