import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import { querySql, readDatabase, runSql } from "../../../service/test/support/database.js";
import { withoutExtensions } from "../../support/contract-service.js";
import { apply, byService, reply, reset } from "../../support/fault-steps.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";
import { createUndoWorld, type Event, type UndoWorld } from "./world.js";

/** `undo`, and the writes that it reads. */

const AGAIN = "created again (new id, no comments)";

let world: UndoWorld;

beforeEach(async () => {
  world = await createUndoWorld();
});

const state = () => join(world.directory, "state.db");

/** Runs command lines as Ben, without a profile. */
async function createBen() {
  const { token } = await world.service.admin.tokens.create({ user: "Ben", readOnly: false });
  const env = { CALCTL_BASE_URL: world.wire.baseUrl, CALCTL_TOKEN: token };
  return (...argv: readonly string[]) => world.runWith({ env }, ...argv);
}

const OTHER_STATE = () => ({ CALCTL_STATE_DIR: join(world.directory, "other") });

/** Without what an undo changes of an event that it puts back. */
const contentsOf = (events: readonly Event[]) => events.map(({ updated_at: _, ...content }) => content);

const commands = async () => (await world.undoable()).map((entry) => entry["command"]);

test("an event whose answer is lost while it is created again is created once", async () => {
  const { server, service, send, eventId, calendarId } = await createRemoteWorld({});
  await send("events", "delete", eventId, "--yes");
  const create = `POST /calendars/${calendarId}/events`;
  const lost = [apply(byService(service)), reset];
  server.on(create, lost);
  expect(await send("undo", "--yes", "--retries", "0")).toMatchObject({ exitCode: 8 });
  server.on(create, [reply(byService(service))]);
  expect(await send("undo", "--yes")).toMatchObject({ exitCode: 0 });
  const { stdout } = await send("events", "list", "--on", "2026-11-21", "--fields", "title");
  expect(stdout).toBe("Lunch\n");
});

test("where a service keeps no keys, an event that may have been created again is not created twice", async () => {
  const { server, service, send, eventId, calendarId } = await createRemoteWorld({});
  const contract = byService(withoutExtensions(service));
  server.otherwise([reply(contract)]);
  await send("events", "delete", eventId, "--yes");
  const create = `POST /calendars/${calendarId}/events`;
  server.on(create, [reply({ status: 403 })]);
  expect(await send("undo", "--yes")).toMatchObject({ exitCode: 6 });
  server.on(create, [apply(contract), reset]);
  expect(await send("undo", "--yes")).toMatchObject({ exitCode: 9 });
  server.on(create, [reply(contract)]);
  expect(await send("undo", "--yes")).toMatchObject({
    exitCode: 9,
    stderr: expect.stringContaining("it is unknown whether it was created again"),
  });
  const { stdout } = await send("events", "list", "--on", "2026-11-21", "--fields", "title");
  expect(stdout).toBe("Lunch\n");
});

test.each(["following", "all"])(
  "of a write to a series goes on where it failed: --scope %s",
  async (scope) => {
    const { server, service, send, calendarId } = await createRemoteWorld({});
    const series = words`--title Choir --start 2026-11-23T10:00 --duration 1h --repeat weekly --count 3`;
    await send("events", "create", ...series);
    const listed = words`events list --from 2026-11-22 --days 30 --fields id,title,recurrences -o json`;
    const list = async (): Promise<Event[]> => JSON.parse((await send(...listed)).stdout);
    const id = (await list())[1]?.id ?? "";
    await send("events", "update", id, ...words`--scope this --title Concert`);
    const before = await list();
    await send("events", "update", id, "--scope", scope, "--title", "Review");
    const change = `PUT /calendars/${calendarId}/events/${id}`;
    server.on(change, [reply({ status: 403 })]);
    expect(await send("undo", "--yes")).toMatchObject({ exitCode: 6 });
    expect(await list()).not.toEqual(before);
    server.on(change, [reply(byService(service))]);
    expect(await send("undo", "--yes")).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^Concert: restored/),
    });
    expect(await list()).toEqual(before);
  },
);

