import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRequestHandler } from "../request-handler.js";
import { openService, type Service } from "../service.js";
import { openStore } from "../store/sqlite/open.js";
import { eventBody, SCHEDULE } from "./support/event-bodies.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Cached answers are sent again without a query, and never once they are outdated. */

let world: World;
beforeEach(async () => {
  world = await createWorld({ stored: true, rateLimit: null });
});
afterEach(() => world.close());

type Handle = Service["handle"];

/** A request of the member, or of another user. */
async function ask(handle: Handle, target: string, token = world.token, received?: number) {
  const headers = { authorization: `Bearer ${token}` };
  const request = { method: "GET", target, headers, ...(received !== undefined && { received }) };
  const response = await handle(
    { ...request, body: new Uint8Array() },
    { kind: "network", address: "192.0.2.1" },
  );
  const { status, body } = response;
  return { status, tag: response.headers["etag"], body, text: new TextDecoder().decode(body) };
}

function write(handle: Handle, method: string, path: string, body: object) {
  return handle(
    {
      method,
      target: `/calendars/${world.calendarId}/events${path}`,
      headers: { authorization: `Bearer ${world.token}`, "content-type": "application/json" },
      body: new TextEncoder().encode(JSON.stringify(body)),
    },
    { kind: "network", address: "192.0.2.1" },
  );
}

const weekOf = (calendarId: string, timezone = "UTC") =>
  `/calendars/${calendarId}/upcoming_events?days=7&include=creator,label,attendees&timezone=${timezone}`;

