import { DAY_MS, dateToInstant, MINUTE_MS, parseWireDateTime } from "../../../contract/date-time.js";
import { HEX_COLOR } from "../../../contract/limits.js";
import type { MessageExtras } from "../../delivery/target.js";
import type { ChangeKind, EventChange } from "../../events/changes/compare.js";
import { type Day, type DayEntry, type DayRange, lastsAllDay, listByDay } from "../../events/day-list.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { describeDifference, type EventDifference } from "../../events/views/change.js";
import { describeEntry, headingOf } from "../../events/views/days.js";
import { describeDayRange, titleOf } from "../../events/views/event-when.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import { PLAIN_STYLE } from "../../output/style.js";
import { firstNames } from "../../output/words.js";
import { addDays, localDate } from "../../time/zoned-time.js";
import { type LinkButton, linkButtons, linkTarget, MAX_BUTTONS } from "./links.js";
import { cutText } from "./text-length.js";

/** What is sent, before a target renders it. All text is sanitized; no markup of a target is escaped yet. */
export interface Message extends Pick<MessageExtras, "mentions"> {
  /** One line. */
  readonly title: string;
  readonly body: MessageBody;
  /** What takes place, for an attachment. */
  readonly events: readonly LocalizedEvent[];
  /** Of its times; null if there are none. */
  readonly zone: string | null;
  /** Links of its event, for targets that have buttons. */
  readonly buttons?: readonly LinkButton[];
}

export interface DaysBody {
  readonly kind: "days";
  readonly days: readonly MessageDay[];
  /** The day that the title names, which is not headed once more; null if there is none. */
  readonly titleDate: string | null;
}

type MessageBody = DaysBody | { readonly kind: "text"; readonly text: string };

interface DigestOptions extends MomentOptions {
  readonly title: string;
  /** Whether the title names the day, if it is only one. */
  readonly titleNamesDay?: boolean;
  /** The days listed. */
  readonly range: DayRange;
  /** Whether each event names its calendar. */
  readonly showCalendar: boolean;
}

/** Code points of a title. */
const MAX_TITLE = 200;

/** Events by day, each under every day it takes place on within the range. */
export function createDigest(events: readonly LocalizedEvent[], options: DigestOptions): Message {
  if (events.length === 0) return createTextMessage(options.title, "No events");
  return { ...daysMessage(listByDay(events, options.range), options, null), events };
}

/** What is new, each event once, under its first day within the range. */
export function createChangesDigest(
  changes: readonly EventChange<LocalizedEvent>[],
  options: DigestOptions,
): Message {
  if (changes.length === 0) return createTextMessage(options.title, "No changes");
  const changeOf = new Map(changes.map((change) => [change.event, change]));
  const events = changes.map(({ event }) => event);
  const listed = listByDay(events, options.range, { once: true });
  return { ...daysMessage(listed, options, changeOf), events: presentEvents(changes) };
}

/** Those that were not removed. */
export function presentEvents(changes: readonly EventChange<LocalizedEvent>[]): readonly LocalizedEvent[] {
  return changes.flatMap(({ change, event }) => (change === "removed" ? [] : [event]));
}

function daysMessage(
  listed: readonly Day<LocalizedEvent>[],
  options: DigestOptions,
  changes: EntryContext["changes"],
): Omit<Message, "events"> {
  const days = messageDays(listed, { ...options, changes });
  const { first, last } = options.range;
  const titleDate = options.titleNamesDay === true && first === last ? first : null;
  return {
    title: titleLine(options.title),
    body: { kind: "days", days, titleDate },
    zone: zoneOf(days, options.zone),
  };
}

/** What determines the text of a reminder beside its event. */
export type ReminderOptions = Omit<DigestOptions, "title" | "titleNamesDay" | "range">;

/** How many events the title of a reminder names. */
const MAX_NAMED = 3;

