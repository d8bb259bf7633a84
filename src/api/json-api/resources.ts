import { normalizeDateTime, parseLenientDateTime } from "../../../contract/date-time.js";
import { compositeId, plainId } from "../../../contract/ids.js";
import {
  ContractMismatch,
  type LenientResource,
  type ResourceIdentifier,
  readFlag,
  readIdentifiers,
  readNumber,
  readText,
  readTexts,
} from "../../../contract/lenient-resources.js";
import type {
  Activity,
  Calendar,
  Comment,
  Event,
  EventDraft,
  Feed,
  Label,
  User,
} from "../../../contract/shapes.js";

/** The `included` resources of a response by type and id, and what was read of them: many events share few. */
export interface Included {
  readonly resources: ReadonlyMap<string, LenientResource>;
  /** By type, then by id. */
  readonly users: Map<string, Map<string, User>>;
  readonly labels: Map<string, Map<string, Label>>;
}

export function indexIncluded(resources: readonly LenientResource[]): Included {
  const entries = resources.map((resource) => [`${resource.type} ${resource.id}`, resource] as const);
  return { resources: new Map(entries), users: new Map(), labels: new Map() };
}

/** What is known of an identifier, created and kept when it is first asked for. */
function remember<T>(
  known: Map<string, Map<string, T>>,
  { type, id }: ResourceIdentifier,
  create: () => T,
): T {
  let ofType = known.get(type);
  if (ofType === undefined) {
    ofType = new Map();
    known.set(type, ofType);
  }
  let value = ofType.get(id);
  if (value === undefined) {
    value = create();
    ofType.set(id, value);
  }
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

/** What a resource says; a mismatch names it. @throws ContractMismatch */
export function ofResource<T>(resource: LenientResource, read: (resource: LenientResource) => T): T {
  try {
    return read(resource);
  } catch (cause) {
    if (!(cause instanceof ContractMismatch)) throw cause;
    throw new ContractMismatch(`${resource.type} ${resource.id}: ${cause.message}`, { cause });
  }
}

/**
 * A user as the flat shape; null stands for what was not sent.
 * @param calendarId null for the current user, whose id is plain
 * @throws ContractMismatch on a wrong JSON type
 */
export function readUser(resource: LenientResource, calendarId: string | null): User {
  const { name, description, image_url } = resource.attributes;
  return {
    id: calendarId === null ? resource.id : compositeId(calendarId, resource.id),
    type: resource.type,
    name: readText(name, "name"),
    description: readText(description, "description"),
    image_url: readText(image_url, "image_url"),
  };
}

/** A label of a calendar as the flat shape, its id composite. @throws ContractMismatch on a wrong JSON type */
export function readLabel(resource: LenientResource, calendarId: string): Label {
  const { name, color } = resource.attributes;
  return {
    ...bareLabel(resource.id, calendarId),
    name: readText(name, "name"),
    color: readText(color, "color"),
  };
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
 * @throws ContractMismatch on a wrong JSON type
 */
export function readCalendar(resource: LenientResource, included: Included): Calendar {
  const { id, attributes } = resource;
  const { name, description, color, order, image_url, created_at } = attributes;
  return {
    id,
    name: readText(name, "name"),
    description: readText(description, "description"),
    color: readText(color, "color"),
    order: readNumber(order, "order"),
    image_url: readText(image_url, "image_url"),
    created_at: timestamp(readText(created_at, "created_at")),
    labels: related(resource, "labels", "label").map((identifier) => relatedLabel(identifier, included, id)),
    members: related(resource, "members", "user").map((identifier) => relatedUser(identifier, included, id)),
  };
}

/**
 * An event as the flat shape: times in UTC, those of an all-day event midnight of their dates. Creator, label and
 * attendees that were not included have only ids.
 * @throws ContractMismatch on a wrong JSON type, and on an invalid start or end
 */
export function readEvent(resource: LenientResource, included: Included, calendarId: string): Event {
  const { id, attributes } = resource;
  const allDay = readFlag(attributes["all_day"], "all_day");
  const read = allDay === true ? normalizeDate : normalizeDateTime;
  const recurrences = readTexts(attributes["recurrences"], "recurrences");
  const [label] = related(resource, "label", "label");
  // Not of the contract, so it may be anything.
  const series = attributes["recurring_uuid"];
  return {
    id,
    calendar_id: calendarId,
    category: readText(attributes["category"], "category"),
    title: readText(attributes["title"], "title"),
    all_day: allDay,
    start_at: eventTime("start_at", attributes, read),
    start_timezone: readText(attributes["start_timezone"], "start_timezone"),
    end_at: eventTime("end_at", attributes, read),
    end_timezone: readText(attributes["end_timezone"], "end_timezone"),
    // Some services send the other name.
    recurrences: recurrences.length > 0 ? recurrences : readTexts(attributes["recurrence"], "recurrence"),
    description: readText(attributes["description"], "description"),
    location: readText(attributes["location"], "location"),
    url: readText(attributes["url"], "url"),
    created_at: timestamp(readText(attributes["created_at"], "created_at")),
    updated_at: timestamp(readText(attributes["updated_at"], "updated_at")),
    creator: readCreator(resource, included, calendarId),
    label: label === undefined ? null : relatedLabel(label, included, calendarId),
    attendees: related(resource, "attendees", "user").map((user) => relatedUser(user, included, calendarId)),
    series_id: typeof series === "string" && series !== "" ? series : null,
  };
}

/** A comment as the flat shape. @throws ContractMismatch on a wrong JSON type */
export function readActivity(resource: LenientResource, calendarId: string, eventId: string): Activity {
  const { content, created_at, updated_at } = resource.attributes;
  return {
    id: resource.id,
    event_id: eventId,
    calendar_id: calendarId,
    content: readText(content, "content"),
    created_at: timestamp(readText(created_at, "created_at")),
    updated_at: timestamp(readText(updated_at, "updated_at")),
  };
}

/** A comment of a list, with its creator. @throws ContractMismatch on a wrong JSON type */
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

/** A feed as the flat shape, its calendars without names. @throws ContractMismatch on a wrong JSON type */
export function readFeed(resource: LenientResource): Feed {
  const { name, busy_only, created_at, last_used_at } = resource.attributes;
  return {
    id: resource.id,
    name: readText(name, "name"),
    calendars: related(resource, "calendars", "calendar").map(({ id }) => ({ id, name: null })),
    busy_only: readFlag(busy_only, "busy_only"),
    created_at: timestamp(readText(created_at, "created_at")),
    last_used_at: timestamp(readText(last_used_at, "last_used_at")),
  };
}

function readCreator(resource: LenientResource, included: Included, calendarId: string): User | null {
  const [creator = related(resource, "author", "user")[0]] = related(resource, "creator", "user");
  return creator === undefined ? null : relatedUser(creator, included, calendarId);
}

function related(resource: LenientResource, name: string, type: string): readonly ResourceIdentifier[] {
  return readIdentifiers(resource.relationships[name], type);
}

function relatedUser(identifier: ResourceIdentifier, included: Included, calendarId: string): User {
  return remember(included.users, identifier, () => {
    const found = lookUp(included, identifier, calendarId);
    if (found !== undefined) return ofResource(found, (user) => readUser(user, calendarId));
    const id = compositeId(calendarId, identifier.id);
    return { id, type: identifier.type, name: null, description: null, image_url: null };
  });
}

function relatedLabel(identifier: ResourceIdentifier, included: Included, calendarId: string): Label {
  return remember(included.labels, identifier, () => {
    const found = lookUp(included, identifier, calendarId);
    if (found === undefined) return bareLabel(identifier.id, calendarId);
    return ofResource(found, (label) => readLabel(label, calendarId));
  });
}

/** A timestamp in UTC; null if missing or invalid. */
function timestamp(text: string | null): string | null {
  return text === null ? null : normalizeDateTime(text);
}

/**
 * Start or end of an event; null if missing or empty.
 * @param read null for a text that it cannot read
 * @throws ContractMismatch then
 */
function eventTime(
  name: "start_at" | "end_at",
  attributes: LenientResource["attributes"],
  read: (text: string) => string | null,
): string | null {
  const text = readText(attributes[name], name);
  if (text === null || text === "") return null;
  const time = read(text);
  if (time === null) throw new ContractMismatch(`${name} "${text}" is not a valid ISO 8601 date-time`);
  return time;
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
  const { label, attendees, ...attributes } = draft;
  const relatedId = (id: string, type: string) => ({ id: compositeId(calendarId, id), type });
  return {
    data: {
      attributes,
      relationships: {
        label: label === undefined ? undefined : { data: relatedId(label, "label") },
        attendees: attendees && { data: attendees.map((id) => relatedId(id, "user")) },
      },
    },
  };
}
