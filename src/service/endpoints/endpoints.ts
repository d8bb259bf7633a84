import type { ReadRouteName, Route, RouteName, WriteRouteName } from "../../contract/routes.js";
import { createAnswers, type OnLookup } from "../answers.js";
import type { Principal } from "../authentication.js";
import { acceptsJson, parseJsonBody } from "../http/content.js";
import { entityTag } from "../http/entity-tag.js";
import { jsonResponse, ProblemError, type ServiceResponse } from "../http/response.js";
import { matchRoute, parseQuery, parseTarget, type Query, type RouteMatch } from "../http/router.js";
import { RecentMap } from "../recent-map.js";
import { bodyOf, type IncomingRequest } from "../request.js";
import { isRead } from "../request-places.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import { JUST_NOW, type Store, type Transaction } from "../store/store.js";
import { createDetailsCache } from "./calendar-details.js";
import { calendarReads } from "./calendars.js";
import { changeReads } from "./changes.js";
import type { ReadEndpoint, WriteEndpoint } from "./endpoint.js";
import { eventReads } from "./event-reads.js";
import { eventWrites } from "./events.js";
import { listReads } from "./lists.js";

const READS: Readonly<Record<ReadRouteName, ReadEndpoint>> = {
  ...calendarReads,
  ...eventReads,
  ...listReads,
  ...changeReads,
};
const WRITES: Readonly<Record<WriteRouteName, WriteEndpoint>> = eventWrites;

/**
 * Runs the endpoint that a request addresses, in one transaction, or answers as it did before.
 * @param principal null: not authenticated
 * @param now when the request arrived: milliseconds since the epoch
 * @throws ProblemError
 */
export type CallEndpoint = (
  request: IncomingRequest,
  principal: Principal | null,
  now: number,
) => Promise<ServiceResponse>;

export interface EndpointsOptions {
  readonly store: Store;
  readonly onLookup?: OnLookup | undefined;
}

/** All endpoints of the API, with what they keep of earlier requests. */
export function createEndpoints({ store, onLookup }: EndpointsOptions): CallEndpoint {
  const answers = createAnswers(store, onLookup);
  const findDetails = createDetailsCache();
  const match = createRequestMatcher();

  const read: CallEndpoint = (request, principal, now) => {
    const { target, headers, received = JUST_NOW } = request;
    const { accept, "if-none-match": condition } = headers;
    const question = { userId: principal?.userId, target, accept, condition, now, received };
    return answers.respond(question, async (respond) => {
      const { target: parsed, userId } = match(request, principal);
      const { name, parameter, query, search } = parsed;
      if (!isReadRoute(name)) throw new Error(`${request.method} does not read at the route ${name}`);
      return store.read(async (db) => {
        const context = { db, findDetails, userId, now, parameter, query, search, body: undefined };
        const answer = await READS[name](context);
        const { version, revision, until = Number.POSITIVE_INFINITY } = answer;
        const include = [...query.include].sort();
        // A migration may change how stored events are rendered.
        const validators = { tag: entityTag([SCHEMA_VERSION, name, include, version]), revision };
        const response = await respond(validators, answer.render);
        return { known: { validators, since: now, until }, response };
      });
    });
  };

  const write: CallEndpoint = async (request, principal, now) => {
    const { target, userId } = match(request, principal);
    const { name, route, scope, parameter, query, search } = target;
    if (isReadRoute(name)) throw new Error(`${request.method} does not write at the route ${name}`);
    const { method, success } = route;
    const body = method === "DELETE" ? undefined : parseJsonBody(await bodyOf(request), request.headers);
    const work = (db: Transaction) =>
      WRITES[name]({ db, findDetails, userId, now, parameter, query, search, body });
    const json = await store.write(work, { scope });
    return jsonResponse(success, json);
  };

  return async (request, principal, now) => (isRead(request) ? read : write)(request, principal, now);
}

function isReadRoute(name: RouteName): name is ReadRouteName {
  return Object.hasOwn(READS, name);
}

/** What the target of a request says. */
interface ParsedTarget {
  readonly name: RouteName;
  readonly route: Route;
  /** Writes to different calendars do not wait for each other. */
  readonly scope: readonly string[] | undefined;
  readonly parameter: (name: string) => string;
  readonly search: URLSearchParams;
  readonly query: Query;
}

/** Targets that are not parsed again when they come again. */
const MAX_TARGETS = 10_000;
/** Longer ones are parsed each time (UTF-16 code units): clients choose them. */
const MAX_TARGET = 500;

/** Finds what a request addresses. @throws ProblemError 400, 404, 405; 406; like `authorize` */
function createRequestMatcher() {
  const parsed = new RecentMap<ParsedTarget>(MAX_TARGETS);
  return ({ method, target, headers }: IncomingRequest, principal: Principal | null) => {
    const key = `${method} ${target}`;
    const known = parsed.get(key);
    const found = known ?? findRoute(method, target);
    const { userId } = authorize(principal, found.route);
    if (!acceptsJson(headers["accept"])) throw new ProblemError(406);
    if (known !== undefined) return { target: known, userId };
    const complete = { ...found, query: parseQuery(found.route, found.search) };
    if (key.length <= MAX_TARGET) parsed.set(key, complete);
    return { target: complete, userId };
  };
}

function findRoute(method: string, target: string): Omit<ParsedTarget, "query"> {
  const { segments, search } = parseTarget(target);
  const match = matchRoute(method, segments);
  const { calendar_id } = match.parameters;
  return {
    name: match.name,
    route: match.route,
    scope: calendar_id === undefined ? undefined : [`calendar ${calendar_id}`],
    parameter: (name) => parameterOf(match, name),
    search,
  };
}

/** @throws ProblemError 401 without a valid token, 403 when the token is read-only and the request writes */
function authorize(principal: Principal | null, { method }: Route): Principal {
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
