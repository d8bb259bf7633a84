/** A component of a calendar, such as VEVENT, as it stands in the file. */
export interface IcsComponent {
  readonly name: string;
  /** Line where it begins, from 1. */
  readonly line: number;
  /** Where it begins, in UTF-16 code units. */
  readonly index: number;
  /** Number of its calendar, in the order of the file. */
  readonly calendar: number;
  /** From BEGIN to END. */
  readonly text: string;
  /** What its calendar is for, in capitals; empty where it does not say. @see RFC 5546 §1.4 */
  readonly method: string;
  /** The lines with which its calendar says the zone of times without one. */
  readonly calendarZone: string;
}

/**
 * BEGIN and END of a calendar, and of components that are in no other. Of files that were joined, one may lack its last line end, and the
 * next may have a byte order mark.
 */
const MARK =
  /(?<=^|[\n\ufeff]|END:VCALENDAR)(BEGIN|END):(VCALENDAR|VEVENT|VTODO|VJOURNAL|VFREEBUSY|VTIMEZONE)[ \t]*\r?(?=$|[\n\ufeff]|BEGIN:VCALENDAR)/gi;

const ZONE = /(?<![^\n])(?:X-WR-TIMEZONE|TIMEZONE-ID|TZ|DAYLIGHT)[;:][^\r\n]*/gi;

const METHOD = /(?<![^\n])METHOD(?:;[^:\n]*)?:([A-Z-]+)/i;

/** Splits a file into its components. A broken one ends where the next begins, so that it spoils no other. */
export function scanIcs(text: string) {
  const marks = Array.from(text.matchAll(MARK), ({ 0: { length }, 1: kind = "", 2: name = "", index }) => ({
    ...{ isBegin: kind.toUpperCase() === "BEGIN", name: name.toUpperCase(), index, end: index + length },
  }));
  const calendars = marks.filter(({ name }) => name === "VCALENDAR");
  let calendar = 0;
  const components: IcsComponent[] = [];
  let [line, counted, method, calendarZone] = [1, 0, "", ""];
  for (const [number, { isBegin, name, index }] of marks.entries()) {
    if (!isBegin) continue;
    const next = marks[number + 1];
    if (name === "VCALENDAR") {
      while ((calendars[calendar]?.index ?? text.length) <= index) calendar += 1;
      const whole = text.slice(index, calendars[calendar]?.index);
      method = METHOD.exec(whole)?.[1]?.toUpperCase() ?? "";
      calendarZone = whole.match(ZONE)?.join("\n") ?? "";
      continue;
    }
    line += text.slice(counted, index).split("\n").length - 1;
    counted = index;
    const isClosed = next !== undefined && !next.isBegin && next.name === name;
    components.push({
      name,
      line,
      index,
      text: text.slice(index, isClosed ? next.end : next?.index).trimEnd(),
      ...{ calendar, method, calendarZone },
    });
  }
  return {
    components,
    others: othersAround(components, text),
    header: text.slice(0, components[0]?.index ?? calendars.at(-1)?.index),
    isComplete: calendars.filter(({ isBegin }) => isBegin).length * 2 === calendars.length,
  };
}

/** The names of components besides those of `MARK` that are in no other. */
function othersAround(components: readonly IcsComponent[], text: string): readonly string[] {
  const ends = [0, ...components.map(({ index, text: { length } }) => index + length)];
  const names = ends.flatMap((end, number) => {
    const outside = text.slice(end, components[number]?.index);
    let depth = 0;
    return Array.from(outside.matchAll(OTHER), ([, kind = "", name = ""]) => {
      depth = Math.max(0, depth + (kind.toUpperCase() === "BEGIN" ? 1 : -1));
      return kind.toUpperCase() === "BEGIN" && depth === 1 ? name.toUpperCase() : "";
    });
  });
  return names.filter((name) => name !== "");
}

/** BEGIN and END of a component other than a calendar. */
const OTHER = /(?<![^\n])(BEGIN|END):(?!VCALENDAR\b)([\w-]+)/gi;

