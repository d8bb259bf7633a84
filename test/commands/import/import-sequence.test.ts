import { beforeEach, describe, expect, test } from "vitest";
import { withoutSeries } from "../../support/contract-service.js";
import { createUndoWorld, type UndoWorld } from "../undo/world.js";
import { choir, concert, icsFile, importText, request, sequenceLine, type Version, vevent } from "./world.js";

/** SEQUENCE between imports: what is older than what was imported does not replace it. It is Saturday 21 November 2026. */

let world: UndoWorld;

beforeEach(async () => {
  world = await createUndoWorld();
});

const dinner = (title: string, sequence: Version, ...lines: readonly string[]) =>
  vevent("dinner", title, "DTSTART:20261201T180000Z", "DURATION:PT1H", ...sequenceLine(sequence), ...lines);

const CANCELLED = "STATUS:CANCELLED";

const importIcs = (parts: readonly string[], ...flags: readonly string[]) =>
  importText(world, "mail.ics", icsFile(parts), ...flags);

const NOTHING = { exitCode: 0, created: 0, updated: 0, deleted: 0, conflicts: 0, rejected: [] };
/** One event is left out as older, and nothing is written. */
const LEFT_OUT = { ...NOTHING, unchanged: 1 };

/** Day, hour and title of each event. */
async function listed(): Promise<readonly string[]> {
  return (await world.list()).map(
    ({ title, ...event }) => `${String(event["start_local"]).slice(8, 13)} ${title}`,
  );
}

const SERIES = ["07T19 Choir", "14T19 Choir", "21T19 Choir"];
const CHANGED = ["07T19 Choir", "14T20 Concert", "21T19 Choir"];
const CANCELLED_ONE = ["07T19 Choir", "21T19 Choir"];

describe("a single event", () => {
  test("of an older version is skipped with a note, and counted as unchanged", async () => {
    await importIcs([dinner("New", 3)]);
    const older = await importIcs([dinner("Old", 2)]);
    expect(older).toMatchObject(LEFT_OUT);
    expect(older.stderr).toContain(
      'line 3: "Old": skipped: its SEQUENCE 2 is lower than 3, which was imported; --overwrite imports it',
    );
    expect(await listed()).toEqual(["01T19 New"]);
    expect(await importIcs([dinner("Newest", 4)])).toMatchObject({ updated: 1 });
  });

  test("of an older version is imported with --overwrite, and then later ones count from it", async () => {
    await importIcs([dinner("New", 3)]);
    expect(await importIcs([dinner("Old", 1)], "--overwrite")).toMatchObject({ updated: 1, unchanged: 0 });
    expect(await importIcs([dinner("Old", 1)])).toMatchObject({ ...LEFT_OUT, stderr: "" });
    expect(await importIcs([dinner("Middle", 2)])).toMatchObject({ updated: 1 });
  });

  test("of the same version is imported whatever the order", async () => {
    for (const title of ["One", "Other", "One"]) {
      await importIcs([dinner(title, 2)]);
      expect(await listed()).toEqual([`01T19 ${title}`]);
    }
  });

  test("without SEQUENCE is never older, and the last SEQUENCE stays known", async () => {
    await importIcs([dinner("New", 3)]);
    expect(await importIcs([dinner("Without", null)])).toMatchObject({ updated: 1, stderr: "" });
    expect(await importIcs([dinner("Old", 2)])).toMatchObject(LEFT_OUT);
  });

  test("with the same text and a higher SEQUENCE makes the versions between older", async () => {
    await importIcs([dinner("New", 1)]);
    expect(await importIcs([dinner("New", 4)])).toMatchObject(LEFT_OUT);
    expect(await importIcs([dinner("Old", 2)])).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual(["01T19 New"]);
  });

  test("is compared by the number of its SEQUENCE, or not at all", async () => {
    await importIcs([dinner("Old", 9)]);
    expect(await importIcs([dinner("New", 10)])).toMatchObject({ updated: 1 });
    expect(await importIcs([dinner("Other", null, "SEQUENCE:a")])).toMatchObject({ updated: 1 });
  });

  test("that is skipped as an older version is not deleted by --prune", async () => {
    await importIcs([dinner("New", 3), vevent("tea", "Tea", "DTSTART:20261202T120000Z")]);
    const file = [dinner("Old", 2), vevent("tea", "Tea", "DTSTART:20261202T120000Z")];
    expect(await importIcs(file, "--prune=all")).toMatchObject({ ...NOTHING, unchanged: 2 });
    expect(await listed()).toEqual(["01T19 New", "02T13 Tea"]);
  });

  test("that somebody changed stays a conflict in a newer version", async () => {
    await importIcs([dinner("New", 3)]);
    const [{ id = "" } = {}] = await world.list();
    await world.step("events", "update", id, "-c", "Family", "--title", "Mine");
    expect(await importIcs([dinner("Newest", 4)])).toMatchObject({ conflicts: 1 });
    expect(await importIcs([dinner("New", 3)])).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual(["01T19 Mine"]);
  });
});

