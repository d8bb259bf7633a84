import ICAL from "ical.js";
import { WINDOWS_TO_IANA_MAP } from "windows-iana";
import { DAY_MS, HOUR_MS, isTimeZone, MINUTE_MS } from "../../../contract/date-time.js";
import { readTimeZoneName } from "../../../contract/time-zone-names.js";
import { type CliError, usageError } from "../../errors.js";
import { offsetAt } from "../../time/zoned-time.js";
import type { IcsComponent } from "./ics-text.js";

/** Gives the IANA zone of a TZID for a time that its clock shows. @throws CliError usage for one that is not known */
export interface ZoneFinder {
  /** @param wallClock what the clock shows, as if it were UTC (ms) */
  (tzid: string, wallClock: number): string;
  /** The zone in the newest year of the file; null for one that is not known. */
  known(tzid: string): string | null;
  /** @param lines see `IcsComponent` */
  ofCalendar(lines: string): CalendarZone;
}

/** The zone of times without one. */
interface CalendarZone {
  /** Null where the calendar does not say one that is known. */
  readonly zone: string | null;
  /** What the calendar says instead. */
  readonly unknown: string | undefined;
}

interface FinderOptions {
  /** The first that is tried for a VTIMEZONE of offsets alone. */
  readonly zone: string;
  /** Of the events of the file. */
  readonly newestYear: number;
}

/** Zones of a file that are read by their VTIMEZONE; others are not known. */
const MAX_DESCRIBED = 50;

/** What a TZID means when a clock of it shows a time; where that is not known null, or why. */
type ZoneAt = (wallClock: number) => string | CliError | null;

/**
 * Zones by their IANA name with an area, also at the end of a longer one (`/mozilla.org/20050126_1/Europe/Berlin`). Any other name
 * means what the VTIMEZONE of its calendar says, or the first one of the file; without one, the zone that Windows calls so.
 * @returns the finder of a calendar, by its number
 */
export function createZoneFinder(
  descriptions: readonly IcsComponent[],
  options: FinderOptions,
): (calendar: number) => ZoneFinder {
  /** By the VTIMEZONE and the TZID. */
  const found = new Map<string, Map<string, ZoneAt>>();
  const first = new Map<string, string>();
  const own = new Map<string, string>();
  for (const { text, calendar } of descriptions) {
    const name = propertyOf(text, "TZID");
    if (name === undefined) continue;
    if (!first.has(name)) first.set(name, text);
    const key = `${calendar} ${name}`;
    if (!own.has(key)) own.set(key, text);
  }
  let described = 0;
  const open = (tzid: string, text: string): ZoneAt => {
    const named = zoneOfArea(tzid, text) ?? null;
    const description = named !== null || text === "" ? null : readDescription(tzid, text);
    if (typeof description !== "function") {
      const zone = named ?? meantBy(tzid) ?? description;
      return () => zone;
    }
    described += 1;
    return described > MAX_DESCRIBED ? () => null : openDescribed(tzid, description, options);
  };
  const calendars = new Map<string, CalendarZone>();
  return (calendar) => {
    const zoneAt = (written: string, wallClock: number): ReturnType<ZoneAt> => {
      const tzid = written.trim();
      const text = own.get(`${calendar} ${tzid}`) ?? first.get(tzid) ?? "";
      const zones = found.get(text) ?? new Map<string, ZoneAt>();
      found.set(text, zones);
      const zone = zones.get(tzid) ?? open(tzid, text);
      zones.set(tzid, zone);
      return zone(wallClock);
    };
    const find = (tzid: string, wallClock: number): string => {
      const zone = zoneAt(tzid, wallClock);
      if (typeof zone === "string") return zone;
      throw zone ?? usageError(`the zone "${tzid}" is not known`);
    };
    const known = (tzid: string): string | null => {
      const zone = zoneAt(tzid, Date.UTC(options.newestYear, 0));
      return typeof zone === "string" ? zone : null;
    };
    const ofCalendar = (lines: string): CalendarZone => {
      const read = calendars.get(lines);
      if (read !== undefined) return read;
      const name = propertyOf(lines, "(?:X-WR-TIMEZONE|TIMEZONE-ID)");
      const zone = name === undefined ? zoneOfVcalendar(lines, options.zone) : known(name);
      const unknown = zone === null ? (name ?? propertyOf(lines, "TZ")) || undefined : undefined;
      const found = { zone, unknown };
      calendars.set(lines, found);
      return found;
    };
    return Object.assign(find, { known, ofCalendar });
  };
}

