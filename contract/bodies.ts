import * as v from "valibot";
import { isTimeZone, parseWireDateTime } from "./date-time.js";
import {
  codePointLength,
  MAX_ATTENDEES,
  MAX_COMMENT,
  MAX_DESCRIPTION,
  MAX_FEED_CALENDARS,
  MAX_FEED_NAME,
  MAX_LOCATION,
  MAX_TITLE,
  MAX_URL,
  URL_SCHEMES,
} from "./limits.js";
import { CATEGORIES } from "./shapes.js";
import { parseUrl } from "./url.js";

/** Request bodies with the contract's limits. @see contract section 4 */

/** Text of at most `max` code points. */
function limitedText(max: number) {
  return v.pipe(
    v.string("must be text"),
    v.check((text) => codePointLength(text) <= max, `must be at most ${max} characters`),
    v.metadata({ maxLength: max }),
  );
}

function requiredText(max: number) {
  return v.pipe(limitedText(max), v.minLength(1, "must not be empty"));
}

const dateTime = v.pipe(
  v.string("must be an ISO 8601 date-time"),
  v.check((text) => parseWireDateTime(text) !== null, "must be an ISO 8601 date-time that exists"),
  v.metadata({ format: "date-time" }),
);

const timeZone = v.pipe(
  v.string("must be a timezone name"),
  v.check(isTimeZone, "must be a timezone name such as Asia/Tokyo"),
);

/** A resource identifier object. @see JSON:API "Resource Identifier Objects" */
function identifier<const T extends string>(type: T, message: string) {
  const id = v.pipe(v.string("must have an id"), v.minLength(1, "must have an id"));
  return v.object({ id, type: v.literal(type, `must be of type ${type}`) }, message);
}

function listOf<const T extends string>(type: T) {
  return v.array(identifier(type, "must be {id, type}"), "must be a list of {id, type}");
}

const labelRelationship = v.object(
  { data: identifier("label", "must be {data: {id, type}}") },
  "must be {data: {id, type}}",
);

const attendeesRelationship = v.object(
  { data: v.pipe(listOf("user"), v.metadata({ maxItems: MAX_ATTENDEES })) },
  "must be {data: [{id, type}]}",
);

/** A document with one resource. */
function documentOf<const T extends v.ObjectEntries>(members: T) {
  return v.object({ data: v.object(members, "must be an object") }, "must be an object with data");
}

const eventAttributes = v.object(
  {
    title: requiredText(MAX_TITLE),
    category: v.picklist(CATEGORIES, "must be schedule or keep"),
    all_day: v.nullish(v.boolean("must be true or false")),
    start_at: v.nullish(dateTime),
    start_timezone: v.nullish(timeZone),
    end_at: v.nullish(dateTime),
    end_timezone: v.nullish(timeZone),
    description: v.nullish(limitedText(MAX_DESCRIPTION)),
    location: v.nullish(limitedText(MAX_LOCATION)),
    url: v.nullish(v.pipe(v.string("must be text"), v.metadata({ maxLength: MAX_URL }))),
    recurrences: v.nullish(
      v.pipe(v.array(v.string("must be text"), "must be a list of RFC 5545 lines"), v.readonly()),
    ),
  },
  "must be an object",
);

type EventAttributesBody = v.InferOutput<typeof eventAttributes>;

/** A rule about attributes, and the field and problem to report when it is broken. */
interface EventRule {
  readonly field: keyof EventAttributesBody;
  readonly problem: string;
  readonly broken: (attributes: Partial<EventAttributesBody>) => boolean;
}

/** The dates of an all-day event are compared as written, whatever the offset. */
function endsNotAfterStart({ start_at, end_at, all_day }: Partial<EventAttributesBody>): boolean {
  const start = parseWireDateTime(start_at ?? "");
  const end = parseWireDateTime(end_at ?? "");
  if (start === null || end === null) return false;
  return all_day === true ? end.date <= start.date : end.instant <= start.instant;
}

function missing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Rules of the create and update body about several fields. @see contract section 4 */
export const EVENT_RULES: readonly EventRule[] = [
  ...(["all_day", "start_at", "end_at"] as const).map((field) => ({
    field,
    problem: "is required for a schedule",
    broken: (event: Partial<EventAttributesBody>) => event.category === "schedule" && missing(event[field]),
  })),
  {
    field: "start_at",
    problem: "is required when end_at is given",
    broken: (event) => event.category !== "schedule" && missing(event.start_at) && !missing(event.end_at),
  },
  {
    field: "end_at",
    problem: "is required when start_at is given",
    broken: (event) => event.category !== "schedule" && missing(event.end_at) && !missing(event.start_at),
  },
  ...(["start_at", "end_at"] as const).map((field) => ({
    field,
    problem: "must be at 00:00:00 for an all-day event",
    broken: (event: Partial<EventAttributesBody>) =>
      event.all_day === true && parseWireDateTime(event[field] ?? "")?.midnight === false,
  })),
  { field: "end_at", problem: "must be after start_at", broken: endsNotAfterStart },
];

function hasOtherScheme(url: string): boolean {
  return url !== "" && !URL_SCHEMES.some((scheme) => url.slice(0, scheme.length).toLowerCase() === scheme);
}

/** Rules of the embedded service. One that was stored before may stay as it is. */
export const URL_RULES: readonly EventRule[] = [
  {
    field: "url",
    problem: `must be at most ${MAX_URL} characters`,
    broken: ({ url }) => codePointLength(url ?? "") > MAX_URL,
  },
  {
    field: "url",
    problem: `must begin with one of ${URL_SCHEMES.join(", ")}`,
    broken: ({ url }) => hasOtherScheme(url ?? ""),
  },
  {
    field: "url",
    problem: "must have a valid host and port",
    broken: ({ url }) => /^https?:[^\p{Surrogate}]*$/iu.test(url ?? "") && parseUrl(url ?? "") === null,
  },
  {
    field: "url",
    problem: "must not contain control characters",
    broken: ({ url }) => /\p{Cc}/u.test(url ?? ""),
  },
];

/** Body of a create and of an update. `EVENT_RULES` apply as well. */
export const eventBodySchema = documentOf({
  attributes: eventAttributes,
  relationships: v.object(
    { label: labelRelationship, attendees: v.nullish(attendeesRelationship) },
    "must be an object with a label",
  ),
});

export type EventBody = v.InferOutput<typeof eventBodySchema>;

/** Body of a comment. */
export const activityBodySchema = documentOf({
  attributes: v.object({ content: requiredText(MAX_COMMENT) }, "must be an object"),
});

const feedCalendars = v.object(
  {
    data: v.pipe(
      listOf("calendar"),
      v.minLength(1, "must have at least one"),
      v.maxLength(MAX_FEED_CALENDARS, `must be at most ${MAX_FEED_CALENDARS}`),
    ),
  },
  "must be {data: [{id, type}]}",
);

/** Body of a new feed. */
export const feedBodySchema = documentOf({
  attributes: v.object(
    {
      name: v.nullish(
        v.pipe(
          requiredText(MAX_FEED_NAME),
          v.regex(/^[^\p{Cc}\p{Surrogate}]*$/u, "must not contain control characters"),
        ),
      ),
      busy_only: v.nullish(v.boolean("must be true or false")),
      timezone: v.nullish(timeZone),
    },
    "must be an object",
  ),
  relationships: v.object({ calendars: feedCalendars }, "must be an object with calendars"),
});
