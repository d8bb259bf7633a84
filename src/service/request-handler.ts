import { formatRateLimit } from "../contract/rate-limit.js";
import type { RouteName } from "../contract/routes.js";
import { type Caller, identifyCaller, type Principal } from "./authentication.js";
import { calendarEndpoints, type Endpoint, type EndpointContext } from "./endpoints/calendars.js";
import { eventEndpoints } from "./endpoints/events.js";
import { acceptsJson, parseJsonBody } from "./http/content.js";
import {
  jsonResponse,
  ProblemError,
  problemResponse,
  type ServiceResponse,
  toProblemError,
  withoutBody,
} from "./http/response.js";
import { matchRoute, parseQuery, parseTarget, type RouteMatch } from "./http/router.js";
import { matchOAuthEndpoint } from "./oauth/endpoint.js";
import { applyRateLimit, type RateLimitPolicy, type RateLimitResult } from "./rate-limit.js";
import type { RequestHandler, RequestSource, ServiceRequest } from "./request.js";
import type { PasswordCost } from "./secrets.js";
import type { Store } from "./store/store.js";

export interface RequestHandlerOptions {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Null: requests are not limited. */
  readonly rateLimit: RateLimitPolicy | null;
  readonly mediaType: string;
  /** Called with the error behind a 500 or 503. */
  readonly onError: (error: unknown) => void;
  readonly passwordCost?: PasswordCost | undefined;
}

/** Handles a request: identify the caller, apply the rate limit, run the endpoint. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { store, rateLimit, onError } = options;
  return async (request, source) => {
    const now = options.now();
    const responder = chooseResponder(request, source, { ...options, now });
    let rate: RateLimitResult | null = null;
    let response: ServiceResponse;
    try {
      const caller = await identifyCaller(store, source, responder.authorization);
      if (rateLimit !== null)
        rate = await applyRateLimit(store, rateLimit, { key: caller.rateLimitKey, now });
      if (rate?.exceeded === true) {
        throw new ProblemError(429, { headers: { "retry-after": String(rate.retryAfter) } });
      }
      response = await responder.respond(caller);
    } catch (error) {
      response = await respondToError(error, responder, { source, onError });
    }
    if (request.method === "HEAD") response = withoutBody(response);
    const headers = {
      date: new Date(now).toUTCString(),
      ...(rate === null ? {} : formatRateLimit(rate)),
      ...response.headers,
    };
    return { ...response, headers };
  };
}

/** The options, at the time of one request. */
interface RequestOptions extends Omit<RequestHandlerOptions, "now"> {
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The API or the authorization server. They differ in how they authenticate and in how they report problems. */
interface Responder {
  /** The header that authenticates the caller; undefined at the authorization server, which takes no tokens. */
  readonly authorization: string | undefined;
  respond(caller: Caller): Promise<ServiceResponse>;
  respondWithProblem(problem: ProblemError): ServiceResponse | Promise<ServiceResponse>;
}

/** Requests from this process never reach the authorization server: there is no one to sign in. */
function chooseResponder(
  request: ServiceRequest,
  source: RequestSource,
  { store, now, mediaType, passwordCost }: RequestOptions,
): Responder {
  const endpoint = matchOAuthEndpoint(request.target);
  if (endpoint === null || source.kind === "local") {
    return {
      authorization: request.headers["authorization"],
      respond: ({ principal }) => callEndpoint(request, principal, { store, now, mediaType }),
      respondWithProblem: problemResponse,
    };
  }
  // Loaded on demand: commands of the profile `local` never need it.
  const load = async () =>
    endpoint === "authorize"
      ? (await import("./oauth/authorize.js")).authorizeEndpoint
      : (await import("./oauth/token.js")).tokenEndpoint;
  return {
    authorization: undefined,
    respond: async () => (await load()).respond({ request, source, store, now, passwordCost }),
    respondWithProblem: async (problem) => (await load()).respondWithProblem(problem),
  };
}

async function respondToError(
  error: unknown,
  responder: Responder,
  { source, onError }: Pick<RequestHandlerOptions, "onError"> & { readonly source: RequestSource },
): Promise<ServiceResponse> {
  const problem = toProblemError(error);
  const failure = problem.cause;
  if (failure !== undefined) onError(failure);
  const response = await responder.respondWithProblem(problem);
  return failure !== undefined && source.kind === "local" ? { ...response, failure } : response;
}

const ENDPOINTS: Readonly<Record<RouteName, Endpoint>> = { ...calendarEndpoints, ...eventEndpoints };

async function callEndpoint(
  request: ServiceRequest,
  principal: Principal | null,
  { store, now, mediaType }: Pick<RequestOptions, "store" | "now" | "mediaType">,
): Promise<ServiceResponse> {
  const { segments, search } = parseTarget(request.target);
  const match = matchRoute(request.method, segments);
  const { userId } = authorize(principal, match);
  if (!acceptsJson(request.headers["accept"], mediaType)) throw new ProblemError(406);
  const context = {
    userId,
    now,
    parameter: (name: string) => parameterOf(match, name),
    query: parseQuery(match.route, search),
    body: match.route.body && parseJsonBody(request.body, request.headers),
  };
  const run = (db: EndpointContext["db"]) => ENDPOINTS[match.name]({ ...context, db });
  const body = match.route.method === "GET" ? await store.read(run) : await store.write(run);
  return jsonResponse(match.route.success, body);
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
