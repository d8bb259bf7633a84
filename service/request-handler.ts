import { formatRateLimit } from "../contract/rate-limit.js";
import { once } from "../src/system/clock.js";
import { type Caller, createAuthentication } from "./authentication.js";
import { createConcurrencyLimit, isRead } from "./concurrency-limit.js";
import { createEndpoints, type EndpointsOptions } from "./endpoints/endpoints.js";
import type { HealthOptions } from "./health.js";
import {
  badRequest,
  documentResponse,
  ProblemError,
  problemResponse,
  type ServiceResponse,
  toProblemError,
  withoutBody,
} from "./http/response.js";
import { matchFeed, matchOAuthEndpoint, withoutSecrets } from "./http/router.js";
import type { RateLimiter } from "./rate-limit.js";
import {
  bodyOf,
  type IncomingRequest,
  type NetworkSource,
  type RequestHandler,
  type RequestSource,
  splitTarget,
} from "./request.js";
import { createRequestId, type PasswordCost } from "./secrets.js";

/** A request and its response, for the operator's log. It has no query, body, token or secret. */
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

export interface RequestHandlerOptions extends HealthOptions, EndpointsOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Null: requests are not limited. */
  readonly rateLimiter: RateLimiter | null;
  /** Called after every request from the network. */
  readonly onHandled: (request: HandledRequest) => void;
  /** Whether users may sign in with the public client, which needs no registration; by default they may. */
  readonly publicClient?: boolean | undefined;
  /** Cost of hashing new passwords; stored ones keep theirs. */
  readonly passwordCost?: PasswordCost | undefined;
}

/** Handles requests: identify the caller, apply the limits, run the endpoint. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const dependencies = createDependencies(options);
  return async (request, source) => {
    const time = options.now();
    const run = { dependencies, time, headers: { date: new Date(time).toUTCString() } };
    const response =
      source.kind === "local"
        ? await respondWithinLimits(request, source, run)
        : await respondToNetwork(request, source, run);
    const complete = withHeaders(response, run.headers);
    return request.method === "HEAD" ? withoutBody(complete) : complete;
  };
}

/** Adds headers to those of a response. Its members are named, since spreading objects is slow where it is done often. */
function withHeaders(response: ServiceResponse, added: Record<string, string>): ServiceResponse {
  const { status, document, failure } = response;
  const headers = Object.assign(added, response.headers);
  if (document !== undefined) return documentResponse({ status, headers }, document);
  const complete = { status, headers, body: response.body };
  return failure === undefined ? complete : { ...complete, failure };
}

/** What all requests share. */
function createDependencies(options: RequestHandlerOptions) {
  const { store, publicClient = true, passwordCost } = options;
  return {
    ...options,
    identify: createAuthentication(store),
    callEndpoint: createEndpoints(options),
    concurrency: createConcurrencyLimit(),
    health: once(async () => {
      const { createHealthEndpoints, matchHealthEndpoint } = await import("./health.js");
      return { match: matchHealthEndpoint, respond: createHealthEndpoints(options) };
    }),
    feeds: once(async () => (await import("./feeds/feed-server.js")).createFeedServer(store)),
    // The profile `local` never needs it.
    authorizationServer: once(async () => {
      const { createAuthorizationServer } = await import("./oauth/endpoints.js");
      return createAuthorizationServer({ store, publicClient, passwordCost });
    }),
  };
}

interface RequestRun {
  readonly dependencies: ReturnType<typeof createDependencies>;
  /** When it arrived: milliseconds since the epoch. */
  readonly time: number;
  /** Of the response, whichever it will be; its own headers take precedence. */
  readonly headers: Record<string, string>;
}

/** Adds a request id to the response, with which the operator finds the request in the log. */
async function respondToNetwork(
  request: IncomingRequest,
  source: NetworkSource,
  run: RequestRun,
): Promise<ServiceResponse> {
  const { dependencies, time, headers } = run;
  const id = createRequestId();
  headers["x-request-id"] = id;
  const response =
    (await respondUncounted(request, run)) ?? (await respondWithinLimits(request, source, run));
  const { status, body, failure } = response;
  dependencies.onHandled({
    id,
    address: source.address,
    method: request.method,
    path: withoutSecrets(splitTarget(request.target).path),
    status,
    time,
    duration: dependencies.now() - time,
    failure,
  });
  return { status, headers: response.headers, body };
}