describe("what somebody else wrote since", () => {
  test("is not overwritten: exit 13 with the difference", async () => {
    const { id } = await world.create("Lunch");
    await world.step("events", "update", id, "--title", "Dinner");
    const ben = await createBen();
    await ben("events", "update", id, "--location", "Home");
    const theirs = await world.read(id);
    const { exitCode, stdout, stderr } = await world.step("undo");
    expect({ exitCode, stdout }).toEqual({ exitCode: 13, stdout: "" });
    expect(stderr).toBe(
      `Dinner (event ${id}), as calctl left it and as it is now:\n- location:\n+ location: Home\n` +
        `error: event ${id} was changed since: nothing was overwritten\n` +
        "hint: if calctl changed it later, undo that change first: calctl undo --list\n",
    );
    expect(await world.step("undo", "2", "--yes")).toMatchObject({ exitCode: 13 });
    expect(await world.read(id)).toEqual(theirs);
    expect(await commands()).toEqual(["events update", "events create"]);
  });

  test("of several events: the others are undone, and those stay to be undone", async () => {
    const events = [await world.create("One"), await world.create("Two"), await world.create("Three")];
    const ids = events.map(({ id }) => id);
    await world.step("events", "update", ...ids, "--label", "2");
    const ben = await createBen();
    await ben("events", "delete", ids[1] ?? "", "--yes");
    const { exitCode, stdout, stderr } = await world.step("undo", "--fields", "titles");
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "Three, One\n" });
    expect(stderr).toContain(`update of Two could not be undone: event ${ids[1]} was deleted since`);
    expect((await world.undoable())[0]).toMatchObject({
      number: 1,
      command: "events update",
      events: [ids[1]],
    });
    for (const id of [ids[0], ids[2]])
      expect(await world.read(id ?? "")).toMatchObject({ label: { number: 1 } });
  });

  test("a person who is gone is said", async () => {
    const { id } = await world.create("Lunch", "--attendee", "Ben", "--attendee", "me");
    await world.step("events", "delete", id, "--yes");
    await world.service.admin.members.remove("Ben", "Family");
    const { exitCode, stderr } = await world.step("undo", "--yes");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: `Lunch: left out, as no members of Family: Ben\nLunch: ${AGAIN}\n`,
    });
  });
});

