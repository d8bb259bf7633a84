import { EVENT_STREAM_MEDIA_TYPE } from "../contract/media-types.js";
import { ROUTES } from "../contract/routes.js";
import { createBudget } from "./budget.js";
import { acceptsByName } from "./http/content.js";
import { EVENT_STREAM_HEADERS, refuseExceeded, type ServiceResponse } from "./http/response.js";
import { routePathOf } from "./http/router.js";
import { type IncomingRequest, splitTarget } from "./request.js";
import type { Access } from "./store/access.js";
import { listRevisions } from "./store/revisions.js";
import type { Store } from "./store/store.js";

/** Of one token, and in all. */
const STREAMS = { perClient: 32, total: 1_000 };

/** How often writes of other processes are looked for, and how soon after a write of this one (ms). */
const CHECK = { interval: 1_000, soon: 20 };

/** The longest pause of a stream (ms): then its token is checked again, and a comment is sent. */
const HEARTBEAT = 10_000;

/** Changes in one message, unless the client says otherwise: a client that reads slowly holds one in memory. */
const MESSAGE_LIMIT = "100";

/** The changes since a revision, with all checks of a request. @throws ProblemError */
type ReadChanges = (request: IncomingRequest) => Promise<ServiceResponse>;

/** Whether a request asks for changes as they happen. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function asksForStream({ method, target, headers }: Omit<IncomingRequest, "body">): boolean {
  if (method !== "GET" || !acceptsByName(headers["accept"] ?? "", EVENT_STREAM_MEDIA_TYPE)) return false;
  return routePathOf(target) === ROUTES.listChanges.path;
}

/** Streams of changes. Each asks for a page since the last one that it sent, so that nothing waits in memory. */
export function createChangeStreams(store: Store) {
  const places = createBudget(STREAMS);
  const news = createNews(store);
  return {
    /** Call it after a write of this process. */
    noteWrite: news.checkSoon,
    /** @throws ProblemError like the request for changes; 429 or 503 when there are too many streams */
    async open(request: IncomingRequest, access: Access | null, read: ReadChanges): Promise<ServiceResponse> {
      const place = places.open(access?.tokenId ?? "");
      refuseExceeded(place.tryTake(1));
      const readSince = async (since: string | undefined) =>
        readPage(await read(requestSince(request, since)));
      const known = request.headers["last-event-id"];
      const first = await readSince(known).catch((error: unknown) => {
        place.close();
        throw error;
      });
      async function* stream(signal: AbortSignal) {
        let sent = known ?? "";
        try {
          for (let page = first; !signal.aborted; page = await readSince(sent)) {
            yield page.revision === sent ? ":\n\n" : `id: ${page.revision}\ndata: ${page.text}\n\n`;
            sent = page.revision;
            if (page.isLast)
              await news.wait({ calendarId: access?.calendarId ?? "", revision: sent, signal });
          }
        } finally {
          place.close();
        }
      }
      return { status: 200, headers: EVENT_STREAM_HEADERS, body: new Uint8Array(), stream };
    },
  };
}

function requestSince({ method, target, headers }: IncomingRequest, since: string | undefined) {
  const { path, query } = splitTarget(target);
  const search = new URLSearchParams(query);
  if (!search.has("limit")) search.set("limit", MESSAGE_LIMIT);
  if (since !== undefined) search.set("since", since);
  const { accept: _, "if-none-match": __, ...rest } = headers;
  return { method, target: `${path}?${search}`, headers: rest, body: new Uint8Array() };
}

function readPage({ body }: ServiceResponse) {
  const text = new TextDecoder().decode(body);
  const { meta, links } = JSON.parse(text) as {
    readonly meta: { readonly revision: number };
    readonly links: { readonly next: string | null };
  };
  return { text, revision: String(meta.revision), isLast: links.next === null };
}

interface Waiting {
  readonly calendarId: string;
  /** The last one that was sent. */
  readonly revision: string;
  readonly wake: () => void;
}

/** Asks one question about all calendars that are waited for. */
function createNews(store: Store) {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let isSoon = false;
  const check = async () => {
    isSoon = false;
    if (waiting.size === 0) {
      timer = undefined;
      return;
    }
    const ids = [...waiting].map(({ calendarId }) => calendarId);
    // What cannot be asked now is asked again.
    const revisions = await store.read((db) => listRevisions(db, ids)).catch(() => null);
    for (const { calendarId, revision, wake } of waiting) {
      if (revisions !== null && String(revisions.get(calendarId)) !== revision) wake();
    }
    if (!isSoon) schedule(CHECK.interval);
  };
  const schedule = (delay: number) => {
    clearTimeout(timer);
    timer = waiting.size === 0 ? undefined : setTimeout(check, delay).unref();
  };
  return {
    checkSoon(): void {
      if (isSoon || waiting.size === 0) return;
      isSoon = true;
      schedule(CHECK.soon);
    },
    /** Resolves when the calendar has another revision, after a while, and when the signal aborts. */
    wait: ({ signal, ...asked }: Omit<Waiting, "wake"> & { readonly signal: AbortSignal }): Promise<void> =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(heartbeat);
          signal.removeEventListener("abort", wake);
          waiting.delete(waiter);
          resolve();
        };
        const heartbeat = setTimeout(wake, HEARTBEAT).unref();
        const waiter = { ...asked, wake };
        waiting.add(waiter);
        signal.addEventListener("abort", wake);
        if (signal.aborted) wake();
        else if (timer === undefined) schedule(CHECK.interval);
      }),
  };
}
