import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RedirectTarget } from "../../config/profile-values.js";
import { type CliError, configurationError, errorCodeOf } from "../../errors.js";
import {
  type AuthorizationResponse,
  type CallbackExpectation,
  type ExpectedResponse,
  readCallbackRequest,
} from "./authorization-response.js";
import { invalidResponsePage, type Page, refusalPage } from "./callback-page.js";

/** For receiving one request (ms). */
const REQUEST_TIMEOUT = 10_000;

export interface ListenOptions {
  readonly target: RedirectTarget;
  readonly expected: ExpectedResponse;
  /** Called with what is wrong with an authorization response that cannot be used. */
  readonly onInvalid: (problem: string) => void;
  /** Replaces the real `listen` in tests. */
  readonly listen?: Listen;
}

/** A server on the loopback interface that receives the authorization response. @see RFC 8252 §7.3 */
export interface CallbackListener extends Omit<ReturnType<typeof createCallbackHandler>, "handle"> {
  /** Sent to both endpoints, byte for byte. */
  readonly redirectUri: string;
  /** Frees the port at once, even with open connections. */
  close(): Promise<void>;
}

/**
 * Starts to listen; call it before the browser is opened.
 * @throws CliError configuration when the port is not available
 */
export async function listenForCallback(options: ListenOptions): Promise<CallbackListener> {
  const { target, expected, onInvalid } = options;
  const handler = createCallbackHandler(onInvalid);
  const listen = options.listen ?? listenExclusively;
  const { servers, port, unsupported } = await bindAll(target, listen);
  if (servers.length === 0 && unsupported !== null) {
    if (target.withoutIpv4 === undefined) throw unsupported;
    return listenForCallback({ ...options, target: target.withoutIpv4 });
  }
  const expectation: CallbackExpectation = { ...expected, path: target.path, port };
  for (const server of servers) {
    server.on("request", (request, response) => handler.handle(request, response, expectation));
  }
  return {
    redirectUri: withBoundPort(target, port),
    response: handler.response,
    respond: handler.respond,
    close: () => closeAll(servers),
  };
}

/** Attempts to find a port that is free at both addresses. */
const PORT_ATTEMPTS = 10;

/** Listens at each address of the target, on one port; an address that the machine lacks is skipped. */
async function bindAll(target: RedirectTarget, listen: Listen, attempts = PORT_ATTEMPTS) {
  const servers: Server[] = [];
  let { port } = target;
  let unsupported: CliError | null = null;
  for (const host of target.hosts) {
    const server = createServer({ headersTimeout: REQUEST_TIMEOUT, requestTimeout: REQUEST_TIMEOUT });
    try {
      await listen(server, { host, port });
    } catch (cause) {
      const error = portError(cause, { host, port });
      // This machine lacks IPv4 or IPv6.
      if (["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(errorCodeOf(cause) ?? "")) {
        unsupported = error;
        continue;
      }
      await closeAll(servers);
      const isAnyPort = target.port === 0 && servers.length > 0;
      if (isAnyPort && errorCodeOf(cause) === "EADDRINUSE" && attempts > 1) {
        return bindAll(target, listen, attempts - 1);
      }
      throw error;
    }
    servers.push(server);
    port = (server.address() as AddressInfo).port;
  }
  return { servers, port, unsupported };
}

function createCallbackHandler(onInvalid: (problem: string) => void) {
  let receive: (response: AuthorizationResponse) => void = () => undefined;
  const received = new Promise<AuthorizationResponse>((resolve) => {
    receive = resolve;
  });
  const waiting: ServerResponse[] = [];
  let result: Page | undefined;
  return {
    /** The first response that belongs to this sign-in; later ones are ignored. */
    response: received,
    handle(request: IncomingMessage, response: ServerResponse, expectation: CallbackExpectation): void {
      const verdict = readCallbackRequest(
        {
          method: request.method ?? "",
          target: request.url ?? "",
          host: request.headers.host,
          purpose: [request.headers["sec-purpose"], request.headers["purpose"]].join(" "),
        },
        expectation,
      );
      if (verdict.kind === "refused") void send(response, refusalPage(verdict.status));
      else if (verdict.kind === "invalid") {
        void send(response, invalidResponsePage(verdict.problem));
        onInvalid(verdict.problem);
      } else if (result !== undefined) void send(response, result);
      else {
        waiting.push(response);
        receive(verdict.response);
      }
    },
    /** Sends this page for every request that carried the response, also later ones; resolves when it is sent. */
    async respond(page: Page): Promise<void> {
      result = page;
      await Promise.all(waiting.splice(0).map((response) => send(response, page)));
    },
  };
}

/** Resolves when the page is sent, or when the connection is closed. */
function send(response: ServerResponse, { status, headers, body }: Page): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.once("error", () => resolve());
    if (response.destroyed) resolve();
    response.writeHead(status, headers);
    response.end(body, () => resolve());
  });
}

/** Browsers open connections in advance, which would keep `close` waiting forever. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map(closeServer));
}

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Starts a server; rejects with the system's error. */
export type Listen = (server: Server, address: ListenAddress) => Promise<void>;

export const listenExclusively: Listen = (server, { host, port }) =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", reject);
      // A connection that cannot be accepted must not end the sign-in.
      server.on("error", () => undefined);
      resolve();
    });
  });

function portError(cause: unknown, { host, port }: ListenAddress): CliError {
  const code = errorCodeOf(cause) ?? "unknown";
  const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE") {
    return configurationError(`the redirect port is busy: another program listens on ${where}`, {
      hint: "stop it, or choose another registered port with --redirect-port",
      cause,
    });
  }
  if (code === "EACCES") {
    return configurationError(`the redirect port is forbidden: no permission to listen on ${where}`, {
      hint: "choose a registered port above 1023; on Windows, `netsh int ipv4 show excludedportrange protocol=tcp` lists the reserved ones",
      cause,
    });
  }
  const other = host.includes(":") ? "http://127.0.0.1/callback" : "http://[::1]/callback";
  return configurationError(`cannot listen on ${where} (${code})`, {
    hint: `register ${other} and name it with --redirect-uri, or use --with-token`,
    cause,
  });
}

/** The redirect URI with the port that was bound; a URI with a port of its own is not changed. */
export function withBoundPort({ uri, port }: RedirectTarget, boundPort: number): string {
  return port === 0
    ? uri.replace(/^(http:\/\/[^/:[]+|http:\/\/\[[^\]]*\])(?::0?)?/i, `$1:${boundPort}`)
    : uri;
}
