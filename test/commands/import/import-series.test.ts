import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { withoutSeries } from "../../support/contract-service.js";
import { createUndoWorld, type Event, type UndoWorld } from "../undo/world.js";
import { icsFile, importText, vevent, writeText } from "./world.js";

/** `import` of repeating events: each a series, where the service stores them. It is Saturday 21 November 2026. */

let world: UndoWorld;

beforeEach(async () => {
  world = await createUndoWorld();
});

const START = "DTSTART;TZID=Europe/Berlin:20261207T190000";
const OTHER = vevent("other", "Other", "DTSTART:20261201T120000Z");

const choir = (title = "Choir", ...lines: readonly string[]) =>
  vevent("choir", title, START, "DURATION:PT1H30M", "RRULE:FREQ=WEEKLY;COUNT=4", ...lines);
const changed = (title: string, day: string, ...lines: readonly string[]) => {
  const [originalStart, start] = [`TZID=Europe/Berlin:${day}T190000`, `TZID=Europe/Berlin:${day}T200000`];
  return vevent("choir", title, `RECURRENCE-ID;${originalStart}`, `DTSTART;${start}`, ...lines);
};

const importIcs = (components: readonly string[], ...flags: readonly string[]) =>
  importText(world, "choir.ics", icsFile(components), ...flags);

/** A second run of a file writes nothing. */
const NOTHING = { exitCode: 0, created: 0, updated: 0, deleted: 0 };

const lineOf = ({ title, ...event }: Event) => `${String(event["start_local"]).slice(0, 16)} ${title}`;
const listed = async () => (await world.list()).map(lineOf);

async function idOf(day: string): Promise<string> {
  return (await world.list()).find(({ id }) => id.includes(`_${day}`))?.id ?? "";
}

const DAYS = ["2026-12-07", "2026-12-14", "2026-12-21", "2026-12-28"];
const evenings = (title = "Choir", days = DAYS) => days.map((day) => `${day}T19:00 ${title}`);

test("a repeating event is one series, with the changes of the file", async () => {
  const file = [changed("Concert", "20261214"), choir(), changed("Choir", "20261221", "STATUS:CANCELLED")];
  expect(await importIcs(file)).toMatchObject({ exitCode: 0, created: 2, unchanged: 1, rejected: [] });
  const events = await world.list();
  expect(events.map(lineOf)).toEqual([evenings()[0], "2026-12-14T20:00 Concert", evenings()[3]]);
  expect(new Set(events.map((event) => event["series_id"])).size).toBe(1);
  expect(await importIcs(file, "--prune")).toMatchObject({ ...NOTHING, unchanged: 3 });
  await world.step("undo", "--yes");
  expect(await listed()).toEqual([]);
  expect(await importIcs(file)).toMatchObject({ exitCode: 0, created: 2 });
  expect(await listed()).toHaveLength(3);
});

test("what the file changes, there and back", async () => {
  await importIcs([choir()]);
  for (const [name, file, expected] of [
    ["the title", [choir("Singing")], evenings("Singing")],
    [
      "an exception",
      [choir("Choir", "EXDATE;TZID=Europe/Berlin:20261214T190000")],
      evenings("Choir", [DAYS[0], DAYS[2], DAYS[3]] as string[]),
    ],
    [
      "a change of one",
      [choir(), changed("Concert", "20261214")],
      [evenings()[0], "2026-12-14T20:00 Concert", evenings()[2], evenings()[3]],
    ],
    [
      "one that is cancelled",
      [choir(), changed("Choir", "20261207", "STATUS:CANCELLED")],
      evenings().slice(1),
    ],
    ["an event that does not repeat", [vevent("choir", "Choir", START)], evenings().slice(0, 1)],
    ["all of it is cancelled", [choir("Choir", "STATUS:CANCELLED")], []],
  ] as const) {
    expect(await importIcs(file), name).toMatchObject({ exitCode: 0, conflicts: 0 });
    expect(await listed(), name).toEqual(expected);
    expect(await importIcs(file), name).toMatchObject(NOTHING);
    expect(await importIcs([choir()]), name).toMatchObject({ exitCode: 0, conflicts: 0 });
    expect(await listed(), name).toEqual(evenings());
  }
});

