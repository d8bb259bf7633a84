import * as v from "valibot";
import { isJsonObject } from "./json.js";

/**
 * The resource objects as clients accept them: attributes may be missing, null or unknown, ids may be safe integers,
 * and only the JSON type of a value is checked.
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
/** JSON.parse reads numbers such as 1e999 as Infinity. */
const number = v.nullish(v.pipe(v.number(), v.finite()), null);
const flag = v.nullish(v.boolean(), null);

/** An object of any members. Unlike a record it is not copied, which a list of thousands would pay for. */
const members = v.custom<Readonly<Record<string, unknown>>>(
  (input) => typeof input === "object" && input !== null,
  ({ received }) => `Invalid type: Expected Object but received ${received}`,
);

/** A resource object of any type. Another schema checks its attributes, `readIdentifiers` reads its relationships. */
export const lenientResourceSchema = v.looseObject({
  id: lenientId,
  type: v.string(),
  attributes: v.nullish(members, {}),
  relationships: v.fallback(members, {}),
});

/** Resource objects of any type. Those without id and type are dropped, since nothing can refer to them. */
const lenientIncluded = v.fallback(
  v.pipe(
    v.array(v.fallback(v.nullable(lenientResourceSchema), null)),
    v.transform((resources) => resources.filter((resource) => resource !== null)),
  ),
  [],
);

/** A document with one resource object, and one with a list of them. */
export const lenientDocumentSchema = v.looseObject({
  data: lenientResourceSchema,
  included: lenientIncluded,
});
export const lenientListSchema = v.looseObject({
  data: v.array(lenientResourceSchema),
  included: lenientIncluded,
});

/** The link to the next page: an address, or an object with one. @see JSON:API "Links" */
const lenientLink = v.union([v.string(), v.looseObject({ href: v.string() })]);
const linksSchema = v.looseObject({ links: v.nullish(v.looseObject({ next: v.nullish(lenientLink) })) });

/**
 * The address of the next page of a list, which may be relative; null on the last one.
 * @throws ValiError for a link of another type: the rest of the list must not be missed
 */
export function readNextLink(document: unknown): string | null {
  const next = v.parse(linksSchema, document).links?.next ?? null;
  return typeof next === "string" || next === null ? next : next.href;
}

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
  /** Some services send this name instead of `recurrences`. */
  recurrence: recurrences,
  description: text,
  location: text,
  url: text,
  updated_at: text,
  created_at: text,
});

export const lenientActivityAttributes = v.looseObject({ content: text, updated_at: text, created_at: text });

export type LenientResource = v.InferOutput<typeof lenientResourceSchema>;

/** @see JSON:API "Resource Identifier Objects" */
export interface ResourceIdentifier {
  readonly id: string;
  readonly type: string;
}

const identifierSchema = v.looseObject({ id: lenientId, type: v.fallback(v.nullable(v.string()), null) });
const numericIdSchema = v.looseObject({ id: v.number() });

function isIdentifier(entry: unknown): entry is ResourceIdentifier {
  if (!isJsonObject(entry)) return false;
  return typeof entry["id"] === "string" && entry["id"] !== "" && typeof entry["type"] === "string";
}

/**
 * The identifiers in a to-one or to-many relationship. Entries without an id are dropped.
 * @param type the type of an entry that has none
 * @throws ValiError for a numeric id above 2^53: its digits are lost, and dropping it could remove an attendee
 */
export function readIdentifiers(relationship: unknown, type: string): readonly ResourceIdentifier[] {
  const data = isJsonObject(relationship) ? (relationship["data"] ?? null) : null;
  if (data === null) return [];
  // What the schema accepts as it is. Lists have many of them.
  if (isIdentifier(data)) return [{ id: data.id, type: data.type }];
  return (Array.isArray(data) ? data : [data]).flatMap((entry: unknown) => {
    const result = v.safeParse(identifierSchema, entry);
    if (result.success) return [{ id: result.output.id, type: result.output.type ?? type }];
    if (v.is(numericIdSchema, entry)) throw new v.ValiError(result.issues);
    return [];
  });
}
