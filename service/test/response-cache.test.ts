import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../contract/date-time.js";
import { createRequestHandler } from "../request-handler.js";
import { openService, type Service } from "../service.js";
import { openStore } from "../store/open.js";
import type { Store } from "../store/store.js";
import { activityBody, eventBody, SCHEDULE } from "./support/event-bodies.js";
import { request } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

/** Cached answers are sent again without a query, and never once they are outdated. */

let world: World;
beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
});
afterEach(() => world.close());

type Handle = Service["handle"];

/** A request of the member, or of another user. */
async function ask(handle: Handle, target: string, token = world.token, known?: string) {
  const headers = { ...(known !== undefined && { "if-none-match": known }) };
  const response = await request({ service: { handle }, token }, `GET ${target}`, { headers });
  return { status: response.status, tag: response.headers["etag"], body: response.body, text: response.text };
}

const write = (handle: Handle, method: string, path: string, body: object) =>
  request({ ...world, service: { handle } }, `${method} /calendars/${world.calendarId}/events${path}`, {
    body,
  });

const weekOf = (calendarId: string, timezone = "UTC") =>
  `/calendars/${calendarId}/upcoming_events?days=7&include=creator,label,attendees&timezone=${timezone}`;

/** Handles requests with a cache of its own. */
function createHandler(store: Store): Handle {
  const now = () => world.clock.now;
  return createRequestHandler({ store, now, rateLimiter: null, onHandled: () => undefined });
}

/** A service on the same database that counts how many transactions a request begins. */
async function openCounted() {
  const store = await openStore(world.database, {});
  let reads = 0;
  const handle = createHandler({
    ...store,
    read: (work) => {
      reads += 1;
      return store.read(work);
    },
  });
  const bodies = new Set<Uint8Array>();
  const readsOf = async (target = weekOf(world.calendarId)): Promise<number> => {
    const before = reads;
    const { status, body } = await ask(handle, target);
    expect(status).toBe(200);
    bodies.add(body);
    return reads - before;
  };
  return { store, handle, bodies, readsOf };
}

test("a repeated read asks one question, also after a write that it does not show", async () => {
  const { store, bodies, readsOf } = await openCounted();
  expect([await readsOf(), await readsOf()]).toEqual([2, 1]);
  await world.service.admin.users.add({ name: "somebody" });
  expect(await readsOf()).toBe(1);
  expect(bodies.size).toBe(1);
  await write(world.service.handle, "POST", "", eventBody(SCHEDULE));
  expect([await readsOf(), await readsOf()]).toEqual([2, 1]);
  expect(bodies.size).toBe(2);
  await store.close();
});

test("whoever was refused is answered as soon as that is allowed", async () => {
  const { handle, admin } = world.service;
  const statuses: number[] = [];
  for (const change of [admin.users.disable, admin.users.enable]) {
    await change("member");
    statuses.push((await ask(handle, "/user")).status);
  }
  expect(statuses).toEqual([401, 200]);
});

test("a cached response does not keep the memory of others", async () => {
  for (const zone of ["UTC", "Asia/Tokyo", "Europe/Berlin"]) {
    const { body } = await ask(world.service.handle, weekOf(world.calendarId, zone));
    expect(body.buffer.byteLength).toBe(body.byteLength);
  }
});

test("users who left a calendar get no cached answer of it; the others do", async () => {
  const { handle, admin } = world.service;
  const second = (await admin.tokens.create({ user: "second", readOnly: false })).token;
  const week = weekOf(world.calendarId);
  const answers = [await ask(handle, week), await ask(handle, week, second)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.text).toBe(answers[1]?.text);
  await admin.members.remove("second", world.calendarId);
  expect((await ask(handle, week, second)).status).toBe(403);
  expect((await ask(handle, week)).status).toBe(200);
});

