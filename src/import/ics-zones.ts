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

/**
 * Zones by their IANA name, also at the end of a longer one (`/mozilla.org/20050126_1/Europe/Berlin`), by the name that
 * Windows has for them, and otherwise by what their VTIMEZONE says.
 * @param zone the first that is tried for a VTIMEZONE of offsets alone
 */
export function createZoneFinder(descriptions: readonly IcsComponent[], zone: string): ZoneFinder {
  const found = new Map<string, string | null>();
  const known = (tzid: string): string | null => {
    const before = found.get(tzid);
    const name = before === undefined ? findZone(tzid, descriptions, zone) : before;
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

function findZone(tzid: string, descriptions: readonly IcsComponent[], zone: string): string | null {
  const description = descriptions.find(({ text }) => propertyOf(text, "TZID") === tzid);
  const location = propertyOf(description?.text ?? "", "X-LIC-LOCATION") ?? "";
  const segments = tzid.split("/");
  const ends = [3, 2, 1].map((count) => segments.slice(-count).join("/"));
  const names = [tzid, ...ends, location, zoneOfWindows(tzid) ?? ""];
  const known = names.find(isTimeZone);
  return known ?? (description === undefined ? null : zoneByOffsets(description.text, zone));
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

/** The first zone with the offsets of a VTIMEZONE in each week of a year; null if there is none. */
function zoneByOffsets(text: string, zone: string): string | null {
  // ical.js lists every change since 1970.
  if (/FREQ=(?!YEARLY)/i.test(text)) return null;
  const offsets = weeksOf(text);
  const [first] = offsets;
  if (first === undefined) return null;
  const hours = -first.offset / HOUR_MS;
  const fixed = hours === 0 ? "UTC" : `Etc/GMT${hours > 0 ? "+" : ""}${hours}`;
  const candidates = [zone, fixed, ...Intl.supportedValuesOf("timeZone")].filter(isTimeZone);
  const fits = (name: string) => offsets.every(({ instant, offset }) => offsetAt(instant, name) === offset);
  return candidates.find(fits) ?? null;
}

/** A year whose rules hold today. */
const YEAR = 2026;

function weeksOf(text: string): readonly { readonly instant: number; readonly offset: number }[] {
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
