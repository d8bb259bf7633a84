import { formatRateLimit } from "../contract/rate-limit.js";
import type { RouteName } from "../contract/routes.js";
import { type Caller, identifyCaller, type Principal } from "./authentication.js";
import { calendarEndpoints, type Endpoint, type EndpointContext } from "./endpoints/calendars.js";
import { eventEndpoints } from "./endpoints/events.js";
import { matchHealthEndpoint, respondWithHealth } from "./health.js";
import { createBudget } from "./http/budget.js";
import { acceptsJson, parseJsonBody } from "./http/content.js";
import type { Cors } from "./http/cors.js";
import {
  badRequest,
  jsonResponse,
  ProblemError,
  problemResponse,
  type ServiceResponse,
  toProblemError,
  withoutBody,
} from "./http/response.js";
import { matchRoute, parseQuery, parseTarget, type RouteMatch } from "./http/router.js";
import { matchOAuthEndpoint } from "./oauth/endpoint.js";
import { createPasswordQueue, type PasswordQueue } from "./password-queue.js";
import type { RateLimiter, RateLimitResult } from "./rate-limit.js";
import {
  type IncomingRequest,
  type NetworkSource,
  type RequestHandler,
  type RequestSource,
  splitTarget,
} from "./request.js";
import { createShortId, type PasswordCost } from "./secrets.js";
import type { Store } from "./store/store.js";

/** A request and its response, for the operator's log. It has no query, body or token. */
export interface HandledRequest {
  readonly id: string;
  /** Of the client. */
  readonly address: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** When the request arrived, and how long the response took (ms). */
  readonly time: number;
  readonly duration: number;
  /** The error behind a 500 or 503. */
  readonly failure?: unknown;
}

export interface RequestHandlerOptions {
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Null: requests are not limited. */
  readonly rateLimiter: RateLimiter | null;
  /** Undefined: no web page of another origin may read a response. */
  readonly cors?: Cors | undefined;
  /** Called after every request from the network. */
  readonly onHandled: (request: HandledRequest) => void;
  readonly passwordCost?: PasswordCost | undefined;
}

/** Requests under way of one token or address, and in all. Those in excess are refused. */
const UNDER_WAY = { perClient: 64, total: 1024 };

/** Handles a request: identify the caller, apply the limits, run the endpoint. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { store, rateLimiter, onHandled, cors } = options;
  const underWay = createBudget(UNDER_WAY);
  const passwordQueue = createPasswordQueue();
  const respond = async (request: IncomingRequest, source: RequestSource, now: number) => {
    const responder = chooseResponder(request, source, { ...options, now, passwordQueue });
    let rate: RateLimitResult | null = null;
    let response: ServiceResponse;
    try {
      const caller = await identifyCaller(store, source, responder.authorization);
      const share = underWay.open(caller.rateLimitKey);
      try {
        share.take(1);
        rate = (await rateLimiter?.count(caller.rateLimitKey, now)) ?? null;
        if (rate?.exceeded === true) {
          throw new ProblemError(429, { headers: { "retry-after": String(rate.retryAfter) } });
        }
        response = await responder.respond(caller);
      } finally {
        share.close();
      }
    } catch (error) {
      const problem = toProblemError(error);
      const { cause: failure } = problem;
      response = await responder.respondWithProblem(problem);
      if (failure !== undefined) response = { ...response, failure };
    }
    const headers = rate === null ? response.headers : { ...formatRateLimit(rate), ...response.headers };
    return { ...response, headers };
  };
  const respondAndReport = async (request: IncomingRequest, source: NetworkSource, time: number) => {
    const id = createShortId();
    const { failure, ...response } =
      (await respondUncounted(request, options)) ?? (await respond(request, source, time));
    onHandled({
      id,
      address: source.address,
      method: request.method,
      path: splitTarget(request.target).path,
      status: response.status,
      time,
      duration: options.now() - time,
      ...(failure !== undefined && { failure }),
    });
    return { ...response, headers: { "x-request-id": id, ...cors?.headers(request), ...response.headers } };
  };
  return async (request, source) => {
    const now = options.now();
    const response =
      source.kind === "local"
        ? await respond(request, source, now)
        : await respondAndReport(request, source, now);
    const dated = { ...response, headers: { date: new Date(now).toUTCString(), ...response.headers } };
    return request.method === "HEAD" ? withoutBody(dated) : dated;
  };
}

/** The response to a preflight or health request, which need no token, or to an invalid one; null for any other. */
async function respondUncounted(
  request: IncomingRequest,
  { cors, store }: Pick<RequestHandlerOptions, "cors" | "store">,
): Promise<ServiceResponse | null> {
  // Node.js itself answers 400 if there is none. @see RFC 9112 §3.2
  if (request.headers["host"]?.includes(",") === true) {
    return problemResponse(badRequest("the request has more than one Host header"));
  }
  const preflight = cors?.preflight(request);
  if (preflight) return preflight;
  const health = matchHealthEndpoint(request.target);
  return health === null ? null : respondWithHealth(health, request.method, store);
}

/** The options, at the time of one request. */
interface RequestOptions extends Omit<RequestHandlerOptions, "now"> {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly passwordQueue: PasswordQueue;
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
  request: IncomingRequest,
  source: RequestSource,
  { store, now, passwordCost, passwordQueue }: RequestOptions,
): Responder {
  const endpoint = matchOAuthEndpoint(request.target);
  if (endpoint === null || source.kind === "local") {
    return {
      authorization: request.headers["authorization"],
      respond: ({ principal }) => callEndpoint(request, principal, { store, now }),
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
    respond: async () => {
      const { respond } = await load();
      return respond({
        request: { ...request, body: await readBody(request) },
        source,
        store,
        now,
        passwordCost,
        passwordQueue,
      });
    },
    respondWithProblem: async (problem) => (await load()).respondWithProblem(problem),
  };
}

async function readBody({ body }: IncomingRequest): Promise<Uint8Array> {
  return typeof body === "function" ? body() : body;
}

const ENDPOINTS: Readonly<Record<RouteName, Endpoint>> = { ...calendarEndpoints, ...eventEndpoints };

async function callEndpoint(
  request: IncomingRequest,
  principal: Principal | null,
  { store, now }: Pick<RequestOptions, "store" | "now">,
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
    body: match.route.body && parseJsonBody(await readBody(request), request.headers),
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
