import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { DAY_MS } from "../../contract/date-time.js";
import { CliError } from "../../src/errors.js";
import { createTurns } from "../../src/system/clock.js";
import { isRead } from "../concurrency-limit.js";
import { entityTag, matchesEntityTag } from "../http/entity-tag.js";
import { ProblemError, problemResponse, type ServiceResponse } from "../http/response.js";
import type { FeedTarget } from "../http/router.js";
import { createLruCache } from "../lru-cache.js";
import type { IncomingRequest } from "../request.js";
import { hashSecret } from "../secrets.js";
import { findFeed, noteUse, type OpenFeed } from "../store/feeds.js";
import { countGuess, findWaitOfGuesses } from "../store/sign-in-attempts.js";
import type { Store, Transaction } from "../store/store.js";
import { calendarFile } from "./calendar-file.js";
import { problemPage, weekPage } from "./week-page.js";

/** A request for the contents of a feed, from anybody who has its address. */
export interface FeedRequest {
  readonly request: Pick<IncomingRequest, "method" | "target" | "headers">;
  /** Of the client. */
  readonly address: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The address is the secret: neither a page nor a search engine may pass it on. */
const SECRET_HEADERS = {
  "cache-control": "private, no-cache",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
  "x-content-type-options": "nosniff",
  vary: "accept-encoding, origin",
} as const;

/** How long a client waits for what is only remembered about it (ms). */
const NOTE_TIMEOUT = 250;

/** Bytes of all rendered feeds that are kept in memory. */
const MAX_KEPT = 32 * 1024 * 1024;

/** Serves feeds to whoever has their address. */
export function createFeedServer(store: Store) {
  const render = createRenderer(store);
  /** What cannot be written now, as in a database that is locked or read-only, is not worth an error. */
  const remember = (scope: string, work: (db: Transaction) => Promise<void>) =>
    store.write(work, { scope: [scope], timeout: NOTE_TIMEOUT }).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
    });
  return {
    /** @throws ProblemError 404, 405, 410 if none of its calendars can be read any more, 429 */
    async respond({ secret, format }: FeedTarget, asked: FeedRequest): Promise<ServiceResponse> {
      const { request, address, now } = asked;
      if (!isRead(request)) throw new ProblemError(405, { headers: { allow: "GET, HEAD" } });
      const guess = { address, now };
      const find = async (db: Transaction) => {
        const wait = await findWaitOfGuesses(db, guess);
        if (wait !== null) throw new ProblemError(429, { headers: { "retry-after": String(wait) } });
        return findFeed(db, hashSecret(secret));
      };
      const found = await store.read(find, { client: address });
      // A request for a removed feed is not a guess: programs poll it from addresses that read other feeds, too.
      if (found === null) {
        await remember(`guesses ${address}`, (db) => countGuess(db, guess));
        throw new ProblemError(404);
      }
      requireVisible(found);
      const today = Math.floor(now / DAY_MS) * DAY_MS;
      if ((found.feed.last_used_at ?? 0) < today)
        await remember(`feed ${found.feed.id}`, (db) => noteUse(db, found.feed, today));
      const response = await render(found, { target: request.target, headers: request.headers, now, format });
      return acceptsGzip(request.headers["accept-encoding"]) ? compress(response) : response;
    },
    respondWithProblem,
  };
}

function respondWithProblem({ format }: FeedTarget, problem: ProblemError): ServiceResponse {
  const { headers, body } = problemResponse(problem);
  const page = format === "page" ? problemPage(problem.status) : { headers: {}, body };
  return {
    status: problem.status,
    headers: { ...headers, ...SECRET_HEADERS, "cache-control": "no-store", ...page.headers },
    body: typeof page.body === "string" ? new TextEncoder().encode(page.body) : page.body,
  };
}

interface Asked extends Pick<IncomingRequest, "target" | "headers"> {
  readonly now: number;
  readonly format: FeedTarget["format"];
}

/** A feed in one of its formats. */
interface Rendered {
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Renders each version of a feed once, however many clients request it, and one feed of each maker at a time.
 */
function createRenderer(store: Store) {
  const kept = createLruCache<Rendered>(MAX_KEPT, { sizeOf: ({ body }) => body.byteLength });
  const underWay = new Map<string, Promise<Rendered>>();
  const runInTurn = createTurns<string>();
  const renderOnce = async (found: OpenFeed, asked: Asked, version: string) => {
    const known = kept.get(version) ?? underWay.get(version);
    if (known !== undefined) return known;
    const rendering = runInTurn(found.feed.user_id, () => renderFeed(store, found, asked));
    underWay.set(version, rendering);
    try {
      const rendered = await rendering;
      kept.set(version, rendered);
      return rendered;
    } finally {
      underWay.delete(version);
    }
  };
  return async (found: OpenFeed, asked: Asked): Promise<ServiceResponse> => {
    const isKnown = (tag: string) => matchesEntityTag(asked.headers["if-none-match"], tag);
    const own = tagOf(found, asked);
    const notModified = (etag: string) => ({
      status: 304,
      headers: { ...SECRET_HEADERS, etag },
      body: new Uint8Array(),
    });
    if (own !== null && isKnown(own)) return notModified(own);
    const { tag, headers, body } = await renderOnce(found, asked, versionOf(found, asked));
    if (isKnown(tag)) return notModified(tag);
    return { status: 200, headers: { ...headers, ...SECRET_HEADERS, etag: tag }, body };
  };
}

async function renderFeed(store: Store, { feed }: OpenFeed, asked: Asked): Promise<Rendered> {
  const { write, tag } = await store.read(
    async (db) => {
      // This transaction may see later commits than the one that found the feed.
      const found = await findFeed(db, feed.hash);
      if (found === null) throw new ProblemError(404);
      requireVisible(found);
      return { write: await represent(found, asked).read(db), tag: tagOf(found, asked) };
    },
    { client: `user ${feed.user_id}` },
  );
  const { headers, body } = await write();
  return { headers, body: new TextEncoder().encode(body), tag: tag ?? entityTag([hashSecret(body)]) };
}

/** @throws ProblemError 410 */
function requireVisible({ calendars }: OpenFeed): void {
  if (calendars.length === 0) throw new ProblemError(410);
}

function represent(found: OpenFeed, { target, now, format }: Asked) {
  return format === "ics" ? calendarFile(found, now) : weekPage(found, target, now);
}

/** The answer is the same as long as the version is. */
function versionOf(found: OpenFeed, asked: Asked): string {
  const revisions = found.calendars.map(({ id, revision }) => [id, revision]);
  return JSON.stringify([found.feed.id, revisions, represent(found, asked).version]);
}

/** Null for a feed of times alone, whose tag is made from the content: it must not reveal that something else was written. */
function tagOf(found: OpenFeed, asked: Asked): string | null {
  return found.feed.busy_only === 1 ? null : entityTag([hashSecret(versionOf(found, asked))]);
}

/** @see RFC 9110 §12.5.3 */
function acceptsGzip(header = ""): boolean {
  return header.split(",").some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding));
}

async function compress(response: ServiceResponse): Promise<ServiceResponse> {
  if (response.status !== 200) return response;
  const headers = { ...response.headers, "content-encoding": "gzip" };
  return { ...response, headers, body: await promisify(gzip)(response.body) };
}
