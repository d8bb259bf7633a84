import { createBudget } from "./budget.js";
import { EVENT_STREAM_HEADERS, refuseExceeded, type ServiceResponse } from "./http/response.js";
import { type IncomingRequest, splitTarget } from "./request.js";
import { createRevisionWatch } from "./revision-watch.js";
import type { Access } from "./store/access.js";
import type { Store } from "./store/store.js";

/** Of one user, and in all. */
const STREAMS = { perClient: 32, total: 1_000 };

/** Changes in one message, unless the client says otherwise: a client that reads slowly holds one in memory. */
const MESSAGE_LIMIT = "100";

/** The changes since a revision, with all checks of a request. @throws ProblemError */
type ReadChanges = (request: IncomingRequest) => Promise<ServiceResponse>;

/** Streams of changes. Each asks for a page since the last one that it sent, so that nothing waits in memory. */
export function createChangeStreams(store: Store) {
  const quotas = createBudget(STREAMS);
  const revisions = createRevisionWatch(store);
  return {
    /** Call it after a write of this process. */
    noteWrite: revisions.noteWrite,
    /** @throws ProblemError like the request for changes; 429 or 503 when there are too many streams */
    async open(request: IncomingRequest, access: Access | null, read: ReadChanges): Promise<ServiceResponse> {
      const quota = quotas.open(access?.user.id ?? "");
      refuseExceeded(quota.tryTake(1));
      const readSince = async (since: string | undefined) =>
        readPage(await read(requestSince(request, since)));
      const known = request.headers["last-event-id"];
      const first = await readSince(known).catch((error: unknown) => {
        quota.close();
        throw error;
      });
      const calendarId = access?.calendarId ?? "";
      async function* stream(signal: AbortSignal) {
        let sent = known ?? "";
        try {
          for (let page = first; !signal.aborted; page = await readSince(sent)) {
            yield page.revision === sent ? ":\n\n" : `id: ${page.revision}\ndata: ${page.text}\n\n`;
            sent = page.revision;
            if (page.isLast) await revisions.wait({ calendarId, revision: sent, signal });
          }
        } finally {
          quota.close();
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
