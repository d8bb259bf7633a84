import type { MessageExtras } from "../../delivery/target.js";
import type { EventChange } from "../../events/changes/compare.js";
import { type Day, type DayRange, listByDay } from "../../events/day-list.js";
import type { LocalizedEvent } from "../../events/localized-event.js";
import { firstNames } from "../../output/first-names.js";
import { sanitizeBlock, sanitizeLine } from "../../output/sanitize.js";
import { describeStart, type MomentOptions } from "./first-line.js";
import { type LinkButton, linkButtons, MAX_BUTTONS } from "./links.js";
import { descriptionBlock, type EntryContext, type MessageDay, messageDays } from "./message-days.js";
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

export interface DigestOptions extends MomentOptions {
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
