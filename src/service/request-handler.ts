import { formatRateLimit } from "../contract/rate-limit.js";
import { type Caller, identifyCaller, type Principal } from "./authentication.js";
import type { Call } from "./endpoints/endpoint.js";
import { ENDPOINTS } from "./endpoints/endpoints.js";
import { acceptsJson, parseJsonBody } from "./http/content.js";
import { jsonReply, ProblemError, problemReply, type Reply, withoutBody } from "./http/reply.js";
import { matchRoute, parseQuery, parseTarget, type RouteMatch } from "./http/router.js";
import { matchOAuthEndpoint } from "./oauth/endpoint.js";
import type { PasswordCost } from "./passwords.js";
import type { RateCounter } from "./rate-limit.js";
import { type MeasuredRate, measureRate, type RatePolicy } from "./rate-limit.js";
import type { Handle, Origin, ServiceRequest } from "./request.js";
import type { Store } from "./store/sqlite/open.js";

export interface RequestHandlerOptions {
  readonly store: Store;
  readonly counter: RateCounter;
  readonly now: () => number;
  readonly rateLimit: RatePolicy | null;
  readonly mediaType: string;
  readonly onError: (error: unknown) => void;
  readonly passwordCost?: PasswordCost | undefined;
}

/** From a request to its answer: who sends it, whether that is too often, then the endpoint. */
export function createRequestHandler(options: RequestHandlerOptions): Handle {
  const { store, counter, rateLimit } = options;
  return async (request, origin) => {
    const now = options.now();
    const part = partFor(request, origin, { ...options, now });
    let rate: MeasuredRate | null = null;
    let reply: Reply;
    try {
      const caller = await identifyCaller(store, origin, part.authorization);
      if (rateLimit !== null) rate = await measureRate(counter, rateLimit, { key: caller.rateKey, now });
      if (rate?.exceeded === true) {
        throw new ProblemError(429, { headers: { "retry-after": String(rate.retryAfter) } });
      }
      reply = await part.answer(caller);
    } catch (error) {
      reply = await part.refuse(error);
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
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The API or the authorization server: how a request to it is answered, and how it says what went wrong. */
interface Part {
  /** The header that says who sends the request. */
  readonly authorization: string | undefined;
  answer(caller: Caller): Promise<Reply>;
  refuse(error: unknown): Reply | Promise<Reply>;
}

/** In-process there is nobody to sign in, so there the authorization server does not exist. */
function partFor(request: ServiceRequest, origin: Origin, situation: Situation): Part {
  const endpoint = matchOAuthEndpoint(request.target);
  const { store, now, onError, passwordCost } = situation;
  if (endpoint === null || origin.kind === "local") {
    return {
      authorization: request.headers["authorization"],
      answer: (caller) => serve(request, caller, situation),
      refuse: (error) => problemReply(error, onError),
    };
  }
  // Loaded for whoever signs in alone, not for every command of the profile `local`.
  const load = () => import("./oauth/authorization-server.js");
  return {
    authorization: undefined,
    answer: async () => (await load()).answerOAuth(endpoint, { request, origin, store, now, passwordCost }),
    refuse: async (error) => (await load()).oauthFailure(endpoint, error, onError),
  };
}

async function serve(request: ServiceRequest, caller: Caller, situation: Situation): Promise<Reply> {
  const { store, mediaType, now } = situation;
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
