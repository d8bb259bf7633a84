import { copyFileSync, renameSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { querySql } from "./support/database.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { request } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

/** What a service does whose database was moved away under it: what it wrote would be lost. */

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const get = (target: string) => request(world, `GET ${target}`);
const write = () => request(world, `POST /calendars/${world.calendarId}/events`, { body: eventBody(KEEP) });

const FILES = ["", "-wal", "-shm"];

describe.each([
  ["removed", () => FILES.map((suffix) => rmSync(`${world.database}${suffix}`, { force: true }))],
  [
    "replaced",
    () => {
      copyFileSync(world.database, `${world.database}.copy`);
      renameSync(`${world.database}.copy`, world.database);
    },
  ],
])("a database that was %s", (_, change) => {
  test("is not written and not ready, with the cause in the log, while reads go on", async () => {
    expect((await write()).status).toBe(201);
    expect((await get("/readyz")).status).toBe(200);
    change();
    const refused = await write();
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(refused.text).not.toContain(world.database);
    // An answer holds for a second.
    world.clock.now += 1_000;
    expect((await get("/readyz")).status).toBe(503);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/user")).status).toBe(200);
    const message = `the database ${world.database} was removed or replaced while the service had it open: restart the service`;
    expect(world.errors).toMatchObject([{ message }, { message }]);
  });
});

test("a database that was moved away and back is written again", async () => {
  renameSync(world.database, `${world.database}.away`);
  expect((await write()).status).toBe(503);
  renameSync(`${world.database}.away`, world.database);
  expect((await write()).status).toBe(201);
  expect((await get("/readyz")).status).toBe(200);
  expect(querySql(world.database, "select count(*) as events from events")).toEqual([{ events: 1 }]);
});

test("a database in memory has no file that could be missing", async () => {
  const memory = await createWorld({ stored: false });
  expect((await request(memory, "GET /readyz")).status).toBe(200);
  await memory.close();
});
