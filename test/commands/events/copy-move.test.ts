import { beforeEach, describe, expect, test } from "vitest";
import { type Harness, harnessesWith, type RunResult } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { share } from "../../support/shared.js";
import { startWireRecorder, type WireRecorder } from "../../support/wire-recorder.js";
import { words } from "../../support/words.js";

/** `events copy`, `events move`, and `events update` of several events. */

interface World extends Harness {
  readonly wire: WireRecorder;
  readonly family: string;
  readonly work: string;
  send(...argv: readonly string[]): Promise<RunResult>;
  /** `METHOD path` of every write so far. */
  writes(): readonly string[];
}

interface Event {
  readonly id: string;
  readonly [key: string]: unknown;
}

const createHarness = harnessesWith(async ({ service: { admin } }) => {
  await admin.users.add({ name: "Ben" });
  const family = await admin.calendars.add({ name: "Family", owner: "ana" });
  const work = await admin.calendars.add({ name: "Work", owner: "ana" });
  await admin.members.add("Ben", "Family");
  await admin.labels.set(family.id, 2, { name: "Visits" });
  await admin.labels.set(family.id, 3, { name: "Only here" });
  await admin.labels.set(work.id, 5, { name: "visits" });
  const { token } = await admin.tokens.create({ user: "ana", readOnly: false });
  return { token, family: family.id, work: work.id };
});

