import ICAL from "ical.js";
import { DAY_MS, HOUR_MS, isTimeZone, parseWireDateTime } from "../../../contract/date-time.js";
import { originalStartText } from "../../../contract/extensions.js";
import { parseUrl } from "../../../contract/url.js";
import { usageError } from "../../errors.js";
import { isBlank, parseCategory, type ReadFields, type WrittenTimes } from "../../events/patch.js";
import { dateLines } from "../../time/recurrence/rule.js";
import { addDuration, wallClockAt } from "../../time/zoned-time.js";
import {
  type ChangedOccurrence,
  checkDates,
  ENTRY,
  endAfter,
  hashText,
  isSkipped,
  OF_NO_LENGTH,
  occurrenceIdentity,
  SEVERAL_LABELS,
  wireTime,
  withChangedTime,
  withoutZone,
} from "./entry.js";
import { isEncoded, MAX_PARAMETERS } from "./ics-text.js";
import {
  type Beginning,
  dateOfTime,
  daysOf,
  durationOf,
  type IcsTime,
  isPeriods,
  type Property,
  readPeriods,
  readTime,
  readTimes,
  remarkOnAdded,
  startInSeries,
  startOfPeriod,
} from "./ics-times.js";
import type { ZoneFinder } from "./ics-zones.js";

interface VeventOptions {
  /** IANA name: the zone of times without one. */
  readonly zone: string;
  readonly findZone: ZoneFinder;
  /** The zone that the calendar names for them, if it is not known. */
  readonly unknownZone: string | undefined;
  /** Zones of the file and of the user: a time in UTC that is midnight in one of them may mean a date. */
  readonly midnights: readonly string[];
  /** Where the series of the file begin, by UID: `readVevent` adds to it. */
  readonly beginnings: Map<string, Beginning>;
  /** Whether the file takes its events back. @see RFC 5546 §3.2.5 */
  readonly isWithdrawn: boolean;
  readonly count: (remark: string) => void;
  /** Takes the names of properties that are not read. */
  readonly unread: Set<string>;
}

/** Some programs write a day as its midnights, and say so. */
const ALL_DAY_MARKS = [
  ...(["X-MICROSOFT-CDO-ALLDAYEVENT", "X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT", "X-FUNAMBOL-ALLDAY"] as const),
];

const READ_NAMES = [
  ...(["UID", "RECURRENCE-ID", "DTSTART", "DTEND", "DURATION", "RDATE", "EXDATE", "EXRULE"] as const),
  ...(["SUMMARY", "LOCATION", "DESCRIPTION", "URL", "CATEGORIES", "STATUS", "TRANSP"] as const),
  ...(["SEQUENCE", "LAST-MODIFIED", "DTSTAMP"] as const),
  ...(["X-CALCTL-ATTENDEE", "X-CALCTL-CATEGORY", "X-CALCTL-LABEL"] as const),
  ...(["X-CALCTL-START", "X-CALCTL-END", "X-CALCTL-URL"] as const),
  ...ALL_DAY_MARKS,
];

type ReadName = (typeof READ_NAMES)[number];

const READ: ReadonlySet<string> = new Set(READ_NAMES);

/** RRULE is kept as it is; nobody misses the others. */
const PASSED: ReadonlySet<string> = new Set(["RRULE", "CREATED", "COLOR", "CONTACT", "PRIORITY"]);

/** Properties of an event; none has a tenth of them. */
const MAX_LINES = 10_000;

/** @throws CliError usage for what would take long, before it is parsed */
function checkNumbers(lines: readonly string[]): void {
  checkDates(lines);
  const read = lines.filter((line) => READ.has(/^[\w-]+/.exec(line)?.[0].toUpperCase() ?? ""));
  if (read.length > MAX_LINES) throw usageError(`it has more than ${MAX_LINES} lines`);
  const long = linesOf("RRULE", lines).find((line) => line.length > MAX_LINES);
  if (long !== undefined) throw usageError(`RRULE has more than ${MAX_LINES} characters`);
}

