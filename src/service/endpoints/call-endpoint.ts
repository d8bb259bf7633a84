import type { ReadRouteName, RouteName, WriteRouteName } from "../../contract/routes.js";
import type { Principal } from "../authentication.js";
import { acceptsJson, parseJsonBody } from "../http/content.js";
import { entityTag, isKnownTo } from "../http/entity-tag.js";
import {
  jsonResponse,
  notModifiedResponse,
  ProblemError,
  type ServiceResponse,
  taggedResponse,
} from "../http/response.js";
import { matchRoute, parseQuery, parseTarget, type RouteMatch } from "../http/router.js";
import { bodyOf, type IncomingRequest } from "../request.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import type { Store } from "../store/store.js";
import { calendarReads, type EndpointContext, type ReadEndpoint, type WriteEndpoint } from "./calendars.js";
import { changeReads } from "./changes.js";
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
  const { name } = match;
  if (isRead(name)) {
    const condition = request.headers["if-none-match"];
    return store.read((db) => respondToRead(name, { ...context, db }, condition));
  }
  const body = await store.write((db) => WRITES[name]({ ...context, db }), { scope: scopeOf(match) });
  return jsonResponse(match.route.success, body);
}

function isRead(name: RouteName): name is ReadRouteName {
  return Object.hasOwn(READS, name);
}

/** @param condition `If-None-Match` of the request */
async function respondToRead(
  name: ReadRouteName,
  context: EndpointContext,
  condition: string | undefined,
): Promise<ServiceResponse> {
  const { version, revision, render } = await READS[name](context);
  if (version === null) return jsonResponse(200, await render());
  const include = [...context.query.include].sort();
  // A migration may change how stored events are rendered.
  const tag = entityTag([SCHEMA_VERSION, name, include, version]);
  const validators = { tag, revision };
  return isKnownTo(condition, tag)
    ? notModifiedResponse(validators)
    : taggedResponse(validators, await render());
}

/** Writes to different calendars do not wait for each other. */
function scopeOf({ parameters: { calendar_id } }: RouteMatch): readonly string[] | undefined {
  return calendar_id === undefined ? undefined : [`calendar ${calendar_id}`];
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
