import type { HttpMethod } from "../contract/routes.js";
import { CliError } from "../errors.js";

/** One HTTP request as plain data. */
export interface HttpRequest {
  readonly method: HttpMethod;
  /** Absolute. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent where the request carries none. */
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** One whole HTTP answer as plain data. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Sends one request and resolves with any answer, whatever its status.
 * The innermost one talks to a socket or to the embedded service; decorators wrap it.
 * @throws TransportError when there is no whole answer
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * What is known of a request that got no whole answer:
 * `no` it surely never reached the service, `maybe` it may have, `answered` the status line of a success came but the
 * rest did not. (An answer that is no success is whole once its head is there: what is lost are details.)
 */
export type Sent = "no" | "maybe" | "answered";

/** Why there is no whole answer. */
export type Fault =
  /** No connection: refused, no such host, no route. */
  | "unreachable"
  | "timeout"
  /** The connection ended before an answer. */
  | "closed"
  /** The connection ended within the answer. */
  | "cut_short"
  /** More than is read. */
  | "too_large"
  /** What answered does not speak HTTP. */
  | "not_http"
  /** No TLS connection, or a certificate that is not trusted. */
  | "tls"
  /** The proxy lets nothing through. */
  | "proxy";

export interface TransportErrorOptions {
  readonly fault: Fault;
  readonly sent: Sent;
  /** The driver's own code, such as ECONNREFUSED. */
  readonly reason: string;
  /** What to do next, where the fault knows better than the caller. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** There is no whole answer to a request. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly fault: Fault;
  readonly sent: Sent;
  readonly reason: string;
  readonly hint: string | undefined;

  constructor(message: string, options: TransportErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = options.fault;
    this.sent = options.sent;
    this.reason = options.reason;
    this.hint = options.hint;
  }
}

/** Sends `Authorization: Bearer` with every request. @see RFC 6750 §2.1 */
export function withBearer(transport: Transport, token: string): Transport {
  return (request) =>
    transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
}

/** The caller's reason to stop, and for a write that may have arrived the warning that it may have been done. */
export function interruptedWrite(method: HttpMethod, reason: unknown): unknown {
  if (method === "GET" || !(reason instanceof CliError)) return reason;
  if (reason.code !== "interrupted" || reason.hint !== undefined) return reason;
  return new CliError(reason.code, reason.message, {
    exitCode: reason.exitCode,
    inDoubt: true,
    hint: `a ${method} was under way: it is unknown whether it was done, look before you repeat it`,
    cause: reason,
  });
}
