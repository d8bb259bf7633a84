import type { ReadRouteName, RouteName, WriteRouteName } from "../../contract/routes.js";
import { identifyAgain, type Principal } from "../authentication.js";
import { createDayWindowCache } from "../day-window.js";
import { parseJsonBody } from "../http/content.js";
import { entityTag } from "../http/entity-tag.js";
import { jsonResponse, type ServiceResponse } from "../http/response.js";
import { createQueryCache } from "../query-cache.js";
import { bodyOf, type IncomingRequest } from "../request.js";
import { isRead } from "../request-places.js";
import { createResponseCache, type OnLookup } from "../response-cache.js";
import type { CalendarOfUser } from "../store/calendars.js";
import { SCHEMA_VERSION } from "../store/schema.js";
import { type ClientOptions, JUST_NOW, type Store, type Transaction } from "../store/store.js";
import { createDetailsCache } from "./calendar-details.js";
import { calendarReads } from "./calendars.js";
import type { ReadEndpoint, WriteEndpoint } from "./endpoint.js";
import { eventReads } from "./event-reads.js";
import { authorize, createRequestMatcher } from "./request-matcher.js";
import { createUpcomingEventsCache } from "./upcoming-events.js";

type Reads = Readonly<Record<ReadRouteName, ReadEndpoint>>;
type Writes = Readonly<Record<WriteRouteName, WriteEndpoint>>;

/**
 * Runs the endpoint that a request addresses, in one transaction; a read may be answered from caches.
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

/** Calendars that are cached, each as one of its members sees it. */
const MAX_CALENDARS = 4_096;

/** All endpoints of the API, with their caches. */
export function createEndpoints({ store, onLookup }: EndpointsOptions): CallEndpoint {
  const respondToRead = createResponseCache(store, onLookup);
  const caches = {
    findDetails: createDetailsCache(),
    findUpcomingEvents: createUpcomingEventsCache(),
    dayWindow: createDayWindowCache(),
  };
  const calendars = createQueryCache<CalendarOfUser>(store, { maxEntries: MAX_CALENDARS });
  const match = createRequestMatcher();
  const reads = createReads();
  const isReadRoute = (name: RouteName): name is ReadRouteName => name in reads;
  const writes = lazily<Writes>(() => import("./events.js").then(({ eventWrites }) => eventWrites));

  const read: CallEndpoint = (request, principal, now) => {
    const { target, headers, received = JUST_NOW } = request;
    const { accept, "if-none-match": ifNoneMatch } = headers;
    const asked = { userId: principal?.userId, target, accept, ifNoneMatch, now, received };
    return respondToRead(asked, async (respond) => {
      const { target: parsed, userId } = match(request, principal);
      const { name, calendarId, parameter, query, search } = parsed;
      if (!isReadRoute(name)) throw new Error(`${request.method} does not read at the route ${name}`);
      const cached =
        calendarId === undefined ? undefined : calendars.lookUp(`${userId} ${calendarId}`, received);
      const answerWith = async (db: Transaction, calendarEntry: typeof cached) => {
        const context = { db, calendarEntry, caches, userId, now, parameter, query, search, body: undefined };
        const { version, revision, until = Number.POSITIVE_INFINITY, render } = await reads[name](context);
        const include = [...query.include].sort();
        // A migration may change how stored events are rendered.
        const validators = { tag: entityTag([SCHEMA_VERSION, name, include, version]), revision };
        const response = await respond(validators, render);
        return { current: { validators, since: now, until }, response };
      };
      const found = cached?.value && (await attemptWithoutQuery((db) => answerWith(db, cached)));
      // A transaction may see later commits than the cache, so it queries the calendar again.
      return (
        found ??
        store.read((db) => answerWith(db, cached && { ...cached, value: undefined }), clientOf(userId))
      );
    });
  };

  const write: CallEndpoint = async (request, principal, now) => {
    const { target, userId } = match(request, principal);
    const { name, route, calendarId, parameter, query, search } = target;
    if (isReadRoute(name)) throw new Error(`${request.method} does not write at the route ${name}`);
    const { method, success } = route;
    const body = method === "DELETE" ? undefined : parseJsonBody(await bodyOf(request), request.headers);
    const { [name]: callWrite } = await writes();
    const work = async (db: Transaction) => {
      authorize(await identifyAgain(db, principal, store.engine), route);
      return callWrite({ db, caches, userId, now, parameter, query, search, body });
    };
    // Writes to different calendars do not wait for each other.
    const scope = calendarId === undefined ? undefined : [`calendar ${calendarId}`];
    const json = await store.write(work, { scope, ...clientOf(userId) });
    return jsonResponse(success, json);
  };

  return async (request, principal, now) => (isRead(request) ? read : write)(request, principal, now);
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
function clientOf(userId: string): ClientOptions {
  return { client: `user ${userId}` };
}

const QUERY_NEEDED = new Error("a query is needed");

/** Takes the place of a transaction for work that may need none: beginning one takes time. */
const NO_TRANSACTION = new Proxy(
  {},
  {
    get() {
      throw QUERY_NEEDED;
    },
  },
) as Transaction;

/**
 * Resolves with undefined if the work needs a query. It is then done again in a transaction, so it must have no effect
 * before its first query.
 */
async function attemptWithoutQuery<T>(work: (db: Transaction) => Promise<T>): Promise<T | undefined> {
  try {
    return await work(NO_TRANSACTION);
  } catch (error) {
    if (error === QUERY_NEEDED) return undefined;
    throw error;
  }
}
