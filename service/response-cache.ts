import { matchesEntityTag } from "./http/entity-tag.js";
import {
  type JsonBody,
  notModifiedResponse,
  type ServiceResponse,
  taggedResponse,
  type Validators,
} from "./http/response.js";
import { createLruCache } from "./lru-cache.js";
import { createQueryCache } from "./query-cache.js";
import type { Store } from "./store/store.js";

/** What the response to a request that reads depends on, besides the database. */
export interface ReadRequest {
  /** Undefined without a valid token. */
  readonly userId: string | undefined;
  /** Path and query as received. */
  readonly target: string;
  readonly accept: string | undefined;
  /** The header `If-None-Match`; undefined without one. */
  readonly ifNoneMatch: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When it was received (`performance.now()`, or `JUST_NOW`). */
  readonly received: number;
}

/** Which answer a request gets, as long as nothing in the database changes. */
export interface CurrentAnswer {
  /** Answers with the same entity tag are the same. */
  readonly validators: Validators;
  /** From when until when the request gets this answer (ms since the epoch, the end exclusive). */
  readonly since: number;
  readonly until: number;
}

export interface FoundAnswer {
  readonly current: CurrentAnswer;
  readonly response: ServiceResponse;
}

/**
 * Responds with the answer that the validators identify: with 304 if the client has it, otherwise with the cached response
 * or a new one. If `render` rejects, nothing is cached or counted, so the same answer may be attempted again.
 */
export type Respond = (validators: Validators, render: () => Promise<JsonBody>) => Promise<ServiceResponse>;

/** @param find checks the request, reads the revisions and calls `respond`; not called if what it finds is cached */
export type RespondToRead = (
  request: ReadRequest,
  find: (respond: Respond) => Promise<FoundAnswer>,
) => Promise<ServiceResponse>;

/** Requests whose current answers are cached. */
const MAX_REQUESTS = 10_000;

/** Bytes of all cached responses, and of one. */
const MAX_BYTES = { total: 32 * 1024 * 1024, response: 1024 * 1024 };

/** What a response takes besides its body, about (bytes). */
const OVERHEAD = 1000;

/** Called when the response to a request was in the cache, or had to be rendered. */
export type OnLookup = (result: "hit" | "miss") => void;

/**
 * Two caches: responses by their entity tag, which has the revisions of what they show; and, until anything in the database
 * changes, the current answer to each request, so that not even these revisions are queried.
 */
export function createResponseCache(
  store: Pick<Store, "version">,
  onLookup: OnLookup = () => undefined,
): RespondToRead {
  const answers = createQueryCache<CurrentAnswer>(store, { maxEntries: MAX_REQUESTS });
  const responses = createLruCache<ServiceResponse>(MAX_BYTES.total, {
    maxValueSize: MAX_BYTES.response,
    sizeOf: ({ body }) => OVERHEAD + body.byteLength,
  });
  return async ({ userId, target, accept, ifNoneMatch, now, received }, find) => {
    const entry = answers.lookUp([userId, target, accept].join("\n"), received);
    const answer = entry.value;
    if (answer !== undefined && answer.since <= now && now < answer.until) {
      const { validators } = answer;
      if (matchesEntityTag(ifNoneMatch, validators.tag)) return notModifiedResponse(validators);
      const cached = responses.get(validators.tag);
      if (cached !== undefined) {
        onLookup("hit");
        return cached;
      }
    }
    const { current, response } = await find(async (validators, render) => {
      const { tag } = validators;
      if (matchesEntityTag(ifNoneMatch, tag)) return notModifiedResponse(validators);
      const cached = responses.get(tag);
      const response = cached ?? taggedResponse(validators, await render());
      onLookup(cached === undefined ? "miss" : "hit");
      if (cached === undefined) responses.set(tag, response);
      return response;
    });
    entry.set(current);
    return response;
  };
}
