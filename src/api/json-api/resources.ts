import * as v from "valibot";
import { normalizeDateTime, parseLenientDateTime } from "../../contract/date-time.js";
import { compositeId, plainId } from "../../contract/ids.js";
import {
  type LenientResource,
  lenientActivityAttributes,
  lenientCalendarAttributes,
  lenientEventAttributes,
  lenientLabelAttributes,
  lenientUserAttributes,
  type ResourceIdentifier,
  readIdentifiers,
} from "../../contract/lenient-resources.js";
import type {
  Activity,
  Calendar,
  CalendarEvent,
  Comment,
  EventDraft,
  Label,
  User,
} from "../../contract/shapes.js";

/** The `included` resources of a response by type and id, and what was read of them: many events share few. */
export interface Included {
  readonly resources: ReadonlyMap<string, LenientResource>;
  readonly users: Map<string, User>;
  readonly labels: Map<string, Label>;
}

export function indexIncluded(resources: readonly LenientResource[]): Included {
  const entries = resources.map((resource) => [`${resource.type} ${resource.id}`, resource] as const);
  return { resources: new Map(entries), users: new Map(), labels: new Map() };
}

/** The value under the key, created and kept when it is first asked for. */
function remember<T>(values: Map<string, T>, key: string, create: () => T): T {
  const known = values.get(key);
  if (known !== undefined) return known;
  const value = create();
  values.set(key, value);
  return value;
}

/** A relationship and its included resource may use different forms of an id, composite or plain. */
function lookUp({ resources: included }: Included, { type, id }: ResourceIdentifier, calendarId: string) {
  return (
    included.get(`${type} ${id}`) ??
    included.get(`${type} ${compositeId(calendarId, id)}`) ??
    included.get(`${type} ${plainId(id)}`)
  );
}

/**
 * A user as the flat shape; null stands for what was not sent.
 * @param calendarId null for the current user, whose id is plain
 * @throws ValiError on a wrong JSON type
 */
export function readUser(resource: LenientResource, calendarId: string | null): User {
  const { name, description, image_url } = v.parse(lenientUserAttributes, resource.attributes);
  const id = calendarId === null ? resource.id : compositeId(calendarId, resource.id);
  return { id, type: resource.type, name, description, image_url };
}

/** A label of a calendar as the flat shape, its id composite. @throws ValiError on a wrong JSON type */
export function readLabel(resource: LenientResource, calendarId: string): Label {
  const { name, color } = v.parse(lenientLabelAttributes, resource.attributes);
  return { ...bareLabel(resource.id, calendarId), name, color };
}

function bareLabel(id: string, calendarId: string): Label {
  const plain = plainId(id);
  return {
    id: compositeId(calendarId, id),
    number: /^\d{1,9}$/.test(plain) ? Number(plain) : null,
    name: null,
    color: null,
  };
}

/**
 * A calendar as the flat shape. Labels and members that were not included have only ids.
 * @throws ValiError on a wrong JSON type
 */
export function readCalendar(resource: LenientResource, included: Included): Calendar {
  const attributes = v.parse(lenientCalendarAttributes, resource.attributes);
  const { id } = resource;
  return {
    id,
    name: attributes.name,
    description: attributes.description,
    color: attributes.color,
    order: attributes.order,
    image_url: attributes.image_url,
    created_at: timestamp(attributes.created_at),
    labels: related(resource, "labels", "label").map((identifier) => relatedLabel(identifier, included, id)),
    members: related(resource, "members", "user").map((identifier) => relatedUser(identifier, included, id)),
  };
}

/**
 * An event as the flat shape: times in UTC, those of an all-day event midnight of their dates. Creator, label and
 * attendees that were not included have only ids.
 * @throws ValiError on a wrong JSON type, and on an invalid start or end
 */
