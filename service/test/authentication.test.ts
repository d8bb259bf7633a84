import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAuthentication } from "../authentication.js";
import { openService } from "../service.js";
import { openStore } from "../store/sqlite/open.js";
import { JUST_NOW, type Store } from "../store/store.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Whom a token stands for: looked up once, and never beyond a change. */

let world: World;
beforeEach(async () => {
  world = await createWorld({ stored: true });
});
afterEach(() => world.close());

/** A store over the same database, and how many transactions read from it. */
async function openCounted() {
  const store = await openStore(world.database);
  let reads = 0;
  const counted: Store = {
    ...store,
    read: (work) => {
      reads += 1;
      return store.read(work);
    },
  };
  return { store: counted, reads: () => reads };
}

const FROM = { kind: "network", address: "192.0.2.1" } as const;

async function statusOf({ service, token }: Pick<World, "service" | "token">): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const request = { method: "GET", target: "/user", headers, body: new Uint8Array() };
  // As over a socket, where those that were received before share what was looked up.
  return (await service.handle({ ...request, received: performance.now() }, FROM)).status;
}

test("a valid token is looked up once, until something is written", async () => {
  const { store, reads } = await openCounted();
  const identify = createAuthentication(store);
  const authorization = `Bearer ${world.token}`;
  for (let count = 0; count < 10; count += 1) {
    expect((await identify(FROM, { authorization, received: JUST_NOW })).principal?.userId).toBe(
      world.member.id,
    );
  }
  expect(reads()).toBe(1);
  await world.service.admin.users.add({ name: "somebody" });
  await identify(FROM, { authorization, received: JUST_NOW });
  await identify(FROM, { authorization, received: JUST_NOW });
  expect(reads()).toBe(2);
  await store.close();
});

test("a token that was refused is looked up once, until something is written", async () => {
  const { store, reads } = await openCounted();
  const identify = createAuthentication(store);
  const authorization = `Bearer ${world.token}`;
  const find = async () => (await identify(FROM, { authorization, received: JUST_NOW })).principal;
  await world.service.admin.users.disable("member");
  expect([await find(), await find(), await find(), reads()]).toEqual([null, null, null, 1]);
  // Here at once, and at the latest a second later where only a query could tell.
  await world.service.admin.users.enable("member");
  expect([(await find())?.userId, reads()]).toEqual([world.member.id, 2]);
  await store.close();
});

test("guessed tokens do not take the place of a valid one", async () => {
  const { store, reads } = await openCounted();
  const identify = createAuthentication(store);
  const find = async (token: string) =>
    (await identify(FROM, { authorization: `Bearer ${token}`, received: JUST_NOW })).principal?.userId;
  expect(await find(world.token)).toBe(world.member.id);
  for (let count = 0; count < 5_000; count += 1) expect(await find(`guess${count}`)).toBeUndefined();
  expect(reads()).toBe(5_001);
  expect([await find(world.token), reads()]).toEqual([world.member.id, 5_001]);
  await store.close();
});

describe.each([
  ["this process", (): World["service"] | null => null],
  ["another process", (): World["service"] | null => world.service],
])("what %s changes holds for the next request", (_, other) => {
  test.each([
    ["a token that is revoked", ({ admin }: World["service"], id: string) => admin.tokens.revoke(id)],
    ["a user who is disabled", ({ admin }: World["service"]) => admin.users.disable("member")],
  ])("%s", async (__, change) => {
    const service = await openService({ database: world.database, now: () => NOW, rateLimit: null });
    const { id, token } = await service.admin.tokens.create({ user: "member", readOnly: false });
    expect(await statusOf({ service, token })).toBe(200);
    await change(other() ?? service, id);
    expect(await statusOf({ service, token })).toBe(401);
    await service.close();
  });
});
