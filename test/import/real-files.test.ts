import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import ICAL from "ical.js";
import { expect, test } from "vitest";
import { instantAt } from "../../src/calendar/zoned-time.js";
import type { ImportItem } from "../../src/import/entry.js";
import { readImportFile } from "../../src/import/read.js";
import { describeWithSystem } from "../support/system.js";

/**
 * Files in the manner of the programs that are known for them: zones, folding, lines of their own. khal and
 * python3-icalendar read the same events; where they do not, docs/decisions/2026-11-23-import.md says why.
 */
const FOLDER = fileURLToPath(new URL("fixtures/", import.meta.url));
const FIELD = fileURLToPath(new URL("field/", import.meta.url));
const READERS = fileURLToPath(new URL("ics-readers.py", import.meta.url));
/** Files whose times are written otherwise than RFC 5545 says. */
const ODD_TIMES = ["allday-midnights", "calendar-zone", "exdate-none", "fractions", "offsets", "utc-names"];
const PLAIN_FILES = readdirSync(FOLDER).sort();
const FILES = [...PLAIN_FILES, ...ODD_TIMES.map((name) => `${name}.ics`)];

interface Reading {
  readonly uid: string;
  readonly title: string;
  /** A date, or a time in UTC. */
  readonly start: string;
  readonly end: string | null;
  readonly location: string;
  readonly description: string;
  readonly cancelled: boolean;
}

function pathOf(file: string): string {
  return join(ODD_TIMES.includes(basename(file, ".ics")) ? FIELD : FOLDER, file);
}

function read(file: string) {
  return readImportFile(readFileSync(pathOf(file)), { name: file, zone: "Europe/Berlin" });
}

function readingOf(item: ImportItem): Reading {
  if (item.kind === "rejected") throw new Error(`line ${item.line}: ${item.reason}`);
  const { identity, title, occurrenceOf, content, cancelled } = item;
  const { start_at = "", end_at = "", all_day, location = "", description = "" } = content;
  const time = (at: string) => (all_day === true ? at.slice(0, 10) : at.replace(".000Z", "Z"));
  const uid = occurrenceOf?.uid ?? identity;
  return { uid, title, start: time(start_at), end: time(end_at), location, description, cancelled };
}

test.each(FILES)("%s is read to its end", async (file) => {
  const { items, isComplete, format } = await read(file);
  expect({ format, isComplete, rejected: items.filter(({ kind }) => kind === "rejected") }).toEqual({
    format: "ics",
    isComplete: true,
    rejected: [],
  });
  expect(items).not.toEqual([]);
});

/** What the others read otherwise: reader, file, UID and field, then our value and theirs. */
const DIFFERENCES: readonly string[] = [
  'icalendar booking-club.ics match1@club.example end: "2026-12-06T14:00:00Z", "2026-12-06T13:00:00Z"',
  'icalendar booking-club.ics match2@club.example end: "2026-12-14", null',
  'icalendar booking-club.ics match3@club.example start: "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"',
  'khal booking-club.ics match3@club.example start: "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"',
  'icalendar booking-ticket.ics ticket-5566@tickets.example end: "2026-12-19T20:00:00Z", null',
  "icalendar exchange-utc.ics \"AttributeError: 'NoneType' object has no attribute 'dt'\"",
  "khal exchange-utc.ics \"AttributeError: 'NoneType' object has no attribute 'dt'\"",
  ...ofBoth("allday-midnights.ics", [
    'midnight-1 start: "2027-03-01", "2027-02-28T23:00:00Z"',
    'midnight-1 end: "2027-03-02", "2027-03-01T23:00:00Z"',
    'midnight-2 start: "2027-03-08", "2027-03-08T05:00:00Z"',
    'midnight-2 end: "2027-03-09", "2027-03-09T05:00:00Z"',
    'midnight-3 start: "2027-04-05", "2027-04-04T22:00:00Z"',
    'midnight-3 end: "2027-04-06", "2027-04-05T22:00:00Z"',
    'midnight-3 start: "2027-04-09", "2027-04-08T22:00:00Z"',
    'midnight-3 end: "2027-04-10", "2027-04-09T22:00:00Z"',
  ]),
  ...ofBoth("calendar-zone.ics", [
    'zone-1 start: "2027-07-01T16:00:00Z", "2027-07-01T09:00:00Z"',
    'zone-1 end: "2027-07-01T17:00:00Z", "2027-07-01T10:00:00Z"',
    'zone-2 start: "2027-07-05T16:00:00Z", "2027-07-05T09:00:00Z"',
    'zone-2 end: "2027-07-05T17:00:00Z", "2027-07-05T10:00:00Z"',
  ]),
  ...ofBoth("fractions.ics", ["\"AttributeError: 'NoneType' object has no attribute 'dt'\""]),
  ...ofBoth("offsets.ics", ["\"AttributeError: 'NoneType' object has no attribute 'dt'\""]),
  ...ofBoth("utc-names.ics", [
    'utc-3 start: "2027-07-01T09:00:00Z", "2027-07-01T07:00:00Z"',
    'utc-3 end: "2027-07-01T10:00:00Z", "2027-07-01T08:00:00Z"',
    'utc-4 start: "2027-07-01T09:00:00Z", "2027-07-01T07:00:00Z"',
    'utc-4 end: "2027-07-01T10:00:00Z", "2027-07-01T08:00:00Z"',
  ]),
];

