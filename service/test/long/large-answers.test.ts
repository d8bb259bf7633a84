import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import type { EventRow } from "../../store/schema.js";
import { runSql } from "../support/database.js";
import { eventBody, SCHEDULE } from "../support/event-bodies.js";
import { request } from "../support/send.js";
import { createWorld, NOW, type World } from "../support/world.js";

/** More than SQLite takes as parameters of one query: 32,766. */
const MANY = 33_000;

let world: World;
beforeEach(async () => {
  world = await createWorld({ stored: true, rateLimit: null });
});
afterEach(() => world.close());

async function send(method: string, target: string, { body, userId = world.member.id }: SendOptions = {}) {
  const source = { kind: "local", userId } as const;
  const { status, json, body: bytes } = await request(world, `${method} ${target}`, { body, source });
  return { status, bytes: bytes.byteLength, json };
}

interface SendOptions {
  readonly body?: object;
  readonly userId?: string;
}

/** A common table expression of the numbers from 1. */
const numbers = (count: number) =>
  `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;

describe("a user with 33,000 calendars", () => {
  const ids = [1, MANY / 2, MANY].map((n) => `calendar-${n}`);

  beforeEach(() =>
    runSql(
      world.database,
      `insert into calendars (id, name, description, color, image_url, created_at) ${numbers(MANY)}
         select 'calendar-' || n, 'Calendar ' || n, '', '#2ecc87', '', n from numbers;
       insert into members ${numbers(MANY)} select 'calendar-' || n, '${world.member.id}', n, 1 from numbers;
       insert into labels ${numbers(MANY)} select 'calendar-' || n, 1, 'label ' || n, '#2ecc87' from numbers;`,
    ),
  );

  test("gets them with their own labels and members", async () => {
    const { status, json } = await send("GET", "/calendars?include=labels,members");
    expect(status).toBe(200);
    expect(json.data).toHaveLength(MANY + 1);
    // All have one label and one member, but for the first one: ten and two.
    expect(json.included).toHaveLength(2 * MANY + 12);
    for (const id of ids) {
      const calendar = json.data.find((found: { readonly id: string }) => found.id === id);
      expect(calendar.relationships).toEqual({
        labels: { data: [{ id: `${id},1`, type: "label" }] },
        members: { data: [{ id: `${id},${world.member.id}`, type: "user" }] },
      });
    }
  });

  test("is listed with them for the operator", async () => {
    const calendars = await world.service.admin.calendars.list();
    expect(calendars).toHaveLength(MANY + 2);
    for (const id of ids) {
      const calendar = calendars.find((found) => found.id === id);
      expect(calendar?.labels.map((label) => label.id)).toEqual([`${id},1`]);
      expect(calendar?.members.map((member) => member.id)).toEqual([`${id},${world.member.id}`]);
    }
  });
});

test("an event with 33,000 attendees is answered with all of them", async () => {
  const target = `/calendars/${world.calendarId}/events`;
  const { json: created } = await send("POST", target, { body: eventBody(SCHEDULE) });
  const { id } = created.data;
  runSql(
    world.database,
    `insert into users ${numbers(MANY)}
       select 'user-' || n, 'User ' || n, 'user-' || n, 'user-' || n, null, '', '', 0, n from numbers;
     insert into attendees ${numbers(MANY)} select '${id}', 'user-' || n, n from numbers;`,
  );
  for (const path of [`events/${id}?include=attendees`, "upcoming_events?include=attendees"]) {
    const { status, json } = await send("GET", `/calendars/${world.calendarId}/${path}`);
    expect(status).toBe(200);
    const [event] = [json.data].flat();
    expect(event.relationships.attendees.data).toHaveLength(MANY);
    const included = json.included.map((user: { readonly id: string }) => user.id);
    expect(included).toHaveLength(MANY);
    expect(included).toEqual([...included].sort());
  }
});

describe("the events of a week", () => {
  const LIMIT = 24 * 1024 * 1024;
  /** The longest in an answer: control characters are escaped with six bytes. */
  const LARGEST = { ...SCHEDULE, description: "\u0001".repeat(10_000) };
  const at = (days: number) => new Date(NOW + days * DAY_MS).toISOString();
  const create = (userId: string, times: object = {}) =>
    send("POST", `/calendars/${world.calendarId}/events`, {
      body: eventBody({ ...LARGEST, ...times }),
      userId,
    });

  /** Creates events until one is refused. Resolves with how many there are and the refusal. */
  async function createAll(userId: string, times: object = {}) {
    for (let count = 0; count < 1_000; count += 1) {
      const answer = await create(userId, times);
      if (answer.status !== 201) return { count, ...answer };
    }
    throw new Error("nothing was refused");
  }

  const week = async () => {
    const answer = await send("GET", `/calendars/${world.calendarId}/upcoming_events?days=7&timezone=UTC`);
    expect(answer.status).toBe(200);
    return answer;
  };

  test("cannot be made larger by one member than that others can add, nor by all than clients read", async () => {
    const { count, status, json } = await createAll(world.member.id);
    expect(status).toBe(400);
    expect(json.errors).toEqual({ start_at: [expect.stringContaining("too large")] });
    expect(count).toBeGreaterThan(50);
    expect((await week()).bytes).toBeLessThan(LIMIT / 3);
    for (const userId of [world.second.id, await addMember("third"), await addMember("fourth")]) {
      await createAll(userId);
    }
    const { bytes } = await week();
    expect(bytes).toBeLessThan(LIMIT);
    expect(bytes).toBeGreaterThan(LIMIT / 2);
    expect((await create(world.second.id, { start_at: at(60), end_at: at(61) })).status).toBe(201);
  });

  test("cannot be made too large by events that are long, or one after the other", async () => {
    const spans = [
      { start_at: at(-3_000), end_at: at(3_000) },
      { start_at: at(-20), end_at: at(20) },
      { start_at: at(1), end_at: at(8.9) },
      { start_at: at(6), end_at: at(7) },
      { start_at: at(-1), end_at: at(0.1) },
    ];
    for (const userId of [
      world.member.id,
      world.second.id,
      await addMember("third"),
      await addMember("fourth"),
    ]) {
      for (const span of spans) await createAll(userId, span);
    }
    const { bytes, json } = await week();
    expect(bytes).toBeLessThan(LIMIT);
    const starts = new Set(json.data.map((event: EventJson) => event.attributes.start_at));
    expect(starts.size).toBeGreaterThanOrEqual(2);
  });

  test("can be shortened and changed when they are too large, but not enlarged", async () => {
    const { json } = await create(world.member.id);
    const target = `/calendars/${world.calendarId}/events/${json.data.id}`;
    const update = async (attributes: object) =>
      (await send("PUT", target, { body: eventBody(attributes) })).status;
    await createAll(world.member.id);
    expect(await update({ ...LARGEST, title: "Snack" })).toBe(200);
    expect(await update(SCHEDULE)).toBe(200);
    expect(await update({ ...SCHEDULE, start_at: at(0.1), end_at: at(0.2) })).toBe(200);
    await createAll(world.member.id);
    await createAll(world.member.id, { description: "x".repeat(5_000) });
    expect(await update(LARGEST)).toBe(400);
    const [stored] = [(await send("GET", target)).json.data];
    expect(stored.attributes.description).toBe("");
  });

  async function addMember(name: string): Promise<string> {
    const { id } = await world.service.admin.users.add({ name });
    await world.service.admin.members.add(id, world.calendarId);
    return id;
  }
});

interface EventJson {
  readonly attributes: { readonly start_at: EventRow["start_timezone"] };
}
