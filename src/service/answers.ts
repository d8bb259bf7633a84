import { isKnownTo } from "./http/entity-tag.js";
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

/** A request that reads. */
export interface Question {
  /** Undefined without a valid token. */
  readonly userId: string | undefined;
  /** Path and query as received. */
  readonly target: string;
  readonly accept: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When it was received (`performance.now()`, or `JUST_NOW`). */
  readonly received: number;
  /** `If-None-Match`; undefined without one. */
  readonly condition: string | undefined;
}

/** What is known of the answer to a question as long as nothing in the database changes. */
export interface KnownAnswer {
  /** Whatever has the same entity tag is the same answer. */
  readonly validators: Validators;
  /** The time in which this is the answer (ms since the epoch, the end exclusive). */
  readonly since: number;
  readonly until: number;
}

export interface FoundAnswer {
  readonly known: KnownAnswer;
  readonly response: ServiceResponse;
}

/** Responds with the answer that a tag names: without a body if the client has it, as it was kept, or rendered. */
export type Respond = (validators: Validators, render: () => Promise<JsonBody>) => Promise<ServiceResponse>;

/**
 * Answers that were sent are kept, ready to be sent again. An answer is known by its tag, which has the revisions of what it
 * shows; and as long as nothing in the database changes, by the question, so that not even these are queried.
 */
export interface Answers {
  /** @param find checks the request, reads the revisions and calls `respond` */
  respond(question: Question, find: (respond: Respond) => Promise<FoundAnswer>): Promise<ServiceResponse>;
}

/** Questions whose answers are known. */
const MAX_QUESTIONS = 10_000;

/** Bytes of responses that are kept, and of the largest of them. */
const KEPT = { total: 32 * 1024 * 1024, single: 1024 * 1024 };

/** What a response takes besides its body, about (bytes). */
const BYTES_OF_RESPONSE = 1000;

/** Called when a response was looked up among those that are kept. */
export type OnLookup = (result: "hit" | "miss") => void;

export function createAnswers(store: Pick<Store, "version">, onLookup: OnLookup = () => undefined): Answers {
  const known = createQueryCache<KnownAnswer>(store, MAX_QUESTIONS);
  const kept = createLruCache<ServiceResponse>(KEPT.total, {
    maxValueSize: KEPT.single,
    sizeOf: ({ body }) => BYTES_OF_RESPONSE + body.byteLength,
  });
  return {
    async respond({ userId, target, accept, condition, now, received }, find) {
      const { value: answer, remember } = known.look([userId, target, accept].join("\n"), received);
      if (answer !== undefined && answer.since <= now && now < answer.until) {
        const response = isKnownTo(condition, answer.validators.tag)
          ? notModifiedResponse(answer.validators)
          : kept.get(answer.validators.tag);
        if (response !== undefined) {
          if (response.status === 200) onLookup("hit");
          return response;
        }
      }
      const found = await find(async (validators, render) => {
        const { tag } = validators;
        if (isKnownTo(condition, tag)) return notModifiedResponse(validators);
        const earlier = kept.get(tag);
        const response = earlier ?? taggedResponse(validators, await render());
        onLookup(earlier === undefined ? "miss" : "hit");
        if (earlier === undefined) kept.set(tag, response);
        return response;
      });
      remember(found.known);
      return found.response;
    },
  };
}
