import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { DAY_MS } from "../../contract/date-time.js";
import { CliError } from "../../src/errors.js";
import { isRead } from "../concurrency-limit.js";
import { entityTag, matchesEntityTag } from "../http/entity-tag.js";
import { ProblemError, problemResponse, type ServiceResponse } from "../http/response.js";
import type { FeedTarget } from "../http/router.js";
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

/** Serves feeds to whoever has their address. */
export function createFeedServer(store: Store) {
  /** What cannot be written now, as in a database that is locked or read-only, is not worth an error. */
  const remember = (scope: string, work: (db: Transaction) => Promise<void>) =>
    store
      .write(work, { scope: [scope], client: "feeds", timeout: NOTE_TIMEOUT, readsWait: true })
      .catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
      });
  return {
    /** @throws ProblemError 405, 404, 410 where nothing of it is to be seen any more, 429 */
    async respond({ secret, format }: FeedTarget, asked: FeedRequest): Promise<ServiceResponse> {
      const { request, address, now } = asked;
      if (!isRead(request)) throw new ProblemError(405, { headers: { allow: "GET, HEAD" } });
      const guess = { address, now };
      const result = await store.read(
        async (db) => {
          const wait = await findWaitOfGuesses(db, guess);
          if (wait !== null) throw new ProblemError(429, { headers: { "retry-after": String(wait) } });
          const found = await findFeed(db, hashSecret(secret));
          if (found === null || found.calendars.length === 0) return { found, respond: null };
          return { found, respond: await represent(db, found, { ...asked, format }) };
        },
        { client: address },
      );
      const { found, respond } = result;
      if (respond === null) {
        // Both alike, so that the time does not tell them apart.
        await remember(`guesses ${address}`, (db) => countGuess(db, guess));
        throw new ProblemError(found === null ? 404 : 410);
      }
      const today = Math.floor(now / DAY_MS) * DAY_MS;
      if (found !== null && (found.feed.last_used_at ?? 0) < today)
        await remember(`feed ${found.feed.id}`, (db) => noteUse(db, found.feed, today));
      const response = await respond();
      return acceptsGzip(request.headers["accept-encoding"]) ? compress(response) : response;
    },
    respondWithProblem({ format }: FeedTarget, problem: ProblemError): ServiceResponse {
      const { headers, body } = problemResponse(problem);
      const page = format === "page" ? problemPage(problem.status) : { headers: {}, body };
      return {
        status: problem.status,
        headers: { ...headers, ...SECRET_HEADERS, "cache-control": "no-store", ...page.headers },
        body: typeof page.body === "string" ? new TextEncoder().encode(page.body) : page.body,
      };
    },
  };
}

async function represent(
  db: Transaction,
  found: OpenFeed,
  { request, now, format }: FeedRequest & Pick<FeedTarget, "format">,
): Promise<() => Promise<ServiceResponse>> {
  const { version, read } =
    format === "ics" ? calendarFile(found, now) : weekPage(found, request.target, now);
  const revisions = found.calendars.map(({ id, revision }) => [id, revision]);
  // Hashed: who sees only when somebody is busy must not see how often the calendars were written.
  const tag = entityTag([hashSecret(JSON.stringify([found.feed.id, revisions, version]))]);
  const own = { ...SECRET_HEADERS, etag: tag };
  if (matchesEntityTag(request.headers["if-none-match"], tag))
    return async () => ({ status: 304, headers: own, body: new Uint8Array() });
  const write = await read(db);
  return async () => {
    const { headers, body } = await write();
    return { status: 200, headers: { ...headers, ...own }, body: new TextEncoder().encode(body) };
  };
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
