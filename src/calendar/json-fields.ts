import { type CliError, usageError } from "../errors.js";

/** Fields of a JSON object a person gave, without those that are null. */
export interface Fields {
  readonly values: ReadonlyMap<string, unknown>;
  /** What messages call the object. */
  readonly source: string;
}

/** A text, undefined where there is none. @throws CliError usage for another type */
export function readText({ values, source }: Fields, key: string): string | undefined {
  const value = values.get(key);
  if (value === undefined || typeof value === "string") return value;
  throw wrongType(`${source}: ${key}`, "text", value);
}

/** True or false, undefined where there is none. @throws CliError usage for another type */
export function readBoolean({ values, source }: Fields, key: string): boolean | undefined {
  const value = values.get(key);
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongType(`${source}: ${key}`, "true or false", value);
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a value of the wrong type: `name` must be `wanted`. */
export function wrongType(name: string, wanted: string, value: unknown): CliError {
  return usageError(`${name} must be ${wanted}, not ${describeType(value)}`);
}

/** A value's JSON type, as messages call it. */
export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (value === "") return "an empty text";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return "a number";
    case "boolean":
      return String(value);
    default:
      return "an object";
  }
}