async function createWorld(): Promise<World> {
  const { token, ...harness } = await createHarness();
  const wire = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: wire.baseUrl, CALCTL_TOKEN: token };
  return {
    ...harness,
    wire,
    send: (...argv) => harness.runWith({ env }, ...argv),
    writes: () =>
      wire.requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`),
  };
}

let world: World;

function create(title: string, ...flags: readonly string[]): Promise<Event> {
  const times = flags.includes("--start") ? [] : ["--start", "2026-11-23T22:00", "--duration", "4h"];
  return world.json<Event>("events", "create", "-c", "Family", "--title", title, ...times, ...flags);
}

const read = (id: string) => world.json<Event>("events", "get", id);

describe("events copy, move and update refuse", () => {
  const shared = share(async () => {
    world = await createWorld();
    return { world, id: (await create("Dinner")).id };
  });

  test.each([
    [["update", "ID", "--by", "1w"], '--by: "1w" does not say how far and which way'],
    [["update", "ID", "--by", "+0d"], '--by: "+0d" is no move'],
    [["update", "ID", "--by", "+400000w"], '--by: "+400000w" is too far'],
    [["update", "ID", "--by", ""], "--by is empty"],
    [
      ["copy", "ID", "--by", "+1w", "--start", "fri 9:00"],
      "--by cannot be combined with other times or --all-day",
    ],
    [["update", "ID", "--by", "+1w", "--all-day"], "--by cannot be combined with other times or --all-day"],
    [["copy", "ID", "--start", ""], "--start is empty"],
    [["copy", "ID", "--to", ""], "--to: the id is empty"],
    [["copy", "ID"], "hint: use --start, --by or --to"],
    [["copy", "-"], "hint: use --start, --by or --to"],
    [["copy", "-", "--by", "+1w", "--start", "fri"], "--by cannot be combined with other times or --all-day"],
    [["update", "-", "--input", "-"], "both read stdin"],
    [["update", "ID", "ID2", "--if-unchanged", "2026-11-21T14:30:00Z"], "--if-unchanged takes one event"],
    [["update", "ID", "ID2", "--edit"], "--edit takes one event"],
    [["move", "ID", "--to", "Family", "--yes"], "is in Family already"],
    [["move", "ID", "--yes"], "missing --to"],
    [["move", "--yes"], "calctl events move needs ID and --to"],
  ])("%j: exit 2", async (argv, message) => {
    const { world, id } = shared();
    const stdin = argv.includes("--input") ? "{}" : id;
    const words = argv.map((word) => (word === "ID" ? id : word));
    const { exitCode, stderr } = await world.runWith({ stdin }, "events", ...words, "-c", "Family");
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});

describe("events copy, move and update", () => {
  beforeEach(async () => {
    world = await createWorld();
  });

  test("an update may name an attendee who is no member any more", async () => {
    const { id } = await create("Dinner", ...words`--attendee me --attendee Ben`);
    await world.service.admin.members.remove("Ben", "Family");
    const updated = await world.json<Event>("events", "update", id, "--attendee", "Ben");
    expect(updated["attendees"]).toMatchObject([{ name: "Ben" }]);
  });

  describe("events copy", () => {
    test("has everything of the event but its id and comments", async () => {
      const texts = ["--description", "Bring\ncake", "--location", "Home", "--url", "https://a.example/"];
      const people = words`--label 2 --attendee me --attendee Ben --start-timezone Asia/Tokyo`;
      const event = await create("Dinner", ...texts, ...people);
      await world.run("comment", event.id, "See you");
      const copy = await world.json<Event>("events", "copy", event.id, "--to", "Family");
      expect(copy).toEqual({ ...event, id: copy.id, created_at: expect.anything() });
      expect(copy.id).not.toBe(event.id);
      expect(await read(copy.id)).toEqual(copy);
      expect(await world.json("comments", copy.id)).toEqual([]);
    });

    test("sends no text that is empty", async () => {
      const { id } = await create("Dinner", "--description", "d");
      await world.run("events", "update", id, ...words`--clear description --clear location --clear url`);
      const keys = words`--dry-run --jq .body.data.attributes|keys`;
      const { stdout } = await world.run("events", "copy", id, "--by", "+1w", ...keys);
      const sent = ["all_day", "category", "end_at", "end_timezone", "start_at", "start_timezone", "title"];
      expect(JSON.parse(stdout)).toEqual(sent);
    });

    test.each([
      ["--by", "+1w", "2026-11-30T22:00:00+01:00", "2026-12-01T02:00:00+01:00"],
      ["--by", "-90m", "2026-11-23T20:30:00+01:00", "2026-11-24T00:30:00+01:00"],
      // Over the clock change of Berlin the time of day stays, and so does the length.
      ["--by", "+18w", "2027-03-29T22:00:00+02:00", "2027-03-30T02:00:00+02:00"],
      ["--start", "2026-12-24", "2026-12-24T22:00:00+01:00", "2026-12-25T02:00:00+01:00"],
      ["--start", "tomorrow 9:00", "2026-11-22T09:00:00+01:00", "2026-11-22T13:00:00+01:00"],
    ])("%s %s", async (flag, value, start_local, end_local) => {
      const { id } = await create("Dinner");
      expect(await world.json("events", "copy", id, flag, value)).toMatchObject({ start_local, end_local });
    });

    test("says where a copy is, also in an hour that a clock change skips", async () => {
      const { id } = await create("Night", "--start", "2026-11-29T02:30", "--duration", "1h");
      const { stderr } = await world.run("events", "copy", id, "--by", "+17w", "--fields", "id");
      expect(stderr).toBe(
        "start: Sun 2027-03-28 03:30 Europe/Berlin\nend: Sun 2027-03-28 04:30 Europe/Berlin\n",
      );
    });

    test.each(["copy", "update"])("%s to a day in words says the start once", async (command) => {
      const { id } = await create("Dinner");
      const { stderr } = await world.run("events", command, id, "--start", "next fri", "--fields", "id");
      expect(stderr).toBe(
        "start: Fri 2026-11-27 22:00 Europe/Berlin\nend: Sat 2026-11-28 02:00 Europe/Berlin\n",
      );
      const day = await create("Trip", "--all-day", "--start", "2026-11-23");
      const words = ["events", command, day.id, "--start", "next fri", "--fields", "id"];
      expect((await world.run(...words)).stderr).toBe("start: Fri 2026-11-27\nend: Fri 2026-11-27\n");
    });

    test("into another calendar: the label by its name, and the attendees who are members there", async () => {
      const { id } = await create("Dinner", "--label", "2", "--attendee", "me", "--attendee", "Ben");
      const { exitCode, stdout, stderr } = await world.run("events", "copy", id, "--to", "wor", "-o", "json");
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: "Dinner: left out, as no members of Work: Ben\n",
      });
      expect(JSON.parse(stdout)).toMatchObject({
        calendar_id: world.work,
        calendar_name: "Work",
        label: { id: `${world.work},5`, name: "visits" },
        attendees: [{ id: `${world.work},${world.userId}`, name: "ana" }],
      });
      const other = await create("Lunch", "--label", "Only here");
      const without = await world.run("events", "copy", other.id, "--to", "Work", "--jq", ".label.number");
      expect(without).toEqual({
        exitCode: 0,
        stdout: "1\n",
        stderr: 'Lunch: Work has no label "Only here": it gets the default label\n',
      });
    });

    test("of several is a list in their order, each once, and a missing one is exit 12", async () => {
      const ids = [(await create("One")).id, (await create("Two")).id];
      const stdin = `${ids[1]}\n\n${ids[0]}\n${ids[1]}\n`;
      const { stdout } = await world.runWith(
        { stdin },
        ...words`events copy - --to Family -c Family --fields title`,
      );
      expect(stdout).toBe("Two\nOne\n");
      const partly = await world.run(
        ...words`events copy gone ${ids[0] ?? ""} --to Family -c Family --fields title`,
      );
      expect(partly).toMatchObject({ exitCode: 12, stdout: "One\n" });
      expect(partly.stderr).toContain("gone");
      expect(
        await world.runWith({ stdin: "" }, "events", "copy", "-", "--by", "+1w", "-o", "json"),
      ).toMatchObject({
        exitCode: 0,
        stdout: "[]\n",
      });
    });

    test("a copy of which nobody knows whether it was made is exit 9", async () => {
      const { id } = await create("Dinner");
      world.wire.answer(`POST /calendars/${world.family}/events`, { status: 503, body: "" });
      expect(await world.send("events", "copy", id, "--by", "+1w")).toMatchObject({
        exitCode: 9,
        stdout: "",
      });
    });
  });

  describe("events move", () => {
    test("copies and deletes, and says what is lost", async () => {
      const { id } = await create("Dinner", "--label", "2");
      const { exitCode, stdout, stderr } = await world.send(
        ...words`events move ${id} --to Work --yes -o json`,
      );
      expect({ exitCode, stderr }).toEqual({
        exitCode: 0,
        stderr: "a moved event has a new id, and its comments are not moved\n",
      });
      expect(JSON.parse(stdout)).toMatchObject({
        title: "Dinner",
        calendar_id: world.work,
        label: { number: 5 },
      });
      expect(await world.run("events", "get", id)).toMatchObject({ exitCode: 5 });
      expect(world.writes()).toEqual([
        `POST /calendars/${world.work}/events`,
        `DELETE /calendars/${world.family}/events/${id}`,
      ]);
    });

    test("--dry-run prints both requests, and a question that cannot be asked wants --yes", async () => {
      const { id } = await create("Dinner");
      const planned = await world.send(
        "events",
        "move",
        id,
        "--to",
        "Work",
        "--dry-run",
        "--jq",
        ".[].method",
      );
      expect(planned).toMatchObject({ exitCode: 0, stdout: "POST\nDELETE\n" });
      expect(await world.send("events", "move", id, "--to", "Work")).toMatchObject({ exitCode: 2 });
      expect(world.writes()).toEqual([]);
    });

    test("one that was copied and not deleted is exit 12 and names both", async () => {
      const { id } = await create("Dinner");
      world.wire.answer(`DELETE /calendars/${world.family}/events/${id}`, { status: 403, body: "" });
      const { exitCode, stdout, stderr } = await world.send(
        ...["events", "move", id, "--to", "Work", "--yes", "-o", "json"],
      );
      expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "" });
      const [copy] = await world.json<Event[]>("events", "list", "-c", "Work", "--days", "7");
      const { error } = JSON.parse(stderr.slice(stderr.indexOf("{")));
      expect(error.message).toContain(
        `event ${id} was copied to ${copy?.id} in Work, but deleting it failed`,
      );
      expect(error.details).toEqual({ copied: { from: id, to: copy?.id } });
    });

    test("one that another process has moved meanwhile is not doubled", async () => {
      const { id } = await create("Dinner");
      world.wire.answer(`DELETE /calendars/${world.family}/events/${id}`, { status: 404, body: "" });
      const moved = await world.send("events", "move", id, "--to", "Work", "--yes");
      expect(moved).toMatchObject({ exitCode: 13, stdout: "" });
      expect(moved.stderr).toContain("deleted or moved meanwhile");
      expect(await world.json<Event[]>("events", "list", "-c", "Work", "--days", "7")).toEqual([]);
    });

    test("one that changes meanwhile is not moved", async () => {
      const { id } = await create("Dinner");
      const target = `/calendars/${world.family}/events/${id}`;
      const { stdout } = await world.send("api", target);
      const older = stdout.replace(/"updated_at":"[^"]*"/, '"updated_at":"2026-01-01T00:00:00.000Z"');
      world.wire.answer(`GET ${target}`, { status: 200, body: older }, { status: 200, body: stdout });
      const moved = await world.send("events", "move", id, "-c", "Family", "--to", "Work", "--yes");
      expect(moved).toMatchObject({ exitCode: 13, stdout: "" });
      expect(world.writes()).toEqual([]);
    });
  });

  describe("events update of several", () => {
    test("moves all of them by their own clocks", async () => {
      const ids = [(await create("One")).id, (await create("Two", "--all-day", "--start", "2026-11-23")).id];
      const updated = await world.run(
        ...words`events update`,
        ...ids,
        ...words`--by +1d --fields start_local,end_local`,
      );
      expect(updated).toEqual({
        exitCode: 0,
        stdout: "2026-11-24T22:00:00+01:00\t2026-11-25T02:00:00+01:00\n2026-11-24\t2026-11-24\n",
        stderr: [
          "One: start: Tue 2026-11-24 22:00 Europe/Berlin",
          "One: end: Wed 2026-11-25 02:00 Europe/Berlin",
          "Two: start: Tue 2026-11-24",
          "Two: end: Tue 2026-11-24",
          "",
        ].join("\n"),
      });
    });

    test("one that a value does not fit is exit 2, and none is written", async () => {
      const ids = [(await create("One")).id, (await create("Two", "--all-day", "--start", "2026-11-23")).id];
      expect(await world.send("events", "update", ...ids, "--by", "+30m")).toMatchObject(
        failed(2, '--by: "+30m" has hours or minutes, but the event is all-day'),
      );
      expect(world.writes()).toEqual([]);
    });

    test("each is read again before it is written, so that no change of others is lost", async () => {
      const ids = [(await create("One")).id, (await create("Two")).id];
      await world.send("events", "update", ...ids, "-c", "Family", "--location", "Home");
      const reads = world.wire.requests.map(({ method }) => method).join(" ");
      expect(reads).toBe("GET GET GET GET PUT GET PUT");
    });
  });

  test("a time for the copy of an all-day event is exit 2, without a flag that copy does not have", async () => {
    const { id } = await create("Trip", "--all-day", "--start", "2026-11-23");
    const { exitCode, stderr } = await world.run("events", "copy", id, "--start", "1 dec 12:00");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/has a clock time, but the event is all-day\nhint: write only a date\n$/),
    });
  });
});
