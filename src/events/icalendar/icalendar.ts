import colorNames from "color-name";
import {
  formatWireDateTime,
  isTimeZone,
  parseLenientDateTime,
  parseWireDateTime,
} from "../../../contract/date-time.js";
import { plainId } from "../../../contract/ids.js";
import { HEX_COLOR, URL_SCHEMES } from "../../../contract/limits.js";
import type { ContentField } from "../../../contract/shapes.js";
import { parseUrl } from "../../../contract/url.js";
import { addDays } from "../../time/zoned-time.js";
import { type LocalizedEvent, labelText, localizeEvent, userText } from "../localized-event.js";
import { fromRuleStart, isSeries, originalStartOf, withoutExceptions } from "../repeat/series.js";
import { digitsOf, escapeControls, escapeText, foldLines, utcTime } from "./text.js";
import { extendSpan, type Span, zoneBlock, zonedTime } from "./zones.js";

export interface ICalendarOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Takes a line about what is left out. */
  readonly note: (text: string) => void;
  /** Makes texts of others safe to show; by default control characters become visible escapes. */
  readonly sanitize?: (text: string) => string;
  /** Of a calendar that programs subscribe to: what they call it, and how often they ask, such as `PT1H`. */
  readonly subscription?: { readonly name: string; readonly description: string; readonly refresh: string };
  /** Of iCalendar in an email. @see RFC 6047 §2.4 */
  readonly method?: "PUBLISH";
  /** Lets others run in between. */
  readonly pause?: () => Promise<void>;
}

/** Events that are written before others may run: about a millisecond. */
const SLICE = 16;

/**
 * One iCalendar object. A series that is among the events, as `withSeries` adds it, is written once: with its rule, and with the
 * occurrences that were changed on their own. Keeps without times are left out, with a note.
 * @see RFC 5545, RFC 7986 for COLOR
 */
export async function writeICalendar(
  events: readonly LocalizedEvent[],
  { sanitize = escapeControls, pause = async () => undefined, ...rest }: ICalendarOptions,
): Promise<string> {
  const options = { ...rest, sanitize, zones: new Map<string, Span>() };
  const unique = [...new Map(events.map((event) => [`${event.calendar_id} ${event.id}`, event])).values()];
  const timed = unique.filter(({ start_local }) => start_local !== null);
  const missing = unique.length - timed.length;
  if (missing > 0)
    options.note(`${missing} ${missing === 1 ? "keep" : "keeps"} without times: not in ics output`);
  const blocks: string[] = [];
  for (const entry of entriesOf(timed)) {
    if (blocks.length % SLICE === 0) await pause();
    blocks.push(foldLines(eventBlock(entry, options)));
  }
  const zones = [...options.zones].sort(([left], [right]) => (left < right ? -1 : 1));
  const head = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//calctl//calctl//EN",
    ...(options.method === undefined ? [] : [`METHOD:${options.method}`]),
    ...subscriptionLines(options),
  ];
  for (const [zone, span] of zones) head.push(...(await zoneBlock(zone, span, { now: options.now, pause })));
  return [foldLines(head), ...blocks, foldLines(["END:VCALENDAR"])].join("");
}

/** A VEVENT. */
interface Entry {
  readonly event: LocalizedEvent;
  /** The series of which it is an exception; null for any other event. */
  readonly series: LocalizedEvent | null;
}

/** Each series, followed by its exceptions, and the single events. An occurrence whose series is missing is a single event. */
function* entriesOf(events: readonly LocalizedEvent[]): Generator<Entry> {
  const keyOf = ({ calendar_id, series_id }: LocalizedEvent) => `${calendar_id} ${series_id}`;
  const whole = new Map(
    events
      .filter((event) => isSeries(event) && event.recurrences.length > 0)
      .map((series) => [keyOf(series), { series, exceptions: [] as LocalizedEvent[] }]),
  );
  const entries = events.flatMap((event) => {
    const found = whole.get(keyOf(event));
    if (event.series_id === null || event === found?.series) return [event];
    // The rule of the series gives this occurrence.
    if (found !== undefined && event.recurrences.length > 0) return [];
    if (found === undefined || originalStartOf(event) === null)
      return [{ ...event, recurrences: [], series_id: null }];
    found.exceptions.push(event);
    return [];
  });
  for (const event of entries) {
    const found = whole.get(keyOf(event));
    if (found === undefined) {
      yield { event, series: null };
      continue;
    }
    const { exceptions } = found;
    const recurrences = withoutExceptions(event.recurrences, exceptions);
    // COUNT and INTERVAL count from the first start, even if that is excepted.
    const series = { ...localizeEvent(fromRuleStart(event), "UTC"), recurrences };
    yield { event: series, series: null };
    for (const each of exceptions) yield { event: each, series };
  }
}

