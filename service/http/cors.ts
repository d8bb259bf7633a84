import { EXTENSIONS_HEADER, IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../../contract/extensions.js";
import { RATE_LIMIT_HEADERS } from "../../contract/rate-limit.js";
import { REVISION_HEADER } from "../../contract/routes.js";
import { isLoopback, parseUrl } from "../../contract/url.js";
import { usageError } from "../../src/errors.js";
import type { IncomingRequest } from "../request.js";
import type { ServiceResponse } from "./response.js";
import { allowedMethods, matchOAuthEndpoint } from "./router.js";

export type Cors = ReturnType<typeof createCors>;

/**
 * Lets web pages of some origins call the API and the token endpoint, but not the pages on which users sign in. There
 * are no cookies to protect: a page sends the token that it has.
 * @throws CliError usage for an origin that browsers do not send, or that is not safe
 * @see Fetch standard, "CORS protocol"
 */
export function createCors(origins: readonly string[]) {
  const allowed = new Set(origins.map(checkOrigin));
  const headersOf = ({ target, headers: { origin } }: IncomingRequest): Readonly<Record<string, string>> => {
    if (PAGES.has(matchOAuthEndpoint(target))) return {};
    // Also for other origins: a cache must not give one the response to another.
    return origin !== undefined && allowed.has(origin)
      ? { ...VARY, "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED }
      : VARY;
  };
  return {
    /** Headers to add to any response, names in lower case. */
    headers: headersOf,
    /** The response to a preflight request of an allowed origin; null for any other request. */
    preflight(request: IncomingRequest): ServiceResponse | null {
      const headers = headersOf(request);
      const isPreflight = request.method === "OPTIONS" && "access-control-request-method" in request.headers;
      if (!isPreflight || !("access-control-allow-origin" in headers)) return null;
      const allow = {
        "access-control-allow-methods": methodsAt(request.target).join(", "),
        "access-control-allow-headers": ALLOWED,
        "access-control-max-age": "600",
      };
      return { status: 204, headers: allow, body: new Uint8Array() };
    },
  };
}

/** Endpoints that show pages to a user. */
const PAGES: ReadonlySet<ReturnType<typeof matchOAuthEndpoint>> = new Set(["start", "authorize"]);

const VARY = { vary: "origin" };

/** Headers that web pages may send. */
const ALLOWED = `authorization, content-type, accept, if-none-match, ${IDEMPOTENCY_KEY_HEADER}`;

/** Headers that web pages may read. */
const EXPOSED = [
  ...Object.values(RATE_LIMIT_HEADERS),
  "retry-after",
  "x-request-id",
  "etag",
  REVISION_HEADER,
  EXTENSIONS_HEADER,
  REPLAYED_HEADER,
].join(", ");

/** Every method where there is no route, so that the page can read the error of its request. */
function methodsAt(target: string): readonly string[] {
  const endpoint = matchOAuthEndpoint(target);
  if (endpoint !== null) return endpoint === "token" ? ["POST"] : ["GET", "HEAD"];
  const methods = allowedMethods(target);
  return methods.length === 0 ? ["GET", "HEAD", "POST", "PUT", "DELETE"] : methods;
}

/** The origin as browsers send it. @see RFC 6454 §6.2 */
function checkOrigin(text: string): string {
  const refuse = (problem: string, hint: string) => usageError(`--cors: "${text}" ${problem}`, hint);
  const url = parseUrl(text);
  if (text.includes("*")) {
    throw refuse(
      "would let in web apps that you do not know",
      "name each origin, such as https://app.example",
    );
  }
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    const hint = "write scheme, host and port, such as https://app.example or http://localhost:5173";
    throw refuse("is not the origin of a web app", hint);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    const hint = "use https; http is for this machine, such as http://localhost:5173";
    throw refuse("has pages that can be changed on the way, with the tokens that they hold", hint);
  }
  if (url.origin !== text) throw refuse("is not as browsers send the origin", `write ${url.origin}`);
  return text;
}
