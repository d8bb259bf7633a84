import { describe, expect, test } from "vitest";
import { createChangesWorld, problem, requestsOf } from "./world.js";

/** Changes from a service that tells what changed since a revision. @see docs/extensions.md */

const DAY = 24 * 3_600_000;
const createWorld = () => createChangesWorld({ revisions: true });
type World = Awaited<ReturnType<typeof createWorld>>;

/** What was asked of the calendars, after the user and the list of them. */
function askedOf({ world, workId }: World): string[] {
  const asked = requestsOf(world).flatMap((line) => /^GET \/calendars\/(.*)$/.exec(line)?.[1] ?? []);
  world.server.forget();
  return asked.map((path) => path.replace(workId, "Work").replace(world.calendarId, "Personal")).sort();
}

const SMALL = ["Personal/changes", "Work/changes"];
const nothing = { exitCode: 0, stderr: "", titles: [] };

describe("later runs of a day", () => {
  test("ask only what changed, and list no events", async () => {
    const stage = await createWorld();
    expect(await stage.changes()).toEqual(nothing);
    expect(await stage.changes()).toEqual(nothing);
    expect(askedOf(stage)).toEqual([...SMALL, ...SMALL].sort());
  });

  test("print what was written, moved away and deleted, without asking for single events", async () => {
    const stage = await createWorld();
    const { world, create, changes, meeting, pass } = stage;
    await create("Dentist", "Personal");
    const far = await create("Far", "Work", "2027-01-01T10:00");
    pass();
    await world.run("events", "delete", meeting, "-c", "Work", "--yes");
    expect(await changes()).toEqual({ ...nothing, titles: ["added Dentist", "removed Meeting"] });
    const update = (id: string, calendar: string, ...flags: string[]) =>
      world.json("events", "update", id, "-c", calendar, ...flags);
    await update(far, "Work", "--start", "2026-11-24T10:00");
    await update(world.eventId, "Personal", "--start", "2027-02-01T10:00");
    pass();
    expect(await changes()).toEqual({ ...nothing, titles: ["changed Far", "changed Lunch"] });
    expect(await changes()).toEqual(nothing);
    const asked = askedOf(stage);
    expect(new Set(asked.filter((path) => !/^\w+\/events(\/\w+)?$/.test(path)))).toEqual(new Set(SMALL));
  });

  test("list the events again when labels changed, since other events may match", async () => {
    const stage = await createWorld();
    const { world, workId, changes } = stage;
    await world.service.admin.labels.set(workId, 1, { name: "Urgent" });
    expect(await changes()).toEqual(nothing);
    expect(askedOf(stage)).toEqual(["Personal/changes", "Work/changes", "Work/upcoming_events"]);
    expect(await changes()).toEqual(nothing);
    expect(askedOf(stage)).toEqual(SMALL);
  });

  test.each([404, 405, 410])("list the events where what changed is %i", async (status) => {
    const stage = await createWorld();
    const { workId, create, changes, once } = stage;
    await create("Review", "Work");
    stage.world.server.forget();
    once(`GET /calendars/${workId}/changes`, problem(status));
    expect(await changes()).toEqual({ ...nothing, titles: ["added Review"] });
    expect(askedOf(stage)).toEqual([...SMALL, "Work/upcoming_events"]);
  });

  test("lose nothing when what changed cannot be read", async () => {
    const { workId, create, changes, once } = await createWorld();
    await create("Review", "Work");
    once(`GET /calendars/${workId}/changes`, problem(503));
    expect(await changes()).toMatchObject({ exitCode: 12, titles: [] });
    expect(await changes()).toEqual({ ...nothing, titles: ["added Review"] });
  });
});

test("the first run of the next day lists the events: others have come into view", async () => {
  const stage = await createWorld();
  const { world, create, changes, pass } = stage;
  // Eight days after the first run.
  const id = await create("Concert", "Work", "2026-11-28T10:00");
  pass();
  expect(await changes()).toEqual(nothing);
  world.server.forget();
  pass(DAY);
  expect(await changes()).toEqual(nothing);
  expect(askedOf(stage)).toEqual(["Personal/upcoming_events", "Work/upcoming_events"]);
  await world.run("events", "delete", id, "-c", "Work", "--yes");
  world.server.forget();
  expect(await changes()).toEqual({ ...nothing, titles: ["removed Concert"] });
  expect(askedOf(stage)).toEqual(SMALL);
});
