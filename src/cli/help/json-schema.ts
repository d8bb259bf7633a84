import type { AnyJsonType, Shape, ShapeKey } from "../../output/shape.js";

/** A schema, or a part of one. References are to `$defs` of the document. @see JSON Schema 2020-12 */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** A reference to a shape, whose schema must be among the `$defs` of the document. */
export function reference({ shape }: Pick<Shape, "shape">): JsonSchema {
  return { $ref: `#/$defs/${shape}` };
}

/** `$defs` of a document: the shapes and all those inside them. */
export function definitions(shapes: readonly Shape[]): JsonSchema {
  const all = shapes.flatMap(withNested);
  return Object.fromEntries(all.map((shape) => [shape.shape, shapeSchema(shape)]));
}

/** A shape and all those inside it. */
export function withNested(shape: Shape): readonly Shape[] {
  const inner = membersOf(shape).flatMap(([, { type }]) => {
    if (typeof type === "string") return [];
    return withNested("list" in type ? type.list : type.object);
  });
  return [shape, ...inner];
}

function membersOf({
  keys,
  members,
}: Pick<Shape, "keys" | "members">): readonly (readonly [string, ShapeKey])[] {
  return Object.entries(keys).filter(([key]) => members?.includes(key) ?? true);
}

/** An object with every member and no further ones. */
export function shapeSchema(shape: Pick<Shape, "keys" | "members">): JsonSchema {
  const members = membersOf(shape);
  return {
    type: "object",
    properties: Object.fromEntries(
      members.map(([key, { type, about }]) => [
        key,
        { ...typeSchema(type), ...(about === undefined ? {} : { description: about }) },
      ]),
    ),
    required: members.flatMap(([key, { optional }]) => (optional === true ? [] : [key])),
    additionalProperties: false,
  };
}

/** The schema of a list of such items, which may be empty. */
export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

function typeSchema(type: AnyJsonType): JsonSchema {
  if (typeof type !== "string") {
    if ("list" in type) return arrayOf(reference(type.list));
    const object = reference(type.object);
    return type.nullable === true ? { anyOf: [object, { type: "null" }] } : object;
  }
  if (type === "any") return {};
  if (type === "string{}") return { type: "object", additionalProperties: { type: "string" } };
  if (type === "string[]") return arrayOf({ type: "string" });
  return type.endsWith("?") ? { type: [type.slice(0, -1), "null"] } : { type };
}
