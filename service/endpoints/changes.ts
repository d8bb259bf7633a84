import { ProblemError } from "../http/response.js";
import { type ChangesQuery, type EventChange, listChanges } from "../store/changes.js";
import type { Transaction } from "../store/store.js";
import { type Answer, type ReadContext, type ReadEndpoint, requireCalendar } from "./endpoint.js";
import { jsonArray, jsonDocument, loadIncluded } from "./event-reads.js";
import { BATCH, createPage } from "./lists.js";

/** What changed since a revision, which the contract does not have. @see docs/extensions.md */
export const changeReads = { listChanges: readChanges } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

function readChanges(context: ReadContext): Answer {
  const { id, revision, changes_from, details_revision } = requireCalendar(context.access);
  const { limit, include } = context.query;
  const since = context.query.since ?? revision;
  if (since < changes_from || since > revision) {
    throw new ProblemError(410, {
      errors: { since: [`is not from ${changes_from} to ${revision}; read the events anew`] },
    });
  }
  return {
    // The link to the next page has the whole query, also what is ignored.
    version: [id, revision, since, `${context.search}`],
    async render(db) {
      const { changes, isLast } = await readPage(db, { calendarId: id, since }, limit);
      const events = changes.flatMap(({ event }) => event ?? []);
      const reached = isLast ? revision : (changes.at(-1)?.revision ?? revision);
      return jsonDocument(jsonArray(events), {
        ...(await loadIncluded(db, { calendarId: id, events, include })),
        links: { next: isLast ? null : nextPage(context, reached) },
        meta: {
          revision: reached,
          deleted: changes.flatMap(({ event, eventId }) => (event === null ? [eventId] : [])),
          details_changed: details_revision > since,
        },
      });
    },
  };
}

interface ChangePage {
  readonly changes: readonly EventChange[];
  readonly isLast: boolean;
}

async function readPage(db: Transaction, place: ChangesQuery, limit: number): Promise<ChangePage> {
  const page = createPage<EventChange>(limit);
  for (let { since } = place; ; ) {
    const batch = await listChanges(db, { ...place, since }, BATCH);
    for (const change of batch) {
      if (!page.add(change)) return { changes: page.rows, isLast: false };
      since = change.revision;
    }
    if (batch.length < BATCH) return { changes: page.rows, isLast: true };
  }
}

/** The same query since the last change of this page. Relative like the links of lists. */
function nextPage({ search }: ReadContext, reached: number): string {
  const parameters = new URLSearchParams(search);
  parameters.set("since", String(reached));
  return `?${parameters}`;
}
