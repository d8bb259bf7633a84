import { sanitizeLine } from "../sanitize.js";
import { createStyle } from "../style.js";
import { fillColumns } from "../table/columns.js";
import { drawListing } from "../table/detail.js";
import { drawGrid } from "../table/grid.js";
import type { Rendering, Surface } from "./renderer.js";

/** What a terminal has that does not say how wide it is. */
const USUAL_WIDTH = 80;

/**
 * For eyes: columns that fit the terminal for a list, a `name  text` listing for one value alone and for lists
 * that do not fit. Text is always made harmless.
 */
export async function renderTable<T>(rendering: Rendering<T>): Promise<string> {
  const { view, values, single, fields, surface } = rendering;
  const table = view.table ?? view.tsv;
  const isListing = single || view.layout !== "rows";
  const columns = fillColumns(rendering, isListing ? (view.listing ?? table) : table);
  if (values.length === 0 || columns.length === 0) return "";
  if (view.layout === "bare") {
    return columns.flatMap(({ cells }) => cells.map(({ text }) => `${sanitizeLine(text)}\n`)).join("");
  }
  const style = await createStyle(surface.color);
  const skipEmpty = fields === null && view.layout === "rows";
  const options = { style, width: widthOf(surface) };
  // A column that says nothing of any value only takes room.
  const telling = skipEmpty ? columns.filter(({ cells }) => cells.some(({ text }) => text !== "")) : columns;
  const grid = isListing ? null : await drawGrid(telling, options);
  return grid ?? drawListing(columns, { ...options, skipEmpty });
}

function widthOf({ isTerminal, columns = 0 }: Surface): number {
  if (!isTerminal) return Number.POSITIVE_INFINITY;
  return columns > 0 ? columns : USUAL_WIDTH;
}
