import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { createCalendarAdmin, createLabelAdmin, createMemberAdmin } from "../admin/calendars.js";
import { createUserAdmin } from "../admin/users.js";
import { dayWindow } from "../day-window.js";
import type { ServiceResponse } from "../http/response.js";
import { createRequestHandler } from "../request-handler.js";
import { eventResource, labelResource, memberResource } from "../resources.js";
import type { AttendeeRow, EventRow, LabelRow, UserRow } from "../store/schema.js";
import type { Store } from "../store/store.js";
import { activityBody, eventBody } from "./support/event-bodies.js";
import { NOW } from "./support/world.js";

/** Writes between two comparisons. */
const INTERVAL = 500;

/** Answers are what a rendering of the rows would be, byte for byte, after any writes. */
export function describeRandomWrites(database: string, writes: number, open: () => Promise<Store>): void {
  test(`${database}: after ${writes} writes, stored answers are those that rows make`, async () => {
    const stage = await createStage(await open());
    const seed = Date.now();
    for (const [index, write] of fc.sample(writeOf, { numRuns: writes, seed }).entries()) {
      await perform(stage, write);
      if ((index + 1) % INTERVAL !== 0) continue;
      await compare(stage, `seed ${seed}, after ${index + 1} writes`);
      // With nothing else written in between.
      await perform(stage, { ...write, what: "label" });
      await compare(stage, `seed ${seed}, after ${index + 1} writes and a label`);
    }
    // Each kind was done, and refused nothing but what is gone.
    expect(Object.keys(stage.statuses).sort()).toEqual(["200", "201", "204"]);
    await stage.store.close();
  }, 600_000);
}

interface Write {
  readonly what: "create" | "update" | "delete" | "comment" | "label" | "member" | "calendar";
  readonly index: number;
  readonly text: string;
  readonly begins: "time" | "day" | "never";
  /** From now on, in hours. */
  readonly hour: number;
  readonly hours: number;
  readonly attended: boolean;
}

const FRAGMENTS = ['"', "\\", "\u0001", "\n", "é", "e\u0301", "🗓", "\u2028", "</b>", "ß", "plain", " "];

const writeOf: fc.Arbitrary<Write> = fc.record({
  what: fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom("create" as const, "delete" as const) },
    { weight: 40, arbitrary: fc.constant("update" as const) },
    { weight: 20, arbitrary: fc.constantFrom("comment", "label", "member", "calendar" as const) },
  ),
  index: fc.nat(10_000),
  text: fc
    .array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 8 })
    .map((parts) => `x${parts.join("")}`),
  begins: fc.constantFrom("time", "time", "day", "never"),
  hour: fc.integer({ min: -72, max: 240 }),
  hours: fc.integer({ min: 1, max: 60 }),
  attended: fc.boolean(),
});

interface Stage {
  readonly store: Store;
  readonly send: (method: string, target: string, options?: SendOptions) => Promise<ServiceResponse>;
  readonly calendarId: string;
  readonly memberIds: readonly string[];
  /** Ids of the events there are. */
  readonly events: string[];
  readonly statuses: Record<number, number>;
  readonly admin: ReturnType<typeof createAdmin>;
  /** What a client has: answers by target, and the events as changes told it. */
  readonly answers: Map<string, { readonly tag: string; readonly body: string }>;
  readonly copy: Map<string, string>;
  revision: number;
}

interface SendOptions {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function createAdmin(store: Store, now: () => number) {
  const options = { store, now };
  return {
    users: createUserAdmin(options),
    calendars: createCalendarAdmin(options),
    members: createMemberAdmin(options),
    labels: createLabelAdmin(options),
  };
}

async function createStage(store: Store): Promise<Stage> {
  const now = () => NOW;
  const admin = createAdmin(store, now);
  const users = [await admin.users.add({ name: "ana" }), await admin.users.add({ name: "ben" })];
  const [userId = "", otherId = ""] = users.map(({ id }) => id);
  const { id: calendarId } = await admin.calendars.add({ name: "Family", owner: userId });
  await admin.members.add(otherId, calendarId);
  await admin.users.add({ name: "guest" });
  const handle = createRequestHandler({
    store,
    now,
    rateLimiter: null,
    onHandled: () => undefined,
  });
  const statuses: Record<number, number> = {};
  return {
    store,
    ...{ calendarId, statuses, admin },
    memberIds: [userId, otherId],
    events: [],
    answers: new Map(),
    copy: new Map(),
    revision: 3,
    async send(method, path, { body, headers = {} } = {}) {
      const response = await handle(
        {
          method,
          target: `/calendars/${calendarId}${path}`,
          headers: { "content-type": "application/json", ...headers },
          body: new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body)),
        },
        { kind: "local", userId },
      );
      if (method !== "GET") statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      return response;
    },
  };
}