/** Reads a VEVENT from its unfolded lines. @throws CliError usage for what is no event of the contract */
export function readVevent(lines: readonly string[], options: VeventOptions) {
  checkNumbers(lines);
  const properties = readProperties(lines, options.unread);
  const all = (name: ReadName) => properties.filter((property) => property.name === name);
  const text = (name: ReadName) => textOf(all(name), options.count);
  const { start, end } = readBounds(all, options);
  if (start === undefined) throw usageError("it has no DTSTART");
  countZones(start, end, options);
  countSkipped([start, ...(end === undefined ? [] : [end])], options.count);
  const isChange = all("RECURRENCE-ID").length > 0;
  const rules = rulesOf(lines, isChange, options.count);
  if (rules.length > 0) checkFirst(start);
  const others = { ...options, zone: start.zone };
  const periods = all("RDATE")
    .filter(isPeriods)
    .flatMap((property) => readPeriods(property, others));
  const times = (name: ReadName) =>
    all(name).flatMap((property) => (isPeriods(property) ? [] : readTimes(property, others)));
  const startOf = (time: IcsTime) => checkedStart(startInSeries(time, start, options.midnights));
  const uid = text("UID") ?? hashText(lines.filter((line) => !EACH_EXPORT.test(line)).join("\n"));
  if (!isChange) options.beginnings.set(uid, start);
  if (all("EXRULE").length > 0) throw usageError("EXRULE is not supported, only EXDATE");
  const span = spanOf(start, end, all);
  const patch = patchOf(span, { ...options, text, all });
  if (span.end === undefined && (end ?? all("DURATION")[0]) !== undefined) options.count(OF_NO_LENGTH);
  const length = span.end === undefined ? HOUR_MS : Date.parse(span.end) - Date.parse(span.start ?? "");
  const added = periods.map((period) =>
    checkedStart(startOfPeriod(period, { start, length, midnights: options.midnights })),
  );
  const dates = times("RDATE");
  countAdded([...dates, ...periods.map((period) => period.start)], start, options);
  const excluded = times("EXDATE");
  if (start.isDate) countAdded(excluded, start, options, "EXDATE");
  const exclusions = excluded.map((time) => [startOf(time), time.written] as const);
  const occurrenceOf = readChange(uid, lines, options);
  const isAllDay = start.isDate;
  const recurrences = [
    ...readRules(rules, { ...options, start }),
    ...dateLines("RDATE", [...dates.map(startOf), ...added], { isAllDay }),
    ...dateLines(
      "EXDATE",
      exclusions.map(([time]) => time),
      { isAllDay },
    ),
  ];
  return {
    identity: occurrenceOf === undefined ? uid : occurrenceIdentity(uid, occurrenceOf.originalStart),
    occurrenceOf,
    patch: { ...patch, recurrences },
    cancelled: options.isWithdrawn || readStates(text, options.unread) === "CANCELLED",
    exclusions,
    ...versionOf(all),
  };
}

function versionOf(all: (name: ReadName) => readonly Property[]) {
  const newest = (name: ReadName) =>
    all(name)
      .map(({ written }) => written)
      .sort()
      .at(-1);
  const sequence = newest("SEQUENCE") ?? "";
  return {
    sequence: /^\d{1,10}$/.test(sequence) ? Number(sequence) : undefined,
    version: [sequence.padStart(10, "0"), newest("LAST-MODIFIED"), newest("DTSTAMP")].join(" "),
  };
}

/** The rules of an event; one that changes an event of a series has none. */
function rulesOf(lines: readonly string[], isChange: boolean, count: VeventOptions["count"]) {
  if (!isChange) return linesOf("RRULE", lines);
  if (linesOf("(?:RRULE|RDATE|EXDATE)", lines).length > 0)
    count("that changes one event of a series and also repeats: its repetition is ignored");
  return [];
}

/**
 * Which occurrence of its series an event changes; undefined for any other event.
 * @throws CliError usage for what is not one time, or changes more than one occurrence
 */