/** The zone with the offset of TZ and the summer times of DAYLIGHT. @param first tried before all others @see vCalendar 1.0 */
function zoneOfVcalendar(lines: string, first: string): string | null {
  const standard = offsetOfName(propertyOf(lines, "TZ") ?? "");
  if (standard === null) return null;
  const summers = Array.from(lines.matchAll(/^DAYLIGHT[;:].*?TRUE;([^;]*);(\d{4})(\d\d)(\d\d)/gim));
  const offsets = summers.flatMap(([, summer = "", year, month, day]) => {
    const start = Date.UTC(Number(year), Number(month) - 1, Number(day));
    return [
      { instant: start - DAY_MS, offset: standard },
      { instant: start + 2 * DAY_MS, offset: offsetOfName(summer) ?? Number.NaN },
    ];
  });
  return offsets.length === 0 ? zoneOfOffset(standard) : zoneByOffsets(offsets, [first]);
}

/** The zone that a name with an area gives, or X-LIC-LOCATION of its VTIMEZONE. */
function zoneOfArea(tzid: string, description = ""): string | undefined {
  const segments = tzid.split("/");
  const ends = [segments.length, 3, 2].map((count) => segments.slice(-count).join("/"));
  const name = [...ends, propertyOf(description, "X-LIC-LOCATION") ?? ""].find(isZoneOfArea);
  return name === undefined ? undefined : spellZone(name);
}

/** As the IANA database spells it; one name for UTC. */
function spellZone(name: string): string {
  return UTC_NAMES.test(name) ? "UTC" : (readTimeZoneName(name) ?? name);
}

/** The zone that another name means by itself. */
function meantBy(tzid: string): string | null {
  return zoneByName(tzid.split("/").at(-1) ?? "") ?? zoneByName(tzid);
}

/** Years of a VTIMEZONE that are compared with those of known zones. */
const MAX_YEARS = 20;

/**
 * The zone that has the offsets of a VTIMEZONE in the year of a time. Programs write rules of today beside old times, and rules of one
 * year alone, so the zone that its name means, or that has its offsets in the newest year, is taken where it shows the same then.
 */
function openDescribed(tzid: string, description: Description, { zone, newestYear }: FinderOptions): ZoneAt {
  const meant = meantBy(tzid);
  const first = meant === null ? [zone] : [meant, zone];
  const years = new Map<number, string | null>();
  const zoneIn = (year: number): string | null => {
    const known = years.get(year);
    if (known !== undefined) return known;
    const fitting = zoneByOffsets(weeksOf(description, year), first);
    years.set(year, fitting);
    return fitting;
  };
  return (wallClock) => {
    const year = new Date(wallClock).getUTCFullYear();
    const isRead = years.has(year) || years.size < MAX_YEARS;
    const fitting = isRead ? zoneIn(year) : null;
    if (fitting !== null) return fitting;
    const offset = description(wallClock);
    const others = [isAbbreviation(tzid) ? null : meant, zoneIn(newestYear)];
    return others.find((name) => name !== null && offsetAt(wallClock - offset, name) === offset) ?? null;
  };
}

function isZoneOfArea(name: string): boolean {
  return name.includes("/") && isTimeZone(name);
}

/** Names of one meaning; anything else in a few capitals is an abbreviation, which several places have. */
const UTC_NAMES =
  /^(?:(?:Etc\/)?(?:UTC|UCT|GMT[+-]?0?|Zulu|Universal|Greenwich)|Z|(?:\((?:UTC|GMT)(?:[+-]00:?00)?\) )?Coordinated Universal Time)$/i;

function isAbbreviation(name: string): boolean {
  return /^[A-Z]{1,5}$/.test(name) && !UTC_NAMES.test(name);
}

/** `UTC+01:00`, `UTC+5.5` and `GMT-5`, which are not the other way round, as `Etc/GMT-1` is. */
const OFFSET_NAMES = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2})|(\.(?:25|5|75)))?$/i;

/** In milliseconds; null for another name. */
function offsetOfName(name: string): number | null {
  const [, sign, hours, minutes = "0", part = "0"] = OFFSET_NAMES.exec(name) ?? [];
  if (hours === undefined) return null;
  return (sign === "-" ? -1 : 1) * ((Number(hours) + Number(part)) * HOUR_MS + Number(minutes) * MINUTE_MS);
}

/** The zone that a name without an area means by itself: of Windows, an offset, or an old one of IANA, such as Japan. */
function zoneByName(name: string): string | null {
  if (UTC_NAMES.test(name)) return "UTC";
  const windows = zoneOfWindows(name);
  if (windows !== undefined) return windows;
  const offset = offsetOfName(name);
  if (offset !== null) return zoneOfOffset(offset);
  if (isAbbreviation(name) || !isTimeZone(name)) return null;
  const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
  return timeZone === "UTC" || isZoneOfArea(timeZone) ? timeZone : null;
}