test("the link to a next page has the query of its own request, also what is ignored", async () => {
  const { handle } = world.service;
  for (const title of ["One", "Two"]) await write(handle, "POST", "", eventBody({ ...SCHEDULE, title }));
  const id: string = JSON.parse((await ask(handle, `/calendars/${world.calendarId}/events`)).text).data[0].id;
  for (const content of ["a", "b"])
    await write(handle, "POST", `/${id}/activities`, { data: { attributes: { content } } });
  const nextOf = async (path: string): Promise<string> => {
    const { links } = JSON.parse((await ask(handle, `/calendars/${world.calendarId}/${path}`)).text);
    return links.next.replace(/(?<=&cursor=).*/, "…");
  };
  const base = { events: "limit=1", [`events/${id}/activities`]: "limit=1", changes: "limit=1&since=3" };
  for (const [path, query] of Object.entries(base)) {
    const next = await nextOf(`${path}?${query}`);
    expect(await nextOf(`${path}?of=another&${query}`)).toBe(next.replace("?", "?of=another&"));
    expect(await nextOf(`${path}?${query}`)).toBe(next);
  }
});

describe("days", () => {
  const MIDNIGHT = Date.parse("2026-11-21T15:00:00Z");
  const today = () => `/calendars/${world.calendarId}/upcoming_events?days=1&timezone=Asia/Tokyo`;
  const titlesAt = async (time: number): Promise<string[]> => {
    world.clock.now = time;
    const { data } = JSON.parse((await ask(world.service.handle, today())).text);
    return data.map(({ attributes }: { attributes: { title: string } }) => attributes.title);
  };

  test("begin at midnight of their zone, even if nothing was written, and when the clock is set back", async () => {
    const at = (time: string) => ({ start_at: time, end_at: time.replace(":00:00", ":30:00") });
    await write(
      world.service.handle,
      "POST",
      "",
      eventBody({ ...SCHEDULE, title: "Today", ...at("2026-11-21T14:00:00Z") }),
    );
    await write(
      world.service.handle,
      "POST",
      "",
      eventBody({ ...SCHEDULE, title: "Tomorrow", ...at("2026-11-21T16:00:00Z") }),
    );
    for (const _ of [1, 2]) {
      expect(await titlesAt(MIDNIGHT - 1)).toEqual(["Today"]);
      expect(await titlesAt(MIDNIGHT)).toEqual(["Tomorrow"]);
    }
  });
});

const STEPS = 14;

test("no node shows what is older than a confirmed write, or shows it to whoever may not see it", async () => {
  const seed = Date.now();
  const { perform, read, readWithoutCache } = await createNodes();
  for (const [number, step] of fc.sample(stepOf, { numRuns: STEPS, seed }).entries()) {
    // What is read during a write may be as it was before or after it.
    await Promise.all([perform(step, number), ...step.reads.map(read)]);
    for (const wanted of step.reads) {
      const expected = await readWithoutCache(wanted);
      expect(await read(wanted), `seed ${seed}, after step ${number}: ${step.what}`).toEqual(expected);
    }
  }
});

const WRITES = [
  ...(["create", "change", "remove", "comment", "label", "calendar", "user", "nobody"] as const),
  ...(["join", "leave", "revoke", "disable", "enable", "tomorrow"] as const),
];

interface Step {
  readonly what: (typeof WRITES)[number];
  readonly node: number;
  readonly reads: readonly Read[];
}

interface Read {
  readonly node: number;
  readonly token: number;
  readonly target: number;
  /** Whether the client says which answer it got last. */
  readonly asksAgain: boolean;
}

const stepOf: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...WRITES),
  node: fc.nat(99),
  reads: fc.array(
    fc.record({ node: fc.nat(99), token: fc.nat(99), target: fc.nat(99), asksAgain: fc.boolean() }),
    { minLength: 12, maxLength: 12 },
  ),
});

/** What is read of two calendars of one user, and of an event. */
const targetsOf = (calendarId: string, otherId: string, eventId: string) => [
  ...["UTC", "Asia/Tokyo", "America/New_York"].map((timezone) => weekOf(calendarId, timezone)),
  ...["", "?include=label"].map((query) => `/calendars/${calendarId}/events/${eventId}${query}`),
  `/calendars/${calendarId}/events/${eventId}/activities?include=creator`,
  `/calendars/${calendarId}/events?include=creator,label,attendees`,
  `/calendars/${calendarId}/changes?since=3&include=creator`,
  `/calendars/${calendarId}?include=labels,members`,
  `/calendars/${otherId}`,
  ...["/labels", "/members"].map((list) => `/calendars/${calendarId}${list}`),
  ...["/calendars?include=labels,members", "/user"],
];

