import { X509Certificate } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { createServer as createNetServer, isIP, type Server, type Socket } from "node:net";
import { isLoopback, parseUrl, withoutFinalSlashes } from "../contract/url.js";
import { configurationError, errorCodeOf } from "../src/errors.js";
import { sleepFor } from "../src/system/clock.js";
import { createLimit } from "./concurrency-limit.js";
import { type ClientAddressReader, createClientAddressReader, normalAddress } from "./http/addresses.js";
import { MAX_HEADERS } from "./http/incoming-message.js";
import { createRequestListener, type RequestListenerOptions } from "./http/request-listener.js";
import { OAUTH_PATH } from "./http/router.js";
import type { Service } from "./service.js";

export interface ListenOptions extends Pick<RequestListenerOptions, "sendTimeout" | "stallTimeout"> {
  /** Name or address to listen on; an IPv6 address may be in brackets. */
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** PEM text. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** URL of the service for clients, if they reach it through a proxy. */
  readonly publicUrl?: string;
  /** Address of that proxy, whose `X-Forwarded-For` is trusted. */
  readonly trustProxy?: string;
  /** REQUEST_TIMEOUTS by default. */
  readonly requestTimeouts?: typeof REQUEST_TIMEOUTS;
  /** How long `close` waits for requests in progress (ms); 10 seconds by default. */
  readonly closeTimeout?: number;
}

export type ServiceListener = Awaited<ReturnType<typeof listen>>;

/** How long a client may take to send a request and its headers, and how often this is checked (ms). */
const REQUEST_TIMEOUTS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
};

/** How long a client may take for a TLS handshake (ms). */
const HANDSHAKE_TIMEOUT = 10_000;

const CONNECTIONS = { perClient: 100, total: 2000 };

const CLOSE_TIMEOUT = 10_000;

/**
 * Serves the service over HTTP or HTTPS until the listener is closed; the service itself stays open.
 * @throws CliError configuration when it cannot listen on the host and port, the certificate is invalid, or other
 * machines could reach the service without TLS
 */
export async function listen(service: Service, options: ListenOptions) {
  const {
    host,
    port,
    trustProxy,
    requestTimeouts = REQUEST_TIMEOUTS,
    closeTimeout = CLOSE_TIMEOUT,
  } = options;
  checkExposure(options);
  const publicUrl = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl);
  const addressOf = createClientAddressReader(trustProxy);
  const server = await createServer(options.tls);
  // A missing Host header is refused like anything else, so that the operator sees it.
  const http = createHttpServer({ ...requestTimeouts, requireHostHeader: false });
  http.maxHeadersCount = MAX_HEADERS;
  const proxy = trustProxy === undefined ? undefined : normalAddress(trustProxy);
  const sockets = limitConnections(server, addressOf, proxy);
  const hint = "choose another --host or --port; --port 0 chooses a free one";
  const address = await startListening(server, { host, port, hint });
  const baseUrl = publicUrl ?? `${options.tls === undefined ? "http" : "https"}://${address}`;
  const isCertified = publicUrl === undefined && options.tls ? createHostCheck(options.tls) : undefined;
  // The URL of a free port is not known before. No connection is read until this turn of the event loop ends.
  const requests = createRequestListener(service, { ...options, addressOf, baseUrl, isCertified });
  requests.attach(http);
  // It does not listen itself, but checks its timeouts from this event on.
  http.emit("listening");
  server.on("connection", requests.noteConnection);
  server.on(options.tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    if (!socket.destroyed) requests.readFrom(socket, http);
  });
  return {
    baseUrl,
    authUrl: `${baseUrl}${OAUTH_PATH}`,
    /** `HOST:PORT` that it listens on. */
    address,
    /** Stops accepting requests, waits for those in progress up to `closeTimeout`, then closes every connection. */
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // An incomplete request would keep it open.
      const drained = new AbortController();
      void requests.drain().then(() => drained.abort());
      await sleepFor(closeTimeout, drained.signal).catch(() => undefined);
      // The rest are slow or idle, such as keep-alive connections and TLS handshakes.
      for (const socket of sockets) socket.destroy();
      await closed;
      // Stops the timer of the timeouts. Before, it would destroy connections whose response is written but not yet sent.
      http.close();
    },
  };
}