describe("an undo of an import that changed a series", () => {
  const start = (day: string, ...lines: readonly string[]) =>
    vevent("choir", "Choir", `DTSTART;TZID=Europe/Berlin:${day}T190000`, ...lines);
  const weekdays = "RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4";
  const weekly = "RRULE:FREQ=WEEKLY;COUNT=4";
  const exception = "EXDATE;TZID=Europe/Berlin:20261221T190000";
  const concert = changed("Concert", "20261221");

  test.each([
    ["its start, by a rule of weekdays", [start("20261207", weekdays)], [start("20261214", weekdays)]],
    ["its start", [start("20261207", weekly, exception)], [start("20261214", weekly, exception)]],
    ["an exception", [choir("Choir", exception)], [choir()]],
    ["a change of one", [choir(), concert], [choir()]],
    ["one that leaves it", [choir(), concert], [start("20261208", weekly), concert]],
  ])("puts back %s, and a repetition does it again", async (_name, first, second) => {
    await importIcs(first);
    const before = await listed();
    await importIcs(second);
    const after = await listed();
    expect(after).not.toEqual(before);
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await listed()).toEqual(before);
    expect(await importIcs(second)).toMatchObject({ exitCode: 0, conflicts: 0 });
    expect(await listed()).toEqual(after);
  });
});

test("a series that begins elsewhere keeps the rule of the file", async () => {
  const at = (start: string, rule: string) =>
    vevent("choir", "Choir", `DTSTART;TZID=Europe/Berlin:${start}`, `RRULE:FREQ=WEEKLY;${rule}`);
  const UNTIL = "UNTIL=20261228T180000Z";
  for (const [start, rule, count] of [
    ["20261207T190000", UNTIL, 4],
    ["20261207T200000", UNTIL, 3],
    ["20261208T200000", "BYDAY=MO,TU;COUNT=3", 3],
    ["20261214T200000", "BYDAY=MO,TU;COUNT=3", 3],
  ] as const) {
    expect(await importIcs([at(start, rule)])).toMatchObject({ exitCode: 0, conflicts: 0 });
    const [first, ...others] = await listed();
    expect(others).toHaveLength(count - 1);
    const [date, time] = [`${start.slice(4, 6)}-${start.slice(6, 8)}`, start.slice(9, 11)];
    expect(first).toBe(`2026-${date}T${time}:00 Choir`);
    expect(await importIcs([at(start, rule)])).toMatchObject(NOTHING);
  }
});

test("a file that changes a series and, for the first time, events of it", async () => {
  await importIcs([choir()]);
  const longer = (title: string) => choir(title).replace("COUNT=4", "COUNT=5");
  const changes = [changed("Concert", "20261214"), changed("Party", "20270104")];
  const file = [longer("Singing"), ...changes];
  expect(await importIcs(file)).toMatchObject({ exitCode: 0, updated: 3, created: 0, conflicts: 0 });
  expect(await listed()).toEqual([
    "2026-12-07T19:00 Singing",
    "2026-12-14T20:00 Concert",
    "2026-12-21T19:00 Singing",
    "2026-12-28T19:00 Singing",
    "2027-01-04T20:00 Party",
  ]);
  expect(await importIcs(file)).toMatchObject({ ...NOTHING, unchanged: 3 });
  await world.step("events", "delete", await idOf("20261221"), "--scope", "this", "--yes");
  const again = [longer("Choir"), ...changes, changed("Dinner", "20261221")];
  expect(await importIcs(again)).toMatchObject({ exitCode: 0, updated: 1, conflicts: 1 });
  expect((await listed()).join()).not.toContain("Dinner");
});

