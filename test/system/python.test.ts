import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Label } from "../../contract/shapes.js";
import { labelView } from "../../src/events/views/calendar.js";
import { rendered } from "../output/rendered.js";
import { hostileText } from "../support/harmful-text.js";
import { describeWithSystem } from "../support/system.js";
import { nameable, timesUntil, ZONES, zoneLines } from "../time/zone-samples.js";

/** Python's libraries read what calctl writes. */

/** Reads CSV texts with Python's reader: one list of rows for each text. */
const CSV_READER = `
import csv, io, json, sys
texts = json.load(sys.stdin)
json.dump([list(csv.reader(io.StringIO(text, newline=""), strict=True)) for text in texts], sys.stdout)
`;

function readWithPython(texts: readonly string[]): readonly (readonly (readonly string[])[])[] {
  return JSON.parse(
    execFileSync("python3", ["-c", CSV_READER], { input: JSON.stringify(texts), encoding: "utf8" }),
  );
}

describeWithSystem("python", "Python's csv module", () => {
  test("reads every text back", async () => {
    // A lone surrogate has no encoding.
    const text = hostileText.map((value) => value.replace(/\p{Cs}/gu, "\ufffd"));
    const label: fc.Arbitrary<Label> = fc.record({ id: text, number: fc.nat(), name: text, color: text });
    const lists = fc.sample(fc.array(label, { maxLength: 4 }), 200);
    const options = { format: "csv", fields: "name,id,number" };
    const texts = await Promise.all(lists.map((labels) => rendered(labelView, labels, options)));
    const single = await Promise.all(
      lists.map((labels) => rendered(labelView, labels, { format: "csv", fields: "name" })),
    );
    const header = [["name", "id", "number"]];
    expect(readWithPython([...texts, ...single])).toEqual([
      ...lists.map((labels) => [
        ...header,
        ...labels.map(({ name, id, number }) => [name, id, String(number)]),
      ]),
      ...lists.map((labels) => [["name"], ...labels.map(({ name }) => [name])]),
    ]);
  });
});

/** Reads one JSON array of [VTIMEZONE, [wall clock, …]], and prints the instants as dateutil and python3-icalendar read each. */
const ZONE_READER = `
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
        lines: await zoneLines(zone, "2014-01-01T00:00:00Z", null),
      })),
    );
    const input = JSON.stringify(cases.map(({ lines, clocks }) => [lines.join("\r\n"), clocks]));
    const options = { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
    const read = JSON.parse(execFileSync("/usr/bin/python3", ["-c", ZONE_READER], options)) as number[][][];
    for (const [index, { zone, instants }] of cases.entries())
      expect({ zone, read: read[index] }).toEqual({ zone, read: [instants, instants] });
  });
});
