import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { zoneBlock, zonedTime } from "../../src/events/icalendar/zones.js";
import { NOW } from "../support/harness.js";

/** Zones of the world, and times whose VTIMEZONE other programs read. */

/** Zones with unusual, new or former rules. */
export const ODD_ZONES = [
  ...["Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "America/Asuncion", "America/Havana"],
  ...["America/Nuuk", "America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "Antarctica/Troll"],
  ...["Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem", "Asia/Pyongyang", "Asia/Tehran", "Atlantic/Azores"],
  ...["Australia/Lord_Howe", "Europe/Dublin", "Europe/Istanbul", "Europe/Volgograd", "Pacific/Apia"],
  ...["Pacific/Chatham", "Pacific/Easter", "Pacific/Fiji", "Pacific/Norfolk"],
];
const PLAIN = ["America/New_York", "Asia/Kathmandu", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin"];
export const ZONES = [...ODD_ZONES, ...PLAIN];

/** The VTIMEZONE for what lies between two times; null for a series without an end. */
export function zoneLines(zone: string, from: string | number, to: string | number | null) {
  const span = {
    from: new Date(from).getTime(),
    to: to === null ? Number.POSITIVE_INFINITY : new Date(to).getTime(),
  };
  return zoneBlock(zone, span, { now: NOW, pause: async () => undefined });
}

/** Instants whose wall clock occurs once. */
export function nameable(zone: string, instants: readonly number[]) {
  const pairs = instants.flatMap((instant) => {
    const clock = zonedTime(instant, zone);
    return clock === null ? [] : [{ instant, clock }];
  });
  return { instants: pairs.map(({ instant }) => instant), clocks: pairs.map(({ clock }) => clock) };
}

/** Times from 2014 to a year, some days apart, at every hour. */
export function timesUntil(last: number, days: number): readonly number[] {
  const count = Math.floor(((last - 2013) * 365) / days);
  return Array.from({ length: count }, (_, index) => Date.UTC(2014, 0) + index * (days * DAY_MS + HOUR_MS));
}
