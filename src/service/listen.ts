import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { configurationError, errorCodeOf } from "../errors.js";
import { createClientAddressReader } from "./http/client-address.js";
import { createRequestListener } from "./http/request-listener.js";
import { isLoopback } from "./loopback.js";
import { OAUTH_PATH } from "./oauth/endpoint.js";
import type { Service } from "./service.js";

export interface ServiceStartOptions {
  /** Name or address to listen on. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM text. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Where clients reach the service when a proxy stands before it. */
  readonly publicUrl?: string;
  /** Address of that proxy, whose `X-Forwarded-For` is believed. */
  readonly trustProxy?: string;
  /** How long closing waits for requests under way, in milliseconds; 10 seconds by default. */
  readonly closeTimeout?: number;
}

export interface ServiceListener {
  readonly baseUrl: string;
  readonly authUrl: string;
  /** Stops accepting, lets requests under way finish for a while, ends the rest; resolves when all are gone. */
  close(): Promise<void>;
}

/** How long a client may take to send one request, in milliseconds. */
const REQUEST_TIMEOUT = 30_000;
const HEADERS_TIMEOUT = 10_000;
/** How often the two are looked after, in milliseconds. */
const TIMEOUT_CHECKS = 5_000;

const CLOSE_TIMEOUT = 10_000;

/**
 * Serves the service over HTTP or HTTPS until it is closed; the service itself stays open.
 * @throws CliError configuration when the port or the host cannot be had, the certificate is no good, or others could
 * reach the service without TLS
 */
export async function listen(service: Service, options: ServiceStartOptions): Promise<ServiceListener> {
  const { host, port, trustProxy, closeTimeout = CLOSE_TIMEOUT } = options;
  checkExposure(options);
  const publicUrl = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl);
  const server = await createServer(options.tls);
  const addressOf = createClientAddressReader(trustProxy);
  await startListening(server, host, port);
  const baseUrl = publicUrl ?? urlOf(server, options);
  // The free port is known only now; no connection is read before this turn of the event loop ends.
  const requests = createRequestListener(service, { addressOf, baseUrl });
  server.on("request", requests.listener);
  return {
    baseUrl,
    authUrl: `${baseUrl}${OAUTH_PATH}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A server that closes enforces no timeouts any more: half a request would hold it for ever.
      await settledWithin(requests.finish(), closeTimeout);
      // What is left is too slow or has no request: kept alive, or opened by a browser in advance.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Resolves when the work is done or that many milliseconds are over. */
function settledWithin(work: Promise<void>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A token must not cross a network in the clear. @see contract section 1 */
function checkExposure({ host, tls, publicUrl, trustProxy }: ServiceStartOptions): void {
  const behindProxy = publicUrl !== undefined && trustProxy !== undefined;
  if (isLoopback(host) || tls !== undefined || behindProxy) return;
  throw configurationError(`--host: ${host} can be reached from other machines, which needs HTTPS`, {
    hint: "give --tls-cert and --tls-key, or --public-url and --trust-proxy for a proxy that has them",
  });
}

/** The URL without a `/` at its end. @throws CliError configuration */
function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url === null || !secure || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw configurationError(`--public-url: "${text}" is not the https URL of a service`, {
      hint: "write it like https://calendars.example.org",
    });
  }
  return url.href.replace(/\/+$/, "");
}

async function createServer(tls: ServiceStartOptions["tls"]): Promise<Server> {
  const timeouts = {
    requestTimeout: REQUEST_TIMEOUT,
    headersTimeout: HEADERS_TIMEOUT,
    connectionsCheckingInterval: TIMEOUT_CHECKS,
  };
  if (tls === undefined) {
    const http = await import("node:http");
    return http.createServer(timeouts);
  }
  const https = await import("node:https");
  try {
    return https.createServer({ ...timeouts, ...tls });
  } catch (cause) {
    throw configurationError("the TLS certificate and key cannot be used", {
      hint: "give a certificate and its own key, both as PEM and without a passphrase",
      cause,
    });
  }
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(explainListenError(error, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function explainListenError(error: unknown, host: string, port: number): unknown {
  const reason = LISTEN_REASONS[errorCodeOf(error) ?? ""];
  if (reason === undefined) return error;
  return configurationError(`cannot listen on ${host} port ${port}: ${reason}`, {
    hint: "give another --host or --port; --port 0 takes a free one",
    cause: error,
  });
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "the port needs more rights",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up",
};

function urlOf(server: Server, { host, tls }: ServiceStartOptions): string {
  const address = server.address();
  const port = isAddressInfo(address) ? address.port : 0;
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${name}:${port}`;
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
