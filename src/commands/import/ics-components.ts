import { decodeLine, joinSoftBreaks } from "./ics-encodings.js";

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
