import type { Rendering } from "../formats/renderer.js";
import { isHexColor, type Style } from "../style.js";
import { type Cell, jsonOf, type KeyOf, presentKeys, type TableColumn, textOf, type View } from "../view.js";

/** A column of a table for eyes, or a line of a listing, with what it shows of each value. */
export interface FilledColumn {
  readonly header: string;
  /** One cell for each value. */
  readonly cells: readonly Cell[];
  /** The narrowest width it may shrink to; null when its text is always shown whole. */
  readonly shrinkTo: number | null;
  readonly multiline: boolean;
  /** Gives way before the others when the terminal is narrow. */
  readonly yieldsFirst: boolean;
}

/** Words that are no words in lower case. */
const SPELLINGS: Readonly<Record<string, string>> = { id: "ID", url: "URL", uri: "URI", uris: "URIs" };

/** The columns that `--fields` names, else those of `picks` that these values need. */
export function fillColumns<T>(
  { view, values, fields }: Rendering<T>,
  picks: readonly (KeyOf<T> | TableColumn<T>)[],
): readonly FilledColumn[] {
  const shown = fields ?? picks.filter((pick) => isNeeded(view, pick, values));
  return shown.map((pick) =>
    typeof pick === "string" ? fillKey(view, pick, values) : fillColumn(pick, values),
  );
}

function isNeeded<T>(view: View<T>, pick: KeyOf<T> | TableColumn<T>, values: readonly T[]): boolean {
  if (typeof pick === "string") return presentKeys(view, [pick], values).length > 0;
  return pick.isShown?.(values) ?? true;
}

function fillKey<T>(view: View<T>, key: KeyOf<T>, values: readonly T[]): FilledColumn {
  const {
    header = headerOf(key),
    cell,
    shrinkTo = null,
    multiline = false,
    yieldsFirst = false,
  } = view.keys[key];
  const cells = values.map((value) => cell?.(value) ?? { text: readableText(view, key, value) });
  return { header, cells, shrinkTo, multiline, yieldsFirst };
}

function fillColumn<T>({ header, cell }: TableColumn<T>, values: readonly T[]): FilledColumn {
  return { header, cells: values.map(cell), shrinkTo: null, multiline: false, yieldsFirst: false };
}

function readableText<T>(view: View<T>, key: KeyOf<T>, value: T): string {
  const json = jsonOf(view, key, value);
  if (typeof json === "boolean") return json ? "yes" : "no";
  return textOf(view, key, value);
}

/** `start_local` -> `Start local`, `base_url` -> `Base URL`. */
function headerOf(key: string): string {
  const words = key.split("_").map((word) => SPELLINGS[word] ?? word);
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What stands before a cell's text. */
export interface Dot {
  readonly text: string;
  /** Columns of the terminal. */
  readonly width: number;
}

const NO_DOT: Dot = { text: "", width: 0 };

/** The coloured dot of a cell and a space; nothing where it has no colour or none is shown. */
export function dotOf({ dot }: Cell, style: Style): Dot {
  const color = dot ?? "";
  if (!style.enabled || !isHexColor(color)) return NO_DOT;
  return { text: `${style.hex(color, "●")} `, width: 2 };
}