describe("a cancelled event", () => {
  test.each([
    ["METHOD:CANCEL", ["METHOD:CANCEL", dinner("Dinner", 2)]],
    ["STATUS:CANCELLED", [dinner("Dinner", 2, CANCELLED)]],
  ])("by %s is not brought back by an older version, but by a newer one", async (_name, cancel) => {
    await importIcs([dinner("Dinner", 1)]);
    expect(await importIcs(cancel)).toMatchObject({ deleted: 1 });
    expect(await importIcs([dinner("Dinner", 1)])).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual([]);
    expect(await importIcs([dinner("Again", 3)])).toMatchObject({ created: 1 });
  });

  test("that was never imported is not created by an older version either", async () => {
    const cancel = ["METHOD:CANCEL", dinner("Dinner", 2)];
    const first = await importIcs(cancel);
    expect(first).toMatchObject(LEFT_OUT);
    expect(await importIcs(cancel)).toMatchObject({ ...LEFT_OUT, stderr: first.stderr });
    expect(await importIcs([dinner("Dinner", 1)])).toMatchObject(LEFT_OUT);
    expect(await importIcs([dinner("Dinner", 3)])).toMatchObject({ created: 1 });
  });

  test("is not cancelled by an older version", async () => {
    await importIcs([dinner("Dinner", 2)]);
    expect(await importIcs(["METHOD:CANCEL", dinner("Dinner", 1)])).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual(["01T19 Dinner"]);
  });
});