/** Events that begin, or have begun, at the same time; the title says when: `In 15 min: Dentist · Family`. */
export function createReminder(
  events: readonly LocalizedEvent[],
  { zone, now, showCalendar }: ReminderOptions,
): Message {
  const [first] = events;
  const date = first?.start_local?.slice(0, 10) ?? "";
  const listed = listByDay(events, { first: date, last: date });
  const days = messageDays(listed, { zone, now, showCalendar, changes: null });
  const names = days.flatMap(({ entries }) =>
    entries.map(({ name, calendar }) => [name, calendar].filter((part) => part !== "").join(" · ")),
  );
  const reminder = days.map((day) => ({
    ...day,
    entries: day.entries.map((entry) => ({
      ...entry,
      // The title has the name of a single one.
      name: names.length === 1 ? "" : entry.name,
      description: descriptionBlock(entry.event),
    })),
  }));
  const named = firstNames(names, names.length <= MAX_NAMED ? MAX_NAMED : MAX_NAMED - 1);
  const when = first === undefined ? "Reminder" : describeStart(first, { zone, now });
  return {
    title: titleLine(`${when}: ${named}`),
    body: { kind: "days", days: reminder, titleDate: null },
    buttons: events.flatMap(linkButtons).slice(0, MAX_BUTTONS),
    events,
    zone: zoneOf(days, zone),
  };
}

/** One's own text. @param text lines. @param events those that it is about */
export function createTextMessage(
  title: string,
  text: string,
  events: readonly LocalizedEvent[] = [],
): Message {
  const lines = sanitizeBlock(text).replaceAll("\t", " ").trimEnd();
  return { title: titleLine(title), body: { kind: "text", text: lines }, events, zone: null };
}

function titleLine(title: string): string {
  return cutText(sanitizeLine(title.trim()), MAX_TITLE, "code points") || "Events";
}

/** Null if all events last all day. */
function zoneOf(days: readonly MessageDay[], zone: string): string | null {
  const isTimed = days.some(({ entries }) =>
    entries.some(({ event }) => event.all_day !== true && event.start_local !== null),
  );
  return isTimed ? zone : null;
}

/** What a message says of each event, day by day. */

