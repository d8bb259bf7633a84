import { beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import { withoutSeries } from "../../support/contract-service.js";
import { createUndoWorld, type UndoWorld } from "../undo/world.js";
import { icsFile, importText, vevent } from "./world.js";

/** `import` of repeating events where the service stores no series: as the single events of a window of days. It is Saturday 21 November 2026. */

let world: UndoWorld;

beforeEach(async () => {
  world = await createUndoWorld();
  Object.assign(world.service, withoutSeries({ ...world.service }));
});

const ORIGINAL_START = "RECURRENCE-ID;TZID=Europe/Berlin:20261214T190000";
const WEEKLY = ["DTSTART;TZID=Europe/Berlin:20260105T190000", "DTEND;TZID=Europe/Berlin:20260105T203000"];

const choir = (rule = "FREQ=WEEKLY", ...lines: readonly string[]) =>
  vevent("choir", "Choir", ...WEEKLY, `RRULE:${rule}`, ...lines);

const importIcs = (parts: readonly string[], ...flags: readonly string[]) =>
  importText(world, "choir.ics", icsFile(parts), ...flags);

const starts = async (title = "Choir") =>
  (await world.list()).flatMap((event) => (event.title === title ? [String(event["start_local"])] : []));

const DECEMBER = ["--from", "2026-12-01", "--to", "2026-12-31"];

test("a series becomes the events of the next year, at the same local time in winter and summer", async () => {
  expect(await importIcs([choir()])).toMatchObject({ exitCode: 0, created: 52 });
  const all = await starts();
  expect([all[0], all[30], all.at(-1)]).toEqual([
    "2026-11-23T19:00:00+01:00",
    "2027-06-21T19:00:00+02:00",
    "2027-11-15T19:00:00+01:00",
  ]);
  expect(await importIcs([choir()])).toMatchObject({ created: 0, unchanged: 52 });
});

test("an email that cancels the series deletes its events, and says nothing", async () => {
  await importIcs([choir()], ...DECEMBER);
  const cancel = await importIcs(["METHOD:CANCEL", choir()], ...DECEMBER);
  expect(cancel).toMatchObject({ exitCode: 0, stderr: "", deleted: 4 });
});

test("a series without events in these days is rejected by line, unless it was imported before", async () => {
  const over = choir("FREQ=WEEKLY;COUNT=2");
  const other = vevent("other", "Other", "DTSTART:20261201T120000Z");
  const reason = "it has no event from 2026-11-21 to 2027-11-21";
  const rejected = [{ line: 3, title: "Choir", reason }];
  expect(await importIcs([over, other])).toMatchObject({ exitCode: 12, created: 1, rejected });
  await importIcs([choir()], ...DECEMBER);
  expect(await importIcs([over, other])).toMatchObject({ exitCode: 0, deleted: 4, rejected: [] });
});

test("--from and --to choose other days", async () => {
  await importIcs([choir()], ...DECEMBER);
  const days = ["2026-12-07", "2026-12-14", "2026-12-21", "2026-12-28"];
  expect(await starts()).toEqual(days.map((day) => `${day}T19:00:00+01:00`));
});

test("all-day series keep their days", async () => {
  const lines = ["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=MONTHLY;BYMONTHDAY=1,31"];
  await importIcs([vevent("rent", "Rent", ...lines)], ...DECEMBER, "--timezone", "America/New_York");
  const rent = (await world.list()).map((event) => [event["start_local"], event["end_local"]]);
  expect(rent).toEqual([
    ["2026-12-01", "2026-12-01"],
    ["2026-12-31", "2026-12-31"],
  ]);
});

test("a changed occurrence replaces its original start, wherever it stands in the file; a cancelled one is deleted", async () => {
  const moved = vevent("choir", "Concert", ORIGINAL_START, "DTSTART;TZID=Europe/Berlin:20261215T200000");
  const start = "DTSTART;TZID=Europe/Berlin:20261221T190000";
  const cancelled = vevent("choir", "Choir", "RECURRENCE-ID:20261221T180000Z", start, "STATUS:CANCELLED");
  expect(await importIcs([choir()], ...DECEMBER)).toMatchObject({ created: 4 });
  expect(await importIcs([moved, choir(), cancelled], ...DECEMBER)).toMatchObject({
    updated: 1,
    deleted: 1,
    unchanged: 2,
  });
  expect(await starts()).toHaveLength(2);
  expect(await starts("Concert")).toEqual(["2026-12-15T20:00:00+01:00"]);
  expect(await importIcs([choir()], ...DECEMBER)).toMatchObject({ updated: 1, created: 1, deleted: 0 });
});

test("an all-day event that repeats by the hour is rejected", async () => {
  const hourly = vevent("all", "All day", "DTSTART;VALUE=DATE:20261201", "RRULE:FREQ=HOURLY;COUNT=30");
  expect(await importIcs([hourly, choir()], ...DECEMBER)).toMatchObject({
    ...{ exitCode: 12, created: 4 },
    rejected: [{ title: "All day", reason: "an all-day event cannot repeat within a day" }],
  });
});

describe("a change of an event on another day", () => {
  const at = (originalStart: string, start: string, ...lines: readonly string[]) =>
    vevent(
      "choir",
      "Concert",
      `RECURRENCE-ID;TZID=Europe/Berlin:${originalStart}`,
      `DTSTART;TZID=Europe/Berlin:${start}`,
      ...lines,
    );

  test("is imported if it is moved to one of the days", async () => {
    const moved = at("20261123T190000", "20261202T190000");
    expect(await importIcs([choir(), moved], ...DECEMBER)).toMatchObject({ exitCode: 0, created: 5 });
    expect(await starts("Concert")).toEqual(["2026-12-02T19:00:00+01:00"]);
    expect(await importIcs([choir(), moved], ...DECEMBER)).toMatchObject({ created: 0, unchanged: 5 });
  });

  test("is rejected, unless it was imported before", async () => {
    const old = at("20261207T190000", "20261207T200000");
    const january = ["--from", "2027-01-01", "--to", "2027-01-31"];
    const reason = "it is not on the days from 2027-01-01 to 2027-01-31";
    expect(await importIcs([choir(), old], ...january)).toMatchObject({
      ...{ exitCode: 12, created: 4, unchanged: 0 },
      rejected: [{ line: 10, reason, title: "Concert" }],
    });
    expect(await importIcs([choir(), old], ...DECEMBER)).toMatchObject({ exitCode: 0, created: 4 });
    expect(await importIcs([choir(), old], ...january)).toMatchObject({ exitCode: 0, unchanged: 5 });
  });

  test("that is cancelled and not there is unchanged", async () => {
    const cancelled = at("20261123T190000", "20261123T190000", "STATUS:CANCELLED");
    expect(await importIcs([choir(), cancelled], ...DECEMBER)).toMatchObject({
      ...{ exitCode: 0, created: 4, unchanged: 1, deleted: 0 },
      rejected: [],
    });
  });

  test("its series is rejected, too, if no event of it is on the days", async () => {
    const ended = choir("FREQ=WEEKLY;UNTIL=20261130T000000Z");
    const old = at("20261123T190000", "20261123T200000");
    expect(await importIcs([ended, old], ...DECEMBER)).toMatchObject({
      rejected: [{ reason: "it has no event from 2026-12-01 to 2026-12-31" }],
      ...{ exitCode: 12, created: 1 },
    });
  });
});

describe("a change to a series that cannot be imported", () => {
  const LONG = "x".repeat(51);
  const MOVED = "DTSTART;TZID=Europe/Berlin:20261214T210000";
  const at = (start: string) => expect.arrayContaining([start]);

  test("leaves its occurrence alone: it is not made, and not put back", async () => {
    const rejected = [{ line: 10, reason: expect.stringContaining("51 characters"), title: LONG }];
    const file = [choir(), vevent("choir", LONG, ORIGINAL_START, MOVED)];
    expect(await importIcs(file, ...DECEMBER)).toMatchObject({ exitCode: 12, created: 3, rejected });
    expect(await starts()).not.toEqual(at("2026-12-14T19:00:00+01:00"));
    const moved = [choir(), vevent("choir", "Choir", ORIGINAL_START, MOVED)];
    expect(await importIcs(moved, ...DECEMBER)).toMatchObject({ exitCode: 0, created: 1 });
    expect(await importIcs(file, ...DECEMBER, "--prune")).toMatchObject({
      updated: 0,
      deleted: 0,
      unchanged: 3,
    });
    expect(await starts()).toEqual(at("2026-12-14T21:00:00+01:00"));
  });

  test.each([
    ["RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261214T190000"],
    ["RECURRENCE-ID:soon"],
  ])("leaves the series alone where it may change more: %s", async (range) => {
    const other = vevent("other", "Party", MOVED);
    expect(await importIcs([choir(), other], ...DECEMBER)).toMatchObject({ created: 5 });
    const file = [choir("FREQ=WEEKLY;UNTIL=20261208T000000Z"), vevent("choir", "Choir", range, MOVED), other];
    expect(await importIcs(file, ...DECEMBER, "--prune=all")).toMatchObject({
      ...{ exitCode: 12, created: 0, updated: 0, deleted: 0 },
      rejected: [
        { reason: "the file has a change to it that cannot be imported" },
        { reason: expect.stringContaining("RECURRENCE-ID") },
      ],
    });
    expect(await starts()).toHaveLength(4);
  });
});

test("what the series does not have any more is deleted, without --prune", async () => {
  await importIcs([choir()], ...DECEMBER);
  const without = choir("FREQ=WEEKLY", "EXDATE;TZID=Europe/Berlin:20261207T190000");
  expect(await importIcs([without], ...DECEMBER)).toMatchObject({ deleted: 1, unchanged: 3 });
  expect(await importIcs([choir("FREQ=WEEKLY;UNTIL=20261215T000000Z")], ...DECEMBER)).toMatchObject({
    created: 1,
    deleted: 2,
    unchanged: 1,
  });
  const cancelled = vevent("choir", "Choir", ...WEEKLY, "STATUS:CANCELLED");
  expect(await importIcs([cancelled], ...DECEMBER)).toMatchObject({ deleted: 2 });
  expect(await starts()).toEqual([]);
});

test("as days pass, occurrences come into the window, and none is pruned", async () => {
  await importIcs([choir()]);
  world.setNow(world.now() + 14 * DAY_MS);
  expect(await importIcs([choir()], "--prune")).toMatchObject({
    exitCode: 0,
    created: 2,
    unchanged: 50,
    deleted: 0,
  });
  expect(await starts()).toHaveLength(54);
});

test.each([
  ["too many occurrences", "FREQ=MINUTELY", "it repeats too often"],
  ["a rule by the second", "FREQ=SECONDLY", "SECONDLY"],
])("%s: rejected, and what there was stays", async (_name, rule, reason) => {
  await importIcs([choir()], ...DECEMBER);
  const other = vevent("other", "Other", "DTSTART:20261201T120000Z");
  const often = vevent("choir", "Choir", "DTSTART:20260105T180000Z", `RRULE:${rule}`);
  const report = await importIcs([often, other], "--prune=all", ...DECEMBER);
  expect(report).toMatchObject({
    exitCode: 12,
    created: 1,
    deleted: 0,
    rejected: [{ line: 3, title: "Choir", reason: expect.stringContaining(reason) }],
  });
  expect(await starts()).toHaveLength(4);
});
