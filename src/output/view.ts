/** How one kind of value is shown. A view knows the value's flat shape and nothing of streams. */
export interface View<T> {
  /** What one value is called in messages: `event`, `calendar`. */
  readonly noun: string;
  /** Every key of the JSON object, in their order. `--fields` takes any of them, in every format. */
  readonly keys: { readonly [K in KeyOf<T>]-?: ViewKey<T> };
  /** Columns of tsv, in their order; with none, nothing is printed. Keys that no value has are left out. */
  readonly tsv: readonly KeyOf<T>[];
  /** Columns of a table for eyes; the default is `tsv`. */
  readonly table?: readonly (KeyOf<T> | TableColumn<T>)[];
  /** Lines of a table for eyes that shows one value alone; the default is `table`. */
  readonly listing?: readonly (KeyOf<T> | TableColumn<T>)[];
  /**
   * `rows`: one line a value. `pairs`: one `key value` a line, for one value alone.
   * `bare`: one value with one key, of which the text alone is shown.
   */
  readonly layout: "rows" | "pairs" | "bare";
}

export type KeyOf<T> = keyof T & string;

export interface ViewKey<T> {
  /** The value as it goes to JSON; the default is the value under the key. Undefined leaves the key out. */
  readonly json?: (value: T) => unknown;
  /** The value as it goes to one cell; the default is the JSON value, lists joined by `, `, null as nothing. */
  readonly text?: (value: T) => string;
  /** What a table for eyes shows instead of the text. */
  readonly cell?: (value: T) => Cell;
  /** What a table calls it; the default is the key as words. */
  readonly header?: string;
  /** The narrowest width its column may shrink to; without it the text is always shown whole. */
  readonly shrinkTo?: number;
  /** Whether its column gives way before the others. */
  readonly yieldsFirst?: boolean;
  /** Whether the text may have several lines; where one line is all there is, line feeds are shown as escapes. */
  readonly multiline?: boolean;
}

/** A column of a table for eyes that is no JSON key. */
export interface TableColumn<T> {
  readonly header: string;
  readonly cell: (value: T) => Cell;
  /** Whether these values need the column at all. */
  readonly isShown?: (values: readonly T[]) => boolean;
}

/** What a table shows in one place, not yet made harmless. */
export interface Cell {
  readonly text: string;
  /** `#` and six hex digits: the colour of a dot before the text, where colours are shown. */
  readonly dot?: string | null;
}

/** The formats this program knows by name; each command has some of them. */
export const FORMATS = ["table", "tsv", "csv", "json", "ndjson", "markdown", "text", "ics"] as const;
export type Format = (typeof FORMATS)[number];

/** Where a command hands its value over. */
export interface Output<T> {
  /** Prints one value as an object, or a list as an array or lines. Resolves when the stream has taken it. */
  /**
   * @param done what was done by then, as a sentence's end; an output that cannot be written must not hide it
   */
  print(value: T | readonly T[], done?: string): Promise<void>;
}

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
