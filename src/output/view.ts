import type { Event } from "../../contract/shapes.js";
import type { Style } from "./style.js";

/** How one kind of value is shown. A view knows the shape of the value and nothing about streams. */
export interface View<T> {
  /** Name of the JSON object. */
  readonly shape: string;
  /** What one value is called in messages: `event`, `calendar`. */
  readonly noun: string;
  /** Every key of the value, in order. `--fields` takes any of them, in every format. */
  readonly keys: { readonly [K in KeyOf<T>]-?: ViewKey<T, Exclude<T[K], undefined>> };
  /** The keys that the JSON object has; the others are for columns and `--fields` alone. The default is all. */
  readonly members?: readonly KeyOf<T>[];
  /** Columns of tsv and csv, in order; nothing is printed when empty. Optional keys that no value has are left out. */
  readonly tsv: readonly KeyOf<T>[];
  /** Columns of a table; the default is `tsv`. */
  readonly table?: readonly (KeyOf<T> | TableColumn<T>)[];
  /** Lines of the detail view, which `table` shows for a single value; the default is `table`. */
  readonly detail?: readonly (KeyOf<T> | TableColumn<T>)[];
  /** Whether `table` is the default where it is not a terminal, too; the default is no. */
  readonly isTableInPipes?: boolean;
  /** Draws the whole text of `table`. Null where a list or a detail view is wanted after all. */
  readonly draw?: (rendering: Rendering<T>, drawing: DrawOptions) => string | null | Promise<string | null>;
  /** Formats of this view, in addition to the common ones or instead of one of them. */
  readonly formats?: { readonly [F in Format]?: Renderer<T> };
}

export type KeyOf<T> = keyof T & string;

interface ViewKey<T, V = unknown> {
  /** Type in JSON. */
  readonly type: unknown extends V ? AnyJsonType : JsonTypeOf<V>;
  /** What the type does not say, for `calctl schema`. */
  readonly about?: string;
  /** The value in JSON; the default is the value under the key. Undefined leaves the key out. */
  readonly json?: (value: T) => unknown;
  /** The value as text; the default is the JSON value, with lists joined by `, ` and null as nothing. */
  readonly text?: (value: T) => string;
  /** What a table shows instead of the text. */
  readonly cell?: (value: T, tools: CellTools) => Cell;
  /** Header of the column; the default is the key as words. */
  readonly header?: string;
  /** Narrowest width of the column; without it the text is never cut or broken. */
  readonly minWidth?: number;
  /** Whether the column shrinks before the others. */
  readonly shrinksFirst?: boolean;
  /** Whether only some values have the key, such as a secret that is shown once. */
  readonly optional?: boolean;
  /** Whether a detail view keeps the line feeds of the text; elsewhere they are shown as escapes. */
  readonly multiline?: boolean;
}

/** A column of a table that is not a JSON key. */
export interface TableColumn<T> {
  readonly header: string;
  readonly cell: (value: T, tools: CellTools) => Cell;
  /** Whether the column is shown for these values; the default is yes. */
  readonly isShown?: (values: readonly T[]) => boolean;
}

/** One cell of a table, not yet sanitized. */
export interface Cell {
  readonly text: string;
  /** `#` and six hex digits: the color of a marker before the text, on streams with colors. */
  readonly color?: string | null;
  /** The URL that the text leads to, on terminals with links. */
  readonly url?: string | null;
}

/** Every format name; each command supports some of them. */
export const FORMATS = ["table", "tsv", "csv", "json", "ndjson", "markdown", "text", "ics"] as const;
export type Format = (typeof FORMATS)[number];

/** Returns the whole text, or its pieces, line feeds included; empty when there is nothing to print. */
export type Renderer<T> = (rendering: Rendering<T>) => string | Generator<string> | Promise<string>;

/** What `--jq` or `--template` makes of the values, instead of a format. */
export interface OutputProgram {
  /** @throws CliError usage for a name that is not a key of the view */
  check<T>(view: View<T>): void;
  /** @throws CliError usage when it fails for these values */
  render<T>(rendering: Rendering<T>): string | Generator<string>;
  /** The same for JSON that no view describes; absent where a program needs one. */
  renderJson?(
    json: unknown,
    rendering: Pick<Rendering<unknown>, "capabilities" | "note">,
  ): string | Generator<string>;
}

/** How times are shown. The first call reads the configuration. @throws CliError if it cannot */
export interface Clock {
  /** The chosen timezone. */
  readonly zone: () => string;
  /** The hours of a clock, for eyes alone; 24 by default. */
  readonly hours?: (() => Hours) | undefined;
}

/** What a cell is made with. */
export interface CellTools extends Clock {
  /** Says in words how an event repeats; only tables load it. @param lines of RFC 5545, in a zone */
  readonly describeRepeats: (lines: readonly string[], zone: string) => string;
}

export type Hours = 12 | 24;

/** Where an event is. */
export interface EventAddress {
  readonly calendarId: string;
  readonly eventId: string;
}

/** Reads an event. @throws CliError not_found if there is none */
export type GetEvent = (address: EventAddress) => Promise<Event>;