describe("what somebody does to one event of a series", () => {
  const file = (title: string) => [choir(title), changed("Concert", "20261214")];
  const update = (id: string, ...flags: readonly string[]) =>
    world.step("events", "update", id, "--scope", "this", ...flags);

  beforeEach(async () => {
    await importIcs(file("Choir"));
    const [third, fourth] = (await world.list()).slice(2).map(({ id }) => id);
    await update(third ?? "", "--title", "Mine");
    await world.step("events", "delete", fourth ?? "", "--scope", "this", "--yes");
  });

  test("stays, where the file changes the others", async () => {
    expect(await importIcs(file("Choir"))).toMatchObject(NOTHING);
    const report = await importIcs(file("Singing"));
    expect(report).toMatchObject({ exitCode: 0, updated: 1, conflicts: 0 });
    const expected = ["2026-12-07T19:00 Singing", "2026-12-14T20:00 Concert", "2026-12-21T19:00 Mine"];
    expect(await listed()).toEqual(expected);
    const moved = "DTSTART;TZID=Europe/Berlin:20261207T193000";
    const later = vevent("choir", "Singing", moved, "RRULE:FREQ=WEEKLY;COUNT=5");
    expect(await importIcs([later])).toMatchObject({ updated: 1, deleted: 1, conflicts: 0 });
    expect(await listed()).toEqual([
      "2026-12-07T19:30 Singing",
      "2026-12-14T19:30 Singing",
      "2026-12-21T19:00 Mine",
      "2027-01-04T19:30 Singing",
    ]);
    expect(await importIcs([later])).toMatchObject(NOTHING);
  });

  test("is a conflict, where the file changes or cancels that one", async () => {
    const both = [...file("Choir"), changed("Theirs", "20261221"), changed("Theirs", "20261228")];
    expect(await importIcs(both)).toMatchObject({ exitCode: 0, conflicts: 2, updated: 0 });
    expect(await importIcs(both, "--overwrite")).toMatchObject({ conflicts: 1, updated: 1 });
    expect(await listed()).toContain("2026-12-21T20:00 Theirs");
    await update(await idOf("20261214"), "--location", "Hall");
    const without = changed("Concert", "20261214", "STATUS:CANCELLED");
    expect(await importIcs([choir(), without])).toMatchObject({ conflicts: 1, deleted: 0 });
    expect(await listed()).toContain("2026-12-14T20:00 Concert");
  });

  test("keeps the series, where the file does not have it any more", async () => {
    expect(await importIcs([OTHER], "--prune=all")).toMatchObject({ deleted: 0, conflicts: 1 });
    expect(await listed()).toHaveLength(4);
  });
});

test("--prune deletes a series that is as it was imported, and undo brings all of it back", async () => {
  await importIcs([choir(), changed("Concert", "20261214")]);
  const before = await listed();
  expect(await importIcs([OTHER])).toMatchObject({ deleted: 0 });
  expect(await importIcs([OTHER], "--prune=all")).toMatchObject({ exitCode: 0, deleted: 1 });
  expect(await listed()).toHaveLength(1);
  expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
  expect((await listed()).filter((line) => !line.includes("Other"))).toEqual(before);
});

test("a series that a person deleted is still known to the import after an undo", async () => {
  const file = [choir(), changed("Concert", "20261214")];
  await importIcs(file);
  const before = await listed();
  for (const day of ["20261207", "20261214"]) {
    await world.step("events", "delete", await idOf(day), "--scope", "all", "--yes");
    expect(await listed()).toEqual([]);
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await importIcs(file)).toMatchObject({ ...NOTHING, unchanged: 2 });
    expect(await listed()).toEqual(before);
  }
  expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await importIcs(file)).toMatchObject({ exitCode: 0, created: 2, conflicts: 0 });
});

test("a yearly event, of which the file changes the next ones, is no conflict when its rule changes", async () => {
  const fair = (rule: string) => vevent("choir", "Fair", START, "DURATION:PT1H", `RRULE:${rule}`);
  const years = ["20261207", "20271207"].map((day) => changed("Big fair", day));
  expect(await importIcs([fair("FREQ=YEARLY"), ...years])).toMatchObject({ created: 3 });
  expect(await importIcs([fair("FREQ=MONTHLY")])).toMatchObject({
    exitCode: 0,
    updated: 3,
    conflicts: 0,
  });
  expect(await importIcs([fair("FREQ=MONTHLY")])).toMatchObject({ ...NOTHING, unchanged: 1 });
});

