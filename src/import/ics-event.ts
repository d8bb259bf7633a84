import ICAL from "ical.js";
import { DAY_MS, isTimeZone, parseWireDateTime } from "../../contract/date-time.js";
import { parseUrl } from "../../contract/url.js";
import type { InputTimes } from "../calendar/event-times.js";
import { dateLines } from "../calendar/recurrence-lines.js";
import { addDuration, instantAt, wallClockAt } from "../calendar/zoned-time.js";
import { usageError } from "../errors.js";
import { wireTime } from "./content.js";
import { hashText } from "./content-hash.js";
import { OF_NO_LENGTH, occurrenceIdentity, withoutZone } from "./entry.js";
import type { ZoneFinder } from "./ics-zones.js";

interface VeventOptions {
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  readonly findZone: ZoneFinder;
  /** Whether the file takes its events back. @see RFC 5546 §3.2.5 */
  readonly isWithdrawn: boolean;
  readonly count: (remark: string) => void;
  /** Takes the names of properties that are not read. */
  readonly unread: Set<string>;
}

interface Property {
  readonly name: string;
  /** Names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the values, as `period`. */
  readonly type: string;
  /** Texts unescaped, times with separators: `2026-11-21T15:00:00`. */
  readonly values: readonly unknown[];
  /** The values as the file has them. */
  readonly written: string;
}

interface IcsTime {
  readonly isDate: boolean;
  /** Milliseconds since the Unix epoch; midnight UTC of a date. */
  readonly instant: number;
  readonly zone: string;
}

const READ: ReadonlySet<string> = new Set([
  ...["UID", "RECURRENCE-ID", "DTSTART", "DTEND", "DURATION", "RDATE", "EXDATE", "EXRULE"],
  ...["SUMMARY", "LOCATION", "DESCRIPTION", "URL", "CATEGORIES", "STATUS"],
  ...["SEQUENCE", "LAST-MODIFIED", "DTSTAMP"],
  ...["X-CALCTL-ATTENDEE", "X-CALCTL-CATEGORY", "X-CALCTL-LABEL"],
  ...["X-CALCTL-START", "X-CALCTL-END", "X-CALCTL-URL"],
]);

/** RRULE is kept as it is; nobody misses the others. */
const PASSED: ReadonlySet<string> = new Set(["RRULE", "CREATED", "COLOR", "CONTACT", "PRIORITY", "TRANSP"]);

/** Reads a VEVENT from its unfolded lines. @throws CliError usage for what is no event of the contract */
export function readVevent(lines: readonly string[], options: VeventOptions) {
  const properties = readProperties(lines, options.unread);
  const all = (name: string) => properties.filter((property) => property.name === name);
  const text = (name: string) => String(all(name)[0]?.values[0] ?? "") || undefined;
  const times = (name: string) => all(name).flatMap((property) => readTimes(property, options));
  const [start] = times("DTSTART");
  if (start === undefined) throw usageError("it has no DTSTART");
  if (all("EXRULE").length > 0) throw usageError("EXRULE is not supported, only EXDATE");
  const [end] = times("DTEND");
  const fields = fieldsOf(spanOf(start, end, all), text, all);
  if (fields.end_at === undefined && (end ?? all("DURATION")[0]) !== undefined) options.count(OF_NO_LENGTH);
  const change = readSlot(lines, options);
  const uid = text("UID") ?? hashText(lines.filter((line) => !EACH_EXPORT.test(line)).join("\n"));
  return {
    identity: change === undefined ? uid : occurrenceIdentity(uid, change.slot),
    occurrenceOf: change && { uid, ...change },
    fields,
    cancelled: options.isWithdrawn || text("STATUS")?.toUpperCase() === "CANCELLED",
    recurrences: [
      ...lines
        .filter((line) => /^RRULE[;:]/i.test(line))
        .map((line) => `RRULE${line.slice(line.indexOf(":"))}`),
      ...(["RDATE", "EXDATE"] as const).flatMap((name) =>
        dateLines(name, startsOf(times(name), start), { isAllDay: start.isDate }),
      ),
    ],
    version: [text("SEQUENCE")?.padStart(10, "0") ?? "", text("LAST-MODIFIED"), text("DTSTAMP")].join(" "),
  };
}

/**
 * When a changed occurrence would have started by its rule; undefined for any other event.
 * @throws CliError usage for what is not one time, or changes more than one occurrence
 */
export function readSlot(lines: readonly string[], options: VeventOptions) {
  const [property] = readProperties(
    lines.filter((line) => /^RECURRENCE-ID[;:]/i.test(line)),
    options.unread,
  );
  if (property === undefined) return undefined;
  if (property.parameters["range"] !== undefined)
    throw usageError("RECURRENCE-ID with RANGE changes more than one event");
  const [time] = readTimes(property, options);
  return time && { slot: wireTime(time.instant), isDate: time.isDate };
}

/** What changes from export to export. */
const EACH_EXPORT = /^(?:DTSTAMP|CREATED|LAST-MODIFIED|SEQUENCE)[;:]/i;

function readProperties(lines: readonly string[], unread: Set<string>): readonly Property[] {
  return lines.flatMap((line) => {
    const name = /^[\w-]+(?=[;:])/.exec(line)?.[0].toUpperCase();
    if (name === undefined) throw usageError(`"${line.slice(0, 40)}" is not a line of iCalendar`);
    if (!READ.has(name) && !PASSED.has(name)) unread.add(name);
    if (!READ.has(name)) return [];
    try {
      const quoted = line.replace(BARE_TZID, ';TZID="$1"');
      const [, parameters, type, ...values] = ICAL.parse.property(quoted);
      return [{ name, parameters, type, values, written: quoted.replace(PARAMETERS, "") }];
    } catch (error) {
      throw Object.assign(usageError(`${name} cannot be read`), { cause: error });
    }
  });
}

