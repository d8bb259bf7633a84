import { HEX_COLOR } from "../../contract/limits.js";
import { type Day, type DayEntry, type DayRange, listByDay } from "../calendar/day-list.js";
import type { ChangeKind, EventChange } from "../calendar/event-changes.js";
import type { LocalizedEvent } from "../calendar/event-view.js";
import { localDate } from "../calendar/zoned-time.js";
import { sanitizeBlock, sanitizeLine } from "../output/sanitize.js";
import { PLAIN_STYLE } from "../output/style.js";
import { describeEntry, headingOf } from "../output/table/day-entry.js";
import { linkTarget } from "./links.js";
import { describeStart, type MomentOptions } from "./starts.js";
import { cutText } from "./text-length.js";

/** What is sent, before a target renders it. All text is sanitized; no markup of a target is escaped yet. */
export interface Message {
  /** One line. */
  readonly title: string;
  readonly body: MessageBody;
  /** What a reader has to know of the times: the zone. Null if there are none. */
  readonly note: string | null;
}

type MessageBody =
  | { readonly kind: "days"; readonly days: readonly MessageDay[] }
  | { readonly kind: "text"; readonly text: string };

export interface MessageDay {
  /** `YYYY-MM-DD`; null for events without times. */
  readonly date: string | null;
  /** `Sat 21 Nov`; with the year unless that is this year. */
  readonly heading: string;
  readonly entries: readonly MessageEntry[];
}

/** An event on one of its days. Text that is missing is empty. */
export interface MessageEntry {
  readonly event: LocalizedEvent;
  /** What happened to the event, in a message about changes. */
  readonly change: ChangeKind | null;
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

export interface DigestOptions extends MomentOptions {
  readonly title: string;
  /** The days listed. */
  readonly range: DayRange;
  /** Whether each event names its calendar. */
  readonly showCalendar: boolean;
}

/** Code points of the parts. The contract's own limits are lower; a service may send more. */
const MAX_PARTS = { title: 200, name: 200, location: 200, attendee: 60 } as const;
/** Code points of a description: the first line in a list, more where there is one event. */
const MAX_DESCRIPTION = { digest: 160, reminder: 1_000 } as const;

/** Events by day, each under every day it takes place on within the range. */
export function createDigest(events: readonly LocalizedEvent[], options: DigestOptions): Message {
  if (events.length === 0) return createTextMessage(options.title, "No events");
  return daysMessage(listByDay(events, options.range), options, null);
}

/** What is new, each event once, under its first day within the range. */
export function createChangesDigest(
  changes: readonly EventChange<LocalizedEvent>[],
  options: DigestOptions,
): Message {
  if (changes.length === 0) return createTextMessage(options.title, "No changes");
  const changeOf = new Map(changes.map(({ change, event }) => [event, change]));
  const events = changes.map(({ event }) => event);
  const listed = listByDay(events, { ...options.range, once: true });
  return daysMessage(listed, options, changeOf);
}

function daysMessage(
  listed: readonly Day<LocalizedEvent>[],
  options: DigestOptions,
  changes: EntryContext["changes"],
): Message {
  const days = messageDays(listed, { ...options, changes });
  return {
    title: titleLine(options.title),
    body: { kind: "days", days },
    note: zoneNote(days, options.zone),
  };
}

/** What determines the text of a reminder beside its event. */
export type ReminderOptions = Omit<DigestOptions, "title" | "range">;

/** One event that is about to begin or has begun; the title says when: `In 15 min: Dentist`. */
export function createReminder(event: LocalizedEvent, { zone, now, showCalendar }: ReminderOptions): Message {
  const date = event.start_local?.slice(0, 10) ?? "";
  const listed = listByDay([event], { first: date, last: date });
  const days = messageDays(listed, { zone, now, showCalendar, changes: null });
  const entry = days[0]?.entries[0];
  const reminder = days.map((only) => ({
    ...only,
    entries: only.entries.map((entry) => ({ ...entry, name: "", description: descriptionBlock(event) })),
  }));
  return {
    title: titleLine(`${describeStart(event, { zone, now })}: ${entry?.name ?? ""}`),
    body: { kind: "days", days: reminder },
    note: zoneNote(days, zone),
  };
}

/** One's own text. @param text lines */
export function createTextMessage(title: string, text: string): Message {
  const lines = sanitizeBlock(text).replaceAll("\t", " ").trimEnd();
  return { title: titleLine(title), body: { kind: "text", text: lines }, note: null };
}

function titleLine(title: string): string {
  return cutText(sanitizeLine(title.trim()), MAX_PARTS.title, "code points") || "Events";
}

/** `Times in Europe/Berlin`, unless all events last all day. */
function zoneNote(days: readonly MessageDay[], zone: string): string | null {
  const isTimed = days.some(({ entries }) =>
    entries.some(({ event }) => event.all_day !== true && event.start_local !== null),
  );
  return isTimed ? `Times in ${zone}` : null;
}

interface EntryContext extends MomentOptions {
  readonly showCalendar: boolean;
  /** Null where nothing is said about changes. */
  readonly changes: ReadonlyMap<LocalizedEvent, ChangeKind> | null;
}

/** Details of an event are under its first day only. */
function messageDays(days: readonly Day<LocalizedEvent>[], context: EntryContext): MessageDay[] {
  const today = localDate(context.now, context.zone);
  const seen = new Set<LocalizedEvent>();
  return days.map(({ date, entries }) => {
    const shown = entries.map((entry) => {
      const full = messageEntry(entry, date, context);
      return seen.has(entry.event) ? { ...full, ...NO_DETAILS } : full;
    });
    for (const { event } of entries) seen.add(event);
    return { date, heading: headingOf(date, { today }), entries: shown };
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
  const change = changes?.get(event) ?? null;
  return {
    event,
    change,
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
    ...(change === "gone" && { ...NO_DETAILS, url: null }),
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

function descriptionBlock(event: LocalizedEvent): string {
  return cutText(descriptionLines(event).join("\n"), MAX_DESCRIPTION.reminder, "code points");
}
