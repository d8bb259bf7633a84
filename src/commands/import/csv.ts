import { parse } from "csv-parse/sync";
import {
  DAY_MS,
  dateToInstant,
  formatWireDateTime,
  isCalendarDate,
  parseWireDateTime,
} from "../../../contract/date-time.js";
import { CATEGORIES } from "../../../contract/shapes.js";
import { usageError } from "../../errors.js";
import { parseCategory, type ReadFields, type WrittenTimes } from "../../events/patch.js";
import { addDays, instantAt, readWallClock, wallClockAt } from "../../time/zoned-time.js";
import {
  ENTRY,
  endAfter,
  hashText,
  OF_NO_LENGTH,
  type ReaderOptions,
  type ReadItems,
  readEntry,
  SEVERAL_LABELS,
  wireTime,
  withChangedTime,
  withoutZone,
} from "./entry.js";

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
      if (isCut) throw usageError("a quotation mark is not closed");
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
    "set the order of day, month and year: --dates dmy, mdy or ymd",
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
  throw usageError(`no column for the ${missing.join(" or the ")}`, columnsHint(header));
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
  return `name it, as in --columns title=Subject,start="Start Date"; the columns are ${header.filter((name) => name.trim() !== "").join(", ")}`;
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

export const DATE_ORDERS = ["dmy", "mdy", "ymd"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The text of a row for a field; undefined for an empty one. */
export type CellReader = (field: CsvField) => string | undefined;

export interface TimeOptions {
  readonly zone: string;
  readonly dates?: DateOrder | undefined;
  readonly count: (remark: string) => void;
}

/** Whether a cell begins with a date that is not ISO 8601, so that it may be meant in several ways. */
export function needsOrder(cell: string): boolean {
  return /^\d{1,4}([-./])\d{1,2}\1\d{1,4}/.test(cell) && !ISO_DATE.test(cell);
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?!\d)/;

/** The times of a row; all-day if it says so, or has no time of day. @throws CliError usage */
export function readTimes(cell: CellReader, options: TimeOptions): WrittenTimes {
  const start = readMoment(cell("start"), cell("start_time"), options);
  if (start === null) throw usageError("it has no start");
  const isAllDay = readFlag(cell("all_day")) ?? start.instant === null;
  const end = readEnd(cell, start, { ...options, isAllDay });
  if (isAllDay) {
    return readDays(
      dayOf(start, options.zone),
      end === null ? null : dayOf(end, options.zone),
      options.count,
    );
  }
  if (start.instant === null) throw usageError("its start has no time of day, and it is not all-day");
  if (end?.instant === null) throw usageError("its end has no time of day");
  const { zone, count } = options;
  const local = [start, end].flatMap((moment) => (moment?.isLocal ? localTimeOf(moment) : []));
  if (local.length > 0) count(withoutZone(zone));
  countClockChanges(local, options);
  const [first, second] = local;
  const last = first && second ? endAfter(first, second, zone) : end?.instant;
  const isEmpty = last === start.instant;
  if (isEmpty) count(OF_NO_LENGTH);
  const times = {
    start: wireTime(start.instant),
    end: last === undefined || isEmpty ? undefined : wireTime(last),
  };
  return { source: ENTRY, allDay: false, ...times, startTimezone: zone, endTimezone: zone };
}

/** Counts times that a clock change skips or repeats. */
function countClockChanges(
  times: readonly { readonly wallClock: number }[],
  { zone, count }: TimeOptions,
): void {
  const kinds = new Set(times.map(({ wallClock }) => readWallClock(wallClock, zone).kind));
  for (const kind of kinds) if (kind !== "once") count(withChangedTime(kind, zone));
}

function localTimeOf({ date, clock, instant }: Moment) {
  return { wallClock: dateToInstant(date) + (clock ?? 0), instant: instant ?? 0 };
}

/** A time with an offset that is midnight in the zone is of that day, as programs write a date in UTC. */
function dayOf(moment: Moment, zone: string): Moment {
  if (moment.clock === 0 || moment.instant === null) return moment;
  const wallClock = wallClockAt(moment.instant, zone);
  const isMidnight = wallClock % DAY_MS === 0;
  return isMidnight ? { ...moment, date: formatWireDateTime(wallClock).slice(0, 10), clock: 0 } : moment;
}

/** @throws CliError usage for a last day before the first */
function readDays(start: Moment, end: Moment | null, count: TimeOptions["count"]): WrittenTimes {
  // Outlook writes the midnight after the last day, others the last day.
  const isMidnight = end !== null && end.clock === 0 && end.date > start.date;
  const last = isMidnight ? addDays(end.date, -1) : (end ?? start).date;
  if (last < start.date) throw usageError(`the last day ${last} is before the first day ${start.date}`);
  if (start.clock || end?.clock) count("all-day, but with times of day: its days are read");
  return { source: ENTRY, allDay: true, start: midnightOf(start.date), end: midnightOf(addDays(last, 1)) };
}

/** The end of a row; null without one. A time alone is the next one after the start, be it after midnight. */
function readEnd(
  cell: CellReader,
  start: Moment,
  options: TimeOptions & { readonly isAllDay: boolean },
): Moment | null {
  const written = cell("end");
  // A column of ends may have the time of day alone.
  const isClock = written !== undefined && isTimeOfDay(written, cell("start_time"));
  const [date, time] = isClock ? [undefined, written] : [written, cell("end_time")];
  if (date !== undefined || time === undefined) return readMoment(date, time, options);
  const end = readMoment(start.date, time, options);
  const by = start.isLocal && end?.isLocal ? "clock" : "instant";
  if (options.isAllDay || end === null || (end[by] ?? 0) >= (start[by] ?? 0)) return end;
  options.count("with an end time before its start: taken as the next day");
  return readMoment(addDays(start.date, 1), time, options);
}

function midnightOf(date: string): string {
  return wireTime(dateToInstant(date));
}

interface Moment {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Milliseconds after midnight; null without a time of day. */
  readonly clock: number | null;
  /** Milliseconds since the Unix epoch; null without a time of day. */
  readonly instant: number | null;
  /** Whether it has a time of day without an offset. */
  readonly isLocal: boolean;
}

/** Characters of a cell with a date. */
const MAX_CELL = 40;

const ISO =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:(?:T|\s+)(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:(Z)|([+-]\d{2}):?(\d{2})?)?)?$/i;