/** A zone whose colons should be in quotation marks, as in `TZID=tzone://Microsoft/Utc:20261121T150000`. */
const BARE_TZID = /;TZID=([^";]*)(?=:\d{8}[\dTZ,]*$)/i;

/** A name with its parameters. */
const PARAMETERS = /^[^":]*(?:"[^"]*"[^":]*)*:/;

const TIME = /^(\d{4}-\d{2}-\d{2})(?:T::|T(\d{2}:\d{2}(?::\d{2})?):?(Z?))?$/;

function readTimes(
  { name, parameters, type, values, written }: Property,
  options: VeventOptions,
): readonly IcsTime[] {
  if (type === "period") throw usageError(`${name} with VALUE=PERIOD is not supported, only dates and times`);
  return values.map((value) => {
    const [, date = "", clock, utc] = TIME.exec(String(value)) ?? [];
    // A leap second is the one before it. @see RFC 5545 §3.3.12
    const wallClock = parseWireDateTime(`${date}T${clock?.replace(/:60$/, ":59") ?? "00:00"}Z`)?.instant;
    if (wallClock === undefined)
      throw usageError(`${name} "${written.slice(0, 40)}" is not a date or time such as 20261121T150000`);
    if (clock === undefined) return { isDate: true, instant: wallClock, zone: "UTC" };
    if (utc === "Z") return { isDate: false, instant: wallClock, zone: "UTC" };
    const { tzid } = parameters;
    if (tzid === undefined) options.count(withoutZone(options.zone));
    const zone = tzid === undefined ? options.zone : options.findZone(tzid);
    return { isDate: false, instant: instantAt(wallClock, zone), zone };
  });
}

function fieldsOf(
  times: InputTimes,
  text: (name: string) => string | undefined,
  all: (name: string) => readonly Property[],
) {
  const attendees = all("X-CALCTL-ATTENDEE").flatMap(({ values }) => String(values[0]) || []);
  return {
    category: text("X-CALCTL-CATEGORY"),
    title: text("SUMMARY")?.trim() ? text("SUMMARY") : "(no title)",
    location: text("LOCATION"),
    description: text("DESCRIPTION"),
    url: urlOf(text("URL"), text("X-CALCTL-URL")),
    label: text("CATEGORIES") ?? text("X-CALCTL-LABEL"),
    attendees: attendees.length === 0 ? undefined : attendees,
    ...times,
  };
}

/** As calctl had it, where iCalendar needs another spelling, unless it was changed since. */
function urlOf(url: string | undefined, spelling = ""): string | undefined {
  const isSame = spelling !== "" && parseUrl(spelling)?.href.replaceAll(" ", "%20") === url;
  return isSame ? spelling : url;
}

/** The end of an all-day event is the midnight after it; one at the start, or none, is a day. */
function spanOf(
  start: IcsTime,
  end: IcsTime | undefined,
  all: (name: string) => readonly Property[],
): InputTimes {
  if (end !== undefined && end.isDate !== start.isDate)
    throw usageError("of DTSTART and DTEND one is a date, the other a time");
  const [duration] = all("DURATION");
  const length = duration === undefined ? { days: 0, minutes: 0 } : durationOf(duration.written);
  if (start.isDate && length.minutes !== 0)
    throw usageError(`DURATION "${duration?.written}" has hours, but DTSTART is a date`);
  const last = end ?? { ...start, instant: addDuration(start.instant, length, start.zone) };
  const isOpen = last.instant === start.instant;
  if (start.isDate) {
    const midnight = isOpen ? start.instant + DAY_MS : last.instant;
    return { all_day: true, start_at: wireTime(start.instant), end_at: wireTime(midnight) };
  }
  const exactStart = exactTime(start, all("X-CALCTL-START")[0]);
  const exactEnd = exactTime(last, all("X-CALCTL-END")[0]);
  return {
    all_day: false,
    start_at: wireTime(exactStart.instant),
    start_timezone: exactStart.zone,
    end_at: isOpen ? undefined : wireTime(exactEnd.instant),
    end_timezone: exactEnd.zone,
  };
}

const DURATION = /^\+?P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/i;

function durationOf(text: string) {
  const match = DURATION.exec(text);
  if (match === null) throw usageError(`DURATION "${text.slice(0, 40)}" is not a length of time`);
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return { days: weeks * 7 + days, minutes: hours * 60 + minutes + seconds / 60 };
}

/** What calctl wrote beside a time that iCalendar cannot express, unless the time was changed since. */
function exactTime(time: IcsTime, property: Property | undefined): IcsTime {
  const [exact = "", zone = ""] = String(property?.values[0] ?? "").split(" ");
  const instant = parseWireDateTime(exact)?.instant ?? 0;
  const isSame = Math.floor(instant / 1000) * 1000 === time.instant && isTimeZone(zone);
  return isSame ? { ...time, instant, zone } : time;
}

/** RDATE or EXDATE as what the start is: dates, or times. Some programs mix them. @throws CliError as `wireTime` does */
function startsOf(times: readonly IcsTime[], start: IcsTime): readonly number[] {
  const dayOf = (wallClock: number) => Math.floor(wallClock / DAY_MS) * DAY_MS;
  const starts = times.map(({ isDate, instant, zone }) => {
    if (start.isDate) return dayOf(wallClockAt(instant, zone));
    if (!isDate) return instant;
    const startClock = wallClockAt(start.instant, start.zone);
    return instantAt(instant + startClock - dayOf(startClock), start.zone);
  });
  starts.forEach(wireTime);
  return starts;
}
