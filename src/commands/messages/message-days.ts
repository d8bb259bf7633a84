import { HEX_COLOR } from "../../../contract/limits.js";
import type { ChangeKind, EventChange } from "../../events/changes/compare.js";
import type { Day, DayEntry } from "../../events/day-list.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { describeEntry } from "../../events/views/day-entry.js";
import { describeDifference, type EventDifference } from "../../events/views/event-difference.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import { PLAIN_STYLE } from "../../output/style.js";
import { localDate } from "../../time/zoned-time.js";
import { type MomentOptions, nameDay } from "./first-line.js";
import { linkTarget } from "./links.js";
import { cutText } from "./text-length.js";

/** What a message says of each event, day by day. */

export interface MessageDay {
  /** `YYYY-MM-DD`; null for events without times. */
  readonly date: string | null;
  /** `Today, Sat 21 Nov`; with the year unless that is this year. */
  readonly heading: string;
  readonly entries: readonly MessageEntry[];
}

/** An event on one of its days. Text that is missing is empty. */
export interface MessageEntry {
  readonly event: LocalizedEvent;
  /** What happened to the event, in a message about changes. */
  readonly change: ChangeKind | null;
  /** What it was before it changed. */
  readonly difference: EventDifference;
  /** `09:30–10:00`, `all day`, `22:00 →` */
  readonly time: string;
  /** Empty where the message's title has it. */
  readonly name: string;
  /** `(until Sun 02:00)`, `[label]` */
  readonly notes: readonly string[];
  /** Where the name leads to: http, https or mailto. */
  readonly url: string | null;
  readonly location: string;
  /** Empty unless calendars are named. */
  readonly calendar: string;
  readonly attendees: readonly string[];
  /** Lines; in a digest one. */
  readonly description: string;
  /** Of the label: `#` and six hex digits. */
  readonly color: string | null;
}

/** Code points of the parts. The contract's own limits are lower; a service may send more. */
const MAX_PARTS = { name: 200, location: 200, attendee: 60 } as const;
/** Code points of a description: the first line in a list, more where there is one event. */
const MAX_DESCRIPTION = { digest: 160, reminder: 1_000 } as const;

export interface EntryContext extends MomentOptions {
  readonly showCalendar: boolean;
  /** Null where nothing is said about changes. */
  readonly changes: ReadonlyMap<LocalizedEvent, EventChange<LocalizedEvent>> | null;
}

/** The days of a message. Details of an event are under its first day only. */
export function messageDays(days: readonly Day<LocalizedEvent>[], context: EntryContext): MessageDay[] {
  const today = localDate(context.now, context.zone);
  const seen = new Set<LocalizedEvent>();
  return days.map(({ date, entries }) => {
    const shown = entries.map((entry) => {
      const full = messageEntry(entry, date, context);
      return seen.has(entry.event) ? { ...full, ...NO_DETAILS } : full;
    });
    for (const { event } of entries) seen.add(event);
    return { date, heading: nameDay(date, today), entries: shown };
  });
}

const NO_DETAILS = { attendees: [], description: "" } as const;

function messageEntry(
  entry: DayEntry<LocalizedEvent>,
  date: string | null,
  { changes, ...options }: EntryContext,
): MessageEntry {
  const { event } = entry;
  const text = describeEntry(entry, date, {
    ...options,
    style: PLAIN_STYLE,
    width: Number.POSITIVE_INFINITY,
    unicode: true,
    today: null,
    calendarColors: new Map(),
    idOf: () => "",
  });
  const { time, notes, calendar } = text;
  const { change = null, before = null } = changes?.get(event) ?? {};
  return {
    event,
    change,
    difference: describeDifference(before ?? event, event),
    time,
    name: cutText(text.name, MAX_PARTS.name, "code points"),
    notes: notes.map((note) => cutText(note, MAX_PARTS.name, "code points")),
    url: linkTarget(event.url),
    location: cutText(text.location, MAX_PARTS.location, "code points"),
    calendar,
    attendees: attendeesOf(event),
    description: firstLine(event),
    color: HEX_COLOR.test(event.label?.color ?? "") ? (event.label?.color ?? null) : null,
    // There is nothing more to see of it.
    ...(change === "removed" && { ...NO_DETAILS, url: null }),
  };
}

function attendeesOf({ attendees }: LocalizedEvent): string[] {
  return attendees
    .map(({ name }) => cutText(sanitizeLine(name ?? "").trim(), MAX_PARTS.attendee, "code points"))
    .filter((name) => name !== "");
}

function descriptionLines({ description }: LocalizedEvent): string[] {
  const lines = sanitizeBlock(description ?? "")
    .replaceAll("\t", " ")
    .split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

function firstLine(event: LocalizedEvent): string {
  const [first = "", ...others] = descriptionLines(event);
  const more = others.length > 0 && !first.endsWith("…") ? " …" : "";
  return cutText(`${first}${more}`, MAX_DESCRIPTION.digest, "code points");
}

/** The description of an event that is not one of a list. */
export function descriptionBlock(event: LocalizedEvent): string {
  return cutText(descriptionLines(event).join("\n"), MAX_DESCRIPTION.reminder, "code points");
}
