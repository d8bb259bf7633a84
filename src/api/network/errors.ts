import { errorCodeOf } from "../../errors.js";
import { type FailureKind, type Sent, TransportError } from "../transport.js";

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

/** What an error message says about a failure. */
interface FailureDescription {
  readonly kind: FailureKind;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The other end of a connection, as messages name it. */
interface Peer {
  /** Such as `calendar.example:8443`. */
  readonly name: string;
  /** Such as `the host calendar.example`. */
  readonly host: string;
}

const CHECK_ADDRESS = "check the address; if it is right, try again later: this is safe to repeat";

/**
 * Describes why a connection could not be opened.
 * @param codes the error's codes: several, without duplicates, for a host with several addresses
 */
function describeConnectFailure(error: unknown, codes: string, { name, host }: Peer): FailureDescription {
  const tls = describeTlsFailure(codes, name, error);
  if (tls !== null) return { kind: "tls", ...tls };
  switch (codes) {
    case "ECONNREFUSED":
      return { kind: "unreachable", message: `${name} refused the connection`, hint: CHECK_ADDRESS };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { kind: "unreachable", message: `${host} cannot be found`, hint: CHECK_ADDRESS };
    case "UND_ERR_CONNECT_TIMEOUT":
      return { kind: "timeout", message: `the connection to ${name} timed out` };
    default:
      return { kind: "unreachable", message: `cannot connect to ${name} (${codes})` };
  }
}

/** Stands for the code of an error without one, which does not come from the network. */
const NO_CODE = "unknown";

/** Name of the errors of undici's HTTP parser, which have no code. */
const PARSER_ERROR = "HTTPParserError";

/** Code of a Node or undici error. A host with several addresses has one for each, listed without duplicates. */
function codesOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(codesOf))].join(", ");
  }
  return errorCodeOf(error) ?? (isParserError(error) ? PARSER_ERROR : NO_CODE);
}

/** Whether the peer sent bytes that are not HTTP. False for a response that only ended too early. */
function isNotHttp(error: unknown): boolean {
  // Empty data means that the connection was closed, not that its bytes were wrong.
  return isParserError(error) && !("data" in error && error.data === "");
}

function isParserError(error: unknown): error is Error {
  return error instanceof Error && error.name === PARSER_ERROR;
}

type TlsDescription = Required<Omit<FailureDescription, "kind">>;

const TRUST_HINT = "if the issuer is your own, set NODE_EXTRA_CA_CERTS to the file of its certificate";
const CLOCK_HINT = "check this machine's clock; if it is right, the service must renew its certificate";

/** OpenSSL's codes for an unknown issuer. @see openssl-verification-options(1) */
const UNKNOWN_ISSUER = new Set([
  "CERT_UNTRUSTED",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
]);

const OTHER_CERTIFICATE_ERROR =
  /^(?:CERT_|CRL_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|UNABLE_TO_|ERR_TLS_CERT_)/;

/** Null for a code that does not come from TLS. */
function describeTlsFailure(code: string, peer: string, error: unknown): TlsDescription | null {
  const certificate = `the certificate of ${peer}`;
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return { message: `${certificate} has expired`, hint: CLOCK_HINT };
    case "CERT_NOT_YET_VALID":
      return { message: `${certificate} is not valid yet`, hint: CLOCK_HINT };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { message: `${certificate} is for ${namesOf(error)}`, hint: "check the host name" };
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return {
        message: `${certificate} is self-signed`,
        hint: "if you trust it, set NODE_EXTRA_CA_CERTS to its file",
      };
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return {
        message: `the certificate chain of ${peer} is incomplete: the issuer's certificate is missing`,
        hint: TRUST_HINT,
      };
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return { message: `${peer} does not speak HTTPS`, hint: "check the port" };
    default:
      return describeOtherTlsFailure(code, peer);
  }
}

function describeOtherTlsFailure(code: string, peer: string): TlsDescription | null {
  const certificate = `the certificate of ${peer}`;
  if (UNKNOWN_ISSUER.has(code)) {
    return { message: `${certificate} has an unknown issuer (${code})`, hint: TRUST_HINT };
  }
  if (OTHER_CERTIFICATE_ERROR.test(code)) {
    return { message: `${certificate} is not accepted (${code})`, hint: TRUST_HINT };
  }
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    const hint = "calctl supports TLS 1.2 and 1.3, without client certificates";
    return { message: `the TLS handshake with ${peer} failed (${code})`, hint };
  }
  return null;
}

const MAX_NAMES = 3;

/** The names in the certificate, such as `a.example, b.example`. */
function namesOf(error: unknown): string {
  const names = subjectAltName(error)
    .split(", ")
    .map((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1])
    .filter((name) => name !== undefined);
  if (names.length === 0) return "another host";
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ["…"] : [])].join(", ");
}

function subjectAltName(error: unknown): string {
  if (typeof error !== "object" || error === null || !("cert" in error)) return "";
  const { cert } = error;
  if (typeof cert !== "object" || cert === null || !("subjectaltname" in cert)) return "";
  return String(cert.subjectaltname);
}