describe("an event of a series", () => {
  test("is not moved back by an older change, with its series or alone", async () => {
    await importIcs([choir("Choir", 1), concert("Concert", 3)]);
    expect(await importIcs([concert("Old", 2)])).toMatchObject(LEFT_OUT);
    expect(await importIcs([choir("Choir", 1), concert("Old", 2)])).toMatchObject({
      ...NOTHING,
      unchanged: 2,
    });
    expect(await listed()).toEqual(CHANGED);
    expect(await importIcs([concert("Concert", 2)], "--overwrite")).toMatchObject(LEFT_OUT);
  });

  test("is changed although its series in the same file is older", async () => {
    await importIcs([choir("Choir", 2)]);
    const both = [choir("Old", 1), concert("Concert", 1)];
    expect(await importIcs(both)).toMatchObject({ exitCode: 0, updated: 1, unchanged: 1 });
    expect(await listed()).toEqual(CHANGED);
    expect(await importIcs(both, "--prune=all")).toMatchObject({ ...NOTHING, unchanged: 2 });
  });

  test.each([
    ["alone", [concert("Choir", 2, CANCELLED)], { deleted: 1 }],
    ["with its series", [choir("Choir", 2), concert("Choir", 2, CANCELLED)], { updated: 1 }],
  ])("that was cancelled %s is not brought back by an older change", async (_name, cancel, counts) => {
    await importIcs([choir("Choir", 0)]);
    expect(await importIcs(cancel)).toMatchObject(counts);
    expect(await importIcs([concert("Concert", 1)])).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual(CANCELLED_ONE);
    expect(await importIcs([concert("Concert", 3)])).toMatchObject({ created: 1 });
    expect(await listed()).toEqual(CHANGED);
  });

  test("stays changed when an email has the older series again", async () => {
    await importIcs(request(choir("Choir", 0)));
    await importIcs(request(concert("Concert", 1)));
    expect(await importIcs(request(choir("Choir", 0)))).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual(CHANGED);
    // A calendar has all of its source: without the change there is none any more.
    expect(await importIcs([choir("Choir", 0)])).toMatchObject({ updated: 1 });
    expect(await listed()).toEqual(SERIES);
  });

  test("stays cancelled when an email has another version of the older series", async () => {
    await importIcs(request(choir("Choirs", 0)));
    await importIcs(["METHOD:CANCEL", concert("Choir", 1)]);
    for (const counts of [{ updated: 1 }, LEFT_OUT]) {
      expect(await importIcs(request(choir("Choir", 0)))).toMatchObject(counts);
      expect(await listed()).toEqual(CANCELLED_ONE);
    }
    expect(await importIcs(request(choir("Choir", 2)))).toMatchObject({ updated: 1 });
    expect(await listed()).toEqual(SERIES);
  });

  test("is not brought back when its series was cancelled later", async () => {
    await importIcs(request(choir("Choir", 1), concert("Concert", 1)));
    expect(await importIcs(["METHOD:CANCEL", choir("Choir", 5)])).toMatchObject({ deleted: 1 });
    for (const older of [[concert("Concert", 4)], [choir("Choir", 4), concert("Concert", 4)]])
      expect(await importIcs(request(...older))).toMatchObject({ ...NOTHING, unchanged: older.length });
    expect(await importIcs(request(choir("Choir", 6), concert("Concert", 4)))).toMatchObject({ created: 2 });
    expect(await listed()).toEqual(CHANGED);
  });
});

test("an older version of a series changes neither it nor its events", async () => {
  await importIcs([choir("Choir", 2), concert("Concert", 2)]);
  expect(await importIcs([choir("Old", 1)], "--prune=all")).toMatchObject(LEFT_OUT);
  expect(await listed()).toEqual(CHANGED);
});

describe("a change that comes before its series", () => {
  const seriesLater = (service: "stores series" | "stores none") => {
    if (service === "stores none") Object.assign(world.service, withoutSeries({ ...world.service }));
  };

  test.each([
    ["stores series", 0],
    ["stores series", null],
    ["stores none", 0],
  ] as const)("where the service %s: is the event of its day (SEQUENCE %s)", async (service, sequence) => {
    seriesLater(service);
    await importIcs([concert("Concert", sequence === null ? null : 1)]);
    expect(await importIcs([choir("Choir", sequence)])).toMatchObject({
      exitCode: 0,
      rejected: [],
      stderr: "",
    });
    expect(await listed()).toEqual(CHANGED);
    expect(await importIcs([choir("Choir", sequence)])).toMatchObject(NOTHING);
    expect(
      await importIcs([choir("Choir", sequence), concert("Concert", sequence)], "--prune"),
    ).toMatchObject(NOTHING);
    expect(await listed()).toEqual(CHANGED);
  });

  test("is changed, cancelled and deleted with its series as another one", async () => {
    await importIcs([concert("First", 1)]);
    await importIcs([choir("Choir", 0)]);
    expect(await importIcs([concert("Concert", 2)])).toMatchObject({ updated: 1 });
    expect(await listed()).toEqual(CHANGED);
    expect(await importIcs([concert("Concert", 3, CANCELLED)])).toMatchObject({ deleted: 1 });
    expect(await importIcs([choir("Choir", 0)])).toMatchObject(LEFT_OUT);
    expect(await listed()).toEqual(CANCELLED_ONE);
  });

  test("is cancelled with its series", async () => {
    await importIcs([concert("Concert", 1)]);
    await importIcs([choir("Choir", 0)]);
    expect(await importIcs(["METHOD:CANCEL", choir("Choir", 2)])).toMatchObject({ deleted: 2 });
    expect(await listed()).toEqual([]);
  });

  test("does not count in a series that is newer", async () => {
    await importIcs([concert("Concert", 1)]);
    expect(await importIcs([choir("Choir", 2)])).toMatchObject({ exitCode: 0, created: 1, deleted: 1 });
    expect(await listed()).toEqual(SERIES);
    expect(await importIcs([choir("Choir", 2)])).toMatchObject({ ...LEFT_OUT, stderr: "" });
  });

  test("stays when the import of its series is undone, and takes its place again with it", async () => {
    await importIcs([concert("Concert", 1)]);
    await importIcs([choir("Choir", 0)]);
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await listed()).toEqual(["14T20 Concert"]);
    expect(await importIcs([choir("Choir", 0)])).toMatchObject({ created: 1 });
    expect(await listed()).toEqual(CHANGED);
  });

  test("as a cancellation by email keeps its day free", async () => {
    await importIcs(["METHOD:CANCEL", concert("Concert", 1)]);
    for (const counts of [{ created: 1 }, LEFT_OUT]) {
      expect(await importIcs(request(choir("Choir", 0)))).toMatchObject(counts);
      expect(await listed()).toEqual(CANCELLED_ONE);
    }
  });
});

