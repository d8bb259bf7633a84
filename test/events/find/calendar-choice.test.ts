import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";

/** `-c` and its defaults, calendar names in the output, and events found by their id only. */

const TIMES = ["--start", "2026-11-21T16:00", "--duration", "1h"];
const WHERE = ["--fields", "title,calendar_name"];

const FORBIDDEN = [reply({ status: 403, body: "" })];

let world: RemoteWorld;
let workId: string;
let event: Readonly<Record<string, unknown>> & { readonly id: string };

beforeEach(async () => {
  world = await createRemoteWorld();
  const { admin } = world.service;
  workId = (await admin.calendars.add({ name: "Work", owner: "ana" })).id;
  await admin.calendars.add({ name: "Workshop", owner: "ana" });
  event = await world.json("events", "create", "-c", "Work", "--title", "Standup", ...TIMES);
  world.server.requests.splice(0);
});

function paths(): readonly string[] {
  return world.server.requests.map(({ method, path }) => `${method} ${path}`);
}

describe("-c", () => {
  test("a new calendar `work` changes nothing for -c Work", async () => {
    await world.service.admin.calendars.add({ name: "work", owner: "ana" });
    expect((await world.run("events", "list", "-c", "Work", ...WHERE)).stdout).toBe("Standup\tWork\n");
    expect((await world.run("events", "list", "-c", "WORK")).exitCode).toBe(2);
  });

  test.each([
    [["events", "get", "abc"]],
    [["events", "create", "--title", "T", ...TIMES]],
    [["events", "update", "abc", "--title", "T"]],
    [["events", "delete", "abc", "--yes"]],
    [["comment", "abc", "text"]],
    [["labels"]],
    [["members"]],
    [["service", "members", "list"]],
    [["service", "members", "add", "ana"]],
    [["service", "members", "remove", "ana"]],
    [["service", "labels", "set", "1", "--name", "x"]],
  ])("%j takes one calendar", async (argv) => {
    const { exitCode, stderr } = await world.run("-c", "Work", ...argv, "-c", "Workshop");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "error: --calendar: this command takes one calendar\n",
    });
  });
});

describe("events list", () => {
  test("without a default lists every calendar", async () => {
    expect((await world.run("events", "list", ...WHERE)).stdout).toBe("Lunch\tPersonal\nStandup\tWork\n");
  });

  test("lists the default calendar only, and every one with -A", async () => {
    const env = { CALCTL_CALENDAR: "Work" };
    expect((await world.runWith({ env }, "events", "list", ...WHERE)).stdout).toBe("Standup\tWork\n");
    expect((await world.runWith({ env }, "events", "list", "-A", ...WHERE)).stdout).toBe(
      "Lunch\tPersonal\nStandup\tWork\n",
    );
  });

  test("says which calendar as soon as several were asked, even if one has events", async () => {
    const several = await world.run("events", "list", "-c", "Work", "-c", "Workshop", "-o", "table");
    expect(several.stdout).toMatch(/ Work +[0-9a-f]{32}$/m);
    const one = await world.run("events", "list", "-c", "Work", "-o", "table");
    expect(one.stdout).not.toContain("Work");
  });
});

test("calendars prints one calendar as an object, and several as a list in their order", async () => {
  const name = ["--fields", "name"];
  expect(await world.json("calendars", "-c", "Work", ...name)).toEqual({ name: "Work" });
  expect(await world.json("calendars", "-c", "Workshop", "-c", "Work", ...name)).toEqual([
    { name: "Workshop" },
    { name: "Work" },
  ]);
});

