import { ProblemError } from "../http/response.js";
import { type EventReferences, referencesOf } from "../resources.js";
import { findEvent } from "../store/events.js";
import type { CalendarRow, EventRow } from "../store/schema.js";
import { type Answer, type EndpointContext, type ReadEndpoint, requireCalendar } from "./endpoint.js";

export const eventReads = { getEvent, listUpcomingEvents } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

async function getEvent(context: EndpointContext): Promise<Answer> {
  const calendar = await requireCalendar(context);
  const event = await requireEvent(context, calendar.id);
  return {
    version: [event.id, calendar.revision],
    async render() {
      const included = await loadIncluded(context, calendar, () => referencesOf(event.json));
      return jsonDocument(event.json, included);
    },
  };
}

async function listUpcomingEvents(context: EndpointContext): Promise<Answer> {
  const calendar = await requireCalendar(context);
  const { id, revision } = calendar;
  const { db, now, query, caches } = context;
  const { window, until } = caches.dayWindow(now, query);
  return {
    version: [id, revision, window],
    revision,
    until,
    async render() {
      const { json, references } = await caches.findUpcomingEvents(db, { calendar, window, now });
      const rest = restOfDocument(await loadIncluded(context, calendar, references));
      return Buffer.concat([Buffer.from('{"data":['), ...json, Buffer.from(`]${rest}`)]);
    },
  };
}

/** The event of the path. @throws ProblemError 404 when the calendar has no such event */
export async function requireEvent(
  { db, parameter }: EndpointContext,
  calendarId: string,
): Promise<EventRow> {
  const event = await findEvent(db, calendarId, parameter("event_id"));
  if (event === undefined) throw new ProblemError(404);
  return event;
}

/**
 * The resources that the parameter `include` asks for, each once. Users who left the calendar are included too.
 * @param findReferences what the events refer to; called only if something is included
 * @returns the member `included` of the document; none without the parameter
 */
export async function loadIncluded(
  { db, caches, query: { include } }: EndpointContext,
  calendar: Pick<CalendarRow, "id" | "details_revision">,
  findReferences: () => EventReferences,
): Promise<Included> {
  if (include.size === 0) return {};
  const details = caches.findDetails(calendar);
  const references = findReferences();
  const users = await details.users(db, userIdsOf(references, include));
  const labels = include.has("label") && references.labels.size > 0 ? await details.labels(db) : new Map();
  return {
    included: [
      ...users,
      ...[...labels].flatMap(([number, json]) => (references.labels.has(number) ? json : [])),
    ],
  };
}

function userIdsOf({ creators, attendees }: EventReferences, include: ReadonlySet<string>): string[] {
  return [...(include.has("creator") ? creators : []), ...(include.has("attendees") ? attendees : [])];
}

/** JSON of resource objects. */
export interface Included {
  readonly included?: readonly string[];
}

/**
 * A document whose data is JSON already.
 * @param data JSON
 * @param rest the members after `included`
 */
export function jsonDocument(data: string, included: Included = {}, rest: object = {}): string {
  return `{"data":${data}${restOfDocument(included, rest)}`;
}

/** What follows the data in a document, as text. */
function restOfDocument({ included }: Included, rest: object = {}): string {
  const members = JSON.stringify(rest).slice(1, -1);
  const related = included === undefined ? "" : `,"included":[${included.join(",")}]`;
  return `${related}${members === "" ? "" : `,${members}`}}`;
}

/** Events as a JSON array. */
export function jsonArray(events: readonly Pick<EventRow, "json">[]): string {
  return `[${events.map(({ json }) => json).join(",")}]`;
}
