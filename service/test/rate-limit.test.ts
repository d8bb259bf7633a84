import { expect, test } from "vitest";
import { openService } from "../service.js";
import { openConnection, querySql } from "./support/database.js";
import { request } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

const POLICY = { limit: 2, windowSeconds: 60 } as const;

function get(world: Pick<World, "service" | "token">, address = "192.0.2.1") {
  return request(world, "GET /user", { source: { kind: "network", address } });
}

test("services on one database share a limit, whatever each has reserved", async () => {
  const rateLimit = { limit: 200, windowSeconds: 600 };
  const world = await createWorld({ rateLimit });
  const other = await openService({ database: world.database, now: () => NOW, rateLimit });
  const services = [world, { service: other, token: world.token }];
  const answers = [];
  for (let count = 0; count < 430; count += 1) answers.push(await get(services[count % 2] ?? world));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(200);
  await other.close();
  await world.close();
});

test("what a closed service had reserved is left to the next one", async () => {
  const rateLimit = { limit: 600, windowSeconds: 600 };
  const world = await createWorld({ rateLimit });
  await get(world);
  await world.service.close();
  const next = await openService({ database: world.database, now: () => NOW, rateLimit });
  const { headers } = await get({ service: next, token: world.token });
  expect(headers["x-ratelimit-remaining"]).toBe("598");
  await next.close();
  await world.close();
});

test("a service that closes waits for a locked database for longer than a request, and returns what it had reserved", async () => {
  let waited = 0;
  let isLocked = false;
  const sleep = async (pause: number) => {
    waited += pause;
    if (waited < 4_000 || !isLocked) return;
    other.exec("commit");
    isLocked = false;
  };
  const world = await createWorld({ rateLimit: { limit: 600, windowSeconds: 600 }, sleep });
  const other = openConnection(world.database);
  await get(world);
  other.exec("begin immediate");
  isLocked = true;
  await world.service.close();
  expect(querySql(world.database, "select requests from rate_windows")).toEqual([{ requests: 1 }]);
  other.close();
  await world.close();
});

test("parallel requests are each counted once", async () => {
  const world = await createWorld({ rateLimit: { limit: 40, windowSeconds: 600 } });
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(world)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
  await world.close();
});

test("few requests write to the database, and none over the limit", async () => {
  const world = await createWorld({ rateLimit: { limit: 300, windowSeconds: 600 } });
  const other = openConnection(world.database);
  let written: unknown;
  let writes = 0;
  for (let count = 0; count < 330; count += 1) {
    await get(world);
    // The data version changes with each commit of another connection.
    const { data_version: version } = other.prepare("pragma data_version").get() ?? {};
    if (version !== written) writes += 1;
    if (count >= 300) expect(version).toBe(written);
    written = version;
  }
  other.close();
  expect(writes).toBeGreaterThan(1);
  expect(writes).toBeLessThan(35);
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
  const rateLimit = { limit: 100, windowSeconds: 600 };
  const world = await createWorld({ rateLimit });
  const clock = { now: NOW };
  const other = await openService({ database: world.database, now: () => clock.now, rateLimit });
  const answers = [];
  for (let count = 0; count < 400; count += 1) {
    world.clock.now = NOW + 600_000 + (count % 4 < 2 ? -100 : 100);
    clock.now = world.clock.now - 150;
    answers.push(await get(count % 2 === 0 ? world : { service: other, token: world.token }));
  }
  // Those of the window that ended, and those of the next one.
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(200);
  await other.close();
  await world.close();
});

test("a node whose clock is ahead does not renew the limit of others", async () => {
  const world = await createWorld({ rateLimit: POLICY });
  const openNode = (offset: number) =>
    openService({ database: world.database, now: () => NOW + 60_000 + offset, rateLimit: POLICY });
  world.clock.now = NOW + 59_500;
  for (let count = 0; count < 2; count += 1) expect((await get(world)).status).toBe(200);
  const ahead = await openNode(100);
  await get({ service: ahead, token: world.token }, "192.0.2.2");
  const right = await openNode(-400);
  expect((await get({ service: right, token: world.token })).status).toBe(429);
  for (const node of [ahead, right]) await node.close();
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

test("old windows are deleted", async () => {
  const world = await createWorld({ rateLimit: POLICY });
  for (let host = 1; host <= 20; host += 1) await get(world, `192.0.2.${host}`);
  const stored = () => querySql(world.database, "select count(*) as windows from rate_windows");
  expect(stored()).toEqual([{ windows: 20 }]);
  // Another node, whose clock is behind, may still count in these.
  world.clock.now = NOW + 60_000;
  await get(world, "192.0.2.99");
  expect(stored()).toEqual([{ windows: 21 }]);
  world.clock.now = NOW + 120_000;
  await get(world, "192.0.2.99");
  expect(stored()).toEqual([{ windows: 1 }]);
  await world.close();
});

test("without a limit nothing is counted and there are no headers", async () => {
  const world = await createWorld({ rateLimit: null });
  const { headers } = await get(world);
  expect(Object.keys(headers).filter((name) => /ratelimit|retry/.test(name))).toEqual([]);
  expect(querySql(world.database, "select * from rate_windows")).toEqual([]);
  await world.close();
});
