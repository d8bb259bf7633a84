import type { HttpMethod } from "../../contract/routes.js";

/** An HTTP request as plain data. */
export interface HttpRequest {
  readonly method: HttpMethod;
  /** Absolute. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** A complete HTTP response as plain data. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export function isSuccess({ status }: Pick<HttpResponse, "status">): boolean {
  return status >= 200 && status < 300;
}

/**
 * Sends one request and resolves with any response, whatever its status.
 * The innermost one talks to a socket or to the embedded service; decorators wrap it.
 * @throws TransportError when there is no complete response
 */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * Whether a request without a complete response reached the service: `no`; `maybe`; or `yes` if the headers of a success
 * arrived, but not its body. (Any other response is complete once its headers are there.)
 */
export type Sent = "no" | "maybe" | "yes";

/** Why there is no complete response. */
export type FailureKind =
  /** No connection: refused, unknown host, no route. */
  | "unreachable"
  | "timeout"
  /** The connection closed before the response. */
  | "closed"
  /** The connection closed during the response. */
  | "cut_short"
  /** The response exceeds a size limit. */
  | "too_large"
  /** The peer does not speak HTTP. */
  | "not_http"
  /** The TLS handshake failed, or the certificate is not trusted. */
  | "tls"
  /** The proxy refused. */
  | "proxy";

export interface TransportErrorOptions {
  readonly kind: FailureKind;
  readonly sent: Sent;
  /** The driver's own code, such as ECONNREFUSED. */
  readonly reason: string;
  /** What to do next, if this is known here. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Thrown when there is no complete response to a request. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly kind: FailureKind;
  readonly sent: Sent;
  readonly reason: string;
  readonly hint: string | undefined;

  constructor(message: string, { kind, sent, reason, hint, cause }: TransportErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.sent = sent;
    this.reason = reason;
    this.hint = hint;
  }
}

/** Sends `Authorization: Bearer` with every request. @see RFC 6750 §2.1 */
export function withBearer(transport: Transport, token: string): Transport {
  return (request) =>
    transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
}