test("a series that is cancelled with its changed events is counted once, and each of them too", async () => {
  const components = (...lines: readonly string[]) => [
    choir("Choir", ...lines),
    changed("Concert", "20261214", ...lines),
    changed("Dinner", "20261221", ...lines),
  ];
  expect(await importIcs(components())).toMatchObject({ created: 3 });
  const cancelled = components("STATUS:CANCELLED");
  expect(await importIcs(cancelled)).toMatchObject({ deleted: 1, unchanged: 2 });
  expect(await importIcs(cancelled)).toMatchObject({ deleted: 0, unchanged: 3 });
});

test("an email that cancels what came from another source says so", async () => {
  const cancelled = changed("Choir", "20261221", "STATUS:CANCELLED");
  const path = writeText(world, "cancel.ics", icsFile(["METHOD:CANCEL", cancelled]));
  await importIcs([choir()]);
  const cancel = (...flags: readonly string[]) =>
    world.step("import", path, "-c", "Family", "--yes", ...flags);
  const note = "1 cancelled event did not come from cancel.ics: name the right source with --source\n";
  expect(await cancel()).toMatchObject({ exitCode: 0, stderr: note });
  const right = ["--source", "choir.ics"];
  expect(await cancel(...right)).toMatchObject({ stderr: "", stdout: "choir.ics\t0\t0\t0\t1\t0\t0\n" });
  expect(await cancel(...right)).toMatchObject({ exitCode: 0, stderr: "" });
});

test("a file that was cut changes no series that is known, and the whole one does", async () => {
  const changes = [changed("Concert", "20261214"), changed("Choir", "20261221", "STATUS:CANCELLED")];
  await importIcs([OTHER, choir(), ...changes]);
  const before = await listed();
  const later = choir().replace("T190000", "T183000");
  const originalStarts = changes.map((each) => each.replace("T190000", "T183000"));
  const whole = icsFile([OTHER, later, ...originalStarts]);
  const cut = await importText(
    world,
    "choir.ics",
    whole.slice(0, whole.indexOf("SUMMARY:Concert")),
    "--prune",
  );
  expect(cut.exitCode).toBe(12);
  expect(cut.stderr).toContain('"Choir": the file is cut short, and may change events of it');
  expect(await listed()).toEqual(before);
  expect(await importText(world, "choir.ics", whole)).toMatchObject({ exitCode: 0, conflicts: 0 });
  expect((await listed()).map((line) => line.slice(8))).toEqual([
    "01T13:00 Other",
    "07T18:30 Choir",
    "14T20:00 Concert",
    "28T18:30 Choir",
  ]);
  expect(await importText(world, "choir.ics", whole)).toMatchObject(NOTHING);
});

test("--prune keeps a series of which the file has an event, also one that is cancelled or rejected", async () => {
  const concert = changed("Concert", "20261214");
  await importIcs([choir(), concert, OTHER]);
  const before = await listed();
  expect(await importIcs([concert, OTHER], "--prune")).toMatchObject({ ...NOTHING, unchanged: 2 });
  const long = changed("x".repeat(51), "20261214");
  expect(await importIcs([long, OTHER], "--prune")).toMatchObject({ exitCode: 12, deleted: 0 });
  expect(await listed()).toEqual(before);
  const fair = changed("Fair", "20261228");
  expect(await importIcs([long, fair, OTHER], "--prune")).toMatchObject({ exitCode: 12, updated: 1 });
  await world.step("undo", "--yes");
  const cancelled = changed("Choir", "20261221", "STATUS:CANCELLED");
  expect(await importIcs([cancelled, OTHER], "--prune=all")).toMatchObject({ exitCode: 0, deleted: 1 });
  expect((await listed()).map((line) => line.slice(8))).toEqual([
    "01T13:00 Other",
    "07T19:00 Choir",
    "14T20:00 Concert",
    "28T19:00 Choir",
  ]);
});

