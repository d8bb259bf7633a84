import type { Route, RouteName } from "../../contract/routes.js";
import type { Principal } from "../authentication.js";
import { acceptsJson } from "../http/content.js";
import { ProblemError } from "../http/response.js";
import { matchRoute, parseQuery, parseTarget, type Query, type RouteMatch } from "../http/router.js";
import { createLruCache } from "../lru-cache.js";
import type { IncomingRequest } from "../request.js";

/** What the target of a request says. */
export interface ParsedTarget {
  readonly name: RouteName;
  readonly route: Route;
  /** Of the calendar of the path; undefined if the path has none. */
  readonly calendarId: string | undefined;
  readonly parameter: (name: string) => string;
  readonly search: URLSearchParams;
  readonly query: Query;
}

/** Targets that are cached as parsed. */
const MAX_TARGETS = 10_000;
/** Longer ones are not cached (UTF-16 code units): clients choose them. */
const MAX_TARGET = 500;

/**
 * Finds what a request addresses, and checks that the caller may ask for it.
 * @throws ProblemError 400, 401, 403, 404, 405, 406
 */
export function createRequestMatcher() {
  const targets = createLruCache<ParsedTarget>(MAX_TARGETS);
  return ({ method, target, headers }: IncomingRequest, principal: Principal | null) => {
    const key = `${method} ${target}`;
    const cached = targets.get(key);
    const found = cached ?? findRoute(method, target);
    const { userId } = authorize(principal, found.route);
    if (!acceptsJson(headers["accept"])) throw new ProblemError(406);
    if (cached !== undefined) return { target: cached, userId };
    const parsed = { ...found, query: parseQuery(found.route, found.search) };
    if (key.length <= MAX_TARGET) targets.set(key, parsed);
    return { target: parsed, userId };
  };
}

function findRoute(method: string, target: string): Omit<ParsedTarget, "query"> {
  const { segments, search } = parseTarget(target);
  const match = matchRoute(method, segments);
  return {
    name: match.name,
    route: match.route,
    calendarId: match.parameters["calendar_id"],
    parameter: (name) => parameterOf(match, name),
    search,
  };
}

/**
 * Checks that the caller may use the route.
 * @throws ProblemError 401 without a valid token, 403 when the token is read-only and the request writes
 */
export function authorize(principal: Principal | null, { method }: Route): Principal {
  if (principal === null) throw new ProblemError(401, { headers: { "www-authenticate": "Bearer" } });
  if (principal.readOnly && method !== "GET") {
    throw new ProblemError(403, { errors: "this token is read-only" });
  }
  return principal;
}

function parameterOf({ name: route, parameters }: RouteMatch, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new Error(`the route ${route} has no parameter ${name}`);
  return value;
}