/** Tokens must not be sent over a network unencrypted. @see contract section 1 */
function checkExposure({ host, tls, publicUrl, trustProxy }: ListenOptions): void {
  const behindProxy = publicUrl !== undefined && trustProxy !== undefined;
  if (isLoopback(host) || tls !== undefined || behindProxy) return;
  throw configurationError(`--host: ${host} can be reached from other machines, which needs HTTPS`, {
    hint: "give --tls-cert and --tls-key, or --public-url and --trust-proxy for a proxy that has them",
  });
}

/** The URL without a trailing slash. @throws CliError configuration */
function parsePublicUrl(text: string): string {
  const url = parseUrl(text);
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url === null || !secure || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw configurationError(`--public-url: "${text}" is not the https URL of a service`, {
      hint: "write a URL such as https://calendars.example.org",
    });
  }
  return withoutFinalSlashes(url.href);
}

/** The server that accepts connections. An HTTP server reads them. */
async function createServer(tls: ListenOptions["tls"]): Promise<Server> {
  // The options of node:http and node:https.
  const options = { allowHalfOpen: true, noDelay: true };
  if (tls === undefined) return createNetServer(options);
  const { createServer: createTlsServer } = await import("node:tls");
  try {
    const server = createTlsServer({
      ...options,
      ...tls,
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: HANDSHAKE_TIMEOUT,
    });
    return server.on("tlsClientError", (_, socket) => socket.destroy());
  } catch (cause) {
    throw configurationError("the TLS certificate and key cannot be used", {
      hint: "give a certificate and its own key, both as PEM and without a passphrase",
      cause,
    });
  }
}

/**
 * Closes connections in excess as soon as they are accepted, before any TLS handshake. Returns those that are open.
 * @param proxy address whose connections are those of many clients; it has limits of its own
 */
function limitConnections(
  server: Server,
  addressOf: ClientAddressReader,
  proxy: string | undefined,
): ReadonlySet<Socket> {
  const connections = createLimit(CONNECTIONS);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress: address = "" } = socket;
    const client = addressOf(address, undefined);
    const isLimited = normalAddress(address) !== proxy;
    if (isLimited && connections.exceeded(client) !== null) {
      socket.destroy();
      return;
    }
    if (isLimited) connections.add(client, 1);
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      if (isLimited) connections.add(client, -1);
    });
  });
  return sockets;
}

/** Whether a certificate is valid for a host, as browsers check it. */
function createHostCheck({ cert }: { readonly cert: string }): (host: string) => boolean {
  const certificate = new X509Certificate(cert);
  return (host) => {
    const address = withoutBrackets(host);
    return (isIP(address) === 0 ? certificate.checkHost(host) : certificate.checkIP(address)) !== undefined;
  };
}

/** An IPv6 address as `node:net` has it: without the brackets that it may have in URLs. Any other host stays as it is. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/** Where a server listens, and what to do if it cannot. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly hint: string;
}

/**
 * @returns `HOST:PORT` with the port that was chosen, an IPv6 address in brackets
 * @throws CliError configuration when it cannot listen there
 */
export async function startListening(server: Server, { host: written, port, hint }: ListenAddress) {
  const host = withoutBrackets(written);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const reason = LISTEN_REASONS[errorCodeOf(cause) ?? ""];
      const text = `cannot listen on ${host} port ${port}: ${reason}`;
      reject(reason === undefined ? cause : configurationError(text, { hint, cause }));
    });
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  const chosen = typeof address === "object" ? address?.port : 0;
  return `${host.includes(":") ? `[${host}]` : host}:${chosen}`;
}

const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "the port needs more privileges",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the host name cannot be resolved",
};
