import { usageError } from "../../errors.js";

const FIELDS = [
  ...(["id", "title", "start", "start_time", "end", "end_time", "all_day"] as const),
  ...(["category", "label", "location", "description", "url"] as const),
];
export type CsvField = (typeof FIELDS)[number];

/** Headers that are not the name of their field, as `plainName` has them: of `-o csv`, Google Calendar and Outlook. */
const HEADERS: Readonly<Record<string, CsvField>> = {
  "start local": "start",
  "end local": "end",
  "start at": "start",
  "end at": "end",
  subject: "title",
  "start date": "start",
  "end date": "end",
  "all day event": "all_day",
  categories: "label",
};

/** `StartDate`, `start_date` and `Start Date` as `start date`. */
function plainName(name: string): string {
  const words = name.trim().replace(/([a-z\d])([A-Z])/g, "$1 $2");
  return words.replace(/[\s_-]+/g, " ").toLowerCase();
}

function fieldOf(name: string): CsvField | undefined {
  return HEADERS[name] ?? FIELDS.find((field) => plainName(field) === name);
}

type Columns = Partial<Record<CsvField, number>>;

/**
 * The index of each field's column; those that the table does not have are absent. A column that is given has no other meaning by
 * its name.
 * @param given `title=Subject,start="Start Date"`
 * @throws CliError usage for what is not such a list, for columns that are not there, and without title and start
 */
export function findColumns(header: readonly string[], given: string | undefined): Columns {
  const chosen: Columns = {};
  for (const [field, name] of parseColumns(given ?? "")) chosen[field] = findColumn(header, name);
  const taken = new Set(Object.values(chosen));
  const names = header.map((name, index) => (taken.has(index) ? "" : plainName(name)));
  const named: Columns = {};
  for (const [index, name] of names.entries()) {
    const field = fieldOf(name);
    if (field !== undefined) named[field] ??= index;
  }
  const columns = { ...withDate(named, chosen, names), ...chosen };
  const missing = (["title", "start"] as const).filter((field) => columns[field] === undefined);
  if (missing.length === 0) return columns;
  throw usageError(`no column is the ${missing.join(", none the ")}`, columnsHint(header));
}

/** @throws CliError usage for a column that is not there */
function findColumn(header: readonly string[], name: string): number {
  const exact = header.findIndex((each) => each.trim().toLowerCase() === name.toLowerCase());
  const index = exact === -1 ? header.map(plainName).indexOf(plainName(name)) : exact;
  if (index !== -1) return index;
  throw usageError(`--columns: the file has no "${name}"`, columnsHint(header));
}

/** With a column of dates, `Start` or `Time` is the time of day. @param names as `plainName` has them */
function withDate(named: Columns, chosen: Columns, names: readonly string[]): Columns {
  const date = names.indexOf("date");
  const isOther = chosen.start !== undefined || names[named.start ?? -1]?.includes(" ") === true;
  if (date === -1 || isOther) return named;
  const time = names.indexOf("time");
  const clock = named.start_time ?? named.start ?? (time === -1 ? undefined : time);
  return { ...named, start: date, ...(clock === undefined ? {} : { start_time: clock }) };
}

function columnsHint(header: readonly string[]): string {
  return `say which it is, as --columns title=Subject,start="Start Date"; the columns are ${header.filter((name) => name.trim() !== "").join(", ")}`;
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
