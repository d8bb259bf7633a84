import * as v from "valibot";

/**
 * What a client accepts: attributes may be missing, null or unknown, ids may be exact numbers, and only the JSON type
 * of a value is checked.
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
/** JSON has numbers that are infinite here, such as 1e999. */
const number = v.nullish(v.pipe(v.number(), v.finite()), null);
const flag = v.nullish(v.boolean(), null);

/** Any resource object; its attributes are read by the schema of its type, its relationships by name. */
export const lenientResourceSchema = v.looseObject({
  id: lenientId,
  type: v.string(),
  attributes: v.nullish(v.record(v.string(), v.unknown()), {}),
  relationships: v.fallback(v.record(v.string(), v.unknown()), {}),
});

/** Objects of any type, also unknown ones. Those without id and type are dropped, since nothing can refer to them. */
const lenientIncluded = v.fallback(
  v.pipe(
    v.array(v.fallback(v.nullable(lenientResourceSchema), null)),
    v.transform((resources) => resources.filter((resource) => resource !== null)),
  ),
  [],
);

/** A whole answer. */
export const lenientOneSchema = v.looseObject({
  data: lenientResourceSchema,
  included: lenientIncluded,
});
export const lenientManySchema = v.looseObject({
  data: v.array(lenientResourceSchema),
  included: lenientIncluded,
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

const isText = (value: unknown) => typeof value === "string";

/** Items that are not text are not RFC 5545 lines. */
const recurrences = v.nullish(
  v.pipe(
    v.array(v.unknown()),
    v.transform((lines) => lines.filter(isText)),
  ),
  [],
);

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

/** One entry of a relationship: what it names. */
export interface LenientIdentifier {
  readonly id: string;
  readonly type: string;
}

const relationshipSchema = v.fallback(v.looseObject({ data: v.unknown() }), { data: null });
const identifierSchema = v.looseObject({ id: lenientId, type: v.fallback(v.nullable(v.string()), null) });
const numericIdSchema = v.looseObject({ id: v.number() });

/**
 * What a relationship names, be it one or many; entries that name nothing are left out.
 * @param type the type of an entry that lacks one
 * @throws valibot's error for a number past 2^53, whose digits are lost: without it an update would drop an attendee
 */
export function readIdentifiers(relationship: unknown, type: string): readonly LenientIdentifier[] {
  const { data } = v.parse(relationshipSchema, relationship);
  return (Array.isArray(data) ? data : [data]).flatMap((entry: unknown) => {
    const result = v.safeParse(identifierSchema, entry);
    if (result.success) return [{ id: result.output.id, type: result.output.type ?? type }];
    if (v.is(numericIdSchema, entry)) throw new v.ValiError(result.issues);
    return [];
  });
}
