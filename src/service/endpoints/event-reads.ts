import { DAY_MS } from "../../contract/date-time.js";
import { ProblemError } from "../http/response.js";
import { labelResource, memberResource } from "../resources.js";
import { listLabels } from "../store/calendars.js";
import { dayWindow, listAttendeesInWindow, listEventsInWindow, startOfDay } from "../store/event-windows.js";
import { findEvent, listAttendees, type RenderedEvent } from "../store/events.js";
import type { EventRow } from "../store/schema.js";
import { listUsers } from "../store/users.js";
import { type Answer, type EndpointContext, type ReadEndpoint, requireCalendar } from "./calendars.js";

export const eventReads = { getEvent, listUpcomingEvents } as const satisfies Readonly<
  Record<string, ReadEndpoint>
>;

async function getEvent(context: EndpointContext): Promise<Answer> {
  const { id: calendarId, revision } = await requireCalendar(context);
  const event = await requireEvent(context, calendarId);
  return {
    version: [event.id, revision],
    async render() {
      const included = await loadIncluded(context, [event], () => listAttendees(context.db, event.id));
      return jsonDocument(event.json, included);
    },
  };
}

async function listUpcomingEvents(context: EndpointContext): Promise<Answer> {
  const { id, revision } = await requireCalendar(context);
  const window = dayWindow(context.now, context.query);
  return {
    version: [id, revision, window],
    revision,
    until: startOfDay(window.firstDate + DAY_MS, context.query.timezone),
    async render() {
      const events = await listEventsInWindow(context.db, id, window);
      const included = await loadIncluded(context, events, () =>
        listAttendeesInWindow(context.db, id, window),
      );
      return jsonDocument(jsonArray(events), included);
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

/** The related objects of the `include` parameter, each once. Users who left the calendar are included too. */
export async function loadIncluded(
  { db, query: { include }, parameter }: EndpointContext,
  events: readonly RenderedEvent[],
  loadAttendees: () => Promise<readonly string[]>,
): Promise<{ included?: object[] }> {
  if (include.size === 0) return {};
  const calendarId = parameter("calendar_id");
  const userIds = new Set([
    ...(include.has("creator") ? events.map(({ creator_id }) => creator_id) : []),
    ...(include.has("attendees") ? await loadAttendees() : []),
  ]);
  const labelNumbers = new Set(include.has("label") ? events.map(({ label_number }) => label_number) : []);
  const users = await listUsers(db, [...userIds]);
  const labels = labelNumbers.size === 0 ? [] : await listLabels(db, { id: calendarId });
  return {
    included: [
      ...users.map((user) => memberResource(calendarId, user)),
      ...labels.filter(({ number }) => labelNumbers.has(number)).map(labelResource),
    ],
  };
}

/** A document of JSON that is stored. @param data JSON of its `data`; @param rest its other members */
export function jsonDocument(data: string, rest: object = {}): string {
  const members = JSON.stringify(rest).slice(1, -1);
  return `{"data":${data}${members === "" ? "" : `,${members}`}}`;
}

/** Events as a JSON array. */
export function jsonArray(events: readonly Pick<RenderedEvent, "json">[]): string {
  return `[${events.map(({ json }) => json).join(",")}]`;
}
