import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RedirectTarget } from "../../config/urls.js";
import { type CliError, configurationError, errorCodeOf } from "../../errors.js";
import { type Page, refusalPage, unusablePage } from "./callback-page.js";
import {
  type AuthorizationResponse,
  type CallbackExpectation,
  type ExpectedResponse,
  readCallbackRequest,
} from "./callback-request.js";

/** Waits on the loopback interface for the browser to come back. @see RFC 8252 §7.3 */
export interface CallbackListener {
  /** As it goes to both endpoints, byte for byte. */
  readonly redirectUri: string;
  /** The first response that belongs to this attempt; later ones change nothing. */
  readonly response: Promise<AuthorizationResponse>;
  /** Gives every browser that brought the response, now or later, this page; resolves when they have taken it. */
  answer(page: Page): Promise<void>;
  /** Frees the port at once, whatever connections are open. */
  close(): Promise<void>;
}

/** Longest time for one request's headers, in milliseconds. */
const READ_TIMEOUT = 10_000;

export interface ListenOptions {
  readonly target: RedirectTarget;
  readonly expected: ExpectedResponse;
  /** Told what is wrong with an answer of the authorization server that cannot be used. */
  readonly onUnusable: (problem: string) => void;
  /** In place of the system's own. */
  readonly listen?: Listen;
}

/**
 * Listens before anything is told to a browser, so that no answer comes too early.
 * @throws CliError configuration when the port cannot be had
 */
export async function listenForCallback(options: ListenOptions): Promise<CallbackListener> {
  const { target, expected, onUnusable } = options;
  const inbox = createInbox(onUnusable);
  const listen = options.listen ?? listenExclusively;
  const { servers, port, absent } = await bindAll(target, listen);
  if (servers.length === 0 && absent !== null) {
    if (target.withoutIpv4 === undefined) throw absent;
    return listenForCallback({ ...options, target: target.withoutIpv4 });
  }
  const expectation: CallbackExpectation = { ...expected, path: target.path, port };
  for (const server of servers) {
    server.on("request", (request, answer) => inbox.take(request, answer, expectation));
  }
  return {
    redirectUri: withBoundPort(target, port),
    response: inbox.response,
    answer: inbox.answer,
    close: () => closeAll(servers),
  };
}

interface Bound {
  readonly servers: readonly Server[];
  readonly port: number;
  /** The error of an address that this machine lacks. */
  readonly absent: CliError | null;
}

/** How often a free port is drawn that has to be free at two addresses. */
const DRAWS = 10;

/** Listens at each address of the target, on one port; an address that the machine lacks is left out. */
async function bindAll(target: RedirectTarget, listen: Listen, draws = DRAWS): Promise<Bound> {
  const servers: Server[] = [];
  let { port } = target;
  let absent: CliError | null = null;
  for (const host of target.hosts) {
    const server = createServer({ headersTimeout: READ_TIMEOUT, requestTimeout: READ_TIMEOUT });
    try {
      await listen(server, { host, port });
    } catch (cause) {
      const error = portError(cause, { host, port });
      if (isAbsentFamily(cause)) {
        absent = error;
        continue;
      }
      await closeAll(servers);
      const wasDrawn = target.port === 0 && servers.length > 0;
      if (wasDrawn && errorCodeOf(cause) === "EADDRINUSE" && draws > 1) {
        return bindAll(target, listen, draws - 1);
      }
      throw error;
    }
    servers.push(server);
    port = (server.address() as AddressInfo).port;
  }
  return { servers, port, absent };
}

interface Inbox {
  readonly response: Promise<AuthorizationResponse>;
  take(request: IncomingMessage, answer: ServerResponse, expectation: CallbackExpectation): void;
  answer(page: Page): Promise<void>;
}

function createInbox(onUnusable: (problem: string) => void): Inbox {
  let settle: (response: AuthorizationResponse) => void = () => undefined;
  const response = new Promise<AuthorizationResponse>((resolve) => {
    settle = resolve;
  });
  const waiting: ServerResponse[] = [];
  let last: Page | undefined;
  return {
    response,
    take(request, answer, expectation) {
      const verdict = readCallbackRequest(
        {
          method: request.method ?? "",
          target: request.url ?? "",
          host: request.headers.host,
          purpose: [request.headers["sec-purpose"], request.headers["purpose"]].join(" "),
        },
        expectation,
      );
      if (verdict.kind === "refused") void send(answer, refusalPage(verdict.status));
      else if (verdict.kind === "unusable") {
        void send(answer, unusablePage(verdict.problem));
        onUnusable(verdict.problem);
      } else if (last !== undefined) void send(answer, last);
      else {
        waiting.push(answer);
        settle(verdict.response);
      }
    },
    async answer(page) {
      last = page;
      await Promise.all(waiting.splice(0).map((answer) => send(answer, page)));
    },
  };
}

/** Resolves when the page is handed over, or when nobody is there any more. */
function send(answer: ServerResponse, { status, headers, body }: Page): Promise<void> {
  return new Promise((resolve) => {
    answer.once("close", resolve);
    answer.once("error", () => resolve());
    if (answer.destroyed) resolve();
    answer.writeHead(status, headers);
    answer.end(body, () => resolve());
  });
}

/** A browser keeps connections open in advance that would hold `close` up for ever. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map(closeServer));
}

/** Where one server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Makes a server listen; rejects with the system's error. */
export type Listen = (server: Server, address: ListenAddress) => Promise<void>;

export const listenExclusively: Listen = (server, { host, port }) =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", reject);
      // A connection that fails to be accepted is no reason to end.
      server.on("error", () => undefined);
      resolve();
    });
  });

/** Whether an address could not be had because this machine lacks its family. */
export function isAbsentFamily(error: unknown): boolean {
  return ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(errorCodeOf(error) ?? "");
}

/** Says why the browser cannot come back here. */
export function portError(cause: unknown, { host, port }: ListenAddress): CliError {
  const code = errorCodeOf(cause) ?? "unknown";
  const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (code === "EADDRINUSE") {
    return configurationError(`the redirect port is busy: another program listens on ${where}`, {
      hint: "end it, or choose another registered port with --redirect-port",
      cause,
    });
  }
  if (code === "EACCES") {
    return configurationError(`the redirect port is forbidden: ${where} may not be listened on`, {
      hint: "choose a registered port above 1023; on Windows, `netsh int ipv4 show excludedportrange protocol=tcp` lists what is reserved",
      cause,
    });
  }
  const other = host.includes(":") ? "http://127.0.0.1/callback" : "http://[::1]/callback";
  return configurationError(`${where} cannot be listened on (${code})`, {
    hint: `register ${other} and name it with --redirect-uri, or use --with-token`,
    cause,
  });
}

/** The redirect URI with the port that was bound; one that names its port stays as it is, byte for byte. */
export function withBoundPort({ uri, port }: RedirectTarget, boundPort: number): string {
  return port === 0
    ? uri.replace(/^(http:\/\/[^/:[]+|http:\/\/\[[^\]]*\])(?::0?)?/i, `$1:${boundPort}`)
    : uri;
}
