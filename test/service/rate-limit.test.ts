import { expect, test } from "vitest";
import { openService } from "../../src/service/service.js";
import { querySql } from "./support/database.js";
import { createWorld, NOW, type World } from "./support/world.js";

const POLICY = { limit: 2, windowSeconds: 60 } as const;

function get(world: Pick<World, "service" | "token">, address = "192.0.2.1") {
  return world.service.handle(
    {
      method: "GET",
      target: "/user",
      headers: { authorization: `Bearer ${world.token}` },
      body: new Uint8Array(),
    },
    { kind: "network", address },
  );
}

test("two services on one database count together", async () => {
  const world = await createWorld({ rateLimit: POLICY, stored: true });
  const other = await openService({ database: world.database, now: () => NOW, rateLimit: POLICY });
  await get(world);
  await get({ service: other, token: world.token });
  expect((await get(world)).status).toBe(429);
  await other.close();
  await world.close();
});

test("a count survives a restart of the service", async () => {
  const world = await createWorld({ rateLimit: POLICY, stored: true });
  await get(world);
  await get(world);
  await world.service.close();
  const next = await openService({ database: world.database, now: () => NOW, rateLimit: POLICY });
  expect((await get({ service: next, token: world.token })).status).toBe(429);
  await next.close();
  await world.close();
});

test("a token is counted per address", async () => {
  const world = await createWorld({ rateLimit: POLICY, stored: true });
  for (let count = 0; count < 3; count += 1) await get(world, "192.0.2.1");
  expect((await get(world, "192.0.2.1")).status).toBe(429);
  expect((await get(world, "192.0.2.2")).status).toBe(200);
  await world.close();
});

test("old windows are deleted", async () => {
  const world = await createWorld({ rateLimit: POLICY, stored: true });
  for (let host = 1; host <= 20; host += 1) await get(world, `192.0.2.${host}`);
  const stored = () => querySql(world.database, "select count(*) as windows from rate_windows");
  expect(stored()).toEqual([{ windows: 20 }]);
  world.clock.now = NOW + 60_000;
  await get(world, "192.0.2.99");
  expect(stored()).toEqual([{ windows: 1 }]);
  await world.close();
});

test("without a limit nothing is counted and there are no headers", async () => {
  const world = await createWorld({ rateLimit: null, stored: true });
  const { headers } = await get(world);
  expect(Object.keys(headers).sort()).toEqual(["content-type", "date", "x-request-id"]);
  expect(querySql(world.database, "select * from rate_windows")).toEqual([]);
  await world.close();
});
