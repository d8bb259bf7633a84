import { createStyle } from "../style.js";
import { columnsOf } from "../table/columns.js";
import { drawDetail } from "../table/detail.js";
import { drawList } from "../table/list.js";
import { type Rendering, widthOf } from "../view.js";

/**
 * A table for people: columns for a list that fits the terminal, otherwise a detail view. All text is sanitized.
 */
export async function renderTable<T>(rendering: Rendering<T>): Promise<string> {
  const { view, values, single, fields, surface } = rendering;
  if (values.length === 0) return "";
  const style = await createStyle(surface.color);
  const canvas = { style, width: widthOf(surface), unicode: surface.unicode };
  const drawn = await view.draw?.(rendering, canvas);
  if (drawn !== null && drawn !== undefined) return drawn;
  const table = view.table ?? view.tsv;
  const columns = columnsOf(rendering, single ? (view.detail ?? table) : table);
  const skipEmpty = fields === null;
  const filled = skipEmpty ? columns.filter(({ cells }) => cells.some(({ text }) => text !== "")) : columns;
  return (single ? null : drawList(filled, canvas)) ?? drawDetail(columns, { ...canvas, skipEmpty });
}