/** Each under its standard name, and the one that programs knew before. @see RFC 7986 §5 */
function subscriptionLines({ subscription, ...options }: EventOptions & ICalendarOptions): readonly string[] {
  if (subscription === undefined) return [];
  const { name, description, refresh } = subscription;
  return [
    ...["NAME", "X-WR-CALNAME"].map((property) => `${property}:${escapeText(name, options.sanitize)}`),
    ...(description === "" ? [] : ["DESCRIPTION", "X-WR-CALDESC"]).map(
      (property) => `${property}:${escapeText(description, options.sanitize)}`,
    ),
    `REFRESH-INTERVAL;VALUE=DURATION:${refresh}`,
    `X-PUBLISHED-TTL:${refresh}`,
  ];
}

interface EventOptions extends Pick<ICalendarOptions, "now" | "note"> {
  /** The zones used so far; the function adds its own. */
  readonly zones: Map<string, Span>;
  readonly sanitize: (text: string) => string;
}

function eventBlock({ event, series }: Entry, options: EventOptions): readonly string[] {
  const text = (name: string, value: string | null) =>
    value === null || value === "" ? [] : [`${name}:${escapeText(value, options.sanitize)}`];
  const { label, creator, attendees } = event;
  const content = {
    recurrences: recurrenceLines(event, options),
    title: text("SUMMARY", event.title),
    location: text("LOCATION", event.location),
    description: text("DESCRIPTION", event.description),
    url: urlLines(event.url ?? "", text),
    label: label?.name ? text("CATEGORIES", label.name) : text("X-CALCTL-LABEL", labelText(label)),
    category: event.category === "keep" ? ["X-CALCTL-CATEGORY:keep"] : [],
    attendees: attendees.flatMap(({ id }) => text("X-CALCTL-ATTENDEE", plainId(id))),
  } satisfies Record<ContentField, readonly string[]>;
  const changed = instantOf(event.updated_at) ?? instantOf(event.created_at) ?? options.now;
  return [
    "BEGIN:VEVENT",
    // An event has the same UID in every output.
    ...text("UID", `${(series ?? event).id}.${event.calendar_id}@calctl`),
    `DTSTAMP:${utcTime(changed)}`,
    ...instantLine("CREATED", event.created_at),
    ...instantLine("LAST-MODIFIED", event.updated_at),
    ...sequenceLine(event),
    ...timeLines(event, options),
    ...content.recurrences,
    ...(series === null ? [] : recurrenceIdLine(event, series, options)),
    ...content.title,
    ...content.location,
    ...content.description,
    ...content.url,
    // Without an e-mail address nobody can be invited: see the decision record.
    ...[...new Set([...(creator === null ? [] : [creator]), ...attendees].map(userText))].flatMap((name) =>
      text("CONTACT", name),
    ),
    ...content.label,
    ...content.category,
    ...content.attendees,
    ...colorLine(label?.color ?? ""),
    "END:VEVENT",
  ];
}

function instantLine(name: string, time: string | null): readonly string[] {
  const instant = instantOf(time);
  return instant === null ? [] : [`${name}:${utcTime(instant)}`];
}

/**
 * Grows with each version of an event; without it, programs such as Outlook keep the version that they have. It is the number
 * of seconds from creation to the last change, since no service counts the changes.
 * @see RFC 5545 §3.8.7.4
 */
function sequenceLine({ created_at, updated_at }: LocalizedEvent): readonly string[] {
  const [created, updated] = [instantOf(created_at), instantOf(updated_at)];
  if (created === null || updated === null || updated <= created) return [];
  return [`SEQUENCE:${(updated - created) / 1000}`];
}

/** DTSTART and DTEND: dates with an exclusive end, or times in the zones of the event. */
function timeLines(event: LocalizedEvent, { zones }: EventOptions): readonly string[] {
  const { start_local, end_local, all_day } = event;
  if (all_day === true) {
    const end = end_local === null ? [] : [`DTEND;VALUE=DATE:${digitsOf(addDays(end_local, 1))}`];
    return [`DTSTART;VALUE=DATE:${digitsOf(start_local ?? "")}`, ...end];
  }
  const start = instantOf(event.start_at);
  const end = instantOf(event.end_at);
  if (start === null) return [];
  const repeats = event.recurrences.length > 0;
  const line = (name: string, instant: number, zone: string | null) =>
    zonedLine(name, instant, { zone, zones, repeats });
  return [
    line("DTSTART", start, event.start_timezone),
    // Without DTEND, an event ends when it starts; an equal DTEND is not valid.
    ...(end !== null && end > start ? [line("DTEND", end, event.end_timezone)] : []),
    ...exactLine("X-CALCTL-START", event.start_at, event.start_timezone),
    ...exactLine("X-CALCTL-END", event.end_at, event.end_timezone),
  ];
}