/** The zone that a name of Windows means in no country in particular. @see CLDR, windowsZones, territory 001 */
function zoneOfWindows(name: string): string | undefined {
  const lower = name.toLowerCase();
  const isMeant = (each: (typeof WINDOWS_TO_IANA_MAP)[number]) =>
    each.territory === "001" && each.windowsName.toLowerCase() === lower;
  return WINDOWS_TO_IANA_MAP.find(isMeant)?.iana[0];
}

function propertyOf(component: string, name: string): string | undefined {
  const text = new RegExp(`^${name}(?:;[^:\\n]*)?:(.*)$`, "im").exec(component)?.[1];
  return text?.trim().replace(/\\(?=[\\,;])/g, "");
}

/** Of several zones with the same offsets, those that most people have. */
const COMMON_ZONES = [
  ...["Europe/London", "Europe/Berlin", "Europe/Helsinki"],
  ...["America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"],
];

type Offsets = readonly { readonly instant: number; readonly offset: number }[];

/** The first zone with these offsets; null if there is none. @param first tried before all others */
function zoneByOffsets(offsets: Offsets, first: readonly string[]): string | null {
  const [start] = offsets;
  if (start === undefined) return null;
  const hours = -start.offset / HOUR_MS;
  const fixed = hours === 0 ? "UTC" : `Etc/GMT${hours > 0 ? "+" : ""}${hours}`;
  const candidates = [...first, fixed, ...COMMON_ZONES, ...Intl.supportedValuesOf("timeZone")].filter(
    isTimeZone,
  );
  const fits = (name: string) => offsets.every(({ instant, offset }) => offsetAt(instant, name) === offset);
  return candidates.find(fits) ?? null;
}

/** A zone that has this offset (ms) all the year; null if there is none. */
export function zoneOfOffset(offset: number): string | null {
  return zoneByOffsets(
    weeksIn(RECENT_YEAR).map((wallClock) => ({ instant: wallClock - offset, offset })),
    [],
  );
}

/** A year whose rules hold today: zones without clock changes have had none for long. */
const RECENT_YEAR = 2026;

/** Code units of a VTIMEZONE that is read. */
const MAX_DESCRIPTION = 100_000;

/** The offset of a VTIMEZONE when its clock shows a time, both in milliseconds. */
type Description = (wallClock: number) => number;

/** Null for a VTIMEZONE without offsets, an error for one that cannot be read. */
function readDescription(tzid: string, text: string): Description | CliError | null {
  const unreadable = usageError(`the VTIMEZONE of "${tzid.slice(0, 40)}" cannot be read`);
  // ical.js lists every change since the first.
  if (text.length > MAX_DESCRIPTION || /FREQ=(?!YEARLY)|BY(?:HOUR|MINUTE|SECOND)=\d+,/i.test(text))
    return unreadable;
  try {
    const component = new ICAL.Component(ICAL.parse(text));
    const timezone = new ICAL.Timezone(component);
    const [first] = onsetsOf(component).sort((one, other) => one.start.compare(other.start));
    if (first === undefined) return null;
    const description = (wallClock: number) => {
      const time = timeOf(wallClock);
      // ical.js has no offset before the first change.
      const isBefore = time.compare(first.start) < 0;
      return (isBefore ? first.offsetBefore : timezone.utcOffset(time)) * 1000;
    };
    // Some errors show when its rules are followed.
    description(Date.UTC(RECENT_YEAR, 0));
    return description;
  } catch (error) {
    return Object.assign(unreadable, { cause: error });
  }
}

/** When the clock changes of a VTIMEZONE begin, and the offset before (s). */
function onsetsOf(component: ICAL.Component) {
  const names = ["dtstart", "tzoffsetfrom", "tzoffsetto"];
  const parts = component
    .getAllSubcomponents()
    .filter((part) => names.every((name) => part.hasProperty(name)));
  return parts.map((part) => {
    const start = part.getFirstPropertyValue("dtstart");
    const offset = part.getFirstPropertyValue("tzoffsetfrom");
    if (!(start instanceof ICAL.Time && offset instanceof ICAL.UtcOffset))
      throw new Error("not a clock change");
    return { start, offsetBefore: offset.toSeconds() };
  });
}

/** ical.js lists the changes of every year before. */
const LAST_YEAR = 2100;

function timeOf(wallClock: number): ICAL.Time {
  const date = new Date(wallClock);
  return ICAL.Time.fromData({
    year: Math.min(date.getUTCFullYear(), LAST_YEAR),
    ...{ month: date.getUTCMonth() + 1, day: date.getUTCDate() },
    ...{ hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() },
  });
}

/** Noon of each week of a year. */
function weeksIn(year: number): readonly number[] {
  return Array.from({ length: 52 }, (_, week) => Date.UTC(year, 0, 1 + week * 7, 12));
}

function weeksOf(description: Description, year: number): Offsets {
  return weeksIn(year).map((wallClock) => {
    const offset = description(wallClock);
    return { instant: wallClock - offset, offset };
  });
}