/** Never rejects: an error becomes a problem. */
async function respondWithinLimits(
  request: IncomingRequest,
  source: RequestSource,
  run: RequestRun,
): Promise<ServiceResponse> {
  const { identify, rateLimiter, concurrency } = run.dependencies;
  const responder = chooseResponder(request, source, run);
  try {
    const caller = await identify(source, request, responder.authorization);
    request.onIdentified?.(caller.access !== null);
    if (rateLimiter !== null) countRequest(rateLimiter, caller, run);
    request.admit?.();
    const response = await concurrency.run(request, caller, (placed) => responder.respond(placed, caller));
    // The response to a write is small, and must not be refused: the write has been done.
    if (request.method === "GET") request.reserve?.(response.body.byteLength);
    return response;
  } catch (error) {
    return await respondWithError(error, responder);
  }
}

/** @throws ProblemError 429 when the request is over the limit */
function countRequest(
  rateLimiter: RateLimiter,
  { rateLimitKey }: Caller,
  { time, headers }: RequestRun,
): void {
  const rate = rateLimiter.count(rateLimitKey, time);
  Object.assign(headers, formatRateLimit(rate));
  if (rate.exceeded) throw new ProblemError(429, { headers: { "retry-after": String(rate.retryAfter) } });
}

/** Responds with a problem, and passes on the error behind it for the operator's log. */
async function respondWithError(
  error: unknown,
  { respondWithProblem }: Pick<Responder, "respondWithProblem">,
): Promise<ServiceResponse> {
  const problem = toProblemError(error);
  const response = await respondWithProblem(problem);
  return problem.cause === undefined ? response : { ...response, failure: problem.cause };
}

/** Responds to what the rate limit does not count: invalid requests, health checks; null for any other request. */
async function respondUncounted(
  request: IncomingRequest,
  { dependencies: { health } }: RequestRun,
): Promise<ServiceResponse | null> {
  if (request.refusal !== undefined) return problemResponse(request.refusal);
  // @see RFC 9112 §3.2
  if (request.headers["host"]?.includes(",") === true) {
    return problemResponse(badRequest("the request has more than one Host header"));
  }
  const { match, respond } = await health();
  const path = match(request.target);
  if (path === null) return null;
  try {
    return await respond(path, request.method);
  } catch (error) {
    return respondWithError(error, { respondWithProblem: problemResponse });
  }
}

/** The API, feeds or the authorization server. They differ in how they authenticate and in how they report problems. */
interface Responder {
  /** The header that authenticates the caller; undefined at the authorization server, which takes no tokens. */
  readonly authorization: string | undefined;
  respond(request: IncomingRequest, caller: Caller): Promise<ServiceResponse>;
  respondWithProblem(problem: ProblemError): ServiceResponse | Promise<ServiceResponse>;
}

/** Requests from this process never reach the authorization server or a feed: they have a user. */
function chooseResponder(
  { method, target, headers }: Pick<IncomingRequest, "method" | "target" | "headers">,
  source: RequestSource,
  { dependencies, time: now }: RequestRun,
): Responder {
  const { callEndpoint, authorizationServer, feeds } = dependencies;
  const feed = matchFeed({ method, target });
  if (feed !== null && source.kind !== "local") {
    return {
      authorization: undefined,
      respond: async (request) => (await feeds()).respond(feed, { request, address: source.address, now }),
      respondWithProblem: async (problem) => (await feeds()).respondWithProblem(feed, problem),
    };
  }
  const path = matchOAuthEndpoint(target);
  if (path === null || source.kind === "local") {
    return {
      authorization: headers["authorization"],
      respond: (request, { access }) => callEndpoint(request, access, now),
      respondWithProblem: problemResponse,
    };
  }
  return {
    authorization: undefined,
    async respond(request) {
      const server = await authorizationServer();
      // A request that reads keeps its place, so it must not wait for a body.
      const body = isRead(request) ? new Uint8Array() : await bodyOf(request);
      return server(path).respond({ request: { ...request, body }, source, now });
    },
    respondWithProblem: async (problem) => (await authorizationServer())(path).respondWithProblem(problem),
  };
}