export function readChange(
  uid: string,
  lines: readonly string[],
  options: VeventOptions,
): ChangedOccurrence | undefined {
  const all = (name: ReadName) => readProperties(linesOf(name, lines), options.unread);
  const properties = all("RECURRENCE-ID");
  if (properties.length === 0) return undefined;
  if (properties.some(({ parameters }) => parameters["range"] !== undefined))
    throw usageError("RECURRENCE-ID with RANGE changes more than one event");
  const { start } = readBounds(all, options);
  const time = readOne(properties, { ...options, zone: start?.zone ?? options.zone });
  if (time === undefined) return undefined;
  const originalStartIn = (series: Beginning) => wireTime(startInSeries(time, series, options.midnights));
  const series = options.beginnings.get(uid);
  if (series !== undefined) return { uid, originalStart: originalStartIn(series) };
  const isWhole = start !== undefined && !time.isDate;
  return { uid, originalStart: isWhole ? originalStartIn(start) : wireTime(time.instant), originalStartIn };
}

/** Where an event begins and ends. */
function readBounds(all: (name: ReadName) => readonly Property[], options: VeventOptions) {
  const start = readOne(all("DTSTART"), options);
  const written = readOne(all("DTEND"), { ...options, zone: start?.zone ?? options.zone });
  const end = start === undefined || written === undefined ? written : withEndAfter(start, written);
  const isMarked = ALL_DAY_MARKS.flatMap(all).some(({ values }) => /^(?:TRUE|1)$/i.test(String(values[0])));
  if (!isMarked || start === undefined) return { start, end };
  const days = daysOf(end === undefined ? [start] : [start, end], options.midnights);
  if (days !== null) return { start: days[0], end: days[1] };
  options.count("marked as all-day, but not from midnight to midnight: read with its times");
  return { start, end };
}

/** Texts of which the first is read. */
const PLAIN_TEXTS: ReadonlySet<string> = new Set(["SUMMARY", "LOCATION", "DESCRIPTION", "URL"]);

/** The text of a property that an event has once; undefined without one. @throws CliError usage for several that mean more */
function textOf(properties: readonly Property[], count: VeventOptions["count"]): string | undefined {
  const texts = new Set(properties.map(({ values }) => String(values[0] ?? "")));
  texts.delete("");
  const name = properties[0]?.name ?? "";
  if (texts.size > 1 && !PLAIN_TEXTS.has(name)) throw usageError(`it has several ${name}`);
  if (texts.size > 1) count(`with several ${name}: the first is read`);
  return [...texts][0];
}

/** The only time of a property; undefined without one. @throws CliError usage for several */
function readOne(properties: readonly Property[], options: VeventOptions): IcsTime | undefined {
  const [time, ...others] = properties.flatMap((property) => readTimes(property, options));
  if (others.every(({ isDate, instant }) => isDate === time?.isDate && instant === time.instant)) return time;
  throw usageError(`it has several times in ${properties[0]?.name}`);
}

function linesOf(name: string, lines: readonly string[]): readonly string[] {
  const start = new RegExp(`^${name}[;:]`, "i");
  return lines.filter((line) => start.test(line));
}

/** Counts times without a zone. */
function countZones(
  start: IcsTime,
  end: IcsTime | undefined,
  { zone, unknownZone, count }: VeventOptions,
): void {
  if (start.isFloating) count(withoutZone(zone, unknownZone));
  else if (end?.isFloating) count("with an end without a zone: read in that of its start");
}

/** Whether its zone may have clock changes. */
function isLocal({ isDate, zone }: IcsTime): boolean {
  return !isDate && zone !== "UTC";
}

/** @throws CliError usage for a start that does not say the time of day of the others */
function checkFirst(start: IcsTime): void {
  if (start.zone === "UTC" && start.wallClock !== start.instant)
    throw usageError("it repeats, and no known zone has the offset of DTSTART all the year");
  if (isLocal(start) && isSkipped(start, start.zone))
    throw usageError("it repeats, and a clock change skips its DTSTART: begin it on another date");
}

/** Counts times that do not exist in their zone. */
function countSkipped(times: readonly IcsTime[], count: VeventOptions["count"]): void {
  for (const time of times)
    if (isLocal(time) && isSkipped(time, time.zone)) count(withChangedTime("skipped", time.zone));
}

