import type { KeyOf, View } from "./view.js";

/** The keys of a view in the order of its JSON object. */
export function keysOf<T>(view: View<T>): readonly KeyOf<T>[] {
  return Object.keys(view.keys).filter((name) => isKeyOf(view, name));
}

export function isKeyOf<T>(view: View<T>, name: string): name is KeyOf<T> {
  return Object.hasOwn(view.keys, name);
}

/** The value under a key as it goes to JSON; undefined when this value has no such key. */
export function jsonOf<T>(view: View<T>, key: KeyOf<T>, value: T): unknown {
  const { json } = view.keys[key];
  return json === undefined ? value[key] : json(value);
}

/** The value as a JSON object of the given keys in their order; the default is all of them. */
export function jsonObject<T>(
  view: View<T>,
  value: T,
  keys: readonly KeyOf<T>[] = keysOf(view),
): Record<string, unknown> {
  const members = keys.map((key) => [key, jsonOf(view, key, value)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** The value under a key as one cell. */
export function textOf<T>(view: View<T>, key: KeyOf<T>, value: T): string {
  const { text } = view.keys[key];
  return text === undefined ? cellText(jsonOf(view, key, value)) : text(value);
}

/** Any JSON value as one cell: null is nothing, lists are joined by `, `. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(cellText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Those of the keys that at least one of the values has. */
export function presentKeys<T>(
  view: View<T>,
  keys: readonly KeyOf<T>[],
  values: readonly T[],
): readonly KeyOf<T>[] {
  return keys.filter((key) => values.some((value) => jsonOf(view, key, value) !== undefined));
}
