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
};

test("each file has its row", () => {
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(FILES).sort());
});

test.each(Object.entries(FILES))("%s", async (file, { events, zone = "Europe/Berlin", notes = [] }) => {
  const harness = await createHarness({ timeZone: zone });
  const { exitCode, stdout, stderr } = await harness.run("import", join(FOLDER, file), "--yes", "-o", "json");
  const { rejected } = JSON.parse(stdout || "{}");
  const list = ["events", "list", "--from", "2026-11-21", "--to", "2027-12-31"];
  const found = await harness.json<{ title: string; start_at: string; all_day: boolean }[]>(...list);
  const shown = found.map(
    ({ title, start_at, all_day }) => `${start_at.slice(0, all_day ? 10 : 16)} ${title}`,
  );
  const said = stderr.split("\n").filter((line) => line !== "");
  expect({ exitCode, rejected, notes: said, events: shown }).toEqual({
    exitCode: 0,
    rejected: [],
    notes,
    events,
  });
});
