import type { HttpMethod } from "../contract/routes.js";

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
 * `no` it surely never reached the service, `maybe` it may have, `answered` the status line came but the rest did not.
 */
export type Sent = "no" | "maybe" | "answered";

export interface TransportErrorOptions {
  readonly sent: Sent;
  /** The driver's own code, such as ECONNREFUSED. */
  readonly reason: string;
  readonly cause?: unknown;
}

/** There is no whole answer to a request. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly sent: Sent;
  readonly reason: string;

  constructor(message: string, options: TransportErrorOptions) {
    super(message, { cause: options.cause });
    this.sent = options.sent;
    this.reason = options.reason;
  }
}
