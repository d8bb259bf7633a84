import { FORMATS, type Format, type KeyOf, type View } from "../view.js";

/** What a format needs to know of the stream it writes for. */
export interface Surface {
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined when unknown. */
  readonly columns: number | undefined;
  readonly color: boolean;
}

/** What a format is given. */
export interface Rendering<T> {
  readonly view: View<T>;
  readonly values: readonly T[];
  /** Whether `values` is one value alone: an object, where a list would be an array. */
  readonly single: boolean;
  /** The keys of `--fields` in their order; null when the view decides. */
  readonly fields: readonly KeyOf<T>[] | null;
  readonly surface: Surface;
}

/** One format: the whole text, line feeds included; empty when there is nothing to print. */
export type Renderer = <T>(rendering: Rendering<T>) => string | Promise<string>;

/** How to get each format's renderer; each is loaded when it is first needed. */
const RENDERERS: Readonly<Partial<Record<Format, () => Promise<Renderer>>>> = {
  table: async () => (await import("./table.js")).renderTable,
  tsv: async () => (await import("./tsv.js")).renderTsv,
  json: async () => (await import("./json.js")).renderJson,
  ndjson: async () => (await import("./json.js")).renderNdjson,
};

/** The formats that every view has, in the order in which they are listed. */
export function availableFormats(): readonly Format[] {
  return FORMATS.filter((format) => RENDERERS[format] !== undefined);
}

/** @throws Error for a format that is not available, which `createOutput` has ruled out */
export async function loadRenderer(format: Format): Promise<Renderer> {
  const load = RENDERERS[format];
  if (load === undefined) throw new Error(`there is no renderer for ${format}`);
  return await load();
}
