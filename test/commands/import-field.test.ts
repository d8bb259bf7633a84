import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createHarness } from "../support/harness.js";

/** Files as other programs write them, each after a public report: an import loses and shifts nothing. */
const FOLDER = fileURLToPath(new URL("../import/field/", import.meta.url));

/** What is in the calendar: date, or start in UTC, and title. */
type Expected = readonly string[];

interface Row {
  readonly events: Expected;
  readonly zone?: string;
  /** The days that are listed. */
  readonly days?: readonly [string, string];
  /** What stderr says. */
  readonly notes?: readonly string[];
}

const days = (title: string, ...dates: readonly string[]) => dates.map((date) => `${date} ${title}`);

const FILES: Readonly<Record<string, Row>> = {
  "allday-recurid-datetime.ics": {
    events: [
      ...days("Tour", "2027-01-05", "2027-01-07", "2027-01-12"),
      "2027-01-15 Tour moved",
      ...days("Tour", "2027-01-19", "2027-01-21"),
    ],
  },
  "allday-recurid-cancelled.ics": {
    events: days("Tour", "2027-01-05", "2027-01-07", "2027-01-12", "2027-01-19", "2027-01-21"),
  },
  "floating-recurid.ics": {
    events: [
      "2027-01-05T15:00 Call",
      "2027-01-13T15:00 Call moved",
      "2027-01-19T15:00 Call",
      "2027-01-26T15:00 Call",
    ],
  },
  "exdate-zoned-windows-floating.ics": {
    zone: "America/New_York",
    events: days("Happening", "2027-01-13T17:00", "2027-01-27T17:00", "2027-02-03T17:00"),
  },
  "rrule-trailing-semicolon.ics": {
    events: days(
      "R",
      ...["2027-01-05T08:45", "2027-01-12T08:45", "2027-01-19T08:45", "2027-01-26T08:45", "2027-02-02T08:45"],
    ),
  },
  "rrule-interval-0.ics": {
    events: days(
      "R",
      ...["2027-01-05T08:45", "2027-01-11T08:45", "2027-01-12T08:45"],
      ...["2027-01-18T08:45", "2027-01-19T08:45", "2027-01-25T08:45"],
    ),
    notes: ["1 event with INTERVAL=0 in its rule: read as INTERVAL=1 (line 4)"],
  },
  "rrule-rscale.ics": { events: days("R", "2027-01-05T08:45", "2027-01-12T08:45", "2027-01-19T08:45") },
  "rrule-twice.ics": {
    events: days("Twice", "2027-01-05T08:45", "2027-01-12T08:45", "2027-01-19T08:45"),
    notes: ["1 event with the same RRULE twice: read once (line 4)"],
  },
  "allday-until-utc-last-day.ics": {
    events: days("Days", "2027-03-01", "2027-03-02", "2027-03-03", "2027-03-04"),
  },
  "last-tuesday-outlook-until.ics": {
    events: days(
      "Month end",
      ...["2026-12-29", "2027-01-26", "2027-02-23", "2027-03-30", "2027-04-27", "2027-05-25"],
      ...["2027-06-29", "2027-07-27", "2027-08-31", "2027-09-28", "2027-10-26", "2027-11-30"],
    ),
  },
  "rdate-period-notes.ics": {
    events: days("Sem", "2027-01-05T09:00", "2027-01-12T09:00", "2027-01-19T09:00"),
  },
  "space-before-time.ics": { events: days("Space", "2027-01-05T09:45") },
  "tzid-gmt-with-bst.ics": { events: ["2027-07-23T09:20 GMT"] },
  "tzid-bst-with-vtimezone.ics": { events: ["2027-07-23T09:20 BST"] },
  "quoted-printable.ics": { events: ["2027-01-05T09:45 Café für alle"] },
  "offsets.ics": {
    events: [
      "2027-03-01T08:00 Shift",
      "2027-03-02T00:00 Webinar",
      "2027-03-03T12:00 Late shift",
      ...days("Shift", "2027-03-04T08:00", "2027-03-05T08:00"),
    ],
  },
  "fractions.ics": {
    events: [
      "2027-03-01T09:00 Session",
      "2027-03-03T11:00 Session moved",
      ...days("Session", "2027-03-04T09:00", "2027-03-08T09:00"),
    ],
  },
  "utc-names.ics": { events: ["Etc", "Offset", "Words", "Zulu"].map((title) => `2027-07-01T09:00 ${title}`) },
  "allday-midnights.ics": {
    events: [
      "2027-03-01 Fair",
      "2027-03-08 Holiday",
      ...days("Duty", "2027-04-05", "2027-04-07"),
      "2027-04-09 Duty moved",
      "2027-04-12T09:00 Half day",
    ],
    notes: ["1 event marked as all-day, but not from midnight to midnight: read with its times (line 36)"],
  },
  "calendar-zone.ics": {
    events: ["2027-07-01T16:00 Barbecue", "2027-07-05T16:00 Course", "2027-07-07T16:00 Course"],
    notes: ["2 events with times without a zone: read in America/Chicago (lines 6, 12)"],
  },
  "exdate-none.ics": {
    events: [...days("Class", "2027-01-05T08:00", "2027-01-12T08:00", "2027-01-26T08:00")],
    notes: [
      'line 4: "Class": no event of it starts at the EXDATE 20270112T000000, 20270113T090000, which excludes nothing',
    ],
  },
  "recurid-none.ics": {
    events: [
      ...days("Review", "2027-03-10T14:00", "2027-03-17T13:00"),
      "2027-03-18T13:00 Review moved",
      "2027-03-24T13:00 Review",
    ],
    notes: [
      'line 11: "Review moved": no event of its series starts at its RECURRENCE-ID 2027-03-17T04:00:00Z: it is an event of its own',
      'line 18: "Review": no event of its series starts at its RECURRENCE-ID 2027-03-24T04:00:00Z: it cancels nothing',
    ],
  },
  "url-without-scheme.ics": {
    events: ["Mail", "Url", "Webcal"].map((title) => `2027-01-05T09:45 ${title}`),
    notes: ["3 events with a URL that cannot be stored: left out (lines 4, 12, 20)"],
  },
  "start-beside-rule.ics": {
    events: days("Yoga", "2027-01-06T09:00", "2027-01-13T09:00"),
    notes: ['line 4: "Yoga": its rule gives no event at its DTSTART 2027-01-05T09:00:00Z, so there is none'],
  },
  "birthday-without-year.ics": {
    days: ["2026-11-21", "2028-12-31"],
    events: days("Ana's birthday", "2026-12-15", "2027-12-15", "2028-12-15"),
    notes: [
      "1 repeating event imported without events before 2010-12-15: a series may not begin before 1900 (line 4)",
    ],
  },
  "daily-since-1980.ics": {
    days: ["2026-11-21", "2026-11-25"],
    events: days("Pills", ...["21", "22", "23", "24", "25"].map((day) => `2026-11-${day}T13:00`)),
    notes: [
      "1 repeating event imported without events before 2010-01-01: a series may have at most 10000 events until two years from now (line 4)",
    ],
  },
};

test("each file has its row", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(FILES).sort());
});

test.each(Object.entries(FILES))("%s", async (file, row) => {
  const { events, zone = "Europe/Berlin", days: [from, to] = ["2026-11-21", "2027-12-31"], notes = [] } = row;
  const harness = await createHarness({ timeZone: zone });
  const { exitCode, stdout, stderr } = await harness.run("import", join(FOLDER, file), "--yes", "-o", "json");
  const { rejected } = JSON.parse(stdout || "{}");
  const list = ["events", "list", "--from", from, "--to", to];
  const found = await harness.json<{ title: string; start_at: string; all_day: boolean }[]>(...list);
  const shown = found.map(
    ({ title, start_at, all_day }) => `${start_at.slice(0, all_day ? 10 : 16)} ${title}`,
  );
  shown.sort();
  const said = stderr.split("\n").filter((line) => line !== "");
  expect({ exitCode, rejected, notes: said, events: shown }).toEqual({
    exitCode: 0,
    rejected: [],
    notes,
    events,
  });
});