/** ISO 8601 in any of its forms, as `2027-01-24T15:00:00.000+01:00`; any other text as it is. @see ISO 8601 §5.4 */
function plainIso(text: string): string {
  const match = ISO.exec(text);
  if (match === null) return text;
  const [, year, , month, day, hour, minute, second = "00", fraction = "", utc, offset, minutes = "00"] =
    match;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const clock = `${hour}:${minute}:${second}${fraction === "" ? "" : `.${fraction}`}`;
  return `${date}T${clock}${utc === undefined ? "" : "Z"}${offset === undefined ? "" : `${offset}:${minutes}`}`;
}

/** A date and a time of day in one cell or in two; null for an empty cell. */
function readMoment(
  text: string | undefined,
  time: string | undefined,
  { zone, dates }: TimeOptions,
): Moment | null {
  if (text === undefined) return null;
  checkRange(text);
  checkRange(time ?? "");
  if (text.length > MAX_CELL) throw usageError(`"${text.slice(0, MAX_CELL)}…" is not a date`);
  const [, written = "", rest = ""] = /^(.+?)(?:(?<=\d)T|\s+|$)(?=\d|$)(.*)$/.exec(plainIso(text)) ?? [];
  const date = readDate(written, dates);
  if (date === null)
    throw usageError(
      `"${text}" is not a date ${dates === undefined ? "in the form YYYY-MM-DD" : `in the order ${dates} with a year of four digits`}`,
    );
  const [own, other] = [readTime(rest), readTime(time ?? "")];
  // A cell of dates may be formatted with a time, which is midnight.
  const isDay = own === null || (other !== null && own.clock === 0);
  const found = isDay ? other : own;
  if (found === null) return { date, clock: null, instant: null, isLocal: false };
  const { clock, offset } = found;
  if (other !== null && other.clock !== clock) throw usageError(`"${text}" and "${time}" are two times`);
  const wallClock = dateToInstant(date) + clock;
  const instant = offset === "" ? instantAt(wallClock, zone) : instantAhead(wallClock, offset);
  return { date, clock, instant, isLocal: offset === "" };
}

