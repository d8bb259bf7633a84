import { IDEMPOTENCY_KEY_HEADER, REPLAYED_HEADER } from "../../contract/extensions.js";
import { JSON_MEDIA_TYPE } from "../../contract/media-types.js";
import type { ReadRouteName, Route, WriteRouteName } from "../../contract/routes.js";
import { once } from "../../src/system/clock.js";
import { findAccessAgain } from "../authentication.js";
import { isRead } from "../concurrency-limit.js";
import { acceptsJson, decodeBody, parseJson } from "../http/content.js";
import { entityTag, matchesEntityTag } from "../http/entity-tag.js";
import {
  jsonResponse,
  notModifiedResponse,
  ProblemError,
  type ServiceResponse,
  taggedResponse,
} from "../http/response.js";
import { matchRoute, parsePath, parseQuery } from "../http/router.js";
import { bodyOf, type IncomingRequest, splitTarget } from "../request.js";
import { createResponseCache, versionOf } from "../response-cache.js";
import { type Access, findAccess } from "../store/access.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import type { ReadOptions, Store, Transaction } from "../store/store.js";
import { calendarReads } from "./calendars.js";
import type { ReadEndpoint, WriteEndpoint } from "./endpoint.js";
import { eventReads } from "./event-reads.js";

/**
 * Runs the endpoint that a request addresses, in one transaction; a read that was answered before needs none.
 * @param caller as found when the request arrived; null: not authenticated
 * @param now when it arrived: milliseconds since the epoch
 * @throws ProblemError
 */
export type CallEndpoint = (
  request: IncomingRequest,
  caller: Access | null,
  now: number,
) => Promise<ServiceResponse>;

export interface EndpointsOptions {
  readonly store: Store;
}

/** All endpoints of the API. */
export function createEndpoints(options: EndpointsOptions): CallEndpoint {
  const read = createReader(options);
  const write = createWriter(options);
  return async (request, caller, now) => (isRead(request) ? read : write)(request, caller, now);
}

function createReader({ store }: EndpointsOptions): CallEndpoint {
  const cache = createResponseCache();
  const represent = createRepresentations();
  return async (request, caller, now) => {
    const { target, headers } = request;
    const ifNoneMatch = headers["if-none-match"];
    const cached = caller !== null && acceptsJson(headers["accept"]) && cache.find(caller, target, now);
    if (cached) {
      if (matchesEntityTag(ifNoneMatch, cached.tag)) return notModifiedResponse(cached);
      return cached.response;
    }
    const asked = matchRequest(request, caller);
    const first = await represent(asked, asked.access, now);
    // Whether there is a representation at all, which is what `*` asks, only rendering tells.
    const { tag, revision } = first;
    const isKnown = tag !== null && ifNoneMatch?.trim() !== "*" && matchesEntityTag(ifNoneMatch, tag);
    if (isKnown) return notModifiedResponse({ tag, revision });
    // Whoever takes the document would have to parse what is cached.
    const isLocal = "userId" in asked.access.credential;
    const render = async (db: Transaction) => {
      const access = await findAccess(db, asked.access.credential, asked.access.calendarId);
      // It may see later commits.
      const isSame = access !== undefined && versionOf(access) === versionOf(asked.access);
      const representation = isSame ? first : await represent(asked, authorize(access, asked.route), now);
      const body = await representation.render(db);
      const validators = { ...representation, tag: representation.tag ?? entityTag([body]) };
      return { ...validators, response: taggedResponse(validators, body, isLocal) };
    };
    const rendered = await store.read(render, clientOf(asked.access));
    if (tag !== null && !isLocal) cache.add(rendered, target, now);
    if (matchesEntityTag(ifNoneMatch, rendered.tag)) return notModifiedResponse(rendered);
    return rendered.response;
  };
}

/**
 * Finds what a request addresses, and checks that the caller may ask for it.
 * @throws ProblemError 400, 401, 403, 404, 405, 406
 */