describe("an undo", () => {
  const undo = async () => expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });

  test("of a newer version restores the version and the SEQUENCE before it", async () => {
    await importIcs([dinner("First", 1)]);
    await importIcs([dinner("Second", 3)]);
    await undo();
    expect(await listed()).toEqual(["01T19 First"]);
    expect(await importIcs([dinner("Zero", 0)])).toMatchObject(LEFT_OUT);
    expect(await importIcs([dinner("Middle", 2)])).toMatchObject({ updated: 1 });
  });

  test("of a first import lets any version be imported", async () => {
    await importIcs([dinner("Second", 3)]);
    await undo();
    expect(await importIcs([dinner("First", 1)])).toMatchObject({ created: 1 });
  });

  test("of a change in a file that cancels its series lets the same file be imported", async () => {
    const file = [choir("Choir", 1, CANCELLED), concert("Concert", 0)];
    expect(await importIcs(file)).toMatchObject({ created: 1 });
    await undo();
    expect(await importIcs(file)).toMatchObject({ created: 1 });
  });

  test("of a cancellation lets the version before be imported", async () => {
    await importIcs([dinner("Dinner", 1)]);
    await importIcs([dinner("Dinner", 2, CANCELLED)]);
    await undo();
    expect(await importIcs([dinner("Late dinner", 1)])).toMatchObject({ updated: 1 });
  });

  test.each([
    ["made", []],
    ["changed", [choir("Choir", 0)]],
  ])("of a series that it %s with a cancelled event forgets that, too", async (_name, before) => {
    if (before.length > 0) await importIcs(before);
    await importIcs([choir("Choir", 2), concert("Choir", 2, CANCELLED)]);
    expect(await listed()).toEqual(CANCELLED_ONE);
    await undo();
    const both = [choir("Choir", 1), concert("Concert", 1)];
    expect(await importIcs(both)).toMatchObject({ exitCode: 0, conflicts: 0 });
    expect(await listed()).toEqual(CHANGED);
  });
});

describe("an event that was cancelled before its series came, and is cancelled again", () => {
  beforeEach(async () => {
    await importIcs(["METHOD:CANCEL", concert("Choir", 1)]);
    await importIcs(request(choir("Choir", 0)));
    expect(await importIcs(["METHOD:CANCEL", concert("Choir", 2)])).toMatchObject({
      ...NOTHING,
      unchanged: 1,
    });
  });

  test("is deleted with its series", async () => {
    expect(await importIcs(["METHOD:CANCEL", choir("Choir", 3)])).toMatchObject({ ...NOTHING, deleted: 1 });
  });

  test("comes back by a newer version", async () => {
    expect(await importIcs(request(concert("Concert", 3)))).toMatchObject({ ...NOTHING, created: 1 });
    expect(await listed()).toEqual(CHANGED);
  });
});
