import ICAL from "ical.js";
import { WINDOWS_TO_IANA_MAP } from "windows-iana";
import { HOUR_MS, isTimeZone } from "../../contract/date-time.js";
import { offsetAt } from "../calendar/zoned-time.js";
import { usageError } from "../errors.js";
import type { IcsComponent } from "./ics-components.js";

/** Gives the IANA zone that a TZID means. @throws CliError usage for one that is not known */
export interface ZoneFinder {
  (tzid: string): string;
  /** Null for one that is not known. */
  known(tzid: string): string | null;
}

/** Zones of a file that are read by their VTIMEZONE; others are not known. */
const MAX_DESCRIBED = 50;

/**
 * Zones by their IANA name with an area, also at the end of a longer one (`/mozilla.org/20050126_1/Europe/Berlin`). Any other name
 * means what its VTIMEZONE says; without one, the zone that Windows calls so.
 * @param zone the first that is tried for a VTIMEZONE of offsets alone
 */
export function createZoneFinder(descriptions: readonly IcsComponent[], zone: string): ZoneFinder {
  const found = new Map<string, string | null>();
  const texts = new Map<string, string>();
  for (const { text } of descriptions) {
    const name = propertyOf(text, "TZID");
    if (name !== undefined && !texts.has(name)) texts.set(name, text);
  }
  let described = 0;
  const read = (tzid: string): string | null => {
    const text = texts.get(tzid);
    const named = zoneOfArea(tzid, text) ?? null;
    if (named !== null || text === undefined) return named ?? meantBy(tzid);
    described += 1;
    return described > MAX_DESCRIBED ? null : zoneDescribed(tzid, text, zone);
  };
  const known = (tzid: string): string | null => {
    const before = found.get(tzid);
    const name = before === undefined ? read(tzid) : before;
    found.set(tzid, name);
    return name;
  };
  const find = (tzid: string): string => {
    const name = known(tzid);
    if (name !== null) return name;
    throw usageError(`the zone "${tzid}" is not known`);
  };
  return Object.assign(find, { known });
}

/** The zone that a name with an area gives, or X-LIC-LOCATION of its VTIMEZONE. */
function zoneOfArea(tzid: string, description = ""): string | undefined {
  const segments = tzid.split("/");
  const ends = [segments.length, 3, 2].map((count) => segments.slice(-count).join("/"));
  return [...ends, propertyOf(description, "X-LIC-LOCATION") ?? ""].find(isZoneOfArea);
}

/** The zone that another name means by itself. */
function meantBy(tzid: string): string | null {
  return zoneByName(tzid.split("/").at(-1) ?? "") ?? zoneByName(tzid);
}

function zoneDescribed(tzid: string, description: string, zone: string): string | null {
  const meant = meantBy(tzid);
  const offsets = weeksOf(description);
  return (
    zoneByOffsets(offsets, meant === null ? [zone] : [meant, zone]) ?? (isAbbreviation(tzid) ? null : meant)
  );
}

function isZoneOfArea(name: string): boolean {
  return name.includes("/") && isTimeZone(name);
}

/** Names of one meaning; anything else in a few capitals is an abbreviation, which several places have. */
const UTC_NAMES = /^(?:UTC|GMT|Z)$/i;

function isAbbreviation(name: string): boolean {
  return /^[A-Z]{1,5}$/.test(name) && !UTC_NAMES.test(name);
}

/** The zone that a name without an area means by itself: of Windows, or an old one of IANA, such as Japan. */
function zoneByName(name: string): string | null {
  if (UTC_NAMES.test(name)) return "UTC";
  const windows = zoneOfWindows(name);
  if (windows !== undefined) return windows;
  if (isAbbreviation(name) || !isTimeZone(name)) return null;
  const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
  return timeZone === "UTC" || isZoneOfArea(timeZone) ? timeZone : null;
}

/** The zone that a name of Windows means in no country in particular. @see CLDR, windowsZones, territory 001 */
function zoneOfWindows(name: string): string | undefined {
  const isMeant = (each: (typeof WINDOWS_TO_IANA_MAP)[number]) =>
    each.windowsName === name && each.territory === "001";
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

/** The first zone with these offsets; null if there is none. @param first tried before all others */
function zoneByOffsets(offsets: ReturnType<typeof weeksOf>, first: readonly string[]): string | null {
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

/** Code units of a VTIMEZONE that is read. */
const MAX_DESCRIPTION = 100_000;

/** A year whose rules hold today. */
const YEAR = 2026;

/** The offsets of a VTIMEZONE in each week of a year; empty where it cannot be read. */
function weeksOf(text: string): readonly { readonly instant: number; readonly offset: number }[] {
  // ical.js lists every change since 1970.
  if (text.length > MAX_DESCRIPTION || /FREQ=(?!YEARLY)|BY(?:HOUR|MINUTE|SECOND)=\d+,/i.test(text)) return [];
  try {
    const timezone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(text)));
    return Array.from({ length: 52 }, (_, week) => {
      const time = ICAL.Time.fromData({ year: YEAR, month: 1, day: 1, hour: 12 });
      time.adjust(week * 7, 0, 0, 0);
      const offset = timezone.utcOffset(time) * 1000;
      return { instant: Date.UTC(YEAR, 0, 1 + week * 7, 12) - offset, offset };
    });
  } catch {
    return [];
  }
}