interface ZonedTime extends Pick<EventOptions, "zones"> {
  readonly zone: string | null;
  /** Whether a rule repeats it. */
  readonly repeats?: boolean;
}

/** A time in a zone; in UTC where the zone cannot say it. */
function zonedLine(name: string, instant: number, { zone, zones, repeats = false }: ZonedTime): string {
  const named = zone === null ? null : zonedTime(instant, zone, repeats);
  if (named === null || zone === null) return `${name}:${utcTime(instant)}`;
  extendSpan(zones, zone, { from: instant, to: repeats ? Number.POSITIVE_INFINITY : instant });
  return `${name};TZID=${zone}:${named}`;
}

/** For `calctl import`: the zone of a time that is written in UTC, and fractions of a second. */
function exactLine(name: string, time: string | null, zone: string | null): readonly string[] {
  const instant = parseWireDateTime(time ?? "")?.instant;
  if (instant === undefined || zone === null || !isTimeZone(zone)) return [];
  const isSaid = instant % 1000 === 0 && (zone === "UTC" || zonedTime(instant, zone) !== null);
  return isSaid ? [] : [`${name}:${formatWireDateTime(instant)} ${zone}`];
}

function recurrenceLines({ id, recurrences }: LocalizedEvent, { note }: EventOptions): readonly string[] {
  const valid = recurrences.filter((line) => RRULE.test(line) || DATES.test(line));
  const rest = recurrences.length - valid.length;
  if (rest > 0) note(`event ${id}: ${rest} of its recurrences cannot be read and are not in ics output`);
  return valid;
}

/** When an exception would begin by the rule, in the form of the start of its series. */
function recurrenceIdLine(
  event: LocalizedEvent,
  series: LocalizedEvent,
  { zones }: EventOptions,
): readonly string[] {
  const originalStart = originalStartOf(event) ?? "";
  const instant = originalStart.endsWith("Z") ? parseLenientDateTime(originalStart)?.instant : undefined;
  if (instant === undefined) return [`RECURRENCE-ID;VALUE=DATE:${originalStart.slice(0, "YYYYMMDD".length)}`];
  return [zonedLine("RECURRENCE-ID", instant, { zone: series.start_timezone, zones })];
}

/** Rules and dates without parameters: a TZID would need a zone of its own. */
const RRULE =
  /^RRULE:FREQ=(?:SECONDLY|MINUTELY|HOURLY|DAILY|WEEKLY|MONTHLY|YEARLY)(?:;[A-Z]+=[A-Z0-9+,-]+)*$/;
const DATES = /^(?:EXDATE|RDATE)(?:;VALUE=DATE(?:-TIME)?)?:\d{8}(?:T\d{6}Z?)?(?:,\d{8}(?:T\d{6}Z?)?)*$/;

/** The URL as a program may open it; any other text as a comment. */
function urlLines(url: string, text: (name: string, value: string) => readonly string[]): readonly string[] {
  const { protocol, href } = parseUrl(url) ?? { protocol: "", href: "" };
  if (!URL_SCHEMES.some((scheme) => scheme === protocol)) return text("COMMENT", url);
  return [
    `URL:${href.replaceAll(" ", "%20")}`,
    ...(href === url ? [] : text("X-CALCTL-URL;VALUE=TEXT", url)),
  ];
}

/** The CSS color name nearest to a label's color: COLOR takes no other. @see RFC 7986 §5.9 */
function colorLine(color: string): readonly string[] {
  if (!HEX_COLOR.test(color)) return [];
  const rgb = [1, 3, 5].map((index) => Number.parseInt(color.slice(index, index + 2), 16));
  const distances = Object.entries(colorNames).map(([name, parts]) => ({
    name,
    distance: parts.reduce((sum, part, index) => sum + (part - (rgb[index] ?? 0)) ** 2, 0),
  }));
  const nearest = distances.reduce((best, each) => (each.distance < best.distance ? each : best));
  return [`COLOR:${nearest.name}`];
}

function instantOf(time: string | null): number | null {
  const instant = time === null ? null : (parseWireDateTime(time)?.instant ?? null);
  return instant === null ? null : Math.floor(instant / 1000) * 1000;
}
