import { firstNames } from "../calendar/first-names.js";
import { usageError } from "../errors.js";
import { occurrenceIdentity, type ReaderOptions, type ReadItems, readEntry } from "./entry.js";
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
    .filter(({ name }) => name === "VEVENT")
    .map((component) => {
      const { lines, parts, isClosed } = readLines(component);
      const { isWithdrawn } = component;
      const read = { zone: options.zone, isWithdrawn, findZone, unread };
      const place = {
        line: component.line,
        text: `${component.text}\r\n`,
        title: textOf("SUMMARY", lines) ?? null,
        ...identityOf(lines, () => readSlot(lines, { count: () => undefined, ...read })),
      };
      return readEntry(place, options, (count) => {
        if (!isClosed) throw usageError("it, or a component in it, has no END");
        for (const part of parts) unread.add(part);
        return readVevent(lines, { count, ...read });
      });
    });
  const described = zones.map((zone) => `${zone.text}\r\n`);
  const notes = [...otherNotes(components), ...unreadNotes(unread)];
  return { ...scan, items, notes, header: header + described.join(""), footer: "END:VCALENDAR\r\n" };
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
  const others = components.map(({ name }) => name).filter((name) => !/^V(?:EVENT|TIMEZONE)$/.test(name));
  const countOf = (name: string) => others.filter((other) => other === name).length;
  return [...new Set(others)].map((name) => `${countOf(name)} ${name}: no event, not read`);
}

const MAX_NAMES = 5;

function unreadNotes(unread: ReadonlySet<string>): readonly string[] {
  const names = [...unread].sort();
  return names.length === 0 ? [] : [`not read: ${firstNames(names, MAX_NAMES)}`];
}