/** A service on the same database that counts how many transactions a request begins. */
async function openCounted() {
  const store = await openStore(world.database);
  let reads = 0;
  const handle = createRequestHandler({
    store: {
      ...store,
      read: (work) => {
        reads += 1;
        return store.read(work);
      },
    },
    now: () => NOW,
    rateLimiter: null,
    onHandled: () => undefined,
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

test("a repeated read takes no query, and one after a write elsewhere only those for token and revision", async () => {
  const { store, bodies, readsOf } = await openCounted();
  expect(await readsOf()).toBe(2);
  expect(await readsOf()).toBe(0);
  await world.service.admin.users.add({ name: "somebody" });
  expect(await readsOf()).toBe(2);
  expect(await readsOf()).toBe(0);
  expect(bodies.size).toBe(1);
  await store.close();
});

test("the third window of a calendar takes no query, until the calendar changes", async () => {
  const { store, readsOf } = await openCounted();
  const at = (timezone: string) => readsOf(weekOf(world.calendarId, timezone));
  expect([await at("UTC"), await at("Asia/Tokyo"), await at("Europe/Berlin")]).toEqual([2, 1, 0]);
  expect(await readsOf(`/calendars/${world.calendarId}/upcoming_events?days=1&timezone=Asia/Kolkata`)).toBe(
    0,
  );
  // The list needs one for its events, and none for the token.
  expect(await readsOf(`/calendars/${world.calendarId}/events`)).toBe(1);
  await write(world.service.handle, "POST", "", eventBody(SCHEDULE));
  expect([await at("Africa/Cairo"), await at("Asia/Dubai"), await at("Asia/Seoul")]).toEqual([2, 1, 0]);
  await store.close();
});

test("what was cached before a write elsewhere is not mixed with what is found after it", async () => {
  const { store, handle } = await openCounted();
  const early = performance.now();
  // Now the calendar is cached, and no other window of it.
  await ask(handle, weekOf(world.calendarId), world.token, performance.now());
  await write(world.service.handle, "POST", "", eventBody(SCHEDULE));
  const answer = await ask(handle, weekOf(world.calendarId, "Asia/Tokyo"), world.token, early);
  expect(answer).toEqual(await ask(world.service.handle, weekOf(world.calendarId, "Asia/Tokyo")));
  expect(JSON.parse(answer.text).data).toHaveLength(1);
  await store.close();
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

test("If-None-Match is answered 304 if it has the entity tag, but not in another format", async () => {
  const { handle } = world.service;
  const week = weekOf(world.calendarId);
  const { tag = "" } = await ask(handle, week);
  const askWith = async (headers: Record<string, string>) => {
    const authorization = `Bearer ${world.token}`;
    const request = { method: "GET", target: week, headers: { authorization, ...headers } };
    const response = await handle(
      { ...request, body: new Uint8Array() },
      { kind: "network", address: "192.0.2.1" },
    );
    return [response.status, response.body.byteLength > 0];
  };
  expect(await askWith({})).toEqual([200, true]);
  expect(await askWith({ "if-none-match": tag })).toEqual([304, false]);
  expect(await askWith({ "if-none-match": '"another"' })).toEqual([200, true]);
  expect(await askWith({ accept: "text/html" })).toEqual([406, true]);
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

test("weeks later there are other events, even if nothing was written", async () => {
  const { handle } = world.service;
  const at = (time: string) => ({ start_at: time, end_at: time.replace(":00:00", ":30:00") });
  for (const time of ["2026-11-23T10:00:00Z", "2026-12-10T10:00:00Z"]) {
    await write(handle, "POST", "", eventBody({ ...SCHEDULE, title: time, ...at(time) }));
  }
  const titles = async (timezone: string): Promise<string[]> => {
    const { data } = JSON.parse((await ask(handle, weekOf(world.calendarId, timezone))).text);
    return data.map(({ attributes }: { attributes: { title: string } }) => attributes.title);
  };
  const zones = ["UTC", "Asia/Tokyo", "Europe/Berlin"];
  for (const zone of zones) expect(await titles(zone)).toEqual(["2026-11-23T10:00:00Z"]);
  world.clock.now = Date.parse("2026-12-08T00:00:00Z");
  for (const zone of zones) expect(await titles(zone)).toEqual(["2026-12-10T10:00:00Z"]);
});

test("whatever is written, by whichever process, answers are those of a service whose caches are empty", async () => {
  const other = await openService({ database: world.database, now: () => NOW, rateLimit: null });
  const { calendarId, clock } = world;
  const services = [world.service, other];
  const ids: string[] = [];
  const lastId = () => ids.at(-1) ?? "none";
  const steps: Readonly<Record<string, (service: Service, number: number) => Promise<unknown>>> = {
    async create({ handle }, number) {
      const day = String(22 + (number % 9)).padStart(2, "0");
      const times = { start_at: `2026-11-${day}T10:00:00Z`, end_at: `2026-11-${day}T11:00:00Z` };
      const attendees = number % 2 === 0 ? [world.member.id] : [];
      const body = eventBody({ ...SCHEDULE, ...times, title: `Number ${number}` }, { attendees });
      const { data } = JSON.parse(new TextDecoder().decode((await write(handle, "POST", "", body)).body));
      ids.push(data.id);
    },
    change: ({ handle }, number) =>
      write(handle, "PUT", `/${lastId()}`, eventBody({ ...SCHEDULE, title: `Changed ${number}` })),
    async remove({ handle }) {
      await write(handle, "DELETE", `/${lastId()}`, {});
      ids.pop();
    },
    comment: ({ handle }, number) =>
      write(handle, "POST", `/${lastId()}/activities`, { data: { attributes: { content: String(number) } } }),
    rename: ({ admin }, number) => admin.calendars.set(calendarId, { name: `Family ${number}` }),
    label: ({ admin }, number) => admin.labels.set(calendarId, 1, { name: `Label ${number}` }),
    leave: ({ admin }) => admin.members.remove("second", calendarId).catch(() => undefined),
    join: ({ admin }) => admin.members.add("second", calendarId),
    elsewhere: ({ admin }, number) => admin.users.add({ name: `User ${number}` }),
    async tomorrow() {
      clock.now += 3 * 3_600_000;
    },
  };
  const second = (await world.service.admin.tokens.create({ user: "second", readOnly: false })).token;
  const targets = () => [
    weekOf(calendarId),
    weekOf(calendarId, "Asia/Tokyo"),
    weekOf(calendarId, "America/New_York"),
    `/calendars/${calendarId}/events?include=creator,label,attendees`,
    `/calendars/${calendarId}/events/${lastId()}`,
    `/calendars/${calendarId}/events/${lastId()}/activities?include=creator`,
    `/calendars/${calendarId}?include=labels,members`,
    "/calendars?include=labels,members",
    "/user",
  ];
  const names = Object.keys(steps);
  const plan = fc.array(fc.tuple(fc.constantFrom(...names), fc.boolean()), { minLength: 60, maxLength: 60 });
  for (const [number, [name, isOther]] of (fc.sample(plan, { numRuns: 1, seed: 14 })[0] ?? []).entries()) {
    await steps[name]?.(services[isOther ? 1 : 0] ?? other, number);
    const fresh = await openService({ database: world.database, now: () => clock.now, rateLimit: null });
    for (const target of targets()) {
      for (const token of [world.token, second]) {
        const expected = await ask(fresh.handle, target, token);
        for (const _ of [1, 2]) {
          expect(await ask(world.service.handle, target, token), `${name}: ${target}`).toEqual(expected);
        }
      }
    }
    await fresh.close();
  }
  await other.close();
});