function pick<T>(list: readonly T[], index: number): T {
  const found = list.at(index % list.length);
  if (found === undefined) throw new Error("there is nothing to pick from");
  return found;
}

/** Three nodes on the database of the world, read by two members, by whoever is one now and then, and by a stranger. */
async function createNodes() {
  const { calendarId, clock, database, service, token } = world;
  const open = { database, now: () => clock.now, rateLimit: null };
  const nodes = [service, await openService(open), await openService(open)];
  const reference = await openStore(database, {});
  onTestFinished(async () => {
    for (const opened of [...nodes.slice(1), reference]) await opened.close();
  });
  const { id: otherId } = await service.admin.calendars.add({ name: "Other", owner: "second" });
  const issued = await Promise.all(
    ["second", "outsider"].map((user) => service.admin.tokens.create({ user, readOnly: false })),
  );
  const tokens = [token, ...issued.map((one) => one.token)];
  const events = ["none"];
  const tags = new Map<string, string>();
  const requestOf = (read: Read) => {
    const target = pick(targetsOf(calendarId, otherId, pick(events, -1)), read.target);
    const bearer = pick(tokens, read.token);
    return { target, bearer, known: read.asksAgain ? tags.get(`${bearer} ${target}`) : undefined };
  };
  return {
    async read(read: Read) {
      const { target, bearer, known } = requestOf(read);
      const answer = await ask(pick(nodes, read.node).handle, target, bearer, known);
      if (answer.tag !== undefined) tags.set(`${bearer} ${target}`, answer.tag);
      return answer;
    },
    readWithoutCache(read: Read) {
      const { target, bearer, known } = requestOf(read);
      return ask(createHandler(reference), target, bearer, known);
    },
    perform: ({ what, node }: Step, number: number) =>
      writesOf(pick(nodes, node), { events, tokens, issued })[what](number),
  };
}

interface Written {
  readonly events: string[];
  /** Also those that were revoked. */
  readonly tokens: string[];
  readonly issued: { readonly id: string }[];
}

type WriteSomething = (number: number) => Promise<unknown> | unknown;

function writesOf({ handle, admin }: Service, { events, tokens, issued }: Written) {
  const { calendarId, member, second, clock } = world;
  const last = () => pick(events, -1);
  return {
    async create(number) {
      const day = new Date(clock.now + (number % 9) * DAY_MS).toISOString().slice(0, 10);
      const times = { start_at: `${day}T10:00:00Z`, end_at: `${day}T11:00:00Z` };
      const attendees = [[], [member.id], [second.id, member.id]][number % 3] ?? [];
      const label = String((number % 3) + 1);
      const body = eventBody({ ...SCHEDULE, ...times, title: `Number ${number}` }, { attendees, label });
      const { status, text } = await write(handle, "POST", "", body);
      // Who left the calendar cannot be invited.
      if (status === 201) events.push(JSON.parse(text).data.id);
    },
    change: (number) =>
      write(handle, "PUT", `/${last()}`, eventBody({ ...SCHEDULE, title: `Changed ${number}` })),
    async remove() {
      if (events.length > 1) await write(handle, "DELETE", `/${events.pop()}`, {});
    },
    comment: (number) => write(handle, "POST", `/${last()}/activities`, activityBody(`${number}`)),
    label: (number) => admin.labels.set(calendarId, (number % 3) + 1, { name: `Label ${number}` }),
    calendar: (number) => admin.calendars.set(calendarId, { name: `Family ${number}` }),
    user: (number) => admin.users.rename(member.id, `Member ${number}`),
    nobody: (number) => admin.users.add({ name: `User ${number}` }),
    join: () => admin.members.add("second", calendarId),
    leave: () => admin.members.remove("second", calendarId).catch(() => undefined),
    async revoke() {
      await admin.tokens.revoke(issued.pop()?.id ?? "");
      const created = await admin.tokens.create({ user: member.id, readOnly: false });
      issued.push(created);
      tokens.push(created.token);
    },
    disable: () => admin.users.disable("second"),
    enable: () => admin.users.enable("second"),
    tomorrow: () => {
      clock.now += 3 * HOUR_MS;
    },
  } as const satisfies Readonly<Record<Step["what"], WriteSomething>>;
}