/** The events of a file as ical.js reads it, and why where it does not. Ours takes single properties and VTIMEZONEs from it. */
function readByIcalJs(text: string): readonly Reading[] | string {
  try {
    const calendar = new ICAL.Component(ICAL.parse(text));
    return calendar.getAllSubcomponents("vevent").map((component) => {
      const event = new ICAL.Event(component);
      const { uid, summary, location, description } = event;
      const times = { start: timeByIcalJs(event.startDate), end: timeByIcalJs(event.endDate) };
      const cancelled = component.getFirstPropertyValue("status") === "CANCELLED";
      return {
        uid,
        title: summary,
        ...times,
        location: location ?? "",
        description: description ?? "",
        cancelled,
      };
    });
  } catch (error) {
    return String(error);
  }
}

/** A time without a zone that the file describes is in Europe/Berlin. */
function timeByIcalJs(time: ICAL.Time): string {
  if (time.isDate) return time.toString();
  const wallClock = Date.parse(`${time.toString().replace("Z", "")}Z`);
  const instant =
    time.zone?.tzid === "floating" ? instantAt(wallClock, "Europe/Berlin") : time.toUnixTime() * 1000;
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

function ofBoth(file: string, differences: readonly string[]): readonly string[] {
  return ["icalendar", "khal"].flatMap((reader) => differences.map((each) => `${reader} ${file} ${each}`));
}

describeWithSystem("khal", "khal and python3-icalendar", () => {
  test("read the same events", async () => {
    const input = JSON.stringify(FILES.map(pathOf));
    const stdio = ["pipe", "pipe", "ignore"] as const;
    // Debian's own: other Pythons do not have khal.
    const output = execFileSync("/usr/bin/python3", [READERS], {
      input,
      encoding: "utf8",
      stdio: [...stdio],
    });
    const theirs: readonly Readonly<Record<string, readonly Reading[] | string>>[] = JSON.parse(output);
    const differences: string[] = [];
    for (const [index, file] of FILES.entries()) {
      const ours = (await read(file)).items.map(readingOf);
      for (const [reader, readings] of Object.entries(theirs[index] ?? {}))
        differences.push(...compare(ours, readings).map((difference) => `${reader} ${file} ${difference}`));
    }
    expect(differences).toEqual(DIFFERENCES);
  });
});

test("ical.js reads the same events, but knows no zone without a VTIMEZONE, and wants DTEND and quotation marks", async () => {
  const differences: string[] = [];
  for (const file of PLAIN_FILES) {
    const ours = (await read(file)).items.map(readingOf);
    const theirs = readByIcalJs(readFileSync(pathOf(file), "utf8"));
    differences.push(...compare(ours, theirs).map((difference) => `${file} ${difference}`));
  }
  expect(differences).toEqual([
    'apple-two-zones.ics 5A1C9E70-4B1D-4C0E-9D7C-0E1F2A3B4C05 end: "2026-12-14T17:40:00Z", "2026-12-14T11:40:00Z"',
    'booking-club.ics "Error: invalid date-time value: \\"2026-12-13T::\\""',
    'booking-ticket.ics ticket-5566@tickets.example end: "2026-12-19T20:00:00Z", "2026-12-19T19:00:00Z"',
    'exchange-utc.ics "Error: Could not extract integer from \\"//Mi\\""',
  ]);
});

function compare(ours: readonly Reading[], theirs: readonly Reading[] | string): readonly string[] {
  if (typeof theirs === "string" || theirs.length !== ours.length) return [JSON.stringify(theirs)];
  return ours.flatMap((reading, index) =>
    Object.entries(reading).flatMap(([field, value]) => {
      const other = theirs[index]?.[field as keyof Reading];
      return value === other
        ? []
        : [`${reading.uid} ${field}: ${JSON.stringify(value)}, ${JSON.stringify(other)}`];
    }),
  );
}
