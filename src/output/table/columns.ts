import { HEX_COLOR } from "../../../contract/limits.js";
import { describeRecurrences } from "../../time/recurrence/words.js";
import { symbolsOf } from "../style.js";
import {
  type Cell,
  type CellTools,
  type DrawOptions,
  jsonOf,
  type KeyOf,
  presentKeys,
  type Rendering,
  type TableColumn,
  textOf,
  type View,
} from "../view.js";

/** A column of a list, or a line of a detail view, with one cell for each value. */
export interface Column {
  readonly header: string;
  readonly cells: readonly Cell[];
  /** Narrowest width; null when the text is never cut or broken. */
  readonly minWidth: number | null;
  /** Whether it shrinks before the others. */
  readonly shrinksFirst: boolean;
  readonly multiline: boolean;
}

/** Words whose spelling is not lower case. */
const SPELLINGS: Readonly<Record<string, string>> = { id: "ID", url: "URL", uri: "URI", uris: "URIs" };

/** The columns that `--fields` names, otherwise those of `picks` that the values need. */
export function columnsOf<T>(
  { view, values, fields, hours, zone }: Rendering<T>,
  picks: readonly (KeyOf<T> | TableColumn<T>)[],
): readonly Column[] {
  const tools: CellTools = { hours, zone, describeRepeats: describeRecurrences };
  const shown = fields ?? picks.filter((pick) => isShown(view, pick, values));
  return shown.map((pick) =>
    typeof pick === "string"
      ? columnOfKey(view, pick, { values, tools })
      : {
          header: pick.header,
          cells: values.map((value) => pick.cell(value, tools)),
          minWidth: null,
          shrinksFirst: false,
          multiline: false,
        },
  );
}

function isShown<T>(view: View<T>, pick: KeyOf<T> | TableColumn<T>, values: readonly T[]): boolean {
  if (typeof pick === "string") return presentKeys(view, [pick], values).length > 0;
  return pick.isShown?.(values) ?? true;
}

function columnOfKey<T>(
  view: View<T>,
  key: KeyOf<T>,
  { values, tools }: { readonly values: readonly T[]; readonly tools: CellTools },
): Column {
  const { cell, header = headerOf(key) } = view.keys[key];
  const { minWidth = null, shrinksFirst = false, multiline = false } = view.keys[key];
  const cells = values.map((value) => cell?.(value, tools) ?? { text: readableText(view, key, value) });
  return { header, cells, minWidth, shrinksFirst, multiline };
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

/** The color marker of a cell, with a space after it. */
export interface Marker {
  readonly text: string;
  /** Columns of the terminal. */
  readonly width: number;
}

const NO_MARKER: Marker = { text: "", width: 0 };

/** The color marker before a cell's text; empty when the cell has no color or the stream shows none. */
export function markerOf(
  { color }: Cell,
  { style, unicode }: Pick<DrawOptions, "style" | "unicode">,
): Marker {
  if (!style.enabled || !HEX_COLOR.test(color ?? "")) return NO_MARKER;
  return { text: `${style.hex(color ?? "", symbolsOf({ unicode }).dot)} `, width: 2 };
}
