import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RedirectTarget } from "../config/redirect-uri.js";
import { type CliError, configurationError, errorCodeOf } from "../errors.js";
import type { AuthorizationResponse, ExpectedResponse } from "./authorization-response.js";
import { withBoundPort } from "./bound-redirect-uri.js";
import { type Page, refusalPage, unusablePage } from "./callback-page.js";
import { type CallbackExpectation, readCallbackRequest } from "./callback-request.js";

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

/**
 * Listens before anything is told to a browser, so that no answer comes too early.
 * @param onUnusable told what is wrong with an answer of the authorization server that cannot be used
 * @throws CliError configuration when the port cannot be had
 */
export async function listenForCallback(
  target: RedirectTarget,
  expected: ExpectedResponse,
  onUnusable: (problem: string) => void,
): Promise<CallbackListener> {
  const inbox = createInbox(onUnusable);
  const servers: Server[] = [];
  const close = async (): Promise<void> => void (await Promise.all(servers.map(closeServer)));
  let port = target.port;
  try {
    for (const host of target.hosts) {
      const server = createServer({ headersTimeout: READ_TIMEOUT, requestTimeout: READ_TIMEOUT });
      if (!(await bind(server, { host, port, optional: servers.length > 0 }))) continue;
      servers.push(server);
      port = (server.address() as AddressInfo).port;
      const expectation: CallbackExpectation = { ...expected, path: target.path, port };
      server.on("request", (request, answer) => inbox.take(request, answer, expectation));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    redirectUri: withBoundPort(target, port),
    response: inbox.response,
    answer: inbox.answer,
    close,
  };
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

interface Binding {
  readonly host: string;
  readonly port: number;
  /** The second address of `localhost`: a machine may lack it. */
  readonly optional: boolean;
}

async function bind(server: Server, { host, port, optional }: Binding): Promise<boolean> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host, exclusive: true }, () => {
        server.off("error", reject);
        // A connection that fails to be accepted is no reason to end.
        server.on("error", () => undefined);
        resolve();
      });
    });
    return true;
  } catch (cause) {
    const absent = ["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(errorCodeOf(cause) ?? "");
    if (optional && absent) return false;
    throw portError(cause, host, port);
  }
}

function portError(cause: unknown, host: string, port: number): CliError {
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
  return configurationError(`${where} cannot be listened on (${code})`, { cause });
}

/** A browser keeps connections open in advance that would hold `close` up for ever. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