describe("a run that was killed", () => {
  /** Leaves what a run has noted that was killed before its last write had ended. */
  const forgetOutcome = () =>
    runSql(
      state(),
      "update writes set state = 'begun', outcome = null where id = (select max(id) from writes)",
    );

  test("half-way of several deletes is undone as far as it came", async () => {
    const events: { readonly id: string }[] = [];
    for (const title of ["One", "Two", "Three"]) {
      const times = ["--start", "2026-11-23T12:00", "--duration", "1h"];
      const argv = ["events", "create", "-c", "Family", "--title", title, ...times, "-o", "json"];
      events.push(JSON.parse((await world.send(...argv)).stdout));
    }
    const target = `DELETE /calendars/${world.family}/events`;
    world.wire.answer(`${target}/${events[1]?.id}`, { status: 503, body: "" });
    world.wire.answer(`${target}/${events[2]?.id}`, { status: 403, body: "" });
    const flags = ["-c", "Family", "--yes", "--retries", "0"];
    const { exitCode } = await world.send("events", "delete", ...events.map(({ id }) => id), ...flags);
    expect(exitCode).toBe(12);
    const { stdout, stderr } = await world.send("undo", "--yes", "--jq", ".events | length");
    expect({ stdout, stderr }).toEqual({
      stdout: "2\n",
      stderr: `Two: nothing to undo: it is not deleted\nOne: ${AGAIN}\n`,
    });
    expect((await world.list()).map(({ title }) => title).sort()).toEqual(["One", "Three", "Two"]);
    // What was never deleted has its id.
    expect((await world.send("undo", "2", "--yes", "--retries", "0")).exitCode).toBe(8);
    expect((await world.send("undo", "3", "--yes")).exitCode).toBe(0);
    expect((await world.list()).map(({ title }) => title).sort()).toEqual(["Three", "Two"]);
  });

  test.each([
    ["before the update was sent", "Lunch", 0, "Lunch"],
    ["after it was written", "Dinner", 0, "Lunch"],
    ["and somebody wrote since", "Other", 13, "Other"],
  ])("%s", async (_, now, exitCode, after) => {
    const { id } = await world.create("Lunch");
    await world.step("events", "update", id, "--title", "Dinner");
    forgetOutcome();
    // Its own state notes nothing here.
    const env = { CALCTL_STATE_DIR: join(world.directory, "other") };
    await world.runWith({ env }, "events", "update", id, "--title", now);
    expect((await world.step("undo")).exitCode).toBe(exitCode);
    expect(await world.read(id)).toMatchObject({ title: after });
  });

  /** A series of four, and a write to one of its events that was killed. */
  const beginSeries = async (argv: string, index = 1) => {
    await world.create("Choir", "--repeat", "weekly", "--count", "4");
    const before = await world.list();
    const id = before[index]?.id ?? "";
    await world.step("events", ...argv.split(" "), id);
    forgetOutcome();
    return { id, before };
  };

  test.each([0, 1])("after the delete of event %i of a series", async (index) => {
    const { before } = await beginSeries("delete --scope this --yes", index);
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(contentsOf(await world.list())).toEqual(contentsOf(before));
  });

  test("after the delete of an event that had been changed on its own", async () => {
    const { id } = await beginSeries("update --scope this --title Concert");
    const before = await world.list();
    await world.step("events", "delete", id, ...words`--scope this --yes`);
    forgetOutcome();
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(contentsOf(await world.list())).toEqual(contentsOf(before));
  });

  test.each([
    "delete --scope following --yes",
    "update --scope following --title Concert",
    "update --scope following --location Choir",
  ])("after %s nobody knows what was written", async (argv) => {
    const { id } = await beginSeries(argv);
    const after = await world.list();
    const { exitCode, stderr } = await world.step("undo", "--yes");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr:
        `error: the outcome of this write is unknown\nhint: see the current series with \`calctl events get ${id.slice(0, 32)}\`; ` +
        "the command before it that can be undone is events create: calctl undo 2\n",
    });
    expect(await world.list()).toEqual(after);
  });

  test("in the middle of a create: nobody knows whether it was done, but another command can be undone", async () => {
    const { id } = await world.create("Lunch");
    await world.create("Brunch");
    forgetOutcome();
    await world.create("Dinner");
    forgetOutcome();
    const { exitCode, stderr } = await world.step("undo", "--yes");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr:
        "error: it is unknown whether it was created\nhint: look for it with `calctl events list`; " +
        "the command before it that can be undone is events create: calctl undo 3\n",
    });
    await world.step("undo", "3", "--yes");
    expect((await world.list()).map((event) => event.id)).not.toContain(id);
  });

  test("a write that is damaged cannot be undone, but the others of its command can", async () => {
    const ids = [(await world.create("One")).id, (await world.create("Two")).id];
    await world.step("events", "update", ...ids, "--label", "2");
    runSql(state(), "update writes set written = '{' where id = (select max(id) from writes)");
    const { exitCode, stderr } = await world.step("undo", "--yes");
    expect(exitCode).toBe(12);
    expect(stderr).toContain("update of Two could not be undone");
    expect(stderr).toContain("its record is damaged");
    expect(await world.read(ids[0] ?? "")).toMatchObject({ label: { number: 1 } });
    expect((await world.undoable())[0]).toMatchObject({ events: [ids[1]] });
    expect(await world.step("undo", "--yes")).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining("hint: calctl undo --list shows the other commands"),
    });
  });

  test("and undone in part, once more", async () => {
    const events = [await world.create("One"), await world.create("Two")];
    const ids = events.map(({ id }) => id);
    await world.step("events", "update", ...ids, "--label", "2");
    await world.runWith({ env: OTHER_STATE() }, "events", "update", ids[1] ?? "", "--label", "3");
    expect(await world.step("undo")).toMatchObject({ exitCode: 12 });
    await world.runWith({ env: OTHER_STATE() }, "events", "update", ids[1] ?? "", "--label", "2");
    expect(await world.step("undo")).toMatchObject({ exitCode: 0, stderr: "Two: restored\n" });
  });
});

