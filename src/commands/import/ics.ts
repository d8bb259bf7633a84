import { firstNames } from "../../output/words.js";
import {
  type ChangedOccurrence,
  occurrenceIdentity,
  type ReaderOptions,
  type ReadItems,
  type Rejection,
  readEntry,
} from "./entry.js";
import { readChange, readVevent } from "./ics-event.js";
import { type IcsComponent, readLines, scanIcs } from "./ics-text.js";
import type { Beginning } from "./ics-times.js";
import { createZoneFinder, type ZoneFinder } from "./ics-zones.js";

/** Reads the events of iCalendar. @see RFC 5545 */
export function readIcs(text: string, options: ReaderOptions): ReadItems {
  const { components, others, header, ...scan } = scanIcs(text);
  const events = components.filter(({ name }) => name === "VEVENT");
  const isMail = events.length > 0 && events.every(({ method }) => method !== "" && method !== "PUBLISH");
  const zones = components.filter(({ name }) => name === "VTIMEZONE");
  const finderOf = createZoneFinder(zones, { zone: options.zone, newestYear: newestYear(text) });
  const unread = new Set<string>();
  const midnights = midnightZones(text, options.zone, finderOf(0));
  const beginnings = new Map<string, Beginning>();
  const items = seriesFirst(events).map((component) => {
    const { lines, parts, isClosed } = readLines(component);
    const isWithdrawn = component.method === "CANCEL";
    const findZone = finderOf(component.calendar);
    const named = findZone.ofCalendar(component.calendarZone);
    const zone = named.zone ?? options.zone;
    const read = { zone, unknownZone: named.unknown, isWithdrawn, findZone, midnights, beginnings, unread };
    const place = {
      line: component.line,
      text: `${component.text}\r\n`,
      title: textOf("SUMMARY", lines) ?? null,
      ...identityOf(lines, (uid) => readChange(uid, lines, { count: () => undefined, ...read })),
    };
    // No error for each: a file may have 100,000 of them.
    if (!isClosed)
      return { ...place, kind: "rejected" as const, reason: "the event or a component in it has no END" };
    const answer = refusedMethod(component.method);
    if (answer !== null) return { ...withoutIdentity(place), kind: "rejected" as const, reason: answer };
    return readEntry(place, options, (count) => {
      for (const part of parts) unread.add(part);
      return readVevent(lines, { count, ...read });
    });
  });
  const described = zones.map((zone) => `${zone.text}\r\n`);
  const cut = scan.isComplete ? [] : ["the file has no END:VCALENDAR, so it may be cut short"];
  const notes = [
    ...cut,
    ...otherNotes([...components.map(({ name }) => name), ...others]),
    ...unreadNotes(unread),
  ];
  return {
    ...scan,
    items,
    notes,
    isMail,
    header: header + described.join(""),
    footer: "END:VCALENDAR\r\n",
  };
}

/** The newest year in which an event begins. */
function newestYear(text: string): number {
  let newest = 0;
  for (const [, year] of text.matchAll(/^DTSTART[;:](?:.*:)?(\d{4})/gim))
    newest = Math.max(newest, Number(year));
  return newest;
}

/** Changes of series are read after the series, whose zone and kind of start says what they mean. */
function seriesFirst(events: readonly IcsComponent[]): readonly IcsComponent[] {
  const isChange = ({ text }: IcsComponent) => /(?<![^\n])RECURRENCE-ID[;:]/i.test(text);
  const changes = new Set(events.filter(isChange));
  return [...events.filter((event) => !changes.has(event)), ...changes];
}

/** Zones whose midnight a time in UTC may be. */
const MAX_MIDNIGHTS = 20;

/** The zone of the user and those that the file names. */
function midnightZones(text: string, zone: string, findZone: ZoneFinder): readonly string[] {
  const zones = new Set([zone]);
  const names = new Set<string>();
  for (const [, tzid = "", name = tzid] of text.matchAll(
    /;TZID="?([^":;\n]{1,100})|^(?:TZID|X-WR-TIMEZONE):(.{1,100})/gim,
  )) {
    const written = name.trim();
    if (names.has(written)) continue;
    names.add(written);
    const found = findZone.known(written);
    if (found !== null) zones.add(found);
    if (names.size >= MAX_MIDNIGHTS) break;
  }
  return [...zones];
}

/** What an event is known by, also if the rest cannot be read. Without its original start, a change may be one of the whole series. */
function identityOf(
  lines: readonly string[],
  changeOf: (uid: string) => ChangedOccurrence | undefined,
): Pick<Rejection, "identity" | "affects" | "occurrenceOf"> {
  const uid = textOf("UID", lines);
  if (uid === undefined) return {};
  try {
    const occurrenceOf = changeOf(uid);
    if (occurrenceOf === undefined) return { identity: uid };
    const identity = occurrenceIdentity(uid, occurrenceOf.originalStart);
    return { identity, affects: identity, occurrenceOf };
  } catch (_unread) {
    return { identity: uid, affects: uid };
  }
}

/** A text of an event that perhaps cannot be read; undefined without one. */
function textOf(name: string, lines: readonly string[]): string | undefined {
  const start = new RegExp(`^${name}[;:]`, "i");
  const line = lines.find((each) => start.test(each)) ?? "";
  return line.slice(line.indexOf(":") + 1).replace(/\\([\\,;])/g, "$1") || undefined;
}

/** @param components their names */
function otherNotes(components: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of components)
    if (!/^V(?:EVENT|TIMEZONE)$/.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const named = [...counts].slice(0, MAX_NAMES);
  const rest = [...counts.values()].slice(MAX_NAMES).reduce((sum, count) => sum + count, 0);
  const all = rest === 0 ? named : [...named, ["other components", rest] as const];
  return all.map(([name, count]) => `${count} ${name.slice(0, 40)}: no event, not read`);
}

/** Why events of a calendar with this method are not imported; null for others. */
function refusedMethod(method: string): string | null {
  if (method === "ADD") return "METHOD:ADD does not say which event of its series it is";
  return /^(?:REPLY|COUNTER|DECLINECOUNTER|REFRESH)$/.test(method)
    ? `METHOD:${method} is an answer to an invitation, which changes no event`
    : null;
}

/** An answer rejects neither its event nor a change to it, which the file may have as well. */
function withoutIdentity({ line, text, title }: Pick<Rejection, "line" | "text" | "title">) {
  return { line, text, title };
}

const MAX_NAMES = 5;

function unreadNotes(unread: ReadonlySet<string>): readonly string[] {
  const names = [...unread].sort();
  return names.length === 0 ? [] : [`not read: ${firstNames(names, MAX_NAMES)}`];
}