interface MessageDay {
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

interface EntryContext extends MomentOptions {
  readonly showCalendar: boolean;
  /** Null where nothing is said about changes. */
  readonly changes: ReadonlyMap<LocalizedEvent, EventChange<LocalizedEvent>> | null;
}

/** The days of a message. Details of an event are under its first day only. */
function messageDays(days: readonly Day<LocalizedEvent>[], context: EntryContext): MessageDay[] {
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
function descriptionBlock(event: LocalizedEvent): string {
  return cutText(descriptionLines(event).join("\n"), MAX_DESCRIPTION.reminder, "code points");
}

/** The title of a message, which is all that a phone shows of it. */

interface MomentOptions {
  /** The chosen zone. */
  readonly zone: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

interface FirstLineOptions extends MomentOptions {
  /** The days that were read. */
  readonly range: DayRange;
  /** What the events were chosen by, beside the days: `label Visits`. */
  readonly filters: readonly string[];
}

/** Code points of a name, of one filter and of all of them, so that a long one leaves room for the rest. */
const MAX_NAME = 80;
const MAX_FILTER = 40;
const MAX_FILTERS = 60;

export const CHANGE_WORDS: Readonly<Record<ChangeKind, string>> = {
  added: "New",
  changed: "Changed",
  removed: "Removed",
};

/** `Sat 21 Nov`, `Today, Sat 21 Nov`, `No date`; with the year unless it is this year. @param today `YYYY-MM-DD` */
function nameDay(date: string | null, today: string): string {
  const word = relativeDay(date, today);
  const name = headingOf(date, { today });
  return word === null ? name : `${word.charAt(0).toUpperCase()}${word.slice(1)}, ${name}`;
}

/** `Today, Mon 23 Nov: 9 events, first 09:30 Daily stand-up (label Visits)` */
export function describeDigest(events: readonly LocalizedEvent[], options: FirstLineOptions): string {
  const { range: days, zone, now, filters } = options;
  const first = firstStart(events, options);
  const count = `${events.length === 0 ? "no" : events.length} ${events.length === 1 ? "event" : "events"}`;
  const event =
    first === null ? "" : `, ${events.length === 1 ? "" : "first "}${describeEvent(first, options)}`;
  const name = nameRange(days, localDate(now, zone));
  return `${name === "" ? "" : `${name}: `}${count}${event}${filterNote(filters)}`;
}

/**
 * `Removed: today 16:00 Dentist, and 2 more`: the change of the nearest day; of one day what was removed, then what changed, then
 * what is new.
 */
export function describeChanges(
  changes: readonly EventChange<LocalizedEvent>[],
  options: FirstLineOptions,
): string {
  const { range: days, zone, now, filters } = options;
  const today = localDate(now, zone);
  const keyOf = ({ change, event: { start_local: start } }: EventChange<LocalizedEvent>) => {
    const date = start === null || start.slice(0, 10) > today ? (start?.slice(0, 10) ?? "no date") : today;
    return `${date} ${GRAVITY.indexOf(change)} ${start}`;
  };
  const [first, ...others] = changes.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  if (first === undefined) return `No changes, ${nameRange(days, today)}${filterNote(filters)}`;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  const { change, event, before } = first;
  const { time, others: parts } = describeDifference(before ?? event, event);
  const [was = ""] = time === "" ? parts : [time];
  const what = `${describeEvent(event, options)}${was === "" ? "" : `, ${was}`}`;
  return `${CHANGE_WORDS[change]}: ${what}${more}${filterNote(filters)}`;
}

/** From what a reader has to know first. */
const GRAVITY: readonly ChangeKind[] = ["removed", "changed", "added"];

/** The first that begins at a time on one of the days; without one the first of the list, such as an all-day event. */
function firstStart(events: readonly LocalizedEvent[], { range }: FirstLineOptions): LocalizedEvent | null {
  const entries = listByDay(events, range).flatMap((day) => (day.date === null ? [] : day.entries));
  const begins = entries.find((entry) => !lastsAllDay(entry) && ["whole", "first"].includes(entry.part));
  return (begins ?? entries[0])?.event ?? events[0] ?? null;
}

/** `09:30 Daily stand-up`, `tomorrow all day Holiday`; without the day where the days are only one. */
function describeEvent(event: LocalizedEvent, { range: days, zone, now }: FirstLineOptions): string {
  const { start_local: start, all_day } = event;
  const name = cutText(titleOf(event), MAX_NAME, "code points");
  const date = start?.slice(0, 10) ?? "";
  // One that goes on since another day has no time on these.
  if (start === null || (all_day !== true && days.first !== null && date < days.first)) return name;
  const today = localDate(now, zone);
  const isOnlyDay = days.first !== null && days.first === days.last;
  const day = isOnlyDay ? "" : `${relativeDay(date, today) ?? headingOf(date, { today })} `;
  return `${day}${all_day === true ? "all day" : start.slice(11, 16)} ${name}`;
}

/** `Today, Mon 23 Nov`, `Mon 23 – Sun 29 Nov`, `From Mon 23 Nov`; empty for every day. */
function nameRange(days: DayRange, today: string): string {
  if (days.first !== null && days.first === days.last) return nameDay(days.first, today);
  const range = describeDayRange(days, { year: today.slice(0, 4) !== (days.last ?? today).slice(0, 4) });
  return `${range.charAt(0).toUpperCase()}${range.slice(1)}`;
}

function relativeDay(date: string | null, today: string): "today" | "tomorrow" | null {
  if (date === today) return "today";
  return date === addDays(today, 1) ? "tomorrow" : null;
}

function filterNote(filters: readonly string[]): string {
  const names = filters.map((filter) => cutText(filter, MAX_FILTER, "code points"));
  return names.length === 0 ? "" : ` (${cutText(names.join(", "), MAX_FILTERS, "code points")})`;
}

/** `In 15 min`, `Now`, `Started 10 min ago`; of an all-day event `Today` or `Tomorrow`. */
function describeStart(event: LocalizedEvent, { zone, now }: MomentOptions): string {
  if (event.all_day === true) return describeStartDay(event, localDate(now, zone));
  const start = parseWireDateTime(event.start_at ?? "");
  if (start === null) return "Reminder";
  const minutes = Math.round((start.instant - now) / MINUTE_MS);
  if (minutes === 0) return "Now";
  return minutes > 0 ? `In ${describeMinutes(minutes)}` : `Started ${describeMinutes(-minutes)} ago`;
}

function describeStartDay({ start_local }: LocalizedEvent, today: string): string {
  if (start_local === null) return "Reminder";
  const days = (dateToInstant(start_local) - dateToInstant(today)) / DAY_MS;
  if (days === 0) return "Today";
  if (days === 1) return "Tomorrow";
  if (days === -1) return "Since yesterday";
  return days > 0 ? `In ${days} days` : `Started ${-days} days ago`;
}

/** `45 min`, `1 h 30 min`, `2 days 3 h` */
function describeMinutes(minutes: number): string {
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24];
  const parts = [
    days === 0 ? "" : `${days} ${days === 1 ? "day" : "days"}`,
    hours === 0 ? "" : `${hours} h`,
    minutes % 60 === 0 || days > 0 ? "" : `${minutes % 60} min`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}
