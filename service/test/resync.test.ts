import { afterEach, beforeEach, expect, test } from "vitest";
import { DELETION_MEMORY } from "../store/deletions.js";
import { eventBody, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** After a database was restored, clients that know later revisions are not told that nothing changed. */

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const inCalendar = (path: string) => `/calendars/${world.calendarId}${path}`;

async function createEvent(): Promise<string> {
  return (await changeCalendar(world, "POST", "events", eventBody(SCHEDULE))).id;
}

async function currentRevision(): Promise<number> {
  return Number((await request(world, `GET ${inCalendar("/upcoming_events")}`)).headers["calendar-revision"]);
}

const changesSince = (revision: number) => request(world, `GET ${inCalendar(`/changes?since=${revision}`)}`);

test("no answer that a client knows is the same, and no revision is one to ask changes since", async () => {
  const id = await createEvent();
  const known = await currentRevision();
  const paths = ["/calendars", ...["", "/labels", "/members", "/upcoming_events", "/events"].map(inCalendar)];
  paths.push(inCalendar(`/events/${id}`), inCalendar("/changes"));
  const tags = await Promise.all(
    paths.map(async (path) => (await request(world, `GET ${path}`)).headers["etag"] ?? ""),
  );
  const ask = () =>
    Promise.all(
      paths.map(async (path, at) => {
        const headers = { "if-none-match": tags[at] ?? "" };
        return (await request(world, `GET ${path}`, { headers })).status;
      }),
    );
  expect(await ask()).toEqual(paths.map(() => 304));
  expect((await changesSince(known)).status).toBe(200);

  expect(await world.service.admin.resync()).toEqual({ calendars: 2 });
  expect(await ask()).toEqual(paths.map(() => 200));
  expect((await changesSince(known)).status).toBe(410);
  const revision = await currentRevision();
  expect(revision).toBe(NOW * 100);
  expect((await changesSince(revision)).json).toMatchObject({
    data: [],
    meta: { revision, deleted: [], details_changed: false },
  });
  await createEvent();
  expect((await changesSince(revision)).json.meta).toMatchObject({ revision: revision + 1 });
});

test("revisions of any earlier restoration are behind, whatever the clock says", async () => {
  const earlier = [];
  for (const minutes of [0, 60, -600]) {
    world.clock.now += minutes * 60_000;
    await world.service.admin.resync();
    await createEvent();
    for (const revision of earlier) expect((await changesSince(revision)).status).toBe(410);
    earlier.push(await currentRevision());
  }
  expect(earlier).toEqual([...earlier].sort((one, other) => one - other));
});

test.each([
  { clock: "goes on", start: NOW },
  { clock: "is set back", start: 0 },
])("of two restorations of one copy, the second is ahead when the clock $clock", async ({ start }) => {
  // Of a copy that `service backup` made.
  await world.service.admin.resync();
  const copy = await currentRevision();
  const reached = [];
  for (const minutes of [5, 10]) {
    await world.tables.change(
      `update calendars set revision = ${copy}, details_revision = ${copy}, changes_from = ${copy}`,
    );
    world.clock.now = start + minutes * 60_000;
    await world.service.admin.resync();
    for (const revision of reached) expect((await changesSince(revision)).status).toBe(410);
    await createEvent();
    reached.push(await currentRevision());
  }
  expect(reached[1]).toBeGreaterThan(Number(reached[0]));
});

test("revisions are ahead of what the restored database was written before, also if the clock is not", async () => {
  await createEvent();
  const known = 5 + (await currentRevision());
  world.clock.now = 0;
  await world.service.admin.resync();
  for (let count = 0; count < 10; count += 1) await createEvent();
  expect((await changesSince(known)).status).toBe(410);
});

test("deletions of before do not make earlier revisions valid again when they are forgotten", async () => {
  const ids = [await createEvent(), await createEvent()];
  await changeCalendar(world, "DELETE", `events/${ids[0]}`);
  const known = await currentRevision();
  await world.service.admin.resync();
  world.clock.now += DELETION_MEMORY + 1;
  await changeCalendar(world, "DELETE", `events/${ids[1]}`);
  expect((await changesSince(known)).status).toBe(410);
});
