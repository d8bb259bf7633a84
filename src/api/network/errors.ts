import { type Sent, TransportError } from "../transport.js";
import {
  codesOf,
  describeConnectFailure,
  type FailureDescription,
  isNotHttp,
  NO_CODE,
  PARSER_ERROR,
} from "./connect-errors.js";

/** Thrown when an attempt takes too long. */
export class AttemptTimeout extends Error {
  override readonly name = "AttemptTimeout";
  readonly milliseconds: number;

  constructor(milliseconds: number) {
    super("timeout");
    this.milliseconds = milliseconds;
  }
}

/** What is known about a failed attempt apart from its error. */
export interface AttemptContext {
  readonly url: URL;
  readonly sent: Sent;
  /** Null for a direct connection. */
  readonly proxy: ProxyServer | null;
  /** In bytes. */
  readonly maxResponseSize: number;
}

export const MEBIBYTE = 1024 * 1024;

/**
 * Turns the error of an attempt into a TransportError.
 * @returns the error itself if it does not come from the network, because then it is a bug
 */
export function toTransportError(error: unknown, attempt: AttemptContext): unknown {
  const { sent } = attempt;
  const reason = reasonOf(error);
  if (sent === "no" && (reason === NO_CODE || reason === "UND_ERR_INVALID_ARG")) return error;
  const { kind, message, hint } = describe(error, reason, attempt);
  return new TransportError(message, { kind, sent, reason, hint, cause: error });
}

function describe(error: unknown, reason: string, attempt: AttemptContext): FailureDescription {
  const { url, sent } = attempt;
  if (error instanceof AttemptTimeout) return describeTimeout(error, attempt);
  if (error instanceof ProxyError) return describeProxyFailure(error, url.host, reason);
  if (sent === "no") {
    return describeConnectFailure(error, reason, { name: url.host, host: `the host ${url.hostname}` });
  }
  return describeResponseFailure(error, reason, attempt);
}

function describeTimeout({ milliseconds }: AttemptTimeout, attempt: AttemptContext): FailureDescription {
  const { url, sent, proxy } = attempt;
  const seconds = milliseconds / 1000;
  const time = `after ${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  if (sent === "maybe") return { kind: "timeout", message: `no response from ${url.host} ${time}` };
  if (sent === "yes") {
    return { kind: "timeout", message: `no complete response from ${url.host} ${time}` };
  }
  const through = proxy === null ? "" : ` through ${nameProxy(proxy)}`;
  return { kind: "timeout", message: `no connection to ${url.host}${through} ${time}` };
}

/** What undici says when it closes a connection after an unexpected 100 or 101. */
const UNEXPECTED_INTERIM_RESPONSE = "bad response";

function describeResponseFailure(
  error: unknown,
  reason: string,
  { url, sent, maxResponseSize }: AttemptContext,
): FailureDescription {
  const { host } = url;
  const expectsHttps = url.protocol === "http:" ? "does it expect https?" : undefined;
  if (reason === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    const message = `the response from ${host} is larger than ${maxResponseSize / MEBIBYTE} MiB`;
    return { kind: "too_large", message };
  }
  if (reason === "UND_ERR_HEADERS_OVERFLOW") {
    return { kind: "too_large", message: `the response headers from ${host} are too large` };
  }
  // Before the headers are complete, a length mismatch means that they contradict themselves.
  if (isNotHttp(error) || (reason === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" && sent === "maybe")) {
    return { kind: "not_http", message: `the response from ${host} is not valid HTTP`, hint: expectsHttps };
  }
  if (sent === "yes") {
    return { kind: "cut_short", message: `the response from ${host} was cut short (${reason})` };
  }
  if (error instanceof Error && error.message === UNEXPECTED_INTERIM_RESPONSE) {
    const message = `${host} sent an unexpected interim response (such as 100 Continue)`;
    return { kind: "closed", message };
  }
  return {
    kind: "closed",
    message: `${host} closed the connection without a response (${reason})`,
    hint: expectsHttps && `${expectsHttps} if not, try again later: this is safe to repeat`,
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof AttemptTimeout) return "timeout";
  if (!(error instanceof ProxyError)) return codesOf(error);
  return error.status === null ? codesOf(error.cause) : String(error.status);
}

/** A proxy through which requests are tunneled. */
export interface ProxyServer {
  /** `http://HOST:PORT` or `https://HOST:PORT`, without user and password. */
  readonly origin: string;
  /** The environment variable that names it. */
  readonly variable: string;
  /** Not percent-encoded; null without a user. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** Thrown when the proxy cannot be reached or refuses. Nothing was sent to the service. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly proxy: ProxyServer;
  /** Status of the proxy's response; null without one. */
  readonly status: number | null;

  constructor(proxy: ProxyServer, reason: { readonly status: number } | { readonly cause: unknown }) {
    super("the proxy opened no tunnel", "cause" in reason ? { cause: reason.cause } : undefined);
    this.proxy = proxy;
    this.status = "status" in reason ? reason.status : null;
  }
}

/** A proxy as messages name it. */
function nameProxy({ origin, variable }: ProxyServer): string {
  return `the proxy ${new URL(origin).host} (${variable})`;
}

/**
 * Describes why the proxy opened no tunnel.
 * @param target host and port of the service
 * @param codes of the error's cause
 */
function describeProxyFailure(
  { proxy, status, cause }: ProxyError,
  target: string,
  codes: string,
): FailureDescription {
  const name = nameProxy(proxy);
  if (status !== null) return describeRefusal(proxy, status, target);
  if (codes === PARSER_ERROR || codes === "UND_ERR_HEADERS_OVERFLOW") {
    return {
      kind: "proxy",
      message: `${name} is not an HTTP proxy`,
      hint: `check the port in ${proxy.variable}`,
    };
  }
  return describeConnectFailure(cause, codes, { name, host: name });
}

function describeRefusal(proxy: ProxyServer, status: number, target: string): FailureDescription {
  const name = nameProxy(proxy);
  const { variable, credentials } = proxy;
  if (status === 407) {
    return {
      kind: "proxy",
      message: `${name} ${credentials === null ? "requires a" : "did not accept the"} user name and password`,
      hint: `set ${variable} to http://NAME:PASSWORD@HOST:PORT, with name and password percent-encoded`,
    };
  }
  // About the route from the proxy to the service, so it may be temporary.
  if (status >= 500) return { kind: "unreachable", message: `${name} cannot reach ${target} (${status})` };
  return {
    kind: "proxy",
    message: `${name} refused to connect to ${target} (${status})`,
    hint: "ask its administrator, or add the host to NO_PROXY if it can be reached directly",
  };
}
