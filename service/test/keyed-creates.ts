import { randomInt } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../listen.js";
import type { Service } from "../service.js";
import { type CuttingProxyOptions, startCuttingProxy } from "./support/cutting-proxy.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { request, type Send, sendOverSocket } from "./support/send.js";
import type { World } from "./support/world.js";

const CREATES = 1_000;

/** How many creates are under way at a time. */
const CLIENTS = 24;

/** How often a create is sent at most: about one in five is lost. */
const MAX_ATTEMPTS = 50;

/** What a client sends with each key until it has an answer. */
interface Creating {
  readonly world: World;
  /** To each node, by connections of which one in five is lost: half of them before the request arrives, half at the answer. */
  readonly sends: readonly Send[];
  readonly seen: { lost: number; replayed: number };
}

/**
 * However often a create is repeated after what went wrong, its key makes one event.
 * @param openNodes opens services on the database of a world, until the test ends
 */
export function describeKeyedCreates(
  database: string,
  openWorld: () => Promise<World>,
  openNodes: (world: World) => Promise<readonly Service[]>,
): void {
  test(`${database}: ${CREATES} creates, repeated until they are answered, make ${CREATES} events`, async () => {
    const creating = await openStage(await openWorld(), openNodes);
    const keys = Array.from({ length: CREATES }, (_, number) => `key ${number}`);
    const ids = await createAll(creating, keys);
    expect(new Set(ids).size).toBe(CREATES);
    expect(await createAll(creating, keys.slice(0, 100))).toEqual(ids.slice(0, 100));
    const rows = await creating.world.tables.query("select id, title from events");
    expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(rows.map(({ title }) => title).sort()).toEqual([...keys].sort());
    // Those that were made before their answer was lost, and the hundred at the end.
    expect(creating.seen.lost).toBeGreaterThan(CREATES / 10);
    expect(creating.seen.replayed).toBeGreaterThan(120);
  }, 300_000);
}

/** Requests with one key at the same time, each at one of several services, make one event. */
export async function expectOneEventPerKey(world: World, nodes: readonly Service[]): Promise<void> {
  for (const key of ["a", "b", "c", "d", "e"]) {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        request(
          { ...world, service: nodes[index % nodes.length] ?? world.service },
          `POST /calendars/${world.calendarId}/events`,
          { body: bodyOf(key), headers: { "idempotency-key": key } },
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => "idempotent-replayed" in headers)).toHaveLength(7);
  }
  expect(await world.tables.query("select id from events")).toHaveLength(5);
}

const bodyOf = (title: string): object => eventBody({ ...KEEP, title });

/** Loses one connection in so many, at what is sent on it. */
export function cutOneIn(count: number): NonNullable<CuttingProxyOptions["cutAt"]> {
  return () => (randomInt(count) > 0 ? null : randomInt(2) === 0 ? "now" : "at the answer");
}

async function openStage(
  world: World,
  openNodes: (world: World) => Promise<readonly Service[]>,
): Promise<Creating> {
  onTestFinished(() => world.close());
  const sends: Send[] = [];
  for (const node of await openNodes(world)) {
    const listener = await listen(node, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => listener.close());
    const proxy = await startCuttingProxy(Number(new URL(listener.baseUrl).port), { cutAt: cutOneIn(5) });
    sends.push(sendOverSocket(`http://127.0.0.1:${proxy.port}`));
  }
  return { world, sends, seen: { lost: 0, replayed: 0 } };
}

/** Creates an event with each key. Resolves with their ids in the order of the keys. */
async function createAll(creating: Creating, keys: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  const left = [...keys.entries()];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [index, key] = next;
      ids[index] = await createUntilAnswered(creating, key);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return ids;
}

async function createUntilAnswered({ world, sends, seen }: Creating, key: string): Promise<string> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const send = sends[randomInt(sends.length)];
    const response = await send?.({
      method: "POST",
      target: `/calendars/${world.calendarId}/events`,
      headers: {
        authorization: `Bearer ${world.token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: new TextEncoder().encode(JSON.stringify(bodyOf(key))),
    }).catch(() => undefined);
    if (response === undefined || response.status >= 500) {
      seen.lost += 1;
      continue;
    }
    const text = new TextDecoder().decode(response.body);
    expect(response.status, text).toBe(201);
    if (response.headers["idempotent-replayed"] === "true") seen.replayed += 1;
    return JSON.parse(text).data.id;
  }
  throw new Error(`no answer to ${key} in ${MAX_ATTEMPTS} attempts`);
}
