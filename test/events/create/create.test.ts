import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { createHarness, type Harness } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";

/** What `events create` makes of names: of the label in an input, and of the creator. */

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});

const NEW = ["events", "create", "--title", "T", "--start", "tomorrow 9:00", "--duration", "1h"];

test("the first event of a fresh home shows names, on a terminal and as JSON", async () => {
  const { stdout } = await harness.runWith({ columns: 100, env: { NO_COLOR: "1" } }, ...NEW);
  expect(stdout).toMatch(/^Creator +ana$/m);
  expect(stdout).toMatch(/^Label +default$/m);
  expect(await harness.json(...NEW)).toMatchObject({
    creator: { name: "ana", type: "user" },
    label: { number: 1, name: "", color: "#2ecc87" },
  });
});

test("at another service, names are read for a terminal, and a script sends no extra request", async () => {
  const world = await createRemoteWorld();
  const { stdout } = await world.runWith({ columns: 100, env: { ...world.env, NO_COLOR: "1" } }, ...NEW);
  expect(stdout).toMatch(/^Creator +ana$/m);
  world.server.forget();
  const script = await world.send(...NEW, "-c", world.calendarId, "-o", "json");
  expect(JSON.parse(script.stdout)).toMatchObject({
    creator: { name: null },
    label: { number: 1, name: null },
  });
  expect(
    world.server.requests.filter(({ method, target }) => method === "GET" && /labels|members/.test(target)),
  ).toEqual([]);
  // A failure to read them is ignored.
  world.server.on(`GET /calendars/${world.calendarId}/members`, [reply({ status: 403, body: "" })]);
  expect((await world.runWith({ columns: 100, env: world.env }, ...NEW)).exitCode).toBe(0);
});

test("the default label, which has no name, can be named default", async () => {
  const create = (label: string) => harness.json(...NEW, "--label", label);
  expect(await create("Default")).toMatchObject({ label: { number: 1, name: "" } });
  await harness.service.admin.labels.set("Personal", 3, { name: "default" });
  expect(await create("default")).toMatchObject({ label: { number: 3 } });
});

test("a timed event without an end lasts an hour, or as long as the profile says", async () => {
  const create = (...flags: string[]) =>
    harness.run("events", "create", "--title", "T", "--start", "fri 9:30", "--fields", "end_local", ...flags);
  expect((await create()).stdout).toBe("2026-11-27T10:30:00+01:00\n");
  expect(await harness.run("config", "set", "duration", "soon")).toMatchObject(
    failed(2, 'duration: "soon" is not a valid duration'),
  );
  await harness.run("config", "set", "duration", "45m");
  expect((await create()).stdout).toBe("2026-11-27T10:15:00+01:00\n");
  expect((await create("--end", "11:00")).stdout).toBe("2026-11-27T11:00:00+01:00\n");
  expect((await create("--all-day")).exitCode).toBe(2);
  const path = (await harness.run("config", "path")).stdout.trim();
  writeFileSync(path, readFileSync(path, "utf8").replace("45m", "45 apples"));
  expect(await create()).toMatchObject(
    failed(10, 'duration of profile "local": "45 apples" is not a valid duration'),
  );
});

describe("the label of --input", () => {
  beforeEach(async () => {
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    await harness.service.admin.labels.set("Work", 2, { name: "Sprint" });
    await harness.service.admin.labels.set("Personal", 5, { name: "sprint" });
    await harness.service.admin.labels.set("Work", 3, { name: "Travel" });
  });

  async function createLunch(...flags: readonly string[]): Promise<string> {
    const times = ["--start", "2026-11-22T10:00", "--duration", "1h"];
    const argv = ["events", "create", "--title", "Lunch", "-c", "Work", ...times, ...flags];
    return (await harness.json<{ id: string }>(...argv)).id;
  }

  async function copy(label: string, ...flags: readonly string[]) {
    const event = await harness.json("events", "get", await createLunch("--label", label));
    const argv = ["events", "create", "-c", "Personal", "--input", "-", "-o", "json", ...flags];
    const { exitCode, stdout, stderr } = await harness.runWith({ stdin: JSON.stringify(event) }, ...argv);
    expect(exitCode).toBe(0);
    return { label: JSON.parse(stdout).label, stderr };
  }

  test("is the one of the same name in the other calendar", async () => {
    expect(await copy("2")).toMatchObject({ label: { number: 5, name: "sprint" }, stderr: "" });
    expect(await copy("1")).toMatchObject({ label: { number: 1 }, stderr: "" });
  });

  test("is the default one where the other calendar has none of that name, which is said", async () => {
    const stderr = '--input: this calendar has no label "Travel": these events get the default label\n';
    expect(await copy("3")).toMatchObject({ label: { number: 1 }, stderr });
    expect(await copy("3", "--label", "4")).toMatchObject({ label: { number: 4 }, stderr: "" });
  });

  test("is missed once, however many events of an input have it", async () => {
    const event = await harness.json("events", "get", await createLunch("--label", "3"));
    const argv = ["events", "create", "-c", "Personal", "--input", "-", "--fields", "title"];
    const stdin = JSON.stringify([event, event, event]);
    expect(await harness.runWith({ stdin }, ...argv)).toEqual({
      exitCode: 0,
      stdout: "Lunch\n".repeat(3),
      stderr: '--input: this calendar has no label "Travel": these events get the default label\n',
    });
  });

  test("stays the same in the same calendar, also without a name of its own", async () => {
    await harness.service.admin.labels.set("Work", 3, { name: "" });
    const event = await harness.json("events", "get", await createLunch("--label", "3"));
    const argv = ["events", "create", "-c", "Work", "--input", "-", "-o", "json"];
    const { stdout } = await harness.runWith({ stdin: JSON.stringify(event) }, ...argv);
    expect(JSON.parse(stdout).label).toMatchObject({ number: 3 });
  });
});
