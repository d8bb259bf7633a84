import fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { numberOfRuns } from "../../support/shared.js";
import { nameable, ODD_ZONES, timesUntil, ZONES, zoneLines } from "../../time/zone-samples.js";

/** A VTIMEZONE means what Intl knows of the zone, wherever an event or a series needs it. */

/** The instants of wall clocks as ical.js reads them with a zone. */
function readWith(lines: readonly string[], clocks: readonly string[]): readonly number[] {
  const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(lines.join("\r\n"))));
  return clocks.map((clock) => {
    const [year, month, day, hour, minute, second] =
      /(....)(..)(..)T(..)(..)(..)/.exec(clock)?.slice(1).map(Number) ?? [];
    return new ICAL.Time({ year, month, day, hour, minute, second }, zone).toUnixTime() * 1000;
  });
}

const kindsOf = (lines: readonly string[]) =>
  lines.flatMap((line) => (/^(?:BEGIN:[SD]|RRULE|DTSTART)/.test(line) ? [line.replace("BEGIN:", "")] : []));

describe("a zone", () => {
  test("whose clock changes by a rule has only that rule, without an end, even for a series since 2014", async () => {
    const rules = ["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"];
    const [spring, autumn] = rules;
    expect(kindsOf(await zoneLines("Europe/Berlin", "2014-01-06T08:00:00Z", null))).toEqual([
      ...["DAYLIGHT", "DTSTART:20130331T020000", spring],
      ...["STANDARD", "DTSTART:20131027T030000", autumn],
    ]);
    const alone = await zoneLines("Europe/Berlin", "2026-07-01T08:00:00Z", "2026-07-01T09:00:00Z");
    expect(alone.filter((line) => line.startsWith("RRULE"))).toEqual(rules);
  });

  test.each([
    ["Asia/Tokyo", ["STANDARD", "DTSTART:20250101T090000"]],
    ["America/Sao_Paulo", ["STANDARD", "DTSTART:20241231T210000"]],
    ["Asia/Tehran", ["STANDARD", "DTSTART:20250101T033000"]],
  ])("%s, whose clock does not change any more, has one STANDARD", async (zone, expected) => {
    expect(kindsOf(await zoneLines(zone, "2026-11-23T08:00:00Z", null))).toEqual(expected);
  });

  test("has the changes before its rule only where an event is as early", async () => {
    const rules = ["RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU"];
    const zone = "America/New_York";
    expect(kindsOf(await zoneLines(zone, "2006-06-01T12:00:00Z", "2026-06-01T12:00:00Z"))).toEqual([
      ...["DAYLIGHT", "DTSTART:20060402T020000", "STANDARD", "DTSTART:20061029T020000"],
      ...["DAYLIGHT", "DTSTART:20070311T020000", rules[0]],
      ...["STANDARD", "DTSTART:20071104T020000", rules[1]],
    ]);
    expect(kindsOf(await zoneLines(zone, "2006-06-01T12:00:00Z", "2006-12-01T12:00:00Z"))).toEqual([
      ...["DAYLIGHT", "DTSTART:20060402T020000", "STANDARD", "DTSTART:20061029T020000"],
    ]);
    const { length } = kindsOf(await zoneLines(zone, "2007-06-01T12:00:00Z", null));
    expect(length).toBe(6);
  });

  test.each([
    // 24:00 on the last Thursday of October, which may be the first of November.
    ["Africa/Cairo", "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1TH"],
    // 23:00 on the day before the last Sunday.
    ["America/Nuuk", "RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA"],
  ])("%s has its own rule", async (zone, rule) => {
    expect(await zoneLines(zone, "2026-11-23T08:00:00Z", null)).toContain(rule);
  });

  // Python reads all of them: test/system/python.test.ts.
  test.each(ZONES.filter((_, index) => index % 3 === 0))(
    "%s, of a series since 2014, reads as Intl does until 2040",
    async (zone) => {
      const { instants, clocks } = nameable(zone, timesUntil(2040, 30));
      expect(readWith(await zoneLines(zone, "2014-01-01T00:00:00Z", null), clocks)).toEqual(instants);
    },
  );

  test("of any name reads as Intl does, of events from 2014 to 2040", async () => {
    const time = fc.integer({ min: Date.UTC(2014, 0), max: Date.UTC(2041, 0) });
    const zones = fc.constantFrom(...ODD_ZONES, ...Intl.supportedValuesOf("timeZone"));
    await fc.assert(
      fc.asyncProperty(zones, fc.array(time, { minLength: 1, maxLength: 4 }), async (zone, times) => {
        const minutes = times.map((each) => Math.floor(each / 60_000) * 60_000).sort((a, b) => a - b);
        const { instants, clocks } = nameable(zone, minutes);
        const lines = await zoneLines(zone, minutes[0] ?? 0, minutes.at(-1) ?? 0);
        expect(readWith(lines, clocks)).toEqual(instants);
      }),
      { numRuns: numberOfRuns(8), seed: 36 },
    );
  });
});
