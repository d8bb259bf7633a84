import * as v from "valibot";

/**
 * What a client accepts: attributes may be missing, null or more than the contract names, ids may be
 * numbers as long as they are exact, and no value is checked beyond its JSON type.
 * @see wire-notes.md in the project's specification
 */

const lenientId = v.union([
  v.pipe(v.string(), v.minLength(1)),
  v.pipe(
    v.number(),
    v.safeInteger(),
    v.transform((id) => String(id)),
  ),
]);
const text = v.nullish(v.string(), null);
const number = v.nullish(v.number(), null);
const flag = v.nullish(v.boolean(), null);

export const lenientIdentifierSchema = v.looseObject({ id: lenientId, type: v.string() });

const relationship = v.nullish(
  v.looseObject({
    data: v.nullish(v.union([lenientIdentifierSchema, v.array(lenientIdentifierSchema)]), null),
  }),
  null,
);

/** Any resource object; its attributes are read by the schema of its type. */
export const lenientResourceSchema = v.looseObject({
  id: lenientId,
  type: v.string(),
  attributes: v.nullish(v.record(v.string(), v.unknown()), {}),
  relationships: v.nullish(v.record(v.string(), relationship), {}),
});

/** A whole answer. `included` holds objects of any type. */
export const lenientOneSchema = v.looseObject({
  data: lenientResourceSchema,
  included: v.nullish(v.array(lenientResourceSchema), []),
});
export const lenientManySchema = v.looseObject({
  data: v.array(lenientResourceSchema),
  included: v.nullish(v.array(lenientResourceSchema), []),
});

export const lenientUserAttributes = v.looseObject({ name: text, description: text, image_url: text });

export const lenientLabelAttributes = v.looseObject({ name: text, color: text });

export const lenientCalendarAttributes = v.looseObject({
  name: text,
  description: text,
  color: text,
  order: number,
  image_url: text,
  created_at: text,
});

const recurrences = v.nullish(v.array(v.string()), null);

export const lenientEventAttributes = v.looseObject({
  category: text,
  title: text,
  all_day: flag,
  start_at: text,
  start_timezone: text,
  end_at: text,
  end_timezone: text,
  recurrences,
  /** Another spelling of `recurrences` that has been seen. */
  recurrence: recurrences,
  description: text,
  location: text,
  url: text,
  updated_at: text,
  created_at: text,
});

export const lenientActivityAttributes = v.looseObject({ content: text, updated_at: text, created_at: text });

export type LenientResource = v.InferOutput<typeof lenientResourceSchema>;
export type LenientIdentifier = v.InferOutput<typeof lenientIdentifierSchema>;
