import type { Transport } from "../transport.js";

/** Redirects in a row that are followed. */
export const REDIRECTS_MAX = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether a status sends elsewhere. @see RFC 9110 §15.4 */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** Where a redirect leads; null when it does not say or names no address. */
export function redirectTarget(location: string | undefined, from: string): URL | null {
  if (location === undefined || location === "" || !URL.canParse(location, from)) return null;
  return new URL(location, from);
}

/**
 * Follows the redirects of a GET within its origin, three at most. Any other is handed on as the answer it is: the
 * token belongs to one origin, and a write is never sent twice.
 */
export function withRedirects(transport: Transport): Transport {
  return async (request) => {
    let current = request;
    for (let hops = 0; ; hops += 1) {
      const response = await transport(current);
      if (request.method !== "GET" || !isRedirect(response.status) || hops === REDIRECTS_MAX) return response;
      const target = redirectTarget(response.headers["location"], current.url);
      if (target === null || target.origin !== new URL(request.url).origin) return response;
      if (target.username !== "" || target.password !== "") return response;
      target.hash = "";
      current = { ...current, url: target.href };
    }
  };
}
