import { createStyle, inCharset, PLAIN_STYLE } from "../style.js";
import { columnsOf } from "../table/columns.js";
import { drawDetail } from "../table/detail.js";
import { drawList } from "../table/list.js";
import { type DrawOptions, type Rendering, showsUnicode, widthOf } from "../view.js";

/**
 * A table for people: columns for a list that fits the terminal, otherwise a detail view. All text is sanitized.
 */
export async function renderTable<T>(rendering: Rendering<T>): Promise<string> {
  const { capabilities } = rendering;
  const style = await createStyle(capabilities);
  return draw(
    rendering,
    { style, width: widthOf(capabilities), unicode: showsUnicode(capabilities) },
    () => true,
  );
}

/** Ids that mean nothing to the reader of an email. */
const IDS: readonly unknown[] = ["id", "calendar_id", "event_id"];

/** The same for mails and posts: without colors, and without ids unless `--fields` names them. */
export async function renderText<T>(rendering: Rendering<T>): Promise<string> {
  const { capabilities } = rendering;
  const drawing = { style: PLAIN_STYLE, width: widthOf(capabilities), unicode: showsUnicode(capabilities) };
  return draw(rendering, drawing, (pick) => !IDS.includes(pick));
}

async function draw<T>(
  rendering: Rendering<T>,
  drawing: DrawOptions,
  isShown: (pick: unknown) => boolean,
): Promise<string> {
  const { view, values, single, fields } = rendering;
  const drawn = await view.draw?.(rendering, drawing);
  if (drawn !== null && drawn !== undefined) return drawn;
  if (values.length === 0) return "";
  const table = view.table ?? view.tsv;
  const columns = columnsOf(rendering, (single ? (view.detail ?? table) : table).filter(isShown));
  const skipEmpty = fields === null;
  const filled = skipEmpty ? columns.filter(({ cells }) => cells.some(({ text }) => text !== "")) : columns;
  const text = (single ? null : drawList(filled, drawing)) ?? drawDetail(columns, { ...drawing, skipEmpty });
  return inCharset(text, drawing);
}
