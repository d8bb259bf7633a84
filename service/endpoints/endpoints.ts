import type { ReadRouteName, RouteName, WriteRouteName } from "../../contract/routes.js";
import { findAccessAgain } from "../authentication.js";
import { isRead } from "../concurrency-limit.js";
import { acceptsJson, parseJsonBody } from "../http/content.js";
import { entityTag, matchesEntityTag } from "../http/entity-tag.js";
import { jsonResponse, notModifiedResponse, type ServiceResponse, taggedResponse } from "../http/response.js";
import { bodyOf, type IncomingRequest } from "../request.js";
import { createResponseCache, versionOf } from "../response-cache.js";
import { type Access, findAccess } from "../store/access.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import type { ClientOptions, Store, Transaction } from "../store/store.js";
import { calendarReads } from "./calendars.js";
import type { ReadEndpoint, WriteEndpoint } from "./endpoint.js";
import { eventReads } from "./event-reads.js";
import { authorize, type MatchedRequest, matchRequest } from "./request-matcher.js";

type Reads = Readonly<Record<ReadRouteName, ReadEndpoint>>;
type Writes = Readonly<Record<WriteRouteName, WriteEndpoint>>;

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

/** Called when the response to a request was in the cache, or had to be rendered. */
export type OnLookup = (result: "hit" | "miss") => void;

export interface EndpointsOptions {
  readonly store: Store;
  readonly onLookup?: OnLookup | undefined;
}

/** All endpoints of the API. */
export function createEndpoints(options: EndpointsOptions): CallEndpoint {
  const read = createReader(options);
  const write = createWriter(options);
  return async (request, caller, now) => (isRead(request) ? read : write)(request, caller, now);
}

function createReader({ store, onLookup = () => undefined }: EndpointsOptions): CallEndpoint {
  const cache = createResponseCache();
  const answerTo = createAnswers();
  return async (request, caller, now) => {
    const { target, headers } = request;
    const ifNoneMatch = headers["if-none-match"];
    const cached = caller !== null && acceptsJson(headers["accept"]) && cache.find(caller, target, now);
    if (cached) {
      if (matchesEntityTag(ifNoneMatch, cached.tag)) return notModifiedResponse(cached);
      onLookup("hit");
      return cached.response;
    }
    const asked = matchRequest(request, caller);
    const first = await answerTo(asked, asked.access, now);
    // Whether there is an answer at all, which is what `*` asks, only rendering tells.
    const isKnown = ifNoneMatch?.trim() !== "*" && matchesEntityTag(ifNoneMatch, first.tag);
    if (isKnown) return notModifiedResponse(first);
    const render = async (db: Transaction) => {
      const access = await findAccess(db, asked.access.credential, asked.access.calendarId);
      // It may see later commits.
      const isSame = access !== undefined && versionOf(access) === versionOf(asked.access);
      const answer = isSame ? first : await answerTo(asked, authorize(access, asked.route), now);
      return { ...answer, response: taggedResponse(answer, await answer.render(db)) };
    };
    const rendered = await store.read(render, clientOf(asked.access));
    cache.add(rendered, target, now);
    if (matchesEntityTag(ifNoneMatch, rendered.tag)) return notModifiedResponse(rendered);
    onLookup("miss");
    return rendered.response;
  };
}

/** Says what reads are answered, and by which entity tag. */
function createAnswers() {
  const reads = createReads();
  return async ({ name, query, ...asked }: MatchedRequest, access: Access, now: number) => {
    if (!isReadRoute(reads, name)) throw new Error(`the route ${name} does not read`);
    const { version, ...answer } = await reads[name]({ ...asked, query, access, now });
    // A migration may change how stored events are rendered.
    const tag = entityTag([SCHEMA_VERSION, name, [...query.include].sort(), version]);
    return { until: Number.POSITIVE_INFINITY, ...answer, access, tag };
  };
}

function isReadRoute(reads: Reads, name: RouteName): name is ReadRouteName {
  return name in reads;
}

function createWriter({ store }: EndpointsOptions): CallEndpoint {
  const writes = lazily<Writes>(() => import("./events.js").then(({ eventWrites }) => eventWrites));
  const isWriteRoute = (found: Writes, name: RouteName): name is WriteRouteName => name in found;
  return async (request, caller, now) => {
    const { name, route, access: asked, parameter } = matchRequest(request, caller);
    const { method, success } = route;
    const body = method === "DELETE" ? undefined : parseJsonBody(await bodyOf(request), request.headers);
    const found = await writes();
    if (!isWriteRoute(found, name)) throw new Error(`the route ${name} does not write`);
    const work = async (db: Transaction) => {
      const access = authorize(await findAccessAgain(db, asked, store.engine), route);
      return found[name]({ db, access, now, parameter, body });
    };
    // Writes to different calendars do not wait for each other.
    const scope = [`calendar ${asked.calendarId}`];
    return jsonResponse(success, await store.write(work, { scope, ...clientOf(asked) }));
  };
}

/** Those that most lists of the profile `local` do not need are loaded when they are. */
function createReads(): Reads {
  const lists = lazily(() => import("./lists.js").then(({ listReads }) => listReads));
  const changes = lazily(() => import("./changes.js").then(({ changeReads }) => changeReads));
  return {
    ...calendarReads,
    ...eventReads,
    listEvents: async (context) => (await lists()).listEvents(context),
    listActivities: async (context) => (await lists()).listActivities(context),
    listChanges: async (context) => (await changes()).listChanges(context),
  };
}

function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** Of transactions, by whatever token the user sent the request. */
function clientOf({ user }: Access): ClientOptions {
  return { client: `user ${user.id}` };
}
