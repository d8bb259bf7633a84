import { execFileSync } from "node:child_process";
import fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { zoneBlock, zonedTime } from "../../src/calendar/icalendar-zones.js";
import { describeWithSystem } from "../support/system.js";

/** A VTIMEZONE means what Intl knows of the zone, wherever an event or a series needs it. */

const NOW = Date.parse("2026-11-21T14:30:00.000Z");

/** Zones with unusual, new or former rules. */
const ODD = [
  ...["Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "America/Asuncion", "America/Havana"],
  ...["America/Nuuk", "America/Santiago", "America/Sao_Paulo", "America/Scoresbysund", "Antarctica/Troll"],
  ...["Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem", "Asia/Pyongyang", "Asia/Tehran", "Atlantic/Azores"],
  ...["Australia/Lord_Howe", "Europe/Dublin", "Europe/Istanbul", "Europe/Volgograd", "Pacific/Apia"],
  ...["Pacific/Chatham", "Pacific/Easter", "Pacific/Fiji", "Pacific/Norfolk"],
];
const PLAIN = ["America/New_York", "Asia/Kathmandu", "Asia/Tokyo", "Australia/Sydney", "Europe/Berlin"];
const ZONES = [...ODD, ...PLAIN];

const block = (zone: string, from: string, to: string | null) => {
  const span = { from: Date.parse(from), to: to === null ? Number.POSITIVE_INFINITY : Date.parse(to) };
  return zoneBlock(zone, span, { now: NOW, pause: async () => undefined });
};

/** The instants of wall clocks as ical.js reads them with a zone. */
function readWith(lines: readonly string[], clocks: readonly string[]): readonly number[] {
  const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(lines.join("\r\n"))));
  return clocks.map((clock) => {
    const [year, month, day, hour, minute, second] =
      /(....)(..)(..)T(..)(..)(..)/.exec(clock)?.slice(1).map(Number) ?? [];
    return new ICAL.Time({ year, month, day, hour, minute, second }, zone).toUnixTime() * 1000;
  });
}

/** Instants whose wall clock occurs once. */
function nameable(zone: string, instants: readonly number[]) {
  const pairs = instants.flatMap((instant) => {
    const clock = zonedTime(instant, zone);
    return clock === null ? [] : [{ instant, clock }];
  });
  return { instants: pairs.map(({ instant }) => instant), clocks: pairs.map(({ clock }) => clock) };
}

/** Times from 2014 to a year, some days apart, at every hour. */
function timesUntil(last: number, days: number): readonly number[] {
  const count = Math.floor(((last - 2013) * 365) / days);
  return Array.from({ length: count }, (_, index) => Date.UTC(2014, 0) + index * (days * DAY_MS + HOUR_MS));
}

const kindsOf = (lines: readonly string[]) =>
  lines.flatMap((line) => (/^(?:BEGIN:[SD]|RRULE|DTSTART)/.test(line) ? [line.replace("BEGIN:", "")] : []));

