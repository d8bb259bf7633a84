import type { HttpMethod } from "../../contract/routes.js";
import { parseUrl } from "../../contract/url.js";

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
  /** The JSON of the body, where the service is in this process and nothing needs to be parsed. */
  readonly document?: object | undefined;
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

/** Which URLs are below the base URL of a service: requests, and with them the token, go nowhere else. */

/** A URL below a base URL. @param target path, with a slash at its beginning, and query */
export function urlBelow(baseUrl: URL, target: string): string {
  return `${baseUrl.origin}${basePath(baseUrl)}${target}`;
}

/** The path of a URL below a base URL, with a slash at its beginning; null when it is not below. */
export function pathBelow(baseUrl: URL, url: URL): string | null {
  const base = basePath(baseUrl);
  const isBelow =
    url.origin === baseUrl.origin &&
    url.username === "" &&
    url.password === "" &&
    url.pathname.startsWith(`${base}/`);
  return isBelow ? url.pathname.slice(base.length) : null;
}

/** Without a slash at its end. */
function basePath({ pathname }: URL): string {
  return pathname.replace(/\/$/, "");
}

/** How many redirects in a row are followed. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** @see RFC 9110 §15.4 */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** The target of a redirect; null if it has none or an invalid one. */
export function redirectTarget(location: string | undefined, from: string): URL | null {
  return location === undefined || location === "" ? null : parseUrl(location, from);
}

/**
 * Follows up to three redirects of a GET to the same origin. Any other redirect is returned as a response: the token
 * belongs to one origin, and a write is never sent twice.
 */
export function withRedirects(transport: Transport): Transport {
  return async (request) => {
    let current = request;
    for (let followed = 0; ; followed += 1) {
      const response = await transport(current);
      const isFollowed = request.method === "GET" && followed < MAX_REDIRECTS && isRedirect(response.status);
      if (!isFollowed) return response;
      const target = redirectTarget(response.headers["location"], current.url);
      if (target === null || target.origin !== new URL(request.url).origin) return response;
      if (target.username !== "" || target.password !== "") return response;
      target.hash = "";
      current = { ...current, url: target.href };
    }
  };
}
