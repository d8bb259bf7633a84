import { isUtf8 } from "node:buffer";
import { CliError } from "../../errors.js";
import type { CsvOptions } from "./csv.js";
import {
  createTally,
  DAMAGE,
  type ImportItem,
  newestOf,
  type ReaderOptions,
  type ReadItems,
} from "./entry.js";

export const IMPORT_FORMATS = ["ics", "csv", "ndjson"] as const;
type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Larger files are refused; in bytes. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

export interface ImportOptions extends CsvOptions {
  /** By default found out from the content, and for CSV from the name too. */
  readonly as?: ImportFormat | undefined;
  /** How messages name the file; its ending may say that it is CSV. */
  readonly name: string;
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  /** Whether texts beyond the limits are cut instead of rejected. */
  readonly truncate?: boolean | undefined;
}

/** A file that was read, each identity once. */
export interface ImportFile extends ReadItems {
  readonly format: ImportFormat;
  /** How many events are left out, since the file has them again or in a newer version. */
  readonly superseded: number;
  /** Sentences for the user. */
  readonly notes: readonly string[];
}

/**
 * Reads the events of a file.
 * @throws CliError rejected for a file that is too large, empty or of another format
 */
export async function readImportFile(bytes: Uint8Array, options: ImportOptions): Promise<ImportFile> {
  const { name, zone, truncate = false } = options;
  if (bytes.length > MAX_IMPORT_BYTES) throw tooLargeError(name);
  checkArchive(bytes, name);
  const whole = unfoldCharacters(bytes);
  const text = withoutIndent(decode(whole));
  if (text.trim() === "") throw new CliError("rejected", `${name} is empty`);
  const format = options.as ?? formatOf(text, options);
  if (format === "ics") checkIndents(text, name);
  if (format === "ics" && !/(?<![^\r\n])BEGIN:VCALENDAR/i.test(text))
    throw new CliError("rejected", `${name} is not an iCalendar file`);
  const { count, notes } = createTally("event");
  const isDamaged = DAMAGE.test(text) && !isUtf8(whole);
  const reader = { ...options, zone, truncate, isDamaged, count };
  const isOfWindows = isDamaged && format === "csv";
  const read = await readFormat(format, isOfWindows ? decodeWindows(bytes) : text, reader);
  const { items: found, superseded } = newestOf(read.items, count);
  const items = isDamaged ? found.map(withWholeTitle) : found;
  const line = text.slice(0, text.search(DAMAGE)).split("\n").length;
  const coded = isOfWindows ? [`line ${line} is not UTF-8: the file is read as Windows-1252`] : [];
  return { ...read, format, items, superseded, notes: [...coded, ...(read.notes ?? []), ...notes()] };
}

/** Some programs end lines with a carriage return alone. */
function withLineFeeds(text: string): string {
  return text.includes("\n") ? text : text.replaceAll("\r", "\n");
}

/** The text of a calendar without spaces before it, which would be those of a line that goes on. */
function withoutIndent(text: string): string {
  return text.replace(/^\s+(?=BEGIN:VCALENDAR)/i, (spaces) => spaces.replace(/[^\r\n]/g, ""));
}

/** A line that begins with a space belongs to the one before. @throws CliError rejected for one that should not @see RFC 5545 §3.1 */
function checkIndents(text: string, name: string): void {
  const indented = /(?<![^\r\n])[ \t]+(BEGIN:V(?:CALENDAR|EVENT))[ \t]*(?![^\r\n])/i.exec(text);
  if (indented === null) return;
  const line = text.slice(0, indented.index).split(/\r\n?|\n/).length;
  const hint = "remove the spaces at the beginning of its lines";
  const what = `${name}: line ${line} begins with spaces before ${indented[1]}, which hides what follows`;
  throw new CliError("rejected", what, { hint });
}

/** A character of iCalendar that is folded in the middle of its bytes is put before the fold. @see RFC 5545 §3.1 */
function unfoldCharacters(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes)) return bytes;
  const text = Buffer.from(bytes).toString("latin1");
  if (!/^(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR/i.test(text)) return bytes;
  return Buffer.from(
    text.replace(/([\xc2-\xf4][\x80-\xbf]*)(\r?\n[ \t])([\x80-\xbf]+)/g, "$1$3$2"),
    "latin1",
  );
}

