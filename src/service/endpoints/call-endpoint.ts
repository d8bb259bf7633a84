import type { RouteName } from "../../contract/routes.js";
import type { Principal } from "../authentication.js";
import { acceptsJson, parseJsonBody } from "../http/content.js";
import { jsonResponse, ProblemError, type ServiceResponse } from "../http/response.js";
import { matchRoute, parseQuery, parseTarget, type RouteMatch } from "../http/router.js";
import { bodyOf, type IncomingRequest } from "../request.js";
import type { Store } from "../store/store.js";
import { calendarEndpoints, type Endpoint, type EndpointContext } from "./calendars.js";
import { eventEndpoints } from "./events.js";
import { listEndpoints } from "./lists.js";

const ENDPOINTS: Readonly<Record<RouteName, Endpoint>> = {
  ...calendarEndpoints,
  ...eventEndpoints,
  ...listEndpoints,
};

/**
 * Runs the endpoint that a request addresses, in one transaction.
 * @param principal null: not authenticated
 * @throws ProblemError
 */
export async function callEndpoint(
  request: IncomingRequest,
  principal: Principal | null,
  { store, now }: { readonly store: Store; readonly now: number },
): Promise<ServiceResponse> {
  const { segments, search } = parseTarget(request.target);
  const match = matchRoute(request.method, segments);
  const { userId } = authorize(principal, match);
  if (!acceptsJson(request.headers["accept"])) throw new ProblemError(406);
  const context = {
    userId,
    now,
    parameter: (name: string) => parameterOf(match, name),
    query: parseQuery(match.route, search),
    search,
    body: takesBody(match.route) ? parseJsonBody(await bodyOf(request), request.headers) : undefined,
  };
  const run = (db: EndpointContext["db"]) => ENDPOINTS[match.name]({ ...context, db });
  const body = match.route.method === "GET" ? await store.read(run) : await store.write(run);
  return jsonResponse(match.route.success, body);
}

function takesBody({ method }: RouteMatch["route"]): boolean {
  return method === "POST" || method === "PUT";
}

/** @throws ProblemError 401 without a valid token, 403 when the token is read-only and the request writes */
function authorize(principal: Principal | null, { route }: RouteMatch): Principal {
  if (principal === null) throw new ProblemError(401, { headers: { "www-authenticate": "Bearer" } });
  if (principal.readOnly && route.method !== "GET") {
    throw new ProblemError(403, { errors: "this token is read-only" });
  }
  return principal;
}

function parameterOf({ name: route, parameters }: RouteMatch, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new Error(`the route ${route} has no parameter ${name}`);
  return value;
}