/** Counts added or excluded starts that are not read as they are written. */
function countAdded(
  added: readonly IcsTime[],
  start: IcsTime,
  { midnights, count }: VeventOptions,
  name: "RDATE" | "EXDATE" = "RDATE",
): void {
  for (const time of added) {
    const remark = remarkOnAdded(time, start, { name, midnights });
    if (remark !== null) count(remark);
  }
  if (!start.isDate) countSkipped(added, count);
}

/** The end, see `endAfter`. */
function withEndAfter(start: IcsTime, end: IcsTime): IcsTime {
  if (!isLocal(start) || end.isDate || end.zone !== start.zone) return end;
  const instant = endAfter(start, end, start.zone);
  return instant === end.instant ? end : { ...end, instant, wallClock: wallClockAt(instant, end.zone) };
}

/** The status. @param unread takes states that the calendar does not have, such as tentative, and free for others */
function readStates(text: (name: ReadName) => string | undefined, unread: Set<string>): string | undefined {
  const [status] = (["STATUS", "TRANSP"] as const).map((name) => {
    const state = text(name)?.toUpperCase();
    if (!/^(?:CONFIRMED|CANCELLED|OPAQUE)$/.test(state ?? "OPAQUE"))
      unread.add(`${name}:${state?.slice(0, 40)}`);
    return state;
  });
  return status;
}

/** @throws CliError as `wireTime` does */
function checkedStart(start: number): number {
  wireTime(start);
  return start;
}

/** What changes from export to export. */
const EACH_EXPORT = /^(?:DTSTAMP|CREATED|LAST-MODIFIED|SEQUENCE)[;:]/i;

function readProperties(lines: readonly string[], unread: Set<string>): readonly Property[] {
  return lines.flatMap((line) => {
    const name = /^[\w-]+(?=[;:])/.exec(line)?.[0].toUpperCase();
    if (name === undefined) throw usageError(`"${line.slice(0, 40)}" is not a line of iCalendar`);
    if (!READ.has(name) && !PASSED.has(name)) unread.add(name);
    if (!READ.has(name)) return [];
    return readProperty(name, line) ?? [];
  });
}

/** Null for a time without a value, which means nothing. */
function readProperty(name: string, line: string): Property | null {
  const value = checkParameters(name, line);
  if (TIMES.has(name) && line.slice(value).trim() === "") return null;
  if (isEncoded(line)) throw usageError(`${name} has an encoding or CHARSET that cannot be read`);
  try {
    const spaced = TIMES.has(name) ? line.trimEnd().replace(SPACES, "") : line;
    const plain = PLAIN_TEXTS.has(name) ? `${name}:${line.slice(value)}` : spaced;
    const quoted = plain.replace(BARE_TZID, ';TZID="$1"');
    const [, parameters, type, ...values] = ICAL.parse.property(quoted);
    return { name, parameters, type, values, written: quoted.replace(PARAMETERS, "") };
  } catch (error) {
    throw Object.assign(usageError(`${name} cannot be read`), { cause: error });
  }
}

/**
 * Where the value begins. Parsing takes long for many parameters; one in quotation marks may be long, such as a text in HTML.
 * @throws CliError usage
 */
function checkParameters(name: string, line: string): number {
  let isQuoted = false;
  let count = 0;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index];
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === ":") return index + 1;
    count += 1;
    if (count > MAX_PARAMETERS)
      throw usageError(`${name} has more than ${MAX_PARAMETERS} characters of parameters`);
  }
  return line.length;
}

