import { RATE_LIMIT_HEADERS } from "../../contract/rate-limit.js";
import { REVISION_HEADER } from "../../contract/routes.js";
import { isLoopback, parseUrl } from "../../contract/url.js";
import { usageError } from "../../src/errors.js";
import type { IncomingRequest } from "../request.js";
import type { ServiceResponse } from "./response.js";
import { allowedMethods, matchOAuthEndpoint } from "./router.js";

/**
 * Lets web pages of some origins call the API and the token endpoint, but not the pages on which users sign in. There
 * are no cookies to protect: a page sends the token that it has. @see Fetch standard, "CORS protocol"
 */
export interface Cors {
  /** The response to a preflight request of an allowed origin; null for any other request. */
  preflight(request: IncomingRequest): ServiceResponse | null;
  /** Headers to add to any response, names in lower case. */
  headers(request: IncomingRequest): Readonly<Record<string, string>>;
}

/** @throws CliError usage for an origin that browsers do not send, or that is not safe */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins.map(checkOrigin));
  const headersOf = ({ target, headers: { origin } }: IncomingRequest) => {
    if (PAGES.has(matchOAuthEndpoint(target))) return {};
    // Also for other origins: a cache must not give one the response to another.
    return origin !== undefined && allowed.has(origin) ? { ...readableBy(origin), vary: "origin" } : VARY;
  };
  return {
    headers: headersOf,
    preflight(request) {
      const headers = headersOf(request);
      const isPreflight = request.method === "OPTIONS" && "access-control-request-method" in request.headers;
      if (!isPreflight || !("access-control-allow-origin" in headers)) return null;
      const allow = {
        "access-control-allow-methods": methodsAt(request.target).join(", "),
        "access-control-allow-headers": "authorization, content-type, accept, if-none-match",
        "access-control-max-age": "600",
      };
      return { status: 204, headers: allow, body: new Uint8Array() };
    },
  };
}

/** Endpoints that show pages to a user. */
const PAGES: ReadonlySet<ReturnType<typeof matchOAuthEndpoint>> = new Set(["start", "authorize"]);

const VARY: Readonly<Record<string, string>> = { vary: "origin" };

function readableBy(origin: string): Record<string, string> {
  const exposed = [
    ...Object.values(RATE_LIMIT_HEADERS),
    "retry-after",
    "x-request-id",
    "etag",
    REVISION_HEADER,
  ];
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": exposed.join(", "),
  };
}

/** Every method where there is no route, so that the page can read the error of its request. */
function methodsAt(target: string): readonly string[] {
  const endpoint = matchOAuthEndpoint(target);
  if (endpoint !== null) return endpoint === "token" ? ["POST"] : ["GET", "HEAD"];
  const methods = allowedMethods(target);
  return methods.length === 0 ? ["GET", "HEAD", "POST", "PUT", "DELETE"] : methods;
}

/** The origin as browsers send it. @see RFC 6454 §6.2 */
function checkOrigin(text: string): string {
  const url = parseUrl(text);
  if (text.includes("*")) {
    throw usageError(
      `--cors: "${text}" would let in web apps that you do not know`,
      "name each origin, such as https://app.example",
    );
  }
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw usageError(
      `--cors: "${text}" is not the origin of a web app`,
      "write scheme, host and port, such as https://app.example or http://localhost:5173",
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw usageError(
      `--cors: "${text}" has pages that can be changed on the way, with the tokens that they hold`,
      "use https; http is for this machine, such as http://localhost:5173",
    );
  }
  if (url.origin !== text) {
    throw usageError(`--cors: "${text}" is not as browsers send the origin`, `write ${url.origin}`);
  }
  return text;
}