test("a RECURRENCE-ID that is a date is the event of that day, with its series or in an email alone", async () => {
  const ofDay = (title: string, ...lines: readonly string[]) =>
    changed(title, "20261214", ...lines).replace(/RECURRENCE-ID;.*/, "RECURRENCE-ID;VALUE=DATE:20261214");
  expect(await importIcs([ofDay("Concert"), choir()])).toMatchObject({ exitCode: 0, created: 2 });
  const evening = (title: string) => ["07T19:00 Choir", title, "21T19:00 Choir", "28T19:00 Choir"];
  const days = async () => (await listed()).map((line) => line.slice(8));
  expect(await days()).toEqual(evening("14T20:00 Concert"));
  expect(await importIcs([ofDay("Big concert")])).toMatchObject({ exitCode: 0, updated: 1 });
  expect(await days()).toEqual(evening("14T20:00 Big concert"));
  expect(await importIcs(["METHOD:CANCEL", ofDay("Big concert")])).toMatchObject({ exitCode: 0, deleted: 1 });
  expect(await days()).toEqual(evening("").filter((line) => line !== ""));
});

test("of a series of whole days a change is known by its day, also in an email alone", async () => {
  const day = (name: string, date: string) => `${name};VALUE=DATE:${date}`;
  const trip = vevent("trip", "Trip", day("DTSTART", "20261207"), "RRULE:FREQ=WEEKLY;COUNT=3");
  const of = (title: string, originalStart: string, start: string) =>
    vevent("trip", title, originalStart, day("DTSTART", start));
  const report = await importIcs([trip, of("Fair", day("RECURRENCE-ID", "20261215"), "20261215")]);
  expect(report).toMatchObject({ exitCode: 0, created: 2 });
  expect(report.stderr).toContain(
    "no event of its series starts at its RECURRENCE-ID 2026-12-15: it is imported as a separate event",
  );
  const hike = of("Hike", "RECURRENCE-ID:20261214T000000", "20261216");
  expect(await importIcs([hike])).toMatchObject({ exitCode: 0, updated: 1 });
  const days = ["2026-12-07 Trip", "2026-12-15 Fair", "2026-12-16 Hike", "2026-12-21 Trip"];
  expect(await listed()).toEqual(days);
});

test("of two changes of one event of an earlier file neither wins in silence", async () => {
  await importIcs([choir()]);
  const ofDay = (title: string, ...lines: readonly string[]) =>
    changed(title, "20261214", ...lines).replace(/RECURRENCE-ID;.*/, "RECURRENCE-ID;VALUE=DATE:20261214");
  const one = changed("Concert", "20261214");
  const reason = "it has the UID or id of line 3, and neither is newer";
  const rejected = [{ line: 9, reason, title: "Party" }];
  expect(await importIcs([one, ofDay("Party")])).toMatchObject({ exitCode: 12, updated: 1, rejected });
  expect(await listed()).toContain("2026-12-14T20:00 Concert");
  const newer = await importIcs([one, ofDay("Party", "SEQUENCE:1")]);
  expect(newer).toMatchObject({ exitCode: 0, updated: 1, unchanged: 1, rejected: [] });
  expect(newer.stderr).toContain("1 event in several versions: the newest is read (line 9)\n");
  expect(await listed()).toContain("2026-12-14T20:00 Party");
});

test("a change is rejected together with another change of the same event that cannot be read", async () => {
  const long = changed("x".repeat(51), "20261214", "SEQUENCE:1");
  const report = await importIcs([choir(), changed("Concert", "20261214"), long]);
  expect(report).toMatchObject({ exitCode: 12, created: 1, rejected: [{ title: "Concert" }, { line: 16 }] });
});