/** A zone whose colons should be in quotation marks, as in `TZID=tzone://Microsoft/Utc:20261121T150000`. */
const BARE_TZID = /;TZID=([^";]*)(?=:\d{8}[\dTZ,]*$)/i;

/** Those with dates, times or lengths. */
const TIMES: ReadonlySet<string> = new Set([
  "DTSTART",
  "DTEND",
  "DURATION",
  "RDATE",
  "EXDATE",
  "RECURRENCE-ID",
]);

/** Before a value, where some programs write one. */
const SPACES = /(?<=[:,])[ \t]+(?=\d{8}|[+-]?P)/g;

/** A name with its parameters. */
const PARAMETERS = /^[^":]*(?:"[^"]*"[^":]*)*:/;

function patchOf(
  times: WrittenTimes,
  {
    text,
    all,
    count,
  }: {
    readonly text: (name: ReadName) => string | undefined;
    readonly all: (name: ReadName) => readonly Property[];
    readonly count: VeventOptions["count"];
  },
): Omit<ReadFields, "recurrences"> & WrittenTimes {
  const category = text("X-CALCTL-CATEGORY");
  const label = labelOf(all("CATEGORIES"), count) ?? text("X-CALCTL-LABEL");
  const attendees = all("X-CALCTL-ATTENDEE").flatMap(({ values }) => String(values[0]) || []);
  return {
    category: category === undefined ? undefined : parseCategory(category, "category"),
    title: isBlank(text("SUMMARY") ?? "") ? "(no title)" : text("SUMMARY"),
    location: text("LOCATION"),
    description: text("DESCRIPTION"),
    url: urlOf(text("URL"), text("X-CALCTL-URL")),
    label: label === undefined ? undefined : { value: label, source: "label" },
    attendees:
      attendees.length === 0 ? undefined : attendees.map((value) => ({ value, source: "attendees" })),
    ...times,
  };
}

/** The first category. */
function labelOf(properties: readonly Property[], count: VeventOptions["count"]): string | undefined {
  const names = new Set(properties.flatMap(({ values }) => values.map(String)));
  names.delete("");
  if (names.size > 1) count(SEVERAL_LABELS);
  return [...names][0];
}

/** As calctl had it, where iCalendar needs another spelling, unless it was changed since. */
function urlOf(url: string | undefined, spelling = ""): string | undefined {
  const isSame = spelling !== "" && parseUrl(spelling)?.href.replaceAll(" ", "%20") === url;
  return isSame ? spelling : url;
}

const DAY_MINUTES = 1440;

/** The end of an all-day event is the midnight after it; one at the start, or none, is a day. */
function spanOf(
  start: IcsTime,
  end: IcsTime | undefined,
  all: (name: ReadName) => readonly Property[],
): WrittenTimes {
  if (end !== undefined && end.isDate !== start.isDate)
    throw usageError("of DTSTART and DTEND one is a date, the other a time");
  const [duration, other] = all("DURATION");
  if (other !== undefined && other.written !== duration?.written) throw usageError("it has several DURATION");
  const length = duration === undefined ? { days: 0, minutes: 0 } : durationOf(duration.written);
  if (start.isDate && length.minutes % DAY_MINUTES !== 0)
    throw usageError(`DURATION "${duration?.written}" has hours, but DTSTART is a date`);
  const afterLength = { ...start, instant: addDuration(start.instant, length, start.zone) };
  const last = end ?? afterLength;
  const isOpen = last.instant === start.instant;
  const isOneDay = start.isDate && isOpen && length.days + length.minutes / DAY_MINUTES === 1;
  if (duration !== undefined && last.instant !== afterLength.instant && !isOneDay)
    throw usageError("DTEND and DURATION give different ends");
  if (start.isDate) {
    const midnight = isOpen ? start.instant + DAY_MS : last.instant;
    return { source: ENTRY, allDay: true, start: wireTime(start.instant), end: wireTime(midnight) };
  }
  const exactStart = exactTime(start, all("X-CALCTL-START")[0]);
  const exactEnd = exactTime(last, all("X-CALCTL-END")[0]);
  return {
    source: ENTRY,
    allDay: false,
    start: wireTime(exactStart.instant),
    startTimezone: exactStart.zone,
    end: isOpen ? undefined : wireTime(exactEnd.instant),
    endTimezone: exactEnd.zone,
  };
}

/** What calctl wrote beside a time that iCalendar cannot express, unless the time was changed since. */
function exactTime(time: IcsTime, property: Property | undefined): IcsTime {
  const [exact = "", zone = ""] = String(property?.values[0] ?? "").split(" ");
  const instant = parseWireDateTime(exact)?.instant ?? 0;
  const isSame = Math.floor(instant / 1000) * 1000 === time.instant && isTimeZone(zone);
  return isSame ? { ...time, instant, zone } : time;
}

/** The RRULE of other programs, which slips in ways that have one meaning. @see RFC 5545 §3.3.10 */

interface RuleOptions {
  /** Of the event. */
  readonly start: Pick<IcsTime, "isDate">;
  /** Zones whose midnight a time in UTC may be. */
  readonly midnights: readonly string[];
  readonly count: (remark: string) => void;
}

/** The RRULE lines of an event, each once. @throws CliError usage for an UNTIL that is no time, and another calendar */
function readRules(lines: readonly string[], options: RuleOptions): readonly string[] {
  const written = lines.map((line) => line.slice(line.indexOf(":") + 1)).filter((rule) => rule.trim() !== "");
  const old = written.find((rule) => !rule.includes("="));
  if (old !== undefined)
    throw usageError(`the rule "${old.slice(0, 40)}" is of vCalendar 1.0, which is not supported`);
  const rules = written.map((rule) => readParts(rule, options));
  const meanings = new Map(rules.map((parts) => [parts.toSorted().join(";"), parts.join(";")]));
  if (meanings.size < rules.length) options.count("with the same RRULE twice: read once");
  return [...meanings.values()].map((rule) => `RRULE:${rule}`);
}

/** The parts of a rule, each once, without those that mean nothing. */
function readParts(rule: string, options: RuleOptions): readonly string[] {
  const parts = rule.replace(/\s+/g, "").toUpperCase().split(";");
  return [...new Set(parts.flatMap((part) => readPart(part, options) ?? []))];
}

/** Null for one that means nothing: some programs end a rule, or a list, with its separator, and a date has no hours. */
function readPart(part: string, options: RuleOptions): string | null {
  const [, name = "", values = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
  if (name === "") return part === "" ? null : part;
  const value = values
    .split(",")
    .filter((each) => each !== "")
    .join(",");
  if (isDefault(name, value)) return null;
  if (options.start.isDate && /^BY(?:HOUR|MINUTE|SECOND)$/.test(name)) return null;
  if (name === "RSCALE" || name === "SKIP")
    throw usageError(`${name}=${value.slice(0, 40)} is not supported, only RSCALE=GREGORIAN;SKIP=OMIT`);
  if (value === "") options.count(`with an empty ${name.slice(0, 40)} in its rule: left out`);
  if (value === "") return null;
  if (name !== "INTERVAL" || Number(value) !== 0)
    return `${name}=${name === "UNTIL" ? readUntil(value, options) : value}`;
  options.count("with INTERVAL=0 in its rule: read as INTERVAL=1");
  return null;
}

/** RFC 7529 writes out what a rule means without it. */
function isDefault(name: string, value: string): boolean {
  return (
    (name === "RSCALE" && /^(?:GREGORIAN|GREGORY)$/.test(value)) || (name === "SKIP" && value === "OMIT")
  );
}

/**
 * The end of a series as RFC 5545 writes it, without a fraction. That of an all-day series is a date: a time in UTC is the day of
 * which it is midnight for the user or in a zone of the file, as Outlook and Exchange write it, otherwise its day in UTC.
 */
function readUntil(written: string, { start, midnights }: RuleOptions): string {
  const { isDate, wallClock, offset } = readTime(written, "UNTIL");
  const instant = wallClock - (offset ?? 0);
  const isFloating = offset === null;
  const zone = isFloating || offset === 0 ? "UTC" : "";
  if (start.isDate)
    return originalStartText(dateOfTime({ isDate, isFloating, wallClock, instant, zone }, midnights), true);
  if (isDate) return originalStartText(wallClock, true);
  const text = originalStartText(Math.floor(instant / SECOND) * SECOND, false);
  return isFloating ? text.replace("Z", "") : text;
}

/** In milliseconds. */
const SECOND = 1000;
