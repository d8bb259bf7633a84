import { readFileSync } from "node:fs";
import ICAL from "ical.js";
import { expect, test } from "vitest";
import { instantAt } from "../../../src/time/zoned-time.js";
import { compare, FILES, PLAIN_FILES, pathOf, type Reading, read, readingOf } from "./real-files.js";

test.each(FILES)("%s is read to its end", async (file) => {
  const { items, isComplete, format } = await read(file);
  expect({ format, isComplete, rejected: items.filter(({ kind }) => kind === "rejected") }).toEqual({
    format: "ics",
    isComplete: true,
    rejected: [],
  });
  expect(items).not.toEqual([]);
});

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
