import { describe, expect, test } from "vitest";
import { answer, createChangesWorld, problem, requestsOf } from "./world.js";

/**
 * Changes over HTTP, from a service of the contract alone: what is asked, and what happens when something does not answer.
 */

const CHANGES = ["events", "changes", "--since-last", "job"];
const EMPTY = answer(200, { data: [] });

const createWorld = () => createChangesWorld({ revisions: false });

test("a run asks who one is, the calendars and their events, and no single event", async () => {
  const { world, workId, changes } = await createWorld();
  await changes();
  expect(requestsOf(world)).toEqual(
    [
      "GET /calendars",
      `GET /calendars/${world.calendarId}/upcoming_events`,
      `GET /calendars/${workId}/upcoming_events`,
      "GET /user",
    ].sort(),
  );
});

describe("an event that is not listed any more", () => {
  test.each([
    [404, ["removed Meeting"]],
    [403, ["removed Meeting"]],
  ])("and answers %i was removed, once", async (status, titles) => {
    const { workId, meeting, changes, once } = await createWorld();
    once(`GET /calendars/${workId}/upcoming_events`, EMPTY);
    once(`GET /calendars/${workId}/events/${meeting}`, problem(status));
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles });
    once(`GET /calendars/${workId}/upcoming_events`, EMPTY);
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: [] });
  });

  test("and is there as it was is no change, also when it is listed again", async () => {
    const { workId, changes, once } = await createWorld();
    once(`GET /calendars/${workId}/upcoming_events`, EMPTY);
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: [] });
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: [] });
  });

  test("and cannot be asked for is asked for again by the next run", async () => {
    const { world, workId, meeting, create, changes, once } = await createWorld();
    await world.run("events", "delete", meeting, "-c", "Work", "--yes");
    await create("Dentist", "Personal");
    once(`GET /calendars/${workId}/events/${meeting}`, problem(503));
    expect(await changes()).toMatchObject({
      exitCode: 12,
      titles: ["added Dentist"],
      stderr: expect.stringContaining("could not check whether an event was removed"),
    });
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: ["removed Meeting"] });
  });
});

describe("a calendar that cannot be read", () => {
  test("is reported, loses nothing, and the others are remembered", async () => {
    const { world, workId, meeting, create, changes, once } = await createWorld();
    await create("Dentist", "Personal");
    await create("Review", "Work");
    await world.run("events", "delete", meeting, "-c", "Work", "--yes");
    once(`GET /calendars/${workId}/upcoming_events`, problem(403));
    expect(await changes()).toMatchObject({
      exitCode: 12,
      titles: ["added Dentist"],
      stderr: expect.stringContaining(workId),
    });
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: ["removed Meeting", "added Review"] });
  });

  test("prints and remembers nothing if it is the same with every one", async () => {
    const { world, workId, create, changes, once } = await createWorld();
    await create("Dentist", "Personal");
    for (const id of [workId, world.calendarId]) once(`GET /calendars/${id}/upcoming_events`, problem(503));
    expect(await changes()).toMatchObject({ exitCode: 8, titles: undefined });
    expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: ["added Dentist"] });
  });

  test("when it is first looked at loses nothing that is written until it can be", async () => {
    const { workId, create, changes, once } = await createWorld();
    once(`GET /calendars/${workId}/upcoming_events`, problem(503));
    expect(await changes("other")).toMatchObject({ exitCode: 12, titles: [] });
    await create("Review", "Work");
    expect(await changes("other")).toEqual({ exitCode: 0, stderr: "", titles: ["added Review"] });
  });
});

test("the events of a calendar that one has left are removed", async () => {
  const { world, workId, changes } = await createWorld();
  await world.service.admin.users.add({ name: "ben" });
  await world.service.admin.members.add("ben", workId);
  await world.service.admin.members.remove("ana", workId);
  expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: ["removed Meeting"] });
  expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: [] });
});

test("a name is bound to its account, also where the service does not tell it now and then", async () => {
  const { world, changes, once } = await createWorld();
  const { admin } = world.service;
  await admin.users.add({ name: "ben" });
  const { token } = await admin.tokens.create({ user: "ben", readOnly: false });
  once("GET /user", problem(403));
  expect(await changes()).toEqual({ exitCode: 0, stderr: "", titles: [] });
  const other = await world.runWith({ env: { ...world.env, CALCTL_TOKEN: token } }, ...CHANGES);
  expect(other).toMatchObject({ exitCode: 2, stdout: "" });
  expect(other.stderr).toContain(
    `the name "job" is bound to ${world.server.baseUrl.replace(/\/$/, "")} as user`,
  );
});