export function readEvent(resource: LenientResource, included: Included, calendarId: string): CalendarEvent {
  const attributes = v.parse(lenientEventAttributes, resource.attributes);
  const read = attributes.all_day === true ? normalizeDate : normalizeDateTime;
  const [label] = related(resource, "label", "label");
  return {
    id: resource.id,
    calendar_id: calendarId,
    category: attributes.category,
    title: attributes.title,
    all_day: attributes.all_day,
    start_at: eventTime({ id: resource.id, name: "start_at", text: attributes.start_at }, read),
    start_timezone: attributes.start_timezone,
    end_at: eventTime({ id: resource.id, name: "end_at", text: attributes.end_at }, read),
    end_timezone: attributes.end_timezone,
    recurrences: attributes.recurrences.length > 0 ? attributes.recurrences : attributes.recurrence,
    description: attributes.description,
    location: attributes.location,
    url: attributes.url,
    created_at: timestamp(attributes.created_at),
    updated_at: timestamp(attributes.updated_at),
    creator: readCreator(resource, included, calendarId),
    label: label === undefined ? null : relatedLabel(label, included, calendarId),
    attendees: related(resource, "attendees", "user").map((user) => relatedUser(user, included, calendarId)),
  };
}

/** A comment as the flat shape. @throws ValiError on a wrong JSON type */
export function readActivity(resource: LenientResource, calendarId: string, eventId: string): Activity {
  const attributes = v.parse(lenientActivityAttributes, resource.attributes);
  return {
    id: resource.id,
    event_id: eventId,
    calendar_id: calendarId,
    content: attributes.content,
    created_at: timestamp(attributes.created_at),
    updated_at: timestamp(attributes.updated_at),
  };
}

/** A comment of a list, with its creator. @throws ValiError on a wrong JSON type */
export function readComment(
  resource: LenientResource,
  included: Included,
  { calendarId, eventId }: { readonly calendarId: string; readonly eventId: string },
): Comment {
  return {
    ...readActivity(resource, calendarId, eventId),
    creator: readCreator(resource, included, calendarId),
  };
}

function readCreator(resource: LenientResource, included: Included, calendarId: string): User | null {
  const [creator] = [...related(resource, "creator", "user"), ...related(resource, "author", "user")];
  return creator === undefined ? null : relatedUser(creator, included, calendarId);
}

function related(resource: LenientResource, name: string, type: string): readonly ResourceIdentifier[] {
  return readIdentifiers(resource.relationships[name], type);
}

function relatedUser(identifier: ResourceIdentifier, included: Included, calendarId: string): User {
  return remember(included.users, `${calendarId} ${identifier.type} ${identifier.id}`, () => {
    const found = lookUp(included, identifier, calendarId);
    if (found !== undefined) return readUser(found, calendarId);
    const id = compositeId(calendarId, identifier.id);
    return { id, type: identifier.type, name: null, description: null, image_url: null };
  });
}

function relatedLabel(identifier: ResourceIdentifier, included: Included, calendarId: string): Label {
  return remember(included.labels, `${calendarId} ${identifier.type} ${identifier.id}`, () => {
    const found = lookUp(included, identifier, calendarId);
    return found === undefined ? bareLabel(identifier.id, calendarId) : readLabel(found, calendarId);
  });
}

/** A timestamp in UTC; null if missing or invalid. */
function timestamp(text: string | null): string | null {
  return text === null ? null : normalizeDateTime(text);
}

/**
 * Start or end of an event; null if missing or empty.
 * @param read null for a text that it cannot read
 * @throws ValiError then
 */
function eventTime(
  { id, name, text }: { readonly id: string; readonly name: string; readonly text: string | null },
  read: (text: string) => string | null,
): string | null {
  if (text === null || text === "") return null;
  return (
    read(text) ?? v.parse(v.never(`event ${id}: ${name} "${text}" is not a valid ISO 8601 date-time`), text)
  );
}

/** Midnight of the date as written, whatever the offset. */
function normalizeDate(text: string): string | null {
  const time = parseLenientDateTime(text);
  return time === null ? null : `${time.date}T00:00:00.000Z`;
}

/**
 * Body of a create or update: only the contract's writable fields, related ids in composite form. JSON.stringify drops
 * undefined fields.
 */
export function eventBody(draft: EventDraft, calendarId: string): unknown {
  const { label_id: labelId, attendee_ids: attendeeIds, ...attributes } = draft;
  return {
    data: {
      attributes,
      relationships: {
        label: { data: { id: compositeId(calendarId, labelId), type: "label" } },
        attendees:
          attendeeIds === undefined
            ? undefined
            : { data: attendeeIds.map((id) => ({ id: compositeId(calendarId, id), type: "user" })) },
      },
    },
  };
}

/** Body of a comment. */
export function activityBody(content: string): unknown {
  return { data: { attributes: { content } } };
}
