import { isUtf8 } from "node:buffer";
import { CliError } from "../errors.js";
import type { ImportEntry, ImportItem, ReaderOptions, ReadItems, Rejection } from "./entry.js";

export const IMPORT_FORMATS = ["ics", "csv", "ndjson"] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Larger files are refused; in bytes. */
export const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

export interface ImportOptions {
  /** By default found out from the content, and for CSV from the name too. */
  readonly as?: ImportFormat | undefined;
  /** How messages name the file; its ending may say that it is CSV. */
  readonly name: string;
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  /** Whether texts beyond the limits are cut instead of rejected. */
  readonly shorten?: boolean | undefined;
}

/** A file that was read, each identity once. */
export interface ImportFile extends ReadItems {
  readonly format: ImportFormat;
  /** Sentences for the user. */
  readonly notes: readonly string[];
}

/**
 * Reads the events of a file.
 * @throws CliError rejected for a file that is too large, empty or of another format
 */
export async function readImportFile(bytes: Uint8Array, options: ImportOptions): Promise<ImportFile> {
  const { name, zone, shorten = false } = options;
  if (bytes.length > MAX_IMPORT_BYTES) throw tooLargeError(name);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") throw new CliError("rejected", `${name} is empty`);
  const format = options.as ?? formatOf(text, name);
  const counts = new Map<string, number>();
  const count = (remark: string) => void counts.set(remark, (counts.get(remark) ?? 0) + 1);
  const read = await readFormat(format, text, { zone, shorten, isDamaged: !isUtf8(bytes), count });
  const items = newestOf(read.items, count);
  const counted = [...counts].map(
    ([remark, number]) => `${number} ${number === 1 ? "event" : "events"} ${remark}`,
  );
  return { ...read, format, items, notes: [...(read.notes ?? []), ...counted] };
}

/** The error for a file of more than `MAX_IMPORT_BYTES`. */
export function tooLargeError(name: string): CliError {
  const hint = "split it into several files";
  return new CliError("rejected", `${name} is larger than 64 MiB`, { hint });
}

function formatOf(text: string, name: string): ImportFormat {
  const start = text.trimStart();
  if (/^BEGIN:VCALENDAR/i.test(start)) return "ics";
  if (start.startsWith("{") || start.startsWith("[")) return "ndjson";
  throw new CliError("rejected", `${name} is not an iCalendar, CSV or NDJSON file`);
}

async function readFormat(format: ImportFormat, text: string, options: ReaderOptions): Promise<ReadItems> {
  switch (format) {
    case "ics":
      return (await import("./ics.js")).readIcs(text, options);
    case "ndjson":
      return (await import("./ndjson.js")).readNdjson(text, options);
    default:
      throw new CliError("rejected", `${format} cannot be read yet`);
  }
}

/** Each identity once: the newest version, and of those that differ without being newer the first. */
function newestOf(items: readonly ImportItem[], count: ReaderOptions["count"]): readonly ImportItem[] {
  const newest = new Map<string, ImportEntry>();
  const rejected: Rejection[] = [];
  for (const item of items) {
    if (item.kind === "rejected") {
      rejected.push(item);
      continue;
    }
    const chosen = chooseVersion(newest.get(item.identity), item, count);
    if (chosen.kind === "rejected") rejected.push(chosen);
    else newest.set(item.identity, chosen);
  }
  return [...newest.values(), ...rejected].sort((left, right) => left.line - right.line);
}

function chooseVersion(
  known: ImportEntry | undefined,
  other: ImportEntry,
  count: ReaderOptions["count"],
): ImportItem {
  if (known === undefined) return other;
  const { line, title, text, version = "" } = other;
  if (known.text === text) {
    count("more than once in the file: read once");
    return known;
  }
  if (version === (known.version ?? "")) {
    const reason = `it has the UID or id of line ${known.line}, and neither is newer`;
    return { kind: "rejected", line, title, text, reason };
  }
  count("in several versions: the newest is read");
  return version > (known.version ?? "") ? other : known;
}