/** The unfolded lines of a component without those of components in it, whose names are `parts`. @see RFC 5545 §3.1 */
export function readLines({ text }: IcsComponent) {
  const lines: string[] = [];
  const parts: string[] = [];
  let depth = 0;
  for (const line of joinSoftBreaks(text)
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)) {
    const [, kind, name = ""] = /^(BEGIN|END):([\w-]+)\s*$/i.exec(line) ?? [];
    if (kind === undefined) {
      if (depth === 1 && line !== "") lines.push(decodeLine(line));
      continue;
    }
    depth += kind.toUpperCase() === "BEGIN" ? 1 : -1;
    if (depth > 1) parts.push(name.toUpperCase());
  }
  return { lines, parts, isClosed: depth === 0 };
}

/** Encodings of vCalendar 1.0, which phones and old Outlooks write into iCalendar, too. */

const ENCODED =
  /^([\w-]+)((?:;(?:[^":]|"[^"]*")*)?;(?:ENCODING=)?(?:QUOTED-PRINTABLE|BASE64|B)(?=[;:])(?:[^":]|"[^"]*")*):(.*)$/is;

/**
 * A component whose texts in quoted-printable are not broken by `=` at the end of a line. A space after such a break is of the text,
 * unless the break is within `=C3`: then the line was folded.
 */
function joinSoftBreaks(text: string): string {
  if (!/QUOTED-PRINTABLE/i.test(text)) return text;
  const lines: string[][] = [];
  let isQuoted = false;
  let isBroken = false;
  for (const line of text.split(/\r?\n/)) {
    const last = lines.at(-1) ?? [];
    if (isBroken && !/^[ \t][\dA-F]{2}/i.test(line)) {
      last.push(last.pop()?.slice(0, -1) ?? "", line);
    } else if (isQuoted && /^[ \t]/.test(line)) last.push(line.slice(1));
    else {
      isQuoted = /QUOTED-PRINTABLE/i.test(parametersOf(line));
      lines.push([line]);
    }
    isBroken = isQuoted && line.endsWith("=");
  }
  return lines.map((parts) => parts.join("")).join("\r\n");
}

/** Code units of a name with its parameters: none has a tenth of it. */
export const MAX_PARAMETERS = 10_000;

/** The name and the parameters of a line, as far as they are read. */
function parametersOf(line: string): string {
  return /^(?:[^":]|"[^"]*")*/.exec(line.slice(0, MAX_PARAMETERS))?.[0] ?? "";
}

/** An unfolded line with its text as iCalendar has it; the line itself where it is not encoded, or in an unknown CHARSET. */
function decodeLine(line: string): string {
  if (!isEncoded(line)) return line;
  const [, name = "", parameters = "", value = ""] = ENCODED.exec(line) ?? [];
  if (!/^(?:SUMMARY|LOCATION|DESCRIPTION|CATEGORIES)$/i.test(name)) return line;
  const [, charset = "utf-8"] = /;CHARSET=([^;]*)/i.exec(parameters) ?? [];
  const bytes = /QUOTED-PRINTABLE/i.test(parameters) ? quotedBytes(value) : Buffer.from(value, "base64");
  const text = decode(bytes, charset.trim());
  return text === null ? line : `${name}:${text.replace(/\r\n?|\n/g, "\\n")}`;
}

/** Whether a line is still encoded. */
export function isEncoded(line: string): boolean {
  return line.indexOf(":") < MAX_PARAMETERS && ENCODED.test(line);
}

function quotedBytes(value: string): Buffer {
  const bytes = value.replace(/[^\0-\x7f]+/g, (text) => Buffer.from(text).toString("latin1"));
  const decoded = bytes.replace(/=([\dA-F]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(decoded, "latin1");
}

function decode(bytes: Buffer, charset: string): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (error) {
    // A charset that is not known, or bytes that are not of it.
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}
