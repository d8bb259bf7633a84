import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventView } from "../../src/events/views/event.js";
import { createChoir, listIn, OTHER_WEEK, WEEK } from "../commands/choir.js";
import { compare, FILES, pathOf, type Reading, read, readingOf } from "../commands/import/real-files.js";
import { createUndoWorld } from "../commands/undo/world.js";
import { ALL_DAY_EVENT, CHANGING_ZONES, timed, timesAroundChanges } from "../output/fixtures.js";
import { rendered } from "../output/rendered.js";
import { describeWithSystem } from "../support/system.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** khal reads what calctl writes, and the files that calctl reads. */

const READERS = fileURLToPath(new URL("support/ics-readers.py", import.meta.url));

/** What khal lists of files that it imported one after the other: `start|end|title`, in UTC. */
function listedByKhal(files: readonly string[], [from, days]: readonly [string, string]): readonly string[] {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "calendar"));
  writeFileSync(
    join(folder, "config"),
    `[calendars]\n[[test]]\npath = ${join(folder, "calendar")}\n[sqlite]\npath = ${join(folder, "khal.db")}\n` +
      `[locale]\nlocal_timezone = UTC\ndefault_timezone = UTC\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\n` +
      "longdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n",
  );
  const khal = (...argv: readonly string[]) =>
    execFileSync("khal", ["-c", join(folder, "config"), ...argv], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8", HOME: folder, XDG_DATA_HOME: folder },
      stdio: ["ignore", "pipe", "ignore"],
    });
  for (const [index, text] of files.entries()) {
    const file = join(folder, `${index}.ics`);
    writeFileSync(file, text);
    khal("import", "--batch", file);
  }
  const format = ["--day-format", "", "--format", "{start-long}|{end-long}|{title}"];
  const listed = khal("list", ...format, from, days).split("\n");
  return listed.filter((line) => line !== "").sort();
}

const minute = (time: unknown) =>
  String(time ?? "")
    .slice(0, 16)
    .replace("T", " ");

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

function ofBoth(file: string, differences: readonly string[]): readonly string[] {
  return ["icalendar", "khal"].flatMap((reader) => differences.map((each) => `${reader} ${file} ${each}`));
}

describeWithSystem("khal", "khal", () => {
  test.each(CHANGING_ZONES)("lists what it imported, in %s", async (zone) => {
    // On one day of UTC each, since khal repeats others on each of their days.
    const starts = timesAroundChanges().filter((start) => !start.includes("T21:"));
    const events = [...starts.map((start) => timed(start, 2, zone)), { ...ALL_DAY_EVENT, recurrences: [] }];
    const expected = [
      ...starts
        .map((start) => timed(start, 2, zone))
        .map((event) => `${minute(event.start_at)}|${minute(event.end_at)}|${event.title}`),
      ...["2026-11-21", "2026-11-22"].map(() => `2026-11-21|2026-11-22|${ALL_DAY_EVENT.title}`),
    ];
    expect(
      listedByKhal([await rendered(eventView, events, { format: "ics" })], ["2026-03-01", "365d"]),
    ).toEqual(expected.sort());
  });

  test("lists a series with what was moved and left out, and occurrences alone", async () => {
    const inSeries = (start: string, originalStart: string | null, title: string, series_id = "s") => ({
      ...timed(start, 1, "Europe/Berlin"),
      id: originalStart === null ? series_id : `${series_id}_${originalStart}`,
      series_id,
      title,
    });
    const lines = ["RRULE:FREQ=WEEKLY;COUNT=5", "EXDATE:20261214T080000Z,20261221T080000Z"];
    const events = [
      { ...inSeries("2026-12-07T08:00:00.000Z", null, "Sync"), recurrences: lines },
      inSeries("2026-12-15T09:00:00.000Z", "20261214T080000Z", "Moved"),
      inSeries("2026-12-08T10:00:00.000Z", "20261208T100000Z", "Alone", "other"),
      inSeries("2026-12-09T10:00:00.000Z", "20261209T100000Z", "Alone", "other"),
    ];
    expect(
      listedByKhal([await rendered(eventView, events, { format: "ics" })], ["2026-12-01", "60d"]),
    ).toEqual([
      "2026-12-07 08:00|2026-12-07 09:00|Sync",
      "2026-12-08 10:00|2026-12-08 11:00|Alone",
      "2026-12-09 10:00|2026-12-09 11:00|Alone",
      "2026-12-15 09:00|2026-12-15 10:00|Moved",
      "2026-12-28 08:00|2026-12-28 09:00|Sync",
      "2027-01-04 08:00|2027-01-04 09:00|Sync",
    ]);
  });

  test("keeps everything of a week when it imports the next one", async () => {
    const world = await createUndoWorld();
    await createChoir(world);
    const files: string[] = [];
    for (const days of [WEEK, OTHER_WEEK])
      files.push((await world.run("events", "list", "-c", "Family", ...days, "-o", "ics")).stdout);
    const events = await listIn(world, "--from", "2026-12-01", "--to", "2027-01-29");
    const expected = events.map(
      (event) => `${minute(event["start_at"])}|${minute(event["end_at"])}|${event.title}`,
    );
    expect(listedByKhal(files, ["2026-12-01", "60d"])).toEqual(expected.sort());
    expect(expected).toHaveLength(8);
  });

  test("and python3-icalendar read the same events of files", async () => {
    const input = JSON.stringify(FILES.map(pathOf));
    // Debian's own: other Pythons do not have khal.
    const output = execFileSync("/usr/bin/python3", [READERS], {
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
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