describe("one command at a time", () => {
  test("lists what can be undone, the latest first", async () => {
    const { id } = await world.create("Lunch");
    await world.step("comment", id, "See you");
    expect(await world.undoable()).toEqual([
      { number: 1, at: "2026-11-21T14:31:00.000Z", command: "comment", events: [id] },
      { number: 2, at: "2026-11-21T14:30:00.000Z", command: "events create", events: [id] },
    ]);
    expect(await world.step("undo")).toMatchObject(
      failed(
        11,
        "it cannot be undone: the service cannot delete comments\n" +
          "hint: the command before it that can be undone is events create: calctl undo 2\n",
      ),
    );
    expect(await world.step("undo", "2", "--yes")).toMatchObject({ exitCode: 0, stderr: "Lunch: deleted\n" });
    expect(await world.list()).toEqual([]);
  });

  test("a refused write, a dry run and a read are no commands to undo", async () => {
    expect(await world.step("events", "delete", "gone", "-c", "Family", "--yes")).toMatchObject({
      exitCode: 5,
    });
    expect(await world.step("api", "/nowhere", "-X", "DELETE")).toMatchObject({ exitCode: 5 });
    await world.step("events", "create", "-c", "Family", "--title", "T", "--category", "keep", "--dry-run");
    await world.step("api", "/user");
    const elsewhere = { status: 307, headers: { location: "https://other.example/" }, body: "" };
    world.wire.answer(`POST /calendars/${world.family}/events`, elsewhere);
    expect(
      await world.send("events", "create", "-c", "Family", "--title", "T", "--category", "keep"),
    ).toMatchObject({
      exitCode: 11,
    });
    expect(await world.send("undo", "--list", "-o", "json")).toMatchObject({ stdout: "[]\n" });
    expect(await commands()).toEqual([]);
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 5 });
  });

  test("a request of api is not undone, and nothing before it in its place", async () => {
    const { id } = await world.create("Lunch");
    await world.step("api", `/calendars/${world.family}/events/${id}`, "-X", "DELETE");
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 11 });
    expect(await commands()).toEqual(["api", "events create"]);
  });

  test("a moved event comes back, and its copy is not deleted if it cannot", async () => {
    const { id } = await world.create("Lunch");
    await world.send("events", "move", id, "--to", "Work", "--yes");
    const [moved] = await world.list();
    const target = `POST /calendars/${world.family}/events`;
    world.wire.answer(target, { status: 403, body: "" });
    const { exitCode, stderr } = await world.send("undo", "--yes");
    expect({ exitCode, list: await world.list() }).toEqual({ exitCode: 6, list: [moved] });
    expect(stderr).toContain("create of Lunch could not be undone: it is kept");
    const other = await createUndoWorld();
    const lunch = await other.create("Lunch");
    await other.step("events", "move", lunch.id, "--to", "Work", "--yes");
    expect(await other.step("undo", "--yes")).toMatchObject({
      exitCode: 0,
      stderr: `Lunch: ${AGAIN}\nLunch: deleted\n`,
    });
    expect((await other.list()).map(({ calendar_name: name }) => name)).toEqual(["Family"]);
  });

  test("several deleted events are created again with the calendars and members read once", async () => {
    const { id } = await world.create("One", "--attendee", "Ben");
    const ids = [id, (await world.create("Two", "--attendee", "Ben")).id];
    await world.send("events", "delete", ...ids, "--yes", "-c", "Family");
    world.wire.requests.length = 0;
    await world.send("undo", "--yes");
    const read = world.wire.requests.map(({ method, path }) => `${method} ${path}`);
    expect(read.filter((each) => /^GET .*\/(?:calendars|members)$/.test(each))).toEqual([
      "GET /calendars",
      `GET /calendars/${world.family}/members`,
    ]);
  });

  test("a keep is without times again", async () => {
    const argv = ["events", "create", "-c", "Work", "--title", "Shopping", "--category", "keep"];
    const keep = await world.json<{ readonly id: string }>(...argv);
    const flags = ["--start", "tomorrow 9:00", "--duration", "1h", "--attendee", "me"];
    await world.step("events", "update", keep.id, ...flags);
    await world.step("undo");
    const { start_at, end_at, attendees } = await world.read(keep.id);
    expect({ start_at, end_at, attendees }).toEqual({ start_at: null, end_at: null, attendees: [] });
  });

  test("what was empty is cleared, also where a service keeps what a request leaves out", async () => {
    const { id } = await world.create("Lunch");
    await world.send("events", "update", id, "--location", "Home", "--attendee", "Ben");
    await world.send("undo");
    const { body } = world.wire.requests.findLast(({ method }) => method === "PUT") ?? {};
    expect(body).toMatchObject({
      data: { attributes: { location: "" }, relationships: { attendees: { data: [] } } },
    });
  });

  test("what is deleted or gets a new id is asked for", async () => {
    const { id } = await world.create("Lunch");
    expect(await world.step("undo")).toMatchObject({ exitCode: 2, stdout: "" });
    await world.step("events", "update", id, "--title", "Dinner");
    expect(await world.step("undo")).toMatchObject({ exitCode: 0, stderr: "Lunch: restored\n" });
    expect(await world.step("undo", "--dry-run", "--jq", ".method")).toMatchObject({ stdout: "DELETE\n" });
    expect(await world.read(id)).toMatchObject({ title: "Lunch" });
    expect(await commands()).toEqual(["events create"]);
    await world.runWith(
      { env: { CALCTL_STATE_DIR: join(world.directory, "other") } },
      ...words`events delete ${id} --yes`,
    );
    await world.step("undo", "--dry-run");
    expect(await commands()).toEqual(["events create"]);
  });

  test("lists the ids that events have now", async () => {
    const { id } = await world.create("Lunch");
    await world.step("events", "update", id, "--title", "Dinner");
    await world.step("events", "delete", id, "--yes");
    await world.step("undo", "--yes");
    const [dinner] = await world.list();
    expect((await world.undoable()).map(({ events }) => events)).toEqual([[dinner?.id], [dinner?.id]]);
  });

  test("says where there is nothing to undo", async () => {
    const { id } = await world.create("Lunch");
    await world.step("events", "update", id, "--title", "Dinner");
    await world.runWith({ env: OTHER_STATE() }, "events", "update", id, "--title", "Lunch");
    const lunch = (reason: string) => ({ exitCode: 0, stderr: `Lunch: nothing to undo: ${reason}\n` });
    expect(await world.step("undo")).toMatchObject(lunch("it is as it was before"));
    await world.runWith({ env: OTHER_STATE() }, "events", "delete", id, "--yes");
    expect(await world.step("undo", "--yes")).toMatchObject(lunch("it is deleted"));
  });

  test.each([[["0"]], [["x"]], [["1", "--list"]], [["-c", "Family"]]])("undo %j is exit 2", async (argv) => {
    expect(await world.run("undo", ...argv)).toMatchObject({ exitCode: 2, stdout: "" });
  });
});

