import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { openService, type Service } from "../service.js";
import { WITHOUT_TIMES } from "../store/pages.js";
import { eventBody, KEEP, SCHEDULE } from "./support/event-bodies.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Lists of a calendar whose events are moved, by several nodes whose clocks differ. */

let world: World;
let nodes: readonly Service[];

beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
  const { database } = world;
  const others = [900, -HOUR_MS, HOUR_MS].map((ahead) =>
    openService({ database, now: () => NOW + ahead, rateLimit: null }),
  );
  nodes = [world.service, ...(await Promise.all(others))];
});
afterEach(async () => {
  for (const node of nodes.slice(1)) await node.close();
  await world.close();
});

/** Sends a request to a node. @param path below that of the calendar */
async function send(node: number, method: string, path: string, body?: object, headers: object = {}) {
  const { handle } = nodes[node % nodes.length] ?? world.service;
  const answer = await handle(
    {
      method,
      target: `/calendars/${world.calendarId}/${path}`,
      headers: { "content-type": "application/json", ...headers },
      body: new TextEncoder().encode(JSON.stringify(body)),
    },
    { kind: "local", userId: world.member.id },
  );
  const text = new TextDecoder().decode(answer.body);
  return { ...answer, json: text === "" ? undefined : JSON.parse(text) };
}

/** When an event is, in days from now; null for a keep without times. */
type Day = number | null;

const startOf = (day: Day) => (day === null ? WITHOUT_TIMES : NOW + day * DAY_MS);
const bodyOf = (day: Day, title = "Lunch") => {
  if (day === null) return eventBody({ ...KEEP, title });
  const [start_at, end_at] = [startOf(day), startOf(day) + HOUR_MS].map((time) =>
    new Date(time).toISOString(),
  );
  return eventBody({ ...SCHEDULE, category: "keep", title, start_at, end_at });
};

const add = async (day: Day): Promise<string> => (await send(0, "POST", "events", bodyOf(day))).json.data.id;

async function move(node: number, id: string, day: Day): Promise<void> {
  expect((await send(node, "PUT", `events/${id}`, bodyOf(day))).status).toBe(200);
}

const idsOf = (json: { readonly data: readonly { readonly id: string }[] }) => json.data.map(({ id }) => id);

interface Position {
  readonly start: number;
  readonly id: string;
}

const isAfter = (one: Position, other: Position) =>
  one.start > other.start || (one.start === other.start && one.id > other.id);

/** Follows the links of a list, each at another node. @param between gets where the page ends */
async function readPages(query: string, between: (end: Position) => Promise<void> = async () => undefined) {
  const ids: string[] = [];
  let next: string | null = `?${query}`;
  for (let node = 0; next !== null; node += 1) {
    const { json } = await send(node, "GET", `events${next}`);
    ids.push(...idsOf(json));
    next = json.links.next;
    if (next === null) break;
    const cursor = new URLSearchParams(next).get("cursor") ?? "";
    const [, , start = "", id = ""] = Buffer.from(cursor, "base64url").toString().split(/[ .]/);
    await between({ start: Number.parseInt(start, 36), id });
  }
  return ids;
}

/** More than are read at a time. */
const MANY = 70;

test("every list of every node is that of the rows, whatever was moved at the same time before", async () => {
  const ids: string[] = [];
  for (let day = 0; day < MANY; day += 1) ids.push(await add(day));
  const tags: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const [id = ""] = ids.slice(round);
    // To after the others and, in every other round, to before them.
    const days = [0, 1, 2, 3, 4].map((index) => (round % 2 === 0 ? 100 : -100) + 5 * round + index);
    await Promise.all(days.map((day, index) => move(index, id, day)));
    const rows = await world.tables.query("select id from events order by start_at, id");
    const expected = rows.map((row) => row["id"]);
    for (const node of nodes.keys()) {
      const list = await send(node, "GET", "events?limit=500", undefined, { "if-none-match": tags[node] });
      expect(idsOf(list.json)).toEqual(expected);
      tags[node] = list.headers["etag"] ?? "";
      const upTo = await send(node, "GET", "events?limit=500&to=2099-01-01");
      expect(idsOf(upTo.json)).toEqual(expected);
    }
    expect(await readPages("limit=16")).toEqual(expected);
  }
});

const SOME_DAY: fc.Arbitrary<Day> = fc.integer({ min: -3, max: 15 });

describe.each([
  ["events", "", SOME_DAY],
  ["keeps with and without times", "category=keep&", fc.option(SOME_DAY, { freq: 3 })],
])("while pages of %s are read,", (_, list, someDay) => {
  const write = fc.record({
    kind: fc.constantFrom("move", "move", "move", "rename", "create", "delete"),
    node: fc.nat(3),
    event: fc.nat(),
    day: someDay,
  });
  type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

  /** @param days of each event. @returns the id of the event if it may be missing from the list from now on */
  async function perform({ kind, node, event, day }: Write, days: Map<string, Day>, end: Position) {
    const [id = "", before = 0] = [...days][event % days.size] ?? [];
    switch (kind) {
      case "create": {
        const created = await add(day);
        days.set(created, day);
        return created;
      }
      case "delete":
        await send(node, "DELETE", `events/${id}`);
        return id;
      case "rename":
        if ((await send(node, "PUT", `events/${id}`, bodyOf(before, "Changed"))).status === 404) return id;
        return null;
      default:
        if ((await send(node, "PUT", `events/${id}`, bodyOf(day))).status === 404) return id;
        days.set(id, day);
        return isAfter({ start: startOf(day), id }, end) ? null : id;
    }
  }

  test("no event is listed twice, and none is missing that was there and never moved to what had been read", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someDay, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 2, max: 4 }),
        fc.array(fc.array(write, { maxLength: 3 }), { maxLength: 6 }),
        async (starts, limit, writes) => {
          const days = new Map<string, Day>();
          for (const day of starts) days.set(await add(day), day);
          const excused = new Set<string | null>();
          const queue = writes.values();
          const read = await readPages(`${list}limit=${limit}`, async (end) => {
            for (const write of queue.next().value ?? []) excused.add(await perform(write, days, end));
          });
          expect(new Set(read).size).toBe(read.length);
          expect([...days.keys()].filter((id) => !read.includes(id) && !excused.has(id))).toEqual([]);
          for (const id of days.keys()) await send(0, "DELETE", `events/${id}`);
        },
      ),
      { numRuns: 12 },
    );
  });

  test("an event that is moved to what had been read is told by the changes since the first page", async () => {
    const [, , last = ""] = [await add(1), await add(2), await add(3)];
    const { headers } = await send(0, "GET", `events?${list}limit=1`);
    const read = await readPages(`${list}limit=2`, () => move(1, last, 0));
    expect(read).not.toContain(last);
    const changes = await send(2, "GET", `changes?since=${headers["calendar-revision"]}`);
    expect(idsOf(changes.json)).toEqual([last]);
  });
});

test("a cursor from before a restoration has expired", async () => {
  for (const day of [1, 2]) await add(day);
  const { json } = await send(0, "GET", "events?limit=1");
  expect((await send(0, "GET", `events${json.links.next}`)).status).toBe(200);
  await world.service.admin.resync();
  const { status, json: problem } = await send(0, "GET", `events${json.links.next}`);
  expect([status, problem.errors]).toEqual([
    400,
    { cursor: ["has expired; read the list from the first page"] },
  ]);
});