async function perform(stage: Stage, write: Write): Promise<void> {
  const { send, events, admin, calendarId } = stage;
  const id = events[write.index % events.length];
  const number = (write.index % 10) + 1;
  switch (write.what) {
    case "create": {
      const { status, body } = await send("POST", "/events", { body: bodyOf(stage, write) });
      expect(status).toBe(201);
      events.push(JSON.parse(textOf(body)).data.id);
      return;
    }
    case "update":
      if (id !== undefined) await send("PUT", `/events/${id}`, { body: bodyOf(stage, write) });
      return;
    case "delete":
      if (id === undefined) return;
      await send("DELETE", `/events/${id}`);
      events.splice(events.indexOf(id), 1);
      return;
    case "comment":
      if (id !== undefined)
        await send("POST", `/events/${id}/activities`, { body: activityBody(write.text) });
      return;
    case "label":
      await admin.labels.set(calendarId, number, { name: `Label ${write.index}` });
      return;
    case "member":
      await (write.attended ? admin.members.add("guest", calendarId) : removeGuest(stage));
      return;
    case "calendar":
      await admin.calendars.set(calendarId, { description: `${write.index}` });
  }
}

async function removeGuest({ admin, calendarId }: Stage): Promise<void> {
  const members = await admin.members.list(calendarId);
  if (members.some(({ name }) => name === "guest")) await admin.members.remove("guest", calendarId);
}

function bodyOf({ memberIds }: Stage, { text, index, begins, hour, hours, attended }: Write): object {
  const start = NOW + hour * HOUR_MS;
  const date = (time: number) => `${new Date(time).toISOString().slice(0, 10)}T00:00:00Z`;
  const times = {
    time: { all_day: false, start_at: iso(start), end_at: iso(start + hours * HOUR_MS) },
    day: { all_day: true, start_at: date(start), end_at: date(start + DAY_MS * Math.ceil(hours / 24)) },
    never: {},
  }[begins];
  const attributes = {
    category: begins === "never" ? "keep" : "schedule",
    ...{ title: text, description: text.repeat(index % 5), location: text, ...times },
  };
  return eventBody(attributes, { label: String((index % 10) + 1), attendees: attended ? memberIds : [] });
}

const iso = (time: number) => new Date(time).toISOString();
const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

/** The second one and those after it may be answered without a query. */
const WINDOWS = [
  { timezone: "Asia/Tokyo", days: 7 },
  { timezone: "Pacific/Kiritimati", days: 7 },
  { timezone: "Pacific/Pago_Pago", days: 7 },
  { timezone: "America/St_Johns", days: 1 },
];

/** Compares every list, some single events, and what a client knows that asks for changes only. */
async function compare(stage: Stage, place: string): Promise<void> {
  const rows = await readRows(stage.store);
  const inWindow = (timezone: string, days: number) => {
    const { window } = dayWindow(NOW, { timezone, days });
    return rows.events.filter(({ all_day, start_at, end_at }) => {
      if (start_at === null || end_at === null) return false;
      const [start, end] = all_day === 1 ? [window.firstDate, window.endDate] : [window.start, window.end];
      return end_at > start && start_at < end;
    });
  };
  const everything = "include=creator,label,attendees";
  const some = rows.events.filter((_, index) => index % 50 === 0);
  const reads: readonly (readonly [string, object])[] = [
    ...WINDOWS.flatMap(({ timezone, days }) => {
      const target = `/upcoming_events?days=${days}&timezone=${timezone}`;
      const events = inWindow(timezone, days);
      const data = events.map(rows.resourceOf);
      return [
        [target, { data }],
        [`${target}&${everything}`, { data, included: rows.includedOf(events) }],
      ] as const;
    }),
    ...some.map(
      (row) =>
        [
          `/events/${row.id}?${everything}`,
          { data: rows.resourceOf(row), included: rows.includedOf([row]) },
        ] as const,
    ),
  ];
  for (const [target, expected] of reads) await compareRead(stage, { target, expected, place });
  await comparePages(stage, rows, place);
  await compareCopy(stage, rows, place);
}

