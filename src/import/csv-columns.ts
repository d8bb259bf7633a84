import { usageError } from "../errors.js";

const FIELDS = [
  ...(["id", "title", "start", "start_time", "end", "end_time", "all_day"] as const),
  ...(["category", "label", "location", "description", "url"] as const),
];
export type CsvField = (typeof FIELDS)[number];

/** The headers of `-o csv`, Google Calendar and Outlook that are not the name of their field, in lower case. */
const HEADERS: Readonly<Record<string, CsvField>> = {
  start_local: "start",
  end_local: "end",
  subject: "title",
  "start date": "start",
  "start time": "start_time",
  "end date": "end",
  "end time": "end_time",
  "all day event": "all_day",
  categories: "label",
};

/**
 * The index of each field's column; those that the table does not have are absent.
 * @param given `title=Subject,start="Start Date"`
 * @throws CliError usage for what is not such a list, for columns that are not there, and without title and start
 */
export function findColumns(
  header: readonly string[],
  given: string | undefined,
): Partial<Record<CsvField, number>> {
  const names = header.map((name) => name.trim().toLowerCase());
  const columns: Partial<Record<CsvField, number>> = {};
  for (const [index, name] of names.entries()) {
    const field = HEADERS[name] ?? FIELDS.find((known) => known === name);
    if (field !== undefined) columns[field] = index;
  }
  for (const [field, name] of parseColumns(given ?? "")) {
    const index = names.indexOf(name.toLowerCase());
    if (index === -1) throw usageError(`--columns: the file has no "${name}"`, columnsHint(header));
    columns[field] = index;
  }
  const missing = (["title", "start"] as const).filter((field) => columns[field] === undefined);
  if (missing.length === 0) return columns;
  throw usageError(`no column is the ${missing.join(", none the ")}`, columnsHint(header));
}

function columnsHint(header: readonly string[]): string {
  return `say which it is, as --columns title=Subject,start="Start Date"; the columns are ${header.join(", ")}`;
}

/** The name of a column may be in quotation marks. */
function parseColumns(text: string): readonly (readonly [CsvField, string])[] {
  const pairs = text === "" ? [] : text.split(/,(?=\s*\w+=)/);
  return pairs.map((pair) => {
    const [, key, quoted, name = quoted] = /^\s*(\w+)=(?:"([^"]+)"|([^"]+))\s*$/.exec(pair) ?? [];
    const field = FIELDS.find((known) => known === key);
    if (field !== undefined && name !== undefined) return [field, name.trim()];
    throw usageError(`--columns: "${pair}" is not FIELD=COLUMN`, `the fields are ${FIELDS.join(", ")}`);
  });
}
