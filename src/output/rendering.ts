import type { KeyOf, View } from "./view.js";

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