interface Read {
  readonly target: string;
  readonly expected: object;
  readonly place: string;
}

/** An answer that the client has already must be the right one. */
async function compareRead({ send, answers }: Stage, { target, expected, place }: Read): Promise<void> {
  const before = answers.get(target);
  const headers = before === undefined ? {} : { "if-none-match": before.tag };
  const { status, body, headers: received } = await send("GET", target, { headers });
  const text = status === 304 ? (before?.body ?? "") : textOf(body);
  expect(text, `${target}, ${place}`).toBe(JSON.stringify(expected));
  answers.set(target, { tag: received["etag"] ?? "", body: text });
}

type Rows = Awaited<ReturnType<typeof readRows>>;

/** The list of every event with times, in pages. */
async function comparePages({ send }: Stage, rows: Rows, place: string): Promise<void> {
  const expected = rows.events.filter(({ start_at }) => start_at !== null).map(rows.resourceOf);
  const found: unknown[] = [];
  for (let next: string | null = "?limit=100"; next !== null; ) {
    const { body } = await send("GET", `/events${next}`);
    const page = JSON.parse(textOf(body));
    found.push(...page.data);
    next = page.links.next;
  }
  expect(JSON.stringify(found), place).toBe(JSON.stringify(expected));
}

/** A client that asks what changed since it last asked has every event. */
async function compareCopy(stage: Stage, rows: Rows, place: string): Promise<void> {
  for (let next: string | null = `?since=${stage.revision}`; next !== null; ) {
    const { body } = await stage.send("GET", `/changes${next}`);
    const page = JSON.parse(textOf(body));
    for (const event of page.data) stage.copy.set(event.id, JSON.stringify(event));
    for (const id of page.meta.deleted) stage.copy.delete(id);
    stage.revision = page.meta.revision;
    next = page.links.next;
  }
  const expected = rows.events.map((row) => [row.id, JSON.stringify(rows.resourceOf(row))] as const);
  const byId = (entries: Iterable<readonly [string, string]>) =>
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  expect(byId(stage.copy), place).toEqual(byId(expected));
}

/** The rows of the database, and what answers they make. */
async function readRows(store: Store) {
  const { events, attendees, users, labels } = await store.read(async (db) => ({
    events: await db.all<EventRow>("select * from events"),
    attendees: await db.all<AttendeeRow>("select * from attendees"),
    users: await db.all<UserRow>("select * from users"),
    labels: await db.all<LabelRow>("select * from labels order by number"),
  }));
  const attending = new Map<string, AttendeeRow[]>();
  for (const row of attendees) attending.set(row.event_id, [...(attending.get(row.event_id) ?? []), row]);
  const attendeesOf = ({ id }: EventRow) =>
    (attending.get(id) ?? []).sort((a, b) => a.position - b.position).map(({ user_id }) => user_id);
  const ordered = events.sort((a, b) => (a.start_at ?? 0) - (b.start_at ?? 0) || (a.id < b.id ? -1 : 1));
  return {
    events: ordered,
    resourceOf: (row: EventRow) => eventResource(row, attendeesOf(row)),
    includedOf(some: readonly EventRow[]) {
      const userIds = new Set(some.flatMap((row) => [row.creator_id, ...attendeesOf(row)]));
      const numbers = new Set(some.map(({ label_number }) => label_number));
      const calendarId = some[0]?.calendar_id ?? "";
      return [
        ...users
          .filter(({ id }) => userIds.has(id))
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .map((user) => memberResource(calendarId, user)),
        ...labels.filter(({ number }) => numbers.has(number)).map(labelResource),
      ];
    },
  };
}