function matchRequest({ method, target, headers }: IncomingRequest, caller: Access | null) {
  const { name, route, parameters } = matchRoute(method, parsePath(target));
  const access = authorize(caller, route);
  if (!acceptsJson(headers["accept"])) throw new ProblemError(406);
  const parameter = (wanted: string): string => {
    const value = parameters[wanted];
    if (value === undefined) throw new Error(`the route ${name} has no parameter ${wanted}`);
    return value;
  };
  const search = new URLSearchParams(splitTarget(target).query);
  return { name, route, access, parameter, search, query: parseQuery(route, search) };
}

type MatchedRequest = ReturnType<typeof matchRequest>;

/**
 * Checks that the caller may use the route.
 * @param caller null or undefined: not authenticated
 * @throws ProblemError 401 without a valid token, 403 when the token is read-only and the request writes
 */
function authorize<T extends { readonly readOnly: boolean }>(
  caller: T | null | undefined,
  { method }: Pick<Route, "method">,
): T {
  if (!caller) throw new ProblemError(401, { headers: { "www-authenticate": "Bearer" } });
  if (caller.readOnly && method !== "GET") {
    throw new ProblemError(403, { errors: "this token is read-only" });
  }
  return caller;
}

/** The representation that each read responds with, and its entity tag. */
function createRepresentations() {
  // Those that most lists of the profile `local` do not need are loaded when they are.
  const lists = once(() => import("./lists.js").then(({ listReads }) => listReads));
  const reads: Readonly<Record<ReadRouteName, ReadEndpoint>> = {
    ...calendarReads,
    ...eventReads,
    listEvents: async (context) => (await lists()).listEvents(context),
    listActivities: async (context) => (await lists()).listActivities(context),
    listChanges: async (context) => (await lists()).listChanges(context),
    listFeeds: async (context) => (await loadFeeds()).listFeeds(context),
  };
  return async ({ name, query, ...asked }: MatchedRequest, access: Access, now: number) => {
    // The method of the request is GET or HEAD.
    const { version, ...representation } = await reads[name as ReadRouteName]({
      ...asked,
      query,
      access,
      now,
    });
    // What another version shows may differ.
    const tag = version && entityTag([SCHEMA_VERSION, name, [...query.include].sort(), version]);
    return { until: Number.POSITIVE_INFINITY, ...representation, access, tag };
  };
}

async function loadFeeds() {
  return (await import("./feeds.js")).feedEndpoints;
}

function createWriter({ store }: EndpointsOptions): CallEndpoint {
  const writes = once<Promise<Readonly<Record<WriteRouteName, WriteEndpoint>>>>(() =>
    import("./events.js").then(({ eventWrites }) => ({
      ...eventWrites,
      createFeed: async (context) => (await loadFeeds()).createFeed(context),
      deleteFeed: async (context) => (await loadFeeds()).deleteFeed(context),
    })),
  );
  return async (request, caller, now) => {
    const { name, route, access: asked, parameter, query } = matchRequest(request, caller);
    const { method, success } = route;
    const readJson = async () =>
      parseJson(decodeBody(await bodyOf(request), request.headers, [JSON_MEDIA_TYPE]).text);
    const body = method === "DELETE" ? undefined : await readJson();
    // The method of the request is another one than GET.
    const write = (await writes())[name as WriteRouteName];
    const key = request.headers[IDEMPOTENCY_KEY_HEADER];
    const work = async (db: Transaction) => {
      const access = authorize(await findAccessAgain(db, asked, store.engine), route);
      return write({ db, access, now, parameter, query, body, key });
    };
    // Writes to different calendars do not wait for each other.
    const scope = [`calendar ${asked.calendarId}`];
    const result = await store.write(work, { scope });
    return jsonResponse(success, result.body, result.isReplay ? { [REPLAYED_HEADER]: "true" } : {});
  };
}

/** Of reads, by whatever token the user sent the request. */
function clientOf({ user }: Access): ReadOptions {
  return { client: `user ${user.id}` };
}
