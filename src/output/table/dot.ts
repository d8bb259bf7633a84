import { isHexColor, type Style } from "../style.js";
import type { Cell } from "../view.js";

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
