import { DAY_MS } from "../../contract/date-time.js";
import { firstNames } from "../calendar/first-names.js";
import { instantAt, wallClockAt } from "../calendar/zoned-time.js";
import { usageError } from "../errors.js";
import { wireTime } from "./content.js";
import {
  type ImportContent,
  type ImportItem,
  occurrenceIdentity,
  type ReaderOptions,
  type ReadItems,
  readEntry,
} from "./entry.js";
import { type IcsComponent, readLines, scanIcs } from "./ics-components.js";
import { readSlot, readVevent } from "./ics-event.js";
import { createZoneFinder } from "./ics-zones.js";

/** Reads the events of iCalendar. @see RFC 5545 */
export function readIcs(text: string, options: ReaderOptions): ReadItems {
  const { components, header, ...scan } = scanIcs(text);
  const zones = components.filter(({ name }) => name === "VTIMEZONE");
  const findZone = createZoneFinder(zones, options.zone);
  const unread = new Set<string>();
  const items = components
    .filter((component) => unreadKind(component) === null && component.name === "VEVENT")
    .map((component) => {
      const { lines, parts, isClosed } = readLines(component);
      const isWithdrawn = component.method === "CANCEL";
      const read = { zone: options.zone, isWithdrawn, findZone, unread };
      const place = {
        line: component.line,
        text: `${component.text}\r\n`,
        title: textOf("SUMMARY", lines) ?? null,
        ...identityOf(lines, () => readSlot(lines, { count: () => undefined, ...read })?.slot),
      };
      return readEntry(place, options, (count) => {
        if (!isClosed) throw usageError("it, or a component in it, has no END");
        for (const part of parts) unread.add(part);
        return readVevent(lines, { count, ...read });
      });
    });
  const described = zones.map((zone) => `${zone.text}\r\n`);
  const cut = scan.isComplete ? [] : ["the file has no END:VCALENDAR, so it may be cut short"];
  const notes = [...cut, ...otherNotes(components), ...unreadNotes(unread)];
  return {
    ...scan,
    items: withTimedSlots(items),
    notes,
    header: header + described.join(""),
    footer: "END:VCALENDAR\r\n",
  };
}

/** What an event is known by, also if the rest cannot be read. Without its slot, a change may be one of the whole series. */
function identityOf(lines: readonly string[], slotOf: () => string | undefined) {
  const uid = textOf("UID", lines);
  if (uid === undefined) return {};
  try {
    const slot = slotOf();
    if (slot === undefined) return { identity: uid };
    const identity = occurrenceIdentity(uid, slot);
    return { identity, affects: identity };
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

function otherNotes(components: readonly IcsComponent[]): readonly string[] {
  const others = components.flatMap((component) => unreadKind(component) ?? []);
  const countOf = (kind: string) => others.filter((other) => other === kind).length;
  return [...new Set(others)].map((kind) => `${countOf(kind)} ${kind}: no event, not read`);
}

/** What a component is that is not read; null for others. What attendees send to the organizer changes no event. */
function unreadKind({ name, method }: IcsComponent): string | null {
  if (!/^V(?:EVENT|TIMEZONE)$/.test(name)) return name;
  const isAnswer = /^(?:REPLY|COUNTER|DECLINECOUNTER|REFRESH)$/.test(method);
  return name === "VEVENT" && isAnswer ? `${name} of METHOD:${method}` : null;
}

/** A RECURRENCE-ID that is a date is the occurrence of that day, also where the series has times. */
function withTimedSlots(items: readonly ImportItem[]): readonly ImportItem[] {
  if (!items.some((item) => item.kind === "event" && item.occurrenceOf?.isDate)) return items;
  const entries = items.filter((item) => item.kind === "event");
  const timed = new Map(
    entries.filter(({ content }) => content.all_day !== true).map((entry) => [entry.identity, entry.content]),
  );
  return items.map((item) => {
    const { occurrenceOf = undefined } = item.kind === "event" ? item : {};
    const series = occurrenceOf?.isDate ? timed.get(occurrenceOf.uid) : undefined;
    if (occurrenceOf === undefined || series === undefined) return item;
    const { uid, slot: day } = occurrenceOf;
    const slot = wireTime(startOnDay(Date.parse(day), series));
    return { ...item, identity: occurrenceIdentity(uid, slot), occurrenceOf: { uid, slot } };
  });
}

/** When an event would begin that has the clock's time of another. @param day midnight UTC */
function startOnDay(day: number, { start_at, start_timezone: zone = "UTC" }: ImportContent): number {
  const clock = wallClockAt(Date.parse(start_at ?? ""), zone);
  return instantAt(day + clock - Math.floor(clock / DAY_MS) * DAY_MS, zone);
}

const MAX_NAMES = 5;

function unreadNotes(unread: ReadonlySet<string>): readonly string[] {
  const names = [...unread].sort();
  return names.length === 0 ? [] : [`not read: ${firstNames(names, MAX_NAMES)}`];
}