describe("what commands wrote", () => {
  test("is of its profile and service, and listed for 30 days", async () => {
    await world.create("Lunch");
    expect(await world.send("undo", "--list", "-o", "json")).toMatchObject({ stdout: "[]\n" });
    world.setNow(world.now() + 31 * DAY_MS);
    expect(await commands()).toEqual([]);
  });

  test("of runs without a profile is that of their token", async () => {
    const { id } = await world.create("Lunch");
    const ben = await createBen();
    await world.send("events", "update", id, "-c", "Family", "--location", "Home");
    await ben("events", "update", id, "-c", "Family", "--title", "Dinner");
    expect(await world.send("undo", "--list", "--fields", "titles")).toMatchObject({ stdout: "Lunch\n" });
    expect(await world.send("undo")).toMatchObject({ exitCode: 13 });
    expect(await ben("undo")).toMatchObject({ exitCode: 0, stderr: "Lunch: restored\n" });
    expect(await world.send("undo")).toMatchObject({ exitCode: 0 });
  });

  test("removes old writes, but not those of the last 100 commands", async () => {
    await world.create("Lunch");
    const repeat = (began: number) =>
      runSql(
        state(),
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 110)
        insert into writes (run, account, command, began_at, kind, state, written)
        select (select max(id) from writes) + i, account, command, ${began}, kind, state, '{}' from n, writes where id = 1`,
      );
    const count = () => querySql(state(), "select count(*) as count from writes")[0]?.["count"];
    repeat(0);
    await world.create("Dinner");
    expect(count()).toBe(102);
    repeat(world.now() - 29 * DAY_MS);
    await world.create("Supper");
    // Old ones alone are removed.
    expect(querySql(state(), "select min(began_at) > 0 as recent, count(*) as count from writes")).toEqual([
      { recent: 1, count: 113 },
    ]);
  });

  test.each([
    ["ahead", 3_650 * DAY_MS],
    ["behind", -3_650 * DAY_MS],
  ])("loses nothing, and keeps its order, while the clock is %s", async (_, difference) => {
    const { id } = await world.create("Lunch");
    const now = world.now();
    world.setNow(now + difference);
    await commands();
    await world.step("events", "update", id, "--title", "Brunch");
    world.setNow(now + 60_000);
    await world.step("events", "update", id, "--title", "Dinner");
    expect(await commands()).toEqual(["events update", "events update", "events create"]);
    await world.step("undo", "--yes");
    expect(await world.read(id)).toMatchObject({ title: "Brunch" });
  });

  test("config set journal off keeps none", async () => {
    await world.create("Lunch");
    await world.run("config", "set", "journal", "off", "-p", "local");
    await world.create("Dinner");
    expect(querySql(state(), "select * from writes")).toEqual([]);
    expect(Buffer.from(readDatabase(state())).toString("latin1")).not.toContain("Lunch");
    expect(await world.run("undo")).toMatchObject(failed(10, "this profile keeps no journal"));
    expect(await world.run("config", "set", "journal", "maybe", "-p", "local")).toMatchObject({
      exitCode: 2,
    });
  });

  test("where it cannot be written, the write is done and stderr says that it cannot be undone", async () => {
    writeFileSync(state(), "");
    const create = words`events create -c Work --title T --category keep --quiet`;
    const { exitCode, stderr } = await world.step(...create);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      `not everything that this command writes can be undone: the state database ${state()} is empty`,
    );
    expect(await world.step("undo")).toMatchObject({ exitCode: 10 });
  });
});
