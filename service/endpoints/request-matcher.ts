import type { Route } from "../../contract/routes.js";
import { acceptsJson } from "../http/content.js";
import { ProblemError } from "../http/response.js";
import { matchRoute, parseQuery, parseTarget } from "../http/router.js";
import type { IncomingRequest } from "../request.js";
import type { Access } from "../store/access.js";

/**
 * Finds what a request addresses, and checks that the caller may ask for it.
 * @throws ProblemError 400, 401, 403, 404, 405, 406
 */
export function matchRequest({ method, target, headers }: IncomingRequest, caller: Access | null) {
  const { segments, search } = parseTarget(target);
  const { name, route, parameters } = matchRoute(method, segments);
  const access = authorize(caller, route);
  if (!acceptsJson(headers["accept"])) throw new ProblemError(406);
  const parameter = (wanted: string): string => {
    const value = parameters[wanted];
    if (value === undefined) throw new Error(`the route ${name} has no parameter ${wanted}`);
    return value;
  };
  return { name, route, access, parameter, search, query: parseQuery(route, search) };
}

export type MatchedRequest = ReturnType<typeof matchRequest>;

/**
 * Checks that the caller may use the route.
 * @param caller null or undefined: not authenticated
 * @throws ProblemError 401 without a valid token, 403 when the token is read-only and the request writes
 */
export function authorize<T extends { readonly readOnly: boolean }>(
  caller: T | null | undefined,
  { method }: Pick<Route, "method">,
): T {
  if (!caller) throw new ProblemError(401, { headers: { "www-authenticate": "Bearer" } });
  if (caller.readOnly && method !== "GET") {
    throw new ProblemError(403, { errors: "this token is read-only" });
  }
  return caller;
}
