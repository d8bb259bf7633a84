import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createHarness } from "../../support/harness.js";

/** Series as other programs write them, each after a public report: an import loses and shifts nothing. */
const FOLDER = fileURLToPath(new URL("field/", import.meta.url));

/** What is in the calendar: date, or start in UTC, and title. */
type Expected = readonly string[];

interface Row {
  readonly events: Expected;
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
      'line 11: "Review moved": no event of its series starts at its RECURRENCE-ID 2027-03-17T04:00:00Z: it is imported as a separate event',
      'line 18: "Review": no event of its series starts at its RECURRENCE-ID 2027-03-24T04:00:00Z: it cancels nothing',
    ],
  },
  "start-beside-rule.ics": {
    events: days("Yoga", "2027-01-06T09:00", "2027-01-13T09:00"),
    notes: ['line 4: "Yoga": its rule has no event at its DTSTART 2027-01-05T09:00:00Z, so there is none'],
  },
  "birthday-without-year.ics": {
    days: ["2026-11-21", "2028-12-31"],
    events: days("Ana's birthday", "2026-12-15", "2027-12-15", "2028-12-15"),
    notes: [
      "1 repeating event imported without events before 2010-12-15: a series may not begin before 1900 (line 4)",
    ],
  },
};

test.each(Object.entries(FILES))("%s", async (file, row) => {
  const { events, days: [from, to] = ["2026-11-21", "2027-12-31"], notes = [] } = row;
  const harness = await createHarness();
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
