import { formatRateLimit } from "../contract/rate-limit.js";
import { type Caller, identifyCaller, type Principal } from "./authentication.js";
import type { Call } from "./endpoints/endpoint.js";
import { ENDPOINTS } from "./endpoints/endpoints.js";
import { acceptsJson } from "./http/accept.js";
import { ProblemError } from "./http/problem-error.js";
import { parseQuery } from "./http/query.js";
import { jsonReply, problemReply, type Reply, withoutBody } from "./http/reply.js";
import { parseJsonBody } from "./http/request-body.js";
import { matchRoute, parseTarget, type RouteMatch } from "./http/router.js";
import type { RateCounter } from "./rate-counter.js";
import { type MeasuredRate, measureRate, type RatePolicy } from "./rate-limit.js";
import type { Service, ServiceRequest } from "./service.js";
import type { Store } from "./store/open.js";

export interface RequestHandlerOptions {
  readonly store: Store;
  readonly counter: RateCounter;
  readonly now: () => number;
  readonly rateLimit: RatePolicy | null;
  readonly mediaType: string;
  readonly onError: (error: unknown) => void;
}

/** From a request to its answer: who sends it, whether that is too often, then the endpoint. */
export function createRequestHandler(options: RequestHandlerOptions): Service["handle"] {
  const { store, counter, rateLimit, onError } = options;
  return async (request, origin) => {
    const now = options.now();
    let rate: MeasuredRate | null = null;
    let reply: Reply;
    try {
      const caller = await identifyCaller(store, origin, request.headers["authorization"]);
      if (rateLimit !== null) rate = await measureRate(counter, rateLimit, { key: caller.rateKey, now });
      reply = await serve(request, { ...options, caller, rate, now });
    } catch (error) {
      reply = problemReply(error, onError);
    }
    if (request.method === "HEAD") reply = withoutBody(reply);
    const headers = {
      date: new Date(now).toUTCString(),
      ...(rate === null ? {} : formatRateLimit(rate)),
      ...reply.headers,
    };
    return { ...reply, headers };
  };
}

interface Situation extends Omit<RequestHandlerOptions, "now"> {
  readonly caller: Caller;
  readonly rate: MeasuredRate | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function serve(request: ServiceRequest, situation: Situation): Promise<Reply> {
  const { store, caller, rate, mediaType, now } = situation;
  if (rate?.exceeded === true) {
    throw new ProblemError(429, { headers: { "retry-after": String(rate.retryAfter) } });
  }
  const { segments, search } = parseTarget(request.target);
  const match = matchRoute(request.method, segments);
  const { userId } = authorize(caller.principal, match);
  if (!acceptsJson(request.headers["accept"], mediaType)) throw new ProblemError(406);
  const call = {
    userId,
    now,
    parameter: (name: string) => parameterOf(match, name),
    query: parseQuery(match.route, search),
    body: match.route.body && parseJsonBody(request.body, request.headers),
  };
  const run = (db: Call["db"]) => ENDPOINTS[match.name]({ ...call, db });
  const body = match.route.method === "GET" ? await store.read(run) : await store.write(run);
  return jsonReply(match.route.success, body);
}

/** @throws ProblemError 401 without a valid token, 403 when it may not write */
function authorize(principal: Principal | null, { route }: RouteMatch): Principal {
  if (principal === null) throw new ProblemError(401, { headers: { "www-authenticate": "Bearer" } });
  if (principal.readOnly && route.method !== "GET") {
    throw new ProblemError(403, { errors: "this token may only read" });
  }
  return principal;
}

function parameterOf({ name: route, parameters }: RouteMatch, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw new Error(`the route ${route} has no parameter ${name}`);
  return value;
}