describe("calendar_name", () => {
  test("follows calendar_id in JSON", async () => {
    expect(Object.keys(event).slice(0, 3)).toEqual(["id", "calendar_id", "calendar_name"]);
    expect(event).toMatchObject({ calendar_id: workId, calendar_name: "Work" });
    expect(await world.json("events", "update", event.id, "--title", "T")).toMatchObject({
      calendar_name: "Work",
    });
  });

  test("is null where it would take another request", async () => {
    world.server.on("GET /calendars", FORBIDDEN);
    const { stdout } = await world.send("events", "get", event.id, "-c", workId, "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ calendar_id: workId, calendar_name: null });
  });

  test("is ignored in --input", async () => {
    const input = { env: {}, stdin: JSON.stringify(event) };
    const { exitCode } = await world.runWith(input, "events", "create", "-c", "Personal", "--input", "-");
    expect(exitCode).toBe(0);
  });
});

describe("an event id without -c", () => {
  test("get asks every calendar, and the one that has it only once", async () => {
    const { stdout } = await world.send("events", "get", event.id, "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ id: event.id, calendar_name: "Work" });
    expect(paths().filter((line) => line.includes(workId))).toEqual([
      `GET /calendars/${workId}/events/${event.id}`,
    ]);
  });

  test("each of several ids is searched for separately", async () => {
    const argv = ["events", "get", event.id, "gone", world.eventId, ...WHERE];
    const { exitCode, stdout, stderr } = await world.send(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "Standup\tWork\nLunch\tPersonal\n" });
    expect(stderr).toContain("event gone could not be read: event gone is not in any of the 3 calendars\n");
  });

  test("update, comment and delete", async () => {
    expect((await world.send("events", "update", event.id, "--title", "T")).exitCode).toBe(0);
    expect((await world.send("comment", event.id, "text")).exitCode).toBe(0);
    expect((await world.send("events", "delete", event.id, world.eventId, "--yes")).exitCode).toBe(0);
    expect(paths().filter((line) => !line.startsWith("GET"))).toEqual([
      `PUT /calendars/${workId}/events/${event.id}`,
      `POST /calendars/${workId}/events/${event.id}/activities`,
      `DELETE /calendars/${workId}/events/${event.id}`,
      `DELETE /calendars/${world.calendarId}/events/${world.eventId}`,
    ]);
  });

  test.each([
    ["the default", {}, { CALCTL_CALENDAR: "Work" }],
    ["-c", { flags: ["-c", "Work"] }, {}],
  ])("%s sends no search", async (_, { flags = [] }: { flags?: readonly string[] }, env) => {
    const options = { env: { ...world.env, ...env } };
    await world.runWith(options, "events", "delete", event.id, "--yes", ...flags);
    const target = `/calendars/${workId}/events/${event.id}`;
    // Read for calctl undo.
    expect(paths()).toEqual(["GET /calendars", `GET ${target}`, `DELETE ${target}`]);
  });

  test("in no calendar: exit 5 with the event and the number of calendars", async () => {
    for (const argv of [
      ["events", "get"],
      ["events", "delete", "--yes"],
      ["comment", "--file", "-"],
    ]) {
      expect(await world.runWith({ stdin: "text" }, ...argv, "gone")).toMatchObject(
        failed(5, "error: event gone is not in any of the 3 calendars\n"),
      );
    }
  });

  test.each(["49", "4914", "abcdef0123"])("a part of an id, %s, says when that is enough", async (part) => {
    expect(await world.run("events", "get", part)).toMatchObject(
      failed(
        5,
        "hint: write the whole id, as calctl events list -o json has it; on a terminal, the first 4 digits",
      ),
    );
  });

  test("in no calendar, and one could not be read: its failure", async () => {
    world.server.on(`GET /calendars/${workId}/events/gone`, FORBIDDEN);
    expect(await world.send("events", "get", "gone")).toMatchObject(
      failed(6, "event gone was not found, and calendar Work could not be read: "),
    );
  });

  test("found although another calendar could not be read", async () => {
    world.server.on(`GET /calendars/${workId}/events/${world.eventId}`, FORBIDDEN);
    expect((await world.send("events", "get", world.eventId)).exitCode).toBe(0);
  });
});
