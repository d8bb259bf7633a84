import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RedirectTarget } from "../../config/profile-values.js";
import { type CliError, configurationError, errorCodeOf } from "../../errors.js";
import { html, renderPage } from "../../html/page.js";
import {
  type AuthorizationResponse,
  type CallbackExpectation,
  type ExpectedResponse,
  readCallbackRequest,
} from "./authorization-response.js";

/** For receiving one request (ms). */
const REQUEST_TIMEOUT = 10_000;

interface ListenOptions {
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

/** An HTTP response to the browser. */
interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The page after the token was stored. */
export function signedInPage(userName: string, profile: string): Page {
  return page(200, {
    title: `Signed in as ${userName}`,
    mark: "✓",
    tone: "good",
    lines: [
      `calctl stored the token for the profile ${profile}.`,
      "Go back to the terminal. You can close this page.",
    ],
  });
}

/** The page after the sign-in failed. */
export function failurePage(reason: string): Page {
  const lines = [sentence(reason), "Go back to the terminal to try again. You can close this page."];
  return page(400, { title: "Not signed in", mark: "✕", tone: "bad", lines });
}

/** The response to a request that does not belong to the sign-in; the sign-in continues. */
export function refusalPage(status: 400 | 404 | 405 | 503): Page {
  const lines =
    status === 400
      ? [
          "This address does not belong to the sign-in that calctl is waiting for.",
          "Use the newest address that the terminal shows.",
        ]
      : ["There is nothing here. calctl is still waiting for the sign-in."];
  const refused = page(status, { title: "Not this page", mark: "?", tone: "bad", lines });
  return status === 405 ? { ...refused, headers: { ...refused.headers, allow: "GET" } } : refused;
}

/** The response to an authorization response that cannot be used; the sign-in continues. */
export function invalidResponsePage(problem: string): Page {
  const lines = [
    sentence(`the authorization server's response cannot be used: ${problem}`),
    "calctl is still waiting: the terminal shows where to sign in.",
  ];
  return page(400, { title: "Not signed in yet", mark: "?", tone: "bad", lines });
}

/** Messages for a terminal begin in lower case and end without a period. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

interface Content {
  readonly title: string;
  readonly mark: string;
  readonly tone: "good" | "bad";
  readonly lines: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #566072; --ground: #f3f5f8; --card: #fff; --good: #14804a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef1f6; --soft: #aab4c4; --ground: #14181f; --card: #1e242e; --good: #5fd39a; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground);
  color: var(--ink); font: 1.0625rem/1.55 system-ui, sans-serif; }
main { width: min(30rem, 100%); padding: 2.25rem 2rem; background: var(--card); border-radius: 1rem; text-align: center;
  overflow-wrap: anywhere; box-shadow: 0 1px 3px rgb(0 0 0 / .12), 0 8px 24px rgb(0 0 0 / .08); }
.mark { font-size: 2.5rem; line-height: 1; }
.good { color: var(--good); }
.bad { color: var(--bad); }
h1 { margin: .75rem 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h1, p { text-wrap: balance; }
p { margin: .5rem 0 0; color: var(--soft); }
`;

function page(status: number, { title, mark, tone, lines }: Content): Page {
  const paragraphs = lines.map((line) => html`<p>${line}</p>`.html).join("\n");
  const { headers, body } = renderPage({
    title: `${title} · calctl`,
    style: STYLE,
    main: html`<div class="mark ${tone}" aria-hidden="true">${mark}</div>
<h1>${title}</h1>
${{ html: paragraphs }}`,
  });
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, connection: "close", "content-length": length }, body };
}
