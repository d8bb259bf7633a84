import { ProblemError } from "../http/response.js";
import { type EventChange, listChanges } from "../store/changes.js";
import { listAttendeesOf } from "../store/events.js";
import { type Answer, type EndpointContext, type ReadEndpoint, requireCalendar } from "./calendars.js";
import { jsonArray, jsonDocument, loadIncluded } from "./event-reads.js";
import { MAX_PAGE_BYTES } from "./lists.js";

/** What changed since a revision, which the contract does not have. @see docs/extensions.md */
export const changeReads = { listChanges: readChanges } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

async function readChanges(context: EndpointContext): Promise<Answer> {
  const { id, revision, changes_from, details_revision } = await requireCalendar(context);
  const { limit } = context.query;
  const since = context.query.since ?? revision;
  if (since < changes_from || since > revision) {
    throw new ProblemError(410, {
      errors: { since: [`is not from ${changes_from} to ${revision}; read the events anew`] },
    });
  }
  return {
    version: [id, revision, since, limit],
    revision,
    async render() {
      const { changes, isLast } = await readPage(context, { calendarId: id, since });
      const events = changes.flatMap(({ event }) => event ?? []);
      const ids = events.map((event) => event.id);
      const included = await loadIncluded(context, events, () => listAttendeesOf(context.db, ids));
      const reached = isLast ? revision : (changes.at(-1)?.revision ?? revision);
      return jsonDocument(jsonArray(events), {
        ...included,
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

/** As many changes as a page can have; at least one, however large it is. */
async function readPage(
  { db, query: { limit } }: EndpointContext,
  place: { readonly calendarId: string; readonly since: number },
): Promise<{ readonly changes: readonly EventChange[]; readonly isLast: boolean }> {
  const found = await listChanges(db, place, limit + 1);
  let bytes = 0;
  const tooMany = found.findIndex(({ event }, index) => {
    bytes += event?.bytes ?? 0;
    return index === limit || (index > 0 && bytes > MAX_PAGE_BYTES);
  });
  return tooMany === -1
    ? { changes: found, isLast: true }
    : { changes: found.slice(0, tooMany), isLast: false };
}

/** The same query since the last change of this page. Relative like the links of lists. */
function nextPage({ search }: EndpointContext, reached: number): string {
  const parameters = new URLSearchParams(search);
  parameters.set("since", String(reached));
  return `?${parameters}`;
}