test("a RECURRENCE-ID without a zone is read in that of its series, with it or in an email alone", async () => {
  const floating = (title: string) =>
    changed(title, "20261214")
      .replace(/RECURRENCE-ID;.*/, "RECURRENCE-ID:20261214T190000")
      .replace("Europe/Berlin", "Asia/Tokyo");
  const inOtherZone = (...lines: readonly string[]) =>
    choir("Choir", ...lines).replace("Europe/Berlin", "America/New_York");
  expect(await importIcs([floating("Concert"), inOtherZone()])).toMatchObject({ exitCode: 0, created: 2 });
  const titles = async () => (await listed()).map((line) => line.slice(17));
  expect(await titles()).toEqual(["Choir", "Concert", "Choir", "Choir"]);
  expect(await importIcs([floating("Big concert")])).toMatchObject({ exitCode: 0, updated: 1, created: 0 });
  expect(await titles()).toEqual(["Choir", "Big concert", "Choir", "Choir"]);
  // What cannot be imported of it is not shown as if it were as its rule says.
  expect(await importIcs([inOtherZone(), floating("x".repeat(51))])).toMatchObject({ exitCode: 12 });
  expect(await titles()).toEqual(["Choir", "Big concert", "Choir", "Choir"]);
});

test("an email deletes no other events of its source, also with --prune", async () => {
  const mail = (uid: string) =>
    writeText(
      world,
      "mail.ics",
      icsFile(["METHOD:REQUEST", vevent(uid, "Talk", "DTSTART:20261201T100000Z")]),
    );
  const invite = (path: string, ...flags: readonly string[]) =>
    world.step("import", path, "-c", "Family", "--source", "mail", "--yes", ...flags);
  await invite(mail("a"));
  const path = mail("b");
  expect(await invite(path, "--prune")).toMatchObject({
    exitCode: 12,
    stdout: "mail\t1\t0\t0\t0\t0\t0\n",
    stderr: expect.stringContaining(
      `1 event no longer in ${path}, and not deleted: an email does not contain all events of its source`,
    ),
  });
});

test("what was imported as single events stays so when the service stores series", async () => {
  const { handle } = world.service;
  Object.assign(world.service, withoutSeries({ handle }));
  expect(await importIcs([choir()])).toMatchObject({ created: 4 });
  Object.assign(world.service, { handle });
  const again = await importIcs([choir()]);
  expect(again).toMatchObject({ ...NOTHING, unchanged: 4 });
  expect(again.stderr).toContain(
    "1 repeating event imported as single events from 2026-11-21 to 2027-11-21: it was imported as single events before",
  );
});

describe("what cannot be one series", () => {
  const DAILY = ["DTSTART;TZID=Europe/Berlin:20261101T190000"];

  test.each([
    [
      "a rule by the minute",
      [...DAILY, "RRULE:FREQ=MINUTELY;INTERVAL=60"],
      "FREQ=MINUTELY is not supported: write DAILY, WEEKLY, MONTHLY or YEARLY",
    ],
    [
      "a date before its start",
      [...DAILY, "RRULE:FREQ=DAILY;COUNT=30", "RDATE:20261001T120000Z"],
      "RDATE 2026-10-01T12:00:00Z is before the first date of the rule",
    ],
    [
      "a first start that a clock change skips",
      ["DTSTART;TZID=Europe/Berlin:20260323T023000", "RRULE:FREQ=WEEKLY;BYDAY=SU"],
      "a clock change skips its first start",
    ],
  ])("%s: the single events of the window, with a note", async (_name, lines, reason) => {
    const window = ["--from", "2026-11-22", "--to", "2026-11-22"];
    const report = await importIcs([vevent("often", "Often", ...lines)], ...window);
    expect(report).toMatchObject({ exitCode: 0, rejected: [] });
    expect(report.stderr).toContain(
      `1 repeating event imported as single events from 2026-11-22 to 2026-11-22: ${reason}`,
    );
    expect((await world.list()).every((event) => event["series_id"] === null)).toBe(true);
  });

  test("a change of no event of the rule: an event of its own, beside the series", async () => {
    const file = [choir(), changed("Concert", "20261215")];
    expect(await importIcs(file)).toMatchObject({ exitCode: 0, created: 2 });
    expect(await listed()).toEqual([...evenings(), "2026-12-15T20:00 Concert"].sort());
    expect(await importIcs(file)).toMatchObject(NOTHING);
    expect(await importIcs([choir()])).toMatchObject({ deleted: 1 });
  });

  test("what is rejected is in the order of the file", async () => {
    const often = vevent("often", "Often", ...DAILY, "RRULE:FREQ=SECONDLY");
    const long = vevent("long", "x".repeat(51), ...DAILY);
    const rejected = [{ line: 10, title: "Often" }, { line: 16 }];
    expect(await importIcs([choir(), often, long])).toMatchObject({ rejected });
  });

  test("a series whose new version cannot be one is rejected, and left as it was", async () => {
    await importIcs([choir()]);
    const often = vevent("choir", "Choir", ...DAILY, "RRULE:FREQ=MINUTELY");
    const report = await importIcs([often, changed("Concert", "20261214"), OTHER], "--prune=all");
    const rejected = [
      { line: 3, reason: expect.stringContaining("FREQ=MINUTELY"), title: "Choir" },
      { line: 9, reason: "its series cannot be imported", title: "Concert" },
    ];
    expect(report).toMatchObject({ exitCode: 12, created: 1, deleted: 0, rejected });
    expect(await listed()).toEqual(["2026-12-01T13:00 Other", ...evenings()]);
  });
});

