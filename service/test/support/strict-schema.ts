import * as v from "valibot";

/** The same schema with strict objects: unknown keys fail. */
export function strictSchema(schema: v.GenericSchema): v.GenericSchema {
  if (hasMember(schema, "entries") && schema.type === "object") {
    const entries = Object.entries(schema.entries as Record<string, v.GenericSchema>);
    return v.strictObject(Object.fromEntries(entries.map(([key, entry]) => [key, strictSchema(entry)])));
  }
  if (hasMember(schema, "item") && schema.type === "array") {
    return v.array(strictSchema(schema.item as v.GenericSchema));
  }
  if (hasMember(schema, "options") && schema.type === "union") {
    return v.union((schema.options as v.GenericSchema[]).map(strictSchema));
  }
  if (hasMember(schema, "wrapped")) {
    const wrapped = strictSchema(schema.wrapped as v.GenericSchema);
    if (schema.type === "optional") return v.optional(wrapped);
    if (schema.type === "nullable") return v.nullable(wrapped);
    throw new Error(`strictSchema does not know ${schema.type}`);
  }
  return schema;
}

function hasMember<K extends string>(
  schema: v.GenericSchema,
  key: K,
): schema is v.GenericSchema & { readonly [key in K]: unknown } {
  return key in schema;
}