describe("a zone", () => {
  test("whose clock changes by a rule has only that rule, without an end, even for a series since 2014", async () => {
    const rules = ["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"];
    const [spring, autumn] = rules;
    expect(kindsOf(await block("Europe/Berlin", "2014-01-06T08:00:00Z", null))).toEqual([
      ...["DAYLIGHT", "DTSTART:20130331T020000", spring],
      ...["STANDARD", "DTSTART:20131027T030000", autumn],
    ]);
    const alone = await block("Europe/Berlin", "2026-07-01T08:00:00Z", "2026-07-01T09:00:00Z");
    expect(alone.filter((line) => line.startsWith("RRULE"))).toEqual(rules);
  });

  test.each([
    ["Asia/Tokyo", ["STANDARD", "DTSTART:20250101T090000"]],
    ["America/Sao_Paulo", ["STANDARD", "DTSTART:20241231T210000"]],
    ["Asia/Tehran", ["STANDARD", "DTSTART:20250101T033000"]],
  ])("%s, whose clock does not change any more, has one STANDARD", async (zone, expected) => {
    expect(kindsOf(await block(zone, "2026-11-23T08:00:00Z", null))).toEqual(expected);
  });

  test("has the changes before its rule only where an event is as early", async () => {
    const rules = ["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU"];
    const zone = "America/New_York";
    expect(kindsOf(await block(zone, "2006-06-01T12:00:00Z", "2026-06-01T12:00:00Z"))).toEqual([
      ...["DAYLIGHT", "DTSTART:20060402T020000", "STANDARD", "DTSTART:20061029T020000"],
      ...["DAYLIGHT", "DTSTART:20070311T020000", rules[0]],
      ...["STANDARD", "DTSTART:20071104T020000", rules[1]],
    ]);
    expect(kindsOf(await block(zone, "2006-06-01T12:00:00Z", "2006-12-01T12:00:00Z"))).toEqual([
      ...["DAYLIGHT", "DTSTART:20060402T020000", "STANDARD", "DTSTART:20061029T020000"],
    ]);
    const { length } = kindsOf(await block(zone, "2007-06-01T12:00:00Z", null));
    expect(length).toBe(6);
  });

  test.each([
    // 24:00 on the last Thursday of October, which may be the first of November.
    ["Africa/Cairo", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1TH"],
    // 23:00 on the day before the last Sunday.
    ["America/Nuuk", "RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA"],
  ])("%s has its own rule", async (zone, rule) => {
    expect(await block(zone, "2026-11-23T08:00:00Z", null)).toContain(rule);
  });

  test.each(ZONES)("%s, of a series since 2014, reads as Intl does until 2040", async (zone) => {
    const { instants, clocks } = nameable(zone, timesUntil(2040, 7));
    expect(readWith(await block(zone, "2014-01-01T00:00:00Z", null), clocks)).toEqual(instants);
  });

  test("of any name reads as Intl does, of events from 2014 to 2040", { timeout: 60_000 }, async () => {
    const time = fc.integer({ min: Date.UTC(2014, 0), max: Date.UTC(2041, 0) });
    const zones = fc.constantFrom(...ODD, ...Intl.supportedValuesOf("timeZone"));
    await fc.assert(
      fc.asyncProperty(zones, fc.array(time, { minLength: 1, maxLength: 4 }), async (zone, times) => {
        const minutes = times.map((each) => Math.floor(each / 60_000) * 60_000).sort((a, b) => a - b);
        const { instants, clocks } = nameable(zone, minutes);
        const span = { from: minutes[0] ?? 0, to: minutes.at(-1) ?? 0 };
        const lines = await zoneBlock(zone, span, { now: NOW, pause: async () => undefined });
        expect(readWith(lines, clocks)).toEqual(instants);
      }),
      { numRuns: 150, seed: 36 },
    );
  });
});

/** Reads one JSON array of [VTIMEZONE, [wall clock, …]], and prints the instants as dateutil and python3-icalendar read each. */
const READER = `
import datetime, io, json, sys
from dateutil.tz import tzical
import icalendar
epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
def read(zone, clocks):
    times = [datetime.datetime.strptime(clock, "%Y%m%dT%H%M%S") for clock in clocks]
    attach = zone.localize if hasattr(zone, "localize") else lambda time: time.replace(tzinfo=zone)
    return [int((attach(time) - epoch).total_seconds() * 1000) for time in times]
result = []
for text, clocks in json.load(sys.stdin):
    whole = "BEGIN:VCALENDAR\\r\\n" + text + "\\r\\nEND:VCALENDAR\\r\\n"
    zone = icalendar.Calendar.from_ical(whole).walk("VTIMEZONE")[0].to_tz()
    result.append([read(tzical(io.StringIO(text)).get(), clocks), read(zone, clocks)])
print(json.dumps(result))
`;

describeWithSystem("icalendar", "a zone in Python", () => {
  test("reads as Intl does, of a series since 2014, with dateutil and python3-icalendar", async () => {
    // python3-icalendar ends rules with 2037.
    const cases = await Promise.all(
      ZONES.map(async (zone) => ({
        zone,
        ...nameable(zone, timesUntil(2036, 25)),
        lines: await block(zone, "2014-01-01T00:00:00Z", null),
      })),
    );
    const input = JSON.stringify(cases.map(({ lines, clocks }) => [lines.join("\r\n"), clocks]));
    const options = { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
    const read = JSON.parse(execFileSync("/usr/bin/python3", ["-c", READER], options)) as number[][][];
    for (const [index, { zone, instants }] of cases.entries())
      expect({ zone, read: read[index] }).toEqual({ zone, read: [instants, instants] });
  }, 60_000);
});
