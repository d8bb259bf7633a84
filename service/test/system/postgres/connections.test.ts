import pg from "pg";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createGate } from "../../../../test/support/gate.js";
import { createHealthEndpoints } from "../../../health.js";
import type { RequestSource } from "../../../request.js";
import { openStore } from "../../../store/open.js";
import { lockKey } from "../../../store/postgres/transactions.js";
import type { Store } from "../../../store/store.js";
import { eventBody, SCHEDULE } from "../../support/event-bodies.js";
import { request } from "../../support/send.js";
import { createWorld, NOW, type World } from "../../support/world.js";

/** What waits for a lock leaves connections to those that do not need it. */

let world: World;
/** Ends what a test holds. */
let releases: (() => Promise<void>)[];

beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
  releases = [];
});

afterEach(async () => {
  for (const release of releases) await release();
  await world.close();
});

const schemaOf = ({ database }: Pick<World, "database">) =>
  new URL(database).searchParams.get("schema") ?? "";

/** What a session of another program holds, as a node does that stopped inside a transaction, until it is released. */
async function hold(statements: string) {
  const client = new pg.Client({ connectionString: world.database });
  await client.connect();
  let isHeld = true;
  const release = async () => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  releases.push(release);
  const { rows } = await client.query<{ readonly pid: number }>("select pg_backend_pid() as pid");
  const blocked = `select pid from pg_stat_activity where ${rows[0]?.pid} = any (pg_blocking_pids(pid))`;
  await client.query(`set search_path = ${schemaOf(world)}; begin; ${statements}`);
  /** How many sessions wait for it. */
  const countWaiting = async () => (await world.tables.query(blocked)).length;
  return { release, countWaiting };
}

/** The locks that a write to each calendar has. */
const locksOf = (calendarIds: readonly string[]) =>
  [
    `select pg_advisory_xact_lock_shared(${lockKey(schemaOf(world), "all")})`,
    ...calendarIds.map(
      (id) => `select pg_advisory_xact_lock(${lockKey(schemaOf(world), `scope calendar ${id}`)})`,
    ),
  ].join("; ");

const get = (target: string, source: RequestSource) =>
  request(world, `GET ${target}`, { token: null, source });

const createEvent = async (calendarId: string, { id }: World["member"]) => {
  const source = { kind: "local", userId: id } as const;
  const route = `POST /calendars/${calendarId}/events`;
  return (await request(world, route, { body: eventBody(SCHEDULE), source })).status;
};

const LOCAL = (): RequestSource => ({ kind: "local", userId: world.second.id });
const NETWORK = { kind: "network", address: "192.0.2.9" } as const;

test("while writes wait for the lock of a calendar that a node stopped with, reads are answered", async () => {
  const { release, countWaiting } = await hold(locksOf([world.calendarId]));
  const settled: number[] = [];
  const writes = Array.from({ length: 20 }, async () => {
    settled.push(await createEvent(world.calendarId, world.member));
  });
  await expect.poll(countWaiting).toBe(5);
  const answers = [
    get("/user", LOCAL()),
    get(`/calendars/${world.calendarId}/labels`, LOCAL()),
    get("/readyz", NETWORK),
  ];
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect([statuses, settled]).toEqual([[200, 200, 200], []]);
  await release();
  await Promise.all(writes);
  expect(settled).toEqual(Array(20).fill(201));
});

test("a read goes on while writes are in progress that end after it", async () => {
  const store = await openStore(world.database, {});
  onTestFinished(() => store.close());
  const wasRead = createGate();
  const writes = Array.from({ length: 88 }, () => store.write(() => wasRead.opened, { scope: ["calendar"] }));
  await store.read((db) => db.all("select id from users"));
  wasRead.open();
  await Promise.all(writes);
});

describe("a write", () => {
  let store: Store;

  beforeEach(async () => {
    store = await openStore(world.database, {});
  });

  afterEach(() => store.close());

  test("waits for its lock no longer than it is told", async () => {
    const { release } = await hold(`select pg_advisory_xact_lock(${lockKey(schemaOf(world), "scope x")})`);
    const order: string[] = [];
    const first = store.write(async () => void order.push("first"), { scope: ["x"] });
    for (const timeout of [0, 1, 50]) {
      const refused = store.write(async () => void order.push("refused"), { scope: ["x"], timeout });
      await expect(refused).rejects.toMatchObject({
        code: "unavailable",
        hint: expect.stringMatching(/^it is busy/),
      });
    }
    expect(order).toEqual([]);
    await release();
    await first;
    expect(order).toEqual(["first"]);
  });

  test("with little time does not wait for a connection behind others that wait for a lock", async () => {
    const { release, countWaiting } = await hold(
      `select pg_advisory_xact_lock(${lockKey(schemaOf(world), "scope x")})`,
    );
    const waiting = Array.from({ length: 9 }, () => store.write(async () => undefined, { scope: ["x"] }));
    await expect.poll(countWaiting).toBe(5);
    expect(await store.write(async () => "done", { scope: ["y"], timeout: 250 })).toBe("done");
    await release();
    await Promise.all(waiting);
  });

  test("waits for earlier ones of its scope no longer than it is told", async () => {
    const [hasBegun, isRefused] = [createGate(), createGate()];
    const work = () => {
      hasBegun.open();
      return isRefused.opened;
    };
    const earlier = [1, 2].map(() => store.write(work, { scope: ["x"] }));
    await hasBegun.opened;
    const refused = store.write(async () => undefined, { scope: ["x"], timeout: 1 });
    await expect(refused).rejects.toMatchObject({
      code: "unavailable",
      hint: expect.stringMatching(/^it is busy/),
    });
    isRefused.open();
    await Promise.all(earlier);
  });
});

test("readiness that was asked for less than a second ago costs no query", async () => {
  let reads = 0;
  const store = await openStore(world.database, {});
  onTestFinished(() => store.close());
  const counted: Store = {
    ...store,
    read: (work, options) => {
      reads += 1;
      return store.read(work, options);
    },
  };
  let time = 0;
  const respond = createHealthEndpoints({ store: counted, clock: () => time });
  for (time of [0, 0, 999]) await respond("/readyz", "GET");
  expect(reads).toBe(1);
  time = 1_000;
  await respond("/readyz", "GET");
  expect(reads).toBe(2);
});

test("a flood of /readyz has one connection, whatever it waits for", async () => {
  const { release, countWaiting } = await hold("lock table settings in access exclusive mode");
  const settled: number[] = [];
  const probes = Array.from({ length: 50 }, async (_, index) => {
    world.clock.now = NOW + 2_000 * index;
    settled.push((await get("/readyz", NETWORK)).status);
  });
  await expect.poll(countWaiting).toBe(1);
  expect([(await get("/user", LOCAL())).status, settled]).toEqual([200, []]);
  await release();
  await Promise.all(probes);
  expect(settled).toEqual(Array(50).fill(200));
});
