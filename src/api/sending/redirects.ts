import { parseUrl } from "../../../contract/url.js";
import type { Transport } from "../transport.js";

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