test.each([
  ["an UNTIL that is a date", "RRULE:FREQ=WEEKLY;UNTIL=20261221"],
  ["an UNTIL without a zone", "RRULE:FREQ=WEEKLY;UNTIL=20261221T190000"],
  ["exceptions that are none", "RRULE:FREQ=WEEKLY;COUNT=3\r\nEXDATE:20261208T180000Z"],
  ["dates alone", "RDATE;TZID=Europe/Berlin:20261214T190000,20261221T190000"],
])("%s: a series all the same", async (_name, lines) => {
  const file = [vevent("choir", "Choir", START, lines)];
  expect(await importIcs(file)).toMatchObject({ exitCode: 0, created: 1 });
  const events = await world.list();
  expect(events.map(lineOf)).toEqual(evenings().slice(0, 3));
  expect(events.every((event) => event["series_id"] !== null)).toBe(true);
});

describe("a repeating event without any", () => {
  const DAY = "DTSTART;TZID=Europe/Berlin:20261207T190000";
  const odd = (...lines: readonly string[]) => vevent("odd", "Odd", DAY, "DURATION:PT1H", ...lines);

  test.each([
    ["ends before it begins", odd("RRULE:FREQ=WEEKLY;UNTIL=20261201T000000Z"), "the rule gives no date"],
    [
      "has only exceptions",
      odd("RRULE:FREQ=WEEKLY;COUNT=2", "EXDATE:20261207T180000Z,20261214T180000Z"),
      "its exceptions cover every event of its rule",
    ],
    [
      "has single events on other days alone",
      odd("RRULE:FREQ=DAILY;COUNT=2;BYHOUR=19").replace("20261207", "20251207"),
      "it has no event from 2026-11-21 to 2027-11-21",
    ],
  ])("%s: rejected by line, and written to --rejects", async (_name, file, reason) => {
    const rejects = join(world.directory, "rejects.ics");
    expect(await importIcs([file, OTHER], "--rejects", rejects)).toMatchObject({
      exitCode: 12,
      created: 1,
      rejected: [{ line: 3, title: "Odd", reason: expect.stringContaining(reason) }],
      stderr: expect.not.stringContaining("single events"),
    });
    expect(readFileSync(rejects, "utf8")).toContain("SUMMARY:Odd");
    expect(await listed()).toEqual(["2026-12-01T13:00 Other"]);
  });
});

test("a change to a day that the rule does not have is an event of its own, also long ago", async () => {
  const old = changed("Old", "20251201").replace("T200000", "T190000");
  expect(await importIcs([choir(), old])).toMatchObject({ exitCode: 0, created: 2, rejected: [] });
  expect(await world.json("events", "list", "--on", "2025-12-01")).toMatchObject([{ title: "Old" }]);
});

