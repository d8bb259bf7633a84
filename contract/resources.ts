import * as v from "valibot";
import { activityBodySchema, eventBodySchema, feedBodySchema } from "./bodies.js";
import { HEX_COLOR } from "./limits.js";
import type { RouteName } from "./routes.js";
import { CATEGORIES } from "./shapes.js";

/**
 * The resource objects exactly as the contract defines them, and as the embedded service sends them. Those that clients
 * accept are in `lenient-resources.ts`. With them the bodies of the contract's routes: apart from the routes, since making
 * schemas takes time, and those that send or answer a request need few of them. @see contract section 2
 */

const UTC_MILLISECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const id = v.pipe(v.string(), v.minLength(1));
const hexColorSchema = v.pipe(v.string(), v.regex(HEX_COLOR, "must be # and six hex digits"));
const timestamp = v.pipe(v.string(), v.regex(UTC_MILLISECONDS));

function identifier<const T extends string>(type: T) {
  return v.object({ id, type: v.literal(type) });
}

function toOne<const T extends string>(type: T) {
  return v.object({ data: identifier(type) });
}

function toMany<const T extends string>(type: T) {
  return v.object({ data: v.array(identifier(type)) });
}

export const userSchema = v.object({
  id,
  type: v.literal("user"),
  attributes: v.object({ name: v.string(), description: v.string(), image_url: v.string() }),
});

export const labelSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[^,]+,[^,]+$/)),
  type: v.literal("label"),
  attributes: v.object({ name: v.string(), color: hexColorSchema }),
});

export const calendarSchema = v.object({
  id,
  type: v.literal("calendar"),
  attributes: v.object({
    name: v.string(),
    description: v.string(),
    color: hexColorSchema,
    order: v.pipe(v.number(), v.integer(), v.minValue(0)),
    image_url: v.string(),
    created_at: timestamp,
  }),
  relationships: v.object({ labels: toMany("label"), members: toMany("user") }),
});

/** Times and zones are null in a keep without times; only an event of a series has `recurring_uuid`. */
export const eventSchema = v.object({
  id,
  type: v.literal("event"),
  attributes: v.object({
    category: v.picklist(CATEGORIES),
    title: v.string(),
    all_day: v.boolean(),
    start_at: v.nullable(timestamp),
    start_timezone: v.nullable(v.string()),
    end_at: v.nullable(timestamp),
    end_timezone: v.nullable(v.string()),
    recurrences: v.array(v.string()),
    recurring_uuid: v.optional(id),
    description: v.string(),
    location: v.string(),
    url: v.string(),
    updated_at: timestamp,
    created_at: timestamp,
  }),
  relationships: v.object({ creator: toOne("user"), label: toOne("label"), attendees: toMany("user") }),
});

export const activitySchema = v.object({
  id,
  type: v.literal("activity"),
  attributes: v.object({ content: v.string(), updated_at: timestamp, created_at: timestamp }),
});

/** A comment in a list: with its creator. */
const listedActivitySchema = v.object({
  ...activitySchema.entries,
  relationships: v.object({ creator: toOne("user") }),
});

export const feedSchema = v.object({
  id,
  type: v.literal("feed"),
  attributes: v.object({
    name: v.string(),
    busy_only: v.boolean(),
    timezone: v.string(),
    created_at: timestamp,
    last_used_at: v.nullable(timestamp),
  }),
  relationships: v.object({ calendars: toMany("calendar") }),
});

const newFeedSchema = v.object({
  ...feedSchema.entries,
  attributes: v.object({ ...feedSchema.entries.attributes.entries, secret: v.string() }),
});

const included = v.optional(v.array(v.union([labelSchema, userSchema])));
const links = v.object({ next: v.nullable(v.string()) });

/** Routes that are not here have no request body. */
export const REQUEST_BODIES = {
  createEvent: eventBodySchema,
  updateEvent: eventBodySchema,
  createActivity: activityBodySchema,
  createFeed: feedBodySchema,
} as const satisfies { readonly [N in RouteName]?: v.GenericSchema };

/** Bodies of successes; null for 204. */
export const RESPONSE_BODIES = {
  getCurrentUser: v.object({ data: userSchema }),
  listCalendars: v.object({ data: v.array(calendarSchema), included }),
  getCalendar: v.object({ data: calendarSchema, included }),
  listLabels: v.object({ data: v.array(labelSchema) }),
  listMembers: v.object({ data: v.array(userSchema) }),
  getEvent: v.object({ data: eventSchema, included }),
  listUpcomingEvents: v.object({ data: v.array(eventSchema), included }),
  listEvents: v.object({
    data: v.array(eventSchema),
    included,
    links,
    meta: v.optional(v.object({ category: v.picklist(CATEGORIES) })),
  }),
  listChanges: v.object({
    data: v.array(eventSchema),
    included,
    links,
    meta: v.object({
      revision: v.pipe(v.number(), v.integer(), v.minValue(1)),
      deleted: v.array(v.string()),
      details_changed: v.boolean(),
    }),
  }),
  createEvent: v.object({ data: eventSchema }),
  updateEvent: v.object({
    data: eventSchema,
    meta: v.optional(v.object({ kept: v.pipe(v.number(), v.integer(), v.minValue(0)) })),
  }),
  deleteEvent: null,
  listActivities: v.object({
    data: v.array(listedActivitySchema),
    included: v.optional(v.array(userSchema)),
    links,
  }),
  createActivity: v.object({ data: activitySchema }),
  listFeeds: v.object({ data: v.array(feedSchema) }),
  createFeed: v.object({ data: newFeedSchema, meta: v.optional(v.object({ base_url: v.string() })) }),
  deleteFeed: null,
} as const satisfies { readonly [N in RouteName]: v.GenericSchema | null };

/** Problem details of the contract. @see RFC 9457 §3.1, contract section 7 */
export const problemSchema = v.object({
  type: v.string(),
  status: v.pipe(v.number(), v.integer()),
  title: v.string(),
  errors: v.optional(v.union([v.string(), v.record(v.string(), v.array(v.string()))])),
});

export type UserResource = v.InferOutput<typeof userSchema>;
export type LabelResource = v.InferOutput<typeof labelSchema>;
export type CalendarResource = v.InferOutput<typeof calendarSchema>;
export type EventResource = v.InferOutput<typeof eventSchema>;
export type ActivityResource = v.InferOutput<typeof activitySchema>;
export type FeedResource = v.InferOutput<typeof feedSchema>;
export type ListedActivityResource = v.InferOutput<typeof listedActivitySchema>;