/** What a renderer is given. */
export interface Rendering<T> extends Clock {
  readonly view: View<T>;
  readonly values: readonly T[];
  /** Whether one value was printed, not a list: JSON is an object then, not an array. */
  readonly single: boolean;
  /** The keys of `--fields` in order; null when the view decides. */
  readonly fields: readonly KeyOf<T>[] | null;
  /** Whether `csv` defuses formulas. */
  readonly csvSafe: boolean;
  readonly capabilities: StreamCapabilities;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Writes a line to stderr about what is not in the text. */
  readonly note: (text: string) => void;
  /** Reads an event that is not among the values, for a format that needs more than these. */
  readonly getEvent?: GetEvent | undefined;
}

/** What a renderer knows of the stream. */
export interface StreamCapabilities {
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined when unknown. */
  readonly columns: number | undefined;
  readonly color: boolean;
  /** Whether it shows links; the default is no. Called only for streams with colors. */
  readonly hyperlinks?: () => Promise<boolean>;
  /** Whether the locale has more than ASCII. */
  readonly unicode: boolean;
}

const DEFAULT_WIDTH = 80;

/** Columns of a line; Infinity where it is not a terminal. */
export function widthOf({
  isTerminal,
  columns = 0,
}: Pick<StreamCapabilities, "isTerminal" | "columns">): number {
  if (!isTerminal) return Number.POSITIVE_INFINITY;
  return columns > 0 ? columns : DEFAULT_WIDTH;
}

/** Whether it shows more than ASCII. What is not a terminal does, whatever the locale. */
export function showsUnicode({
  isTerminal,
  unicode,
}: Pick<StreamCapabilities, "isTerminal" | "unicode">): boolean {
  return !isTerminal || unicode;
}

/** What `table` is drawn with. */
export interface DrawOptions {
  readonly style: Style;
  /** Columns of the terminal; Infinity when there is no limit. */
  readonly width: number;
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean;
}

/** Output with a single form: `--output`, `--fields` and `--template` do not apply. */
export interface Document<T> {
  /** Bytes are written as they are. */
  readonly render: (value: T, capabilities: StreamCapabilities) => string | Uint8Array;
  /** What `--jq` gets, undefined to print a value as it is; absent where the form is not JSON. */
  readonly json?: (value: T) => unknown;
}

/** Prints the value of a command. */
export interface Output<T> {
  /**
   * Prints one value, or a list. Resolves when the stream has taken the text.
   * @param completed what the command has already done, as the end of a sentence; part of the error if printing fails
   */
  print(value: T | readonly T[], completed?: string): Promise<void>;
  /**
   * Prints some items of a list, before the others are known. Resolves with false once nobody reads them any more. Null
   * where the format or the terminal needs the whole list.
   */
  readonly stream: ((values: readonly T[]) => Promise<boolean>) | null;
  /** Whether the reader of the stream has closed it, so that it may not have taken what was printed. */
  readonly isClosed: () => boolean;
}

/** The keys of a view in the order of its JSON object. */
export function keysOf<T>(view: View<T>): readonly KeyOf<T>[] {
  return Object.keys(view.keys).filter((name) => isKeyOf(view, name));
}

/** The keys that the JSON object has. */
export function memberKeys<T>(view: View<T>): readonly KeyOf<T>[] {
  return view.members ?? keysOf(view);
}

export function isKeyOf<T>(view: View<T>, name: string): name is KeyOf<T> {
  return Object.hasOwn(view.keys, name);
}

/** The value under a key as it goes to JSON; undefined when this value has no such key. */
export function jsonOf<T>(view: View<T>, key: KeyOf<T>, value: T): unknown {
  const { json } = view.keys[key];
  return json === undefined ? value[key] : json(value);
}

/** The value as a JSON object of the given keys, by default its members. */
export function jsonObject<T>(view: View<T>, value: T, keys?: readonly KeyOf<T>[]): Record<string, unknown> {
  return createJsonReader(view, keys)(value);
}

/** The same for many values. */
export function createJsonReader<T>(
  view: View<T>,
  keys: readonly KeyOf<T>[] = memberKeys(view),
): (value: T) => Record<string, unknown> {
  const changed = keys.filter((key) => view.keys[key].json !== undefined);
  return (value) => {
    // Most values have just these keys, and a copy is several times as fast as an object that is put together.
    const isCopied = hasKeys(value, keys);
    const object: Record<string, unknown> = isCopied ? { ...value } : {};
    for (const key of isCopied ? changed : keys) {
      const member = jsonOf(view, key, value);
      if (member !== undefined) object[key] = member;
      else delete object[key];
    }
    return object;
  };
}

/** Whether the value has these keys, in this order, and no others. */
function hasKeys(value: unknown, keys: readonly string[]): value is Record<string, unknown> {
  const own = Object.keys(value ?? {});
  return own.length === keys.length && own.every((key, index) => key === keys[index]);
}

/** The value under a key as text. */
export function textOf<T>(view: View<T>, key: KeyOf<T>, value: T): string {
  const { text } = view.keys[key];
  return text === undefined ? jsonAsText(jsonOf(view, key, value)) : text(value);
}

function jsonAsText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(jsonAsText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The keys without the optional ones that no value has. */
export function presentKeys<T>(
  view: View<T>,
  keys: readonly KeyOf<T>[],
  values: readonly T[],
): readonly KeyOf<T>[] {
  const isPresent = (key: KeyOf<T>) => values.some((value) => jsonOf(view, key, value) !== undefined);
  return keys.filter((key) => view.keys[key].optional !== true || isPresent(key));
}

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
type JsonTypeOf<V> = unknown extends V
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