test("exceptions and changes before the beginning of a series that is too long are left out or single", async () => {
  // In UTC, whose times are read without a look at clock changes; 3,000 of 15,000 are since 2010.
  const pills = vevent(
    ...["choir", "Pills", "DTSTART:19301013T180000Z", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE"],
    "EXDATE:19301014T180000Z,20261124T180000Z",
  );
  const file = [pills, changed("Early", "19301020"), changed("Late", "20261123")];
  const report = await importIcs(file);
  expect(report).toMatchObject({ exitCode: 0, created: 3, rejected: [] });
  expect(report.stderr).toContain(
    "1 repeating event imported without events before 2010-01-04: a series may have at most 10000 events until two years from now (line 3)",
  );
  const days = ["--from", "2026-11-22", "--to", "2026-11-25"];
  const list = await world.json<{ title: string }[]>("events", "list", ...days);
  expect(list.map(({ title }) => title)).toEqual(["Late", "Pills"]);
  expect(await world.json("events", "list", "--on", "1930-10-20")).toMatchObject([{ title: "Early" }]);
  expect(await importIcs(file)).toMatchObject({ ...NOTHING, unchanged: 3 });
});

describe("a change that comes after an import has left its event out", () => {
  const FIRST = "20261207";
  const tooLong = (day: string) => changed("x".repeat(51), day);

  test.each([
    ["is corrected in the rejects", [choir(), tooLong("20261214")], 12],
    ["follows an EXDATE", [choir("Choir", "EXDATE;TZID=Europe/Berlin:20261214T190000")], 0],
    [
      "follows a cancellation with its series",
      [choir(), changed("Choir", "20261214", "STATUS:CANCELLED")],
      0,
    ],
  ])("%s: the event arrives, and undo takes it back", async (_name, first, exitCode) => {
    expect(await importIcs(first)).toMatchObject({ exitCode, created: 1 });
    const before = await listed();
    expect(before).toHaveLength(3);
    const concert = [changed("Concert", "20261214")];
    expect(await importIcs(concert)).toMatchObject({ exitCode: 0, created: 1, updated: 0, conflicts: 0 });
    expect(await listed()).toEqual([before[0], "2026-12-14T20:00 Concert", ...before.slice(1)]);
    await world.step("undo", "--yes");
    expect(await listed()).toEqual(before);
    expect(await importIcs(concert)).toMatchObject({ exitCode: 0, created: 1 });
    expect(await importIcs(concert)).toMatchObject({ ...NOTHING, unchanged: 1 });
    expect(await importIcs([choir(), ...concert])).toMatchObject({ ...NOTHING, unchanged: 2 });
  });

  test("several of one series, the first event of it too", async () => {
    const days = [FIRST, "20261221"];
    expect(await importIcs([choir(), ...days.map(tooLong)])).toMatchObject({ exitCode: 12, created: 1 });
    expect(await importIcs(days.map((day) => changed("Concert", day)))).toMatchObject({ created: 2 });
    expect(await listed()).toEqual([
      "2026-12-07T20:00 Concert",
      "2026-12-14T19:00 Choir",
      "2026-12-21T20:00 Concert",
      "2026-12-28T19:00 Choir",
    ]);
  });

  test("follows a cancellation alone, also with its series", async () => {
    const cancelled = changed("Choir", "20261214", "STATUS:CANCELLED");
    for (const series of [[], [choir()]]) {
      await importIcs([choir()]);
      expect(await importIcs([cancelled])).toMatchObject({ exitCode: 0, deleted: 1 });
      const file = [...series, changed("Concert", "20261214")];
      expect(await importIcs(file)).toMatchObject({ exitCode: 0, created: 1, conflicts: 0 });
      expect(await listed()).toContain("2026-12-14T20:00 Concert");
    }
  });

  test("of an event that somebody deleted: it stays deleted", async () => {
    await importIcs([choir(), tooLong("20261221")]);
    await world.step("events", "delete", await idOf("20261214"), "-c", "Family", "--yes", "--scope", "this");
    const concerts = ["20261214", "20261221"].map((day) => changed("Concert", day));
    expect(await importIcs(concerts)).toMatchObject({ created: 1, conflicts: 1 });
    expect(await listed()).toEqual([evenings()[0], "2026-12-21T20:00 Concert", evenings()[3]]);
  });
});
