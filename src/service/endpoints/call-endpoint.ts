import type { ReadRouteName, RouteName, WriteRouteName } from "../../contract/routes.js";
import type { Answers, FoundAnswer, Respond } from "../answers.js";
import type { Principal } from "../authentication.js";
import { acceptsJson, parseJsonBody } from "../http/content.js";
import { entityTag } from "../http/entity-tag.js";
import { jsonResponse, ProblemError, type ServiceResponse } from "../http/response.js";
import { matchRoute, parseQuery, parseTarget, type RouteMatch } from "../http/router.js";
import { bodyOf, type IncomingRequest } from "../request.js";
import { isRead } from "../request-places.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import type { Store } from "../store/store.js";
import type { FindDetails } from "./calendar-details.js";
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

/** What endpoints are run with. */
export interface EndpointParts {
  readonly store: Store;
  readonly answers: Answers;
  readonly findDetails: FindDetails;
  /** When the request arrived: milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Runs the endpoint that a request addresses, in one transaction, or answers as it did before.
 * @param principal null: not authenticated
 * @throws ProblemError
 */
export async function callEndpoint(
  request: IncomingRequest,
  principal: Principal | null,
  parts: EndpointParts,
): Promise<ServiceResponse> {
  if (!isRead(request)) return runWrite(request, principal, parts);
  const { target, headers, received = performance.now() } = request;
  const { accept, "if-none-match": condition } = headers;
  const question = { userId: principal?.userId, target, accept, condition, now: parts.now, received };
  return parts.answers.respond(question, (respond) => findAnswer(request, principal, { ...parts, respond }));
}

async function findAnswer(
  request: IncomingRequest,
  principal: Principal | null,
  { store, now, findDetails, respond }: EndpointParts & { readonly respond: Respond },
): Promise<FoundAnswer> {
  const match = matchRequest(request, principal);
  const { name } = match;
  if (!isReadRoute(name)) throw new Error(`${request.method} does not read at the route ${name}`);
  return store.read(async (db) => {
    const answer = await READS[name]({ ...match, now, findDetails, body: undefined, db });
    const { version, revision, until = Number.POSITIVE_INFINITY } = answer;
    const include = [...match.query.include].sort();
    // A migration may change how stored events are rendered.
    const validators = { tag: entityTag([SCHEMA_VERSION, name, include, version]), revision };
    const response = await respond(validators, answer.render);
    return { known: { validators, since: now, until }, response };
  });
}

async function runWrite(
  request: IncomingRequest,
  principal: Principal | null,
  { store, now, findDetails }: EndpointParts,
): Promise<ServiceResponse> {
  const match = matchRequest(request, principal);
  const { name, route, scope } = match;
  if (isReadRoute(name)) throw new Error(`${request.method} does not write at the route ${name}`);
  const body = route.method === "DELETE" ? undefined : parseJsonBody(await bodyOf(request), request.headers);
  const json = await store.write((db) => WRITES[name]({ ...match, now, findDetails, body, db }), { scope });
  return jsonResponse(route.success, json);
}

function isReadRoute(name: RouteName): name is ReadRouteName {
  return Object.hasOwn(READS, name);
}

/** @throws ProblemError 400, 404, 405; 406; like `authorize` */
function matchRequest({ method, target, headers }: IncomingRequest, principal: Principal | null) {
  const { segments, search } = parseTarget(target);
  const match = matchRoute(method, segments);
  const { userId } = authorize(principal, match);
  if (!acceptsJson(headers["accept"])) throw new ProblemError(406);
  const { name, route } = match;
  const parameter = (parameterName: string) => parameterOf(match, parameterName);
  return { name, route, scope: scopeOf(match), userId, parameter, query: parseQuery(route, search), search };
}

/** Writes to different calendars do not wait for each other. */
function scopeOf({ parameters: { calendar_id } }: RouteMatch): readonly string[] | undefined {
  return calendar_id === undefined ? undefined : [`calendar ${calendar_id}`];
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
