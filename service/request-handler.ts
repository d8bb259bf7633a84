import { formatRateLimit } from "../contract/rate-limit.js";
import { type Caller, createAuthentication, type IdentifyCaller } from "./authentication.js";
import { type ConcurrencyLimit, createConcurrencyLimit, isRead } from "./concurrency-limit.js";
import { type CallEndpoint, createEndpoints, type OnLookup } from "./endpoints/endpoints.js";
import { createDatabaseCheck, matchHealthEndpoint, respondWithHealth } from "./health.js";
import type { Cors } from "./http/cors.js";
import {
  badRequest,
  ProblemError,
  problemResponse,
  type ServiceResponse,
  toProblemError,
  withoutBody,
} from "./http/response.js";
import { matchOAuthEndpoint } from "./http/router.js";
import { createPasswordQueue, type PasswordQueue } from "./password-queue.js";
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
  /** Milliseconds that only grow, by which an answer of the database to `/readyz` holds; `performance.now()` by default. */
  readonly clock?: (() => number) | undefined;
  /** Null: requests are not limited. */
  readonly rateLimiter: RateLimiter | null;
  /** Undefined: no web page of another origin may read a response. */
  readonly cors?: Cors | undefined;
  /** Called after every request from the network. */
  readonly onHandled: (request: HandledRequest) => void;
  /** Whether users may sign in with the public client, which needs no registration; by default they may. */
  readonly publicClient?: boolean | undefined;
  readonly passwordCost?: PasswordCost | undefined;
  readonly onLookup?: OnLookup | undefined;
  /** Whether the service is about to stop, which its readiness tells; never by default. */
  readonly isDraining?: () => boolean;
}

/** Handles requests: identify the caller, apply the limits, run the endpoint. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const identify = createAuthentication(options.store);
  const callEndpoint = createEndpoints(options);
  const concurrency = createConcurrencyLimit();
  const passwordQueue = createPasswordQueue();
  const requireDatabase = createDatabaseCheck(options.store, options.clock);
  const parts = { ...options, identify, callEndpoint, concurrency, passwordQueue, requireDatabase };
  return async (request, source) => {
    const time = options.now();
    const run = { parts, time, headers: { date: new Date(time).toUTCString() } };
    const response =
      source.kind === "local"
        ? await respondWithinLimits(request, source, run)
        : await respondToNetwork(request, source, run);
    const complete = withHeaders(response, run.headers);
    return request.method === "HEAD" ? withoutBody(complete) : complete;
  };
}

/** Adds headers to those of a response. Its members are named, since spreading objects is slow where it is done often. */
function withHeaders(
  { status, headers, body, failure }: ServiceResponse,
  added: Record<string, string>,
): ServiceResponse {
  const complete = { status, headers: Object.assign(added, headers), body };
  return failure === undefined ? complete : { ...complete, failure };
}

/** What all requests share. */
interface HandlerParts extends RequestHandlerOptions {
  readonly identify: IdentifyCaller;
  readonly callEndpoint: CallEndpoint;
  readonly concurrency: ConcurrencyLimit;
  readonly passwordQueue: PasswordQueue;
  readonly requireDatabase: () => Promise<void>;
}

interface RequestRun {
  readonly parts: HandlerParts;
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
  const { parts, time, headers } = run;
  const id = createRequestId();
  headers["x-request-id"] = id;
  Object.assign(headers, parts.cors?.headers(request));
  const response =
    (await respondUncounted(request, run)) ?? (await respondWithinLimits(request, source, run));
  const { status, body, failure } = response;
  parts.onHandled({
    id,
    address: source.address,
    method: request.method,
    path: splitTarget(request.target).path,
    status,
    time,
    duration: parts.now() - time,
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
  const { identify, rateLimiter, concurrency } = run.parts;
  const responder = chooseResponder(request, source, run);
  try {
    const { target, client } = request;
    const caller = await identify(source, { authorization: responder.authorization, target, client });
    request.onIdentified?.(caller.access?.user.id ?? null);
    if (rateLimiter !== null) await countRequest(rateLimiter, caller, run);
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
async function countRequest(
  rateLimiter: RateLimiter,
  { rateLimitKey }: Caller,
  { time, headers }: RequestRun,
): Promise<void> {
  const rate = await rateLimiter.count(rateLimitKey, time);
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

/** Responds to what the rate limit does not count: invalid requests, preflights, health checks; null for any other request. */
async function respondUncounted(
  request: IncomingRequest,
  { parts: { cors, requireDatabase, isDraining = () => false } }: RequestRun,
): Promise<ServiceResponse | null> {
  if (request.refusal !== undefined) return problemResponse(request.refusal);
  // @see RFC 9112 §3.2
  if (request.headers["host"]?.includes(",") === true) {
    return problemResponse(badRequest("the request has more than one Host header"));
  }
  const preflight = cors?.preflight(request);
  if (preflight) return preflight;
  const health = matchHealthEndpoint(request.target);
  if (health === null) return null;
  try {
    return await respondWithHealth(health, request.method, { requireDatabase, isDraining: isDraining() });
  } catch (error) {
    return respondWithError(error, { respondWithProblem: problemResponse });
  }
}

/** The API or the authorization server. They differ in how they authenticate and in how they report problems. */
interface Responder {
  /** The header that authenticates the caller; undefined at the authorization server, which takes no tokens. */
  readonly authorization: string | undefined;
  respond(request: IncomingRequest, caller: Caller): Promise<ServiceResponse>;
  respondWithProblem(problem: ProblemError): ServiceResponse | Promise<ServiceResponse>;
}

/** Requests from this process never reach the authorization server: there is no one to sign in. */
function chooseResponder(
  { target, headers }: Pick<IncomingRequest, "target" | "headers">,
  source: RequestSource,
  { parts: { store, callEndpoint, publicClient = true, passwordCost, passwordQueue }, time: now }: RequestRun,
): Responder {
  const endpoint = matchOAuthEndpoint(target);
  if (endpoint === null || source.kind === "local") {
    return {
      authorization: headers["authorization"],
      respond: (request, { access }) => callEndpoint(request, access, now),
      respondWithProblem: problemResponse,
    };
  }
  // Loaded on demand: the profile `local` never needs it.
  const load = () => OAUTH_ENDPOINTS[endpoint]();
  return {
    authorization: undefined,
    respond: async (request) => {
      const { respond } = await load();
      return respond({
        // A request that reads keeps its place, so it must not wait for a body.
        request: { ...request, body: isRead(request) ? new Uint8Array() : await bodyOf(request) },
        source,
        store,
        now,
        publicClient,
        passwordCost,
        passwordQueue,
      });
    },
    respondWithProblem: async (problem) => (await load()).respondWithProblem(problem),
  };
}

const OAUTH_ENDPOINTS = {
  start: async () => (await import("./oauth/start.js")).startEndpoint,
  authorize: async () => (await import("./oauth/authorize.js")).authorizeEndpoint,
  token: async () => (await import("./oauth/token.js")).tokenEndpoint,
  metadata: async () => (await import("./oauth/metadata.js")).metadataEndpoint,
} as const;