/** @param offset how far the clock is ahead of UTC: `+01:00` @throws CliError usage for one that is none */
function instantAhead(wallClock: number, offset: string): number {
  const time = parseWireDateTime(formatWireDateTime(wallClock).replace("Z", offset));
  if (time === null) throw usageError(`"${offset}" is not an offset of UTC`);
  return time.instant;
}

/** A time of day, and how far it is ahead of UTC; null for none. @throws CliError usage */
function readTime(text: string) {
  const [, local = "", offset = ""] = /^(.*?)(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  return local === "" ? null : { clock: readClock(local), offset };
}

/** @throws CliError usage for `10:00-12:00`, whose end may also be an offset: after a date and `T`, or with seconds, it is one */
function checkRange(cell: string): void {
  if (!/(?:^|\s)\d{1,2}[:.]\d{2}\s*-\s*\d{1,2}[:.]?\d{2}$/.test(cell)) return;
  throw usageError(`"${cell}" may be a range of times: write the end in a column of its own`);
}

function readDate(text: string, order: DateOrder | undefined): string | null {
  const parts = /^(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})\.?$/.exec(text);
  const numbers = [parts?.[1], parts?.[3], parts?.[4]];
  const part = (unit: string) =>
    numbers[ISO_DATE.test(text) ? "ymd".indexOf(unit) : (order ?? "").indexOf(unit)] ?? "";
  const date = `${part("y")}-${part("m").padStart(2, "0")}-${part("d").padStart(2, "0")}`;
  return isCalendarDate(date) ? date : null;
}

const CLOCK =
  /^(\d{1,2})(?:[:.](\d{2})(?:[:.](\d{2})(?:(?<=:\d{2})[.,](\d{1,9}))?)?)?\s*([ap])?\.?(?:m\.?)?$/i;

/** 14h30, 9 h, 9 Uhr and 14.30 Uhr with a colon; any other text as it is. */
function plainClock(text: string): string {
  return text
    .replace(/^(\d{1,2})\s*(?:h|Uhr)\s*(\d{2})?$/i, (_, hour, minute = "00") => `${hour}:${minute}`)
    .replace(/^(\d{1,2})[.:](\d{2})\s*(?:h|Uhr)$/i, "$1:$2");
}

/** Whether a text is a time of day, or begins as one, and no date: 5.12 may be one, unless the start is written so, too. */
function isTimeOfDay(written: string, start = ""): boolean {
  const text = plainClock(written);
  if (/^\d{1,2}:/.test(text)) return true;
  if (!CLOCK.test(text)) return false;
  return /[ap]/i.test(text) || DOTTED.test(start) || /^\d{1,2}\.(?:00|1[3-9]|[2-5]\d)$/.test(text);
}

/** 9.30 */
const DOTTED = /^\d{1,2}\.\d{2}$/;

/** Of a spreadsheet, as a part of the day. */
const FRACTION = /^0\.\d+$/;

/** Milliseconds after midnight. */
function readClock(text: string): number {
  const [, hours = "", minutes = "00", seconds = "00", fraction = "0", half] =
    CLOCK.exec(FRACTION.test(text) ? "" : plainClock(text)) ?? [];
  const isTwelve = half !== undefined;
  const hour = (Number(hours) % (isTwelve ? 12 : 24)) + (half?.toLowerCase() === "p" ? 12 : 0);
  const time = parseWireDateTime(
    `1970-01-01T${String(hour).padStart(2, "0")}:${minutes}:${seconds}.${fraction}Z`,
  );
  const isTime = hours !== "" && Number(hours) < 24 && (/[:.h]/i.test(text) || isTwelve);
  if (time === null || !isTime || (isTwelve && (Number(hours) > 12 || hours === "0")))
    throw usageError(`"${text.slice(0, MAX_CELL)}" is not a time of day`);
  return time.instant;
}

/** As spreadsheets and Outlook write it in English, German and French. */
const [YES, NO] = [
  /^(?:true|yes|1|x|on|wahr|ja|ein|vrai|oui)$/i,
  /^(?:false|no|0|off|falsch|nein|aus|faux|non)$/i,
];

/** Undefined for an empty cell. */
function readFlag(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (YES.test(text)) return true;
  if (NO.test(text)) return false;
  throw usageError(`all-day "${text}" is neither true, yes or 1 nor false, no or 0`);
}
