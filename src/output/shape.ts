/** The JSON that commands print, as data from which `calctl schema` is made. */

/** The JSON object of a kind of value. */
export interface Shape {
  /** Its name for `calctl schema`. */
  readonly shape: string;
  readonly keys: Readonly<Record<string, ShapeKey>>;
  /** Those of the keys that the object has; the default is all. */
  readonly members?: readonly string[];
}

/** The shape of a type, key by key. */
export interface ShapeOf<T> extends Shape {
  readonly keys: {
    readonly [K in keyof T & string]-?: ShapeKey & { readonly type: JsonTypeOf<Exclude<T[K], undefined>> };
  };
}

export interface ShapeKey {
  readonly type: AnyJsonType;
  /** What the type does not say. */
  readonly about?: string;
  /** Whether only some values have the key, such as a secret that is shown once. */
  readonly optional?: boolean;
}

type ScalarType = "string" | "integer" | "number" | "boolean";

/** A `?` means that the value may be null. */
export type AnyJsonType =
  | ScalarType
  | `${ScalarType}?`
  | "string[]"
  /** An object of any members, each a string. */
  | "string{}"
  | "any"
  | { readonly object: Shape; readonly nullable?: boolean }
  | { readonly list: Shape };

/** The JSON types that a type of TypeScript may have. */
export type JsonTypeOf<V> = unknown extends V
  ? "any"
  : [V] extends [string]
    ? "string"
    : [V] extends [string | null]
      ? "string?"
      : [V] extends [boolean]
        ? "boolean"
        : [V] extends [boolean | null]
          ? "boolean?"
          : [V] extends [number]
            ? "integer" | "number"
            : [V] extends [number | null]
              ? "integer?" | "number?"
              : [V] extends [readonly string[]]
                ? "string[]"
                : [V] extends [readonly unknown[]]
                  ? { readonly list: Shape }
                  : string extends keyof V
                    ? "string{}"
                    : null extends V
                      ? { readonly object: Shape; readonly nullable: true }
                      : { readonly object: Shape };
