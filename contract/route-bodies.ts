import * as v from "valibot";
import { activityBodySchema, eventBodySchema } from "./bodies.js";
import {
  activitySchema,
  calendarSchema,
  eventSchema,
  labelSchema,
  listedActivitySchema,
  userSchema,
} from "./resources.js";
import type { RouteName } from "./routes.js";
import { CATEGORIES } from "./shapes.js";

/**
 * The bodies of the contract's routes. Apart from the routes, since making schemas takes time, and those that send or
 * answer a request need few of them.
 */

const included = v.optional(v.array(v.union([labelSchema, userSchema])));
const links = v.object({ next: v.nullable(v.string()) });

/** Routes that are not here have no request body. */
export const REQUEST_BODIES = {
  createEvent: eventBodySchema,
  updateEvent: eventBodySchema,
  createActivity: activityBodySchema,
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
  updateEvent: v.object({ data: eventSchema }),
  deleteEvent: null,
  listActivities: v.object({
    data: v.array(listedActivitySchema),
    included: v.optional(v.array(userSchema)),
    links,
  }),
  createActivity: v.object({ data: activitySchema }),
} as const satisfies { readonly [N in RouteName]: v.GenericSchema | null };

/** Problem details of the contract. @see RFC 9457 §3.1, contract section 7 */
export const problemSchema = v.object({
  type: v.string(),
  status: v.pipe(v.number(), v.integer()),
  title: v.string(),
  errors: v.optional(v.union([v.string(), v.record(v.string(), v.array(v.string()))])),
});
