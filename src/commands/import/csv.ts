import { parse } from "csv-parse/sync";
import { CATEGORIES } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { parseCategory, type ReadFields, type WrittenTimes } from "../../events/patch.js";
import { hashText } from "./content-hash.js";
import { type CsvField, findColumns } from "./csv-columns.js";
import { type CellReader, type DateOrder, needsOrder, readTimes, type TimeOptions } from "./csv-times.js";
import { type ReaderOptions, type ReadItems, readEntry, SEVERAL_LABELS } from "./entry.js";

export interface CsvOptions {
  /** `title=Subject,start="Start Date"`; known headers are found without it. */
  readonly columns?: string | undefined;
  /** The order of day, month and year in dates that are not ISO 8601. */
  readonly dates?: DateOrder | undefined;
}

interface Row {
  readonly line: number;
  readonly text: string;
  readonly cells: readonly string[];
}

/**
 * Reads events of a table with a header, as Google Calendar, Outlook and `-o csv` write it.
 * @throws CliError usage for columns that are not there, and for dates whose order nobody said
 */
export function readCsv(text: string, options: ReaderOptions & CsvOptions): ReadItems {
  const { zone, dates } = options;
  const { rows, unclosed } = parseRows(text.replace(/\r\n?/g, "\n"));
  const [header = { cells: [], text: "" }, ...others] = rows;
  const columns = findColumns(header.cells, options.columns);
  const cellOf = (row: Row, field: CsvField) => row.cells[columns[field] ?? -1]?.trim() || undefined;
  for (const row of dates === undefined ? others : [])
    for (const field of ["start", "end"] as const) requireIsoDate(cellOf(row, field), row.line);
  const items = [...others, ...unclosed].map((row) => {
    const isCut = unclosed.includes(row);
    const identity = cellOf(row, "id") ?? hashText(row.text);
    const title = cellOf(row, "title") ?? null;
    const place = { line: row.line, text: row.text, title, ...(isCut ? {} : { identity }) };
    return readEntry(place, options, (count) => {
      if (isCut) throw usageError("a quotation mark has no end");
      const cells = row.cells.findLastIndex((cell) => cell.trim() !== "") + 1;
      const expected = header.cells.length;
      if (cells > expected) throw usageError(`it has ${cells} cells, the header ${expected}`);
      return readRow(identity, (field) => cellOf(row, field), { count, zone, dates });
    });
  });
  const unread = header.cells.filter((name, index) => name !== "" && !Object.values(columns).includes(index));
  return {
    items,
    notes: unread.length === 0 ? [] : [`columns not read: ${unread.join(", ")}`],
    // Without a line end, the last cell may be cut.
    isComplete: unclosed.length === 0 && /[\r\n]$/.test(text),
    header: header.text,
    footer: "",
  };
}

function requireIsoDate(cell: string | undefined, line: number): void {
  if (cell === undefined || !needsOrder(cell)) return;
  throw usageError(
    `line ${line}: "${cell}" is not an ISO 8601 date`,
    "say the order of day, month and year: --dates dmy, mdy or ymd",
  );
}

/** The rows with something in them, and those after a quotation mark without its end. */
function parseRows(text: string) {
  const [line = ""] = text.split("\n", 1);
  const counts = [",", ";", "\t"].map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  // Excel's own line, which says the separator.
  const [, said] = /^sep=([,;\t])\n/i.exec(text) ?? [];
  const { delimiter } = counts.reduce((best, each) => (each.count > best.count ? each : best));
  const lines = text.split("\n");
  let read = 0;
  const rowTo = (end: number, cells: readonly string[]): Row => {
    while (read < end - 1 && lines[read] === "") read += 1;
    const row = { line: read + 1, text: `${lines.slice(read, end).join("\n")}\n`, cells };
    read = end;
    return row;
  };
  const rows: Row[] = [];
  const unclosed: Row[] = [];
  parse(text, {
    ...{ delimiter: said ?? delimiter, bom: true, relax_quotes: true, relax_column_count: true },
    ...{ skip_empty_lines: true, skip_records_with_error: true },
    on_record: (cells, info) => {
      const row = rowTo(info.lines, cells);
      if (cells.some((cell) => cell.trim() !== "")) rows.push(row);
      return null;
    },
    on_skip: () => {
      unclosed.push(rowTo(lines.length, []));
      return undefined;
    },
  });
  return { rows: said === undefined ? rows : rows.slice(1), unclosed };
}

/** The entry of a row. @throws CliError usage */
function readRow(identity: string, cell: CellReader, options: TimeOptions) {
  const [category, labels] = [cell("category"), cell("label")];
  // Others call a label so.
  const isLabel = labels === undefined && !CATEGORIES.some((name) => name === category);
  // Outlook lists several.
  const [label, other] = (isLabel ? category : labels)?.split(";").filter((name) => name.trim() !== "") ?? [];
  if (other !== undefined) options.count(SEVERAL_LABELS);
  const patch: ReadFields & WrittenTimes = {
    category: isLabel || category === undefined ? undefined : parseCategory(category, "category"),
    title: cell("title") ?? "(no title)",
    description: cell("description"),
    location: cell("location"),
    url: cell("url"),
    label: label === undefined ? undefined : { value: label, source: "label" },
    attendees: undefined,
    recurrences: undefined,
    ...readTimes(cell, options),
  };
  return { identity, patch, cancelled: false };
}
