import { isLoopback, parseUrl } from "../../contract/url.js";
import { ProblemError } from "../http/response.js";
import type { NetworkSource, ServiceRequest } from "../request.js";
import type { PasswordCost } from "../secrets.js";
import type { Store } from "../store/store.js";
import type { PasswordQueue } from "./password-queue.js";

/** One request to the authorization server. */
export interface OAuthContext {
  readonly request: ServiceRequest;
  readonly source: NetworkSource;
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the public client may sign users in. */
  readonly publicClient: boolean;
  readonly passwordCost?: PasswordCost | undefined;
  readonly passwordQueue: PasswordQueue;
}

type RequestOrigin = Pick<OAuthContext, "request" | "source">;

/**
 * Checks that the browser means this service: a name that somebody else points at it must not show its pages. Requests
 * of this process, without a base URL, have no host.
 * @throws ProblemError 421
 * @see RFC 9110 §7.2, §15.5.20
 */
export function checkHost({ request, source }: RequestOrigin): void {
  const { baseUrl, isCertified } = source;
  if (baseUrl === undefined) return;
  const own = new URL(baseUrl);
  const url = requestedUrl({ request, source });
  const isOwn =
    url?.host === own.host ||
    (url?.port === own.port &&
      ((isLoopback(url.hostname) && isLoopback(own.hostname)) || isCertified?.(url.hostname) === true));
  if (!isOwn) throw new ProblemError(421, { errors: `This service is at ${baseUrl}.` });
}

/**
 * The base URL of this service with the name by which the client reached it, of those that it has.
 * @throws ProblemError 421, 404 without a host
 */
export function requestedBaseUrl({ request, source }: RequestOrigin): string {
  checkHost({ request, source });
  const path = source.baseUrl === undefined ? "" : new URL(source.baseUrl).pathname.replace(/\/$/, "");
  const url = requestedUrl({ request, source });
  if (url === null) throw new ProblemError(404);
  return `${url.origin}${path}`;
}

/**
 * Whether a form was sent by a page of this service, as far as the browser says: other sites cannot choose these
 * headers. A browser that sends neither leaves the decision to the CSRF token.
 * @see RFC 6454 §7, https://www.w3.org/TR/fetch-metadata/
 */
export function isFromOwnPage({ request, source }: RequestOrigin): boolean {
  const { origin, "sec-fetch-site": site } = request.headers;
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  return origin === undefined || origin === requestedUrl({ request, source })?.origin;
}

/** Scheme and host that the browser asked for; null without a valid host. An absolute target overrides `Host`. */
function requestedUrl({ request, source }: RequestOrigin): URL | null {
  const protocol = source.baseUrl?.startsWith("https:") === true ? "https:" : "http:";
  const host = /^https?:\/\/([^/?]*)/i.exec(request.target)?.[1] ?? request.headers["host"] ?? "";
  // A URL parser would accept more, such as user@host.
  return /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host) ? parseUrl(`${protocol}//${host}`) : null;
}