/** UTF-8, or what a byte order mark says. @see encodeText */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  if (encoding !== "utf-8" || isUtf8(bytes)) return new TextDecoder(encoding).decode(bytes);
  const text = Buffer.from(bytes).toString("latin1").replace(NOT_ASCII, decodeBytes);
  return text.replace(/^\ufeff/, "");
}

/** Bytes as Latin-1: characters of UTF-8, and bytes that are none. */
const NOT_ASCII =
  /((?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}){1,100})|[\x80-\xff]/g;

/** A byte that is not of UTF-8 becomes half a character, which no text of UTF-8 has: U+DC80 to U+DCFF. */
function decodeBytes(byte: string, characters: string | undefined): string {
  if (characters !== undefined) return Buffer.from(characters, "latin1").toString();
  return String.fromCharCode(0xdc00 + byte.charCodeAt(0));
}

/** The bytes of a text of an import file, those that are not of UTF-8 as they were. */
export function encodeText(text: string): Buffer {
  const parts = text.split(/(\p{Surrogate}+)/u);
  return Buffer.concat(parts.map((part, index) => Buffer.from(part, index % 2 === 0 ? "utf8" : "latin1")));
}

function withWholeTitle(item: ImportItem): ImportItem {
  if (item.kind === "event" || item.title === null) return item;
  return { ...item, title: item.title.replace(/\p{Surrogate}/gu, "\ufffd") };
}

/** What Windows-1252 has for the bytes from 0x80 to 0x9f. */
const WINDOWS_1252 = "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ";

/** Windows-1252, in which spreadsheets save tables. TextDecoder of Node 20 reads it as Latin-1. */
function decodeWindows(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("latin1");
  return text.replace(/[\x80-\x9f]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80] ?? byte);
}

/** The error for a file of more than `MAX_IMPORT_BYTES`. */
export function tooLargeError(name: string): CliError {
  const hint = "split it into several files";
  return new CliError("rejected", `${name} is larger than 64 MiB`, { hint });
}

/** @throws CliError rejected for a compressed file */
function checkArchive(bytes: Uint8Array, name: string): void {
  const starts = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  const hint = "extract it, and import its calendars one by one";
  if (["PK\x03\x04", "PK\x05\x06", "PK\x07\x08"].includes(starts))
    throw new CliError("rejected", `${name} is a ZIP archive`, { hint });
  if (starts.startsWith("\x1f\x8b"))
    throw new CliError("rejected", `${name} is compressed with gzip`, { hint: "extract it with gunzip" });
}

function formatOf(text: string, { name, columns }: ImportOptions): ImportFormat {
  const start = text.trimStart();
  if (/^BEGIN:VCALENDAR/i.test(start)) return "ics";
  if (start.startsWith("{") || start.startsWith("[")) return "ndjson";
  const [header = ""] = start.split("\n", 1);
  const isTable =
    /\.(?:csv|tsv)$/i.test(name) || (/title|subject/i.test(header) && /start|date/i.test(header));
  if ((isTable || columns !== undefined) && !text.includes("\0")) return "csv";
  throw new CliError("rejected", `${name} is not an iCalendar, CSV or NDJSON file`, calendarHint(text));
}

/** Some texts have a calendar further below, such as an email or a response with its headers. */
function calendarHint(text: string): { readonly hint?: string } {
  const begin = /(?<![^\r\n])BEGIN:VCALENDAR/i.exec(text);
  if (begin === null) return {};
  const line = text.slice(0, begin.index).split(/\r\n?|\n/).length;
  return { hint: `its calendar begins at line ${line}: remove the text before it, or use --as ics` };
}

async function readFormat(
  format: ImportFormat,
  text: string,
  options: ReaderOptions & CsvOptions,
): Promise<ReadItems> {
  switch (format) {
    case "ics":
      return (await import("./ics.js")).readIcs(withLineFeeds(text), options);
    case "ndjson":
      return (await import("./ndjson.js")).readNdjson(text, options);
    case "csv":
      return (await import("./csv.js")).readCsv(text, options);
  }
}
