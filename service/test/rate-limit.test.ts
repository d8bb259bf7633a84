import { expect, test } from "vitest";
import { openService } from "../service.js";
import { openConnection } from "./support/database.js";
import { request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

const POLICY = { limit: 2, windowSeconds: 60 } as const;

function get(world: Pick<World, "service" | "token">, address = "192.0.2.1") {
  return request(world, "GET /user", { source: { kind: "network", address } });
}

test("parallel requests are each counted once", async () => {
  const world = await createWorld({ rateLimit: { limit: 40, windowSeconds: 600 } });
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(world)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
  await world.close();
});

test("no request that reads writes to the database", async () => {
  const world = await createWorld({ rateLimit: POLICY });
  const other = openConnection(world.database);
  // It changes with each commit of another connection.
  const version = () => other.prepare("pragma data_version").get()?.["data_version"];
  const before = version();
  for (let count = 0; count < 3; count += 1) await get(world);
  expect(version()).toBe(before);
  other.close();
  await world.close();
});

test("each process counts for itself", async () => {
  const world = await createWorld({ rateLimit: POLICY });
  const other = await openService({ database: world.database, now: () => NOW, rateLimit: POLICY });
  for (let count = 0; count < 3; count += 1) await get(world);
  expect((await get(world)).status).toBe(429);
  expect((await get({ service: other, token: world.token })).status).toBe(200);
  await other.close();
  await world.close();
});

test("a token is counted per address", async () => {
  const world = await createWorld({ rateLimit: POLICY });
  for (let count = 0; count < 3; count += 1) await get(world, "192.0.2.1");
  expect((await get(world, "192.0.2.1")).status).toBe(429);
  expect((await get(world, "192.0.2.2")).status).toBe(200);
  await world.close();
});

test("a clock that steps over the end of a window, back and forth, does not renew the limit", async () => {
  const world = await createWorld({ rateLimit: { limit: 100, windowSeconds: 600 } });
  const answers = [];
  for (let count = 0; count < 400; count += 1) {
    world.clock.now = NOW + 600_000 + (count % 4 < 2 ? -100 : 100);
    answers.push(await get(world));
  }
  // Two in the window that ended, and those of the next one.
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(102);
  await world.close();
});

test("a clock that was far ahead limits nothing once it is right", async () => {
  const world = await createWorld({ rateLimit: POLICY });
  world.clock.now = NOW + 3 * 365 * 86_400_000;
  for (let count = 0; count < 3; count += 1) await get(world);
  world.clock.now = NOW;
  expect((await get(world)).status).toBe(200);
  await world.close();
});

test("without a limit nothing is counted and there are no headers", async () => {
  const world = await createWorld({ rateLimit: null });
  const { headers } = await get(world);
  expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
  await world.close();
});
