import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { listen } from "../listen.js";
import { createMetrics } from "../metrics.js";
import { openService } from "../service.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { changeCalendar } from "./support/send.js";
import { createWorld, NOW, type World } from "./support/world.js";

/** Changes as server-sent events. */

let world: World;
let listener: Awaited<ReturnType<typeof listen>>;

beforeEach(async () => {
  world = await createWorld({ stored: true });
  listener = await listen(world.service, { host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  vi.useRealTimers();
  await listener.close();
  await world.close();
});

interface Message {
  readonly id: string;
  readonly data: {
    readonly data: readonly { readonly attributes: { readonly title: string } }[];
    readonly meta: { readonly revision: number; readonly deleted: readonly string[] };
  };
}

async function openStream(
  headers: Readonly<Record<string, string>> = {},
  path = "changes",
  baseUrl = listener.baseUrl,
) {
  const sent = request(`${baseUrl}/calendars/${world.calendarId}/${path}`, {
    agent: false,
    headers: { accept: "text/event-stream", authorization: `Bearer ${world.token}`, ...headers },
  });
  sent.on("error", () => undefined);
  sent.end();
  onTestFinished(() => void sent.destroy());
  const [response]: IncomingMessage[] = (await once(sent, "response")) as IncomingMessage[];
  if (response === undefined) throw new Error("no response");
  response.setEncoding("utf8");
  const chunks: AsyncIterator<string> = response[Symbol.asyncIterator]();
  let text = "";
  /** The next block, up to an empty line; null at the end. */
  async function nextBlock(): Promise<string | null> {
    while (!text.includes("\n\n")) {
      const { value, done } = await chunks.next();
      if (done === true) return null;
      text += value;
    }
    const [block = "", ...rest] = text.split("\n\n");
    text = rest.join("\n\n");
    return block;
  }
  async function next(): Promise<Message> {
    const block = (await nextBlock()) ?? "";
    const [, id = "", data = ""] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
    return data === "" ? next() : { id, data: JSON.parse(data) };
  }
  return { response, nextBlock, next };
}

const create = (title: string) => changeCalendar(world, "POST", "events", eventBody({ ...KEEP, title }));

const titlesOf = ({ data }: Message) => data.data.map(({ attributes }) => attributes.title);

test("a stream begins with the revision, and has each write as it happens", async () => {
  const { response, next } = await openStream();
  expect(response.statusCode).toBe(200);
  expect(response.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  const first = await next();
  expect(titlesOf(first)).toEqual([]);
  const { id } = await create("Lunch");
  const second = await next();
  expect(titlesOf(second)).toEqual(["Lunch"]);
  expect(second.id).toBe(String(second.data.meta.revision));
  await changeCalendar(world, "DELETE", `events/${id}`);
  expect((await next()).data.meta.deleted).toEqual([id]);
});

test("Last-Event-ID goes on after what the client has, in as many messages as it takes", async () => {
  const { next } = await openStream();
  const { id } = await next();
  for (const title of ["One", "Two", "Three"]) await create(title);
  const again = await openStream({ "last-event-id": id }, "changes?limit=2");
  expect(titlesOf(await again.next())).toEqual(["One", "Two"]);
  expect(titlesOf(await again.next())).toEqual(["Three"]);
});

test("writes of other processes come, too", async () => {
  const { next } = await openStream();
  await next();
  const other = await openService({ database: world.database, now: () => NOW, rateLimit: null });
  onTestFinished(() => other.close());
  await changeCalendar({ ...world, service: other }, "POST", "events", eventBody({ ...KEEP, title: "Far" }));
  expect(titlesOf(await next())).toEqual(["Far"]);
});

test("a silent stream says that it is there, and ends when the token does", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { id, token } = await world.service.admin.tokens.create({ user: "member", readOnly: true });
  const { next, nextBlock } = await openStream({ authorization: `Bearer ${token}` });
  await next();
  vi.advanceTimersByTime(10_000);
  expect(await nextBlock()).toBe(":");
  await world.service.admin.tokens.revoke(id);
  vi.advanceTimersByTime(10_000);
  expect(await nextBlock()).toBeNull();
});

test.each([
  ["a wrong token", { authorization: "Bearer wrong" }, "changes", 401],
  ["a revision that is too new", { "last-event-id": "999999" }, "changes", 410],
  ["an id that is none", { "last-event-id": "x" }, "changes", 400],
  ["another list", {}, "upcoming_events", 406],
])("%s is refused as without a stream", async (_, headers, path, status) => {
  expect((await openStream(headers, path)).response.statusCode).toBe(status);
});

test.each([
  ["application/json, text/event-stream;q=0", "application/json"],
  ["*/*", "application/json"],
  ["text/event-stream;q=0.5, application/json", "text/event-stream"],
])("Accept: %s is answered with %s", async (accept, type) => {
  expect((await openStream({ accept })).response.headers["content-type"]).toContain(type);
});

test("a user has at most 32 streams, whatever the token, and may open another when one ends", async () => {
  const streams = [];
  for (let count = 0; count < 32; count += 1) streams.push(await openStream());
  const { token } = await world.service.admin.tokens.create({ user: "member", readOnly: true });
  expect((await openStream({ authorization: `Bearer ${token}` })).response.statusCode).toBe(429);
  streams[0]?.response.destroy();
  await vi.waitFor(async () => expect((await openStream()).response.statusCode).toBe(200));
});

test("a node has 1,000 streams, each of which gets a write, and refuses another one", async () => {
  // Through a proxy, since one client has 100 connections at most.
  const proxy = { publicUrl: "https://calendar.example", trustProxy: "127.0.0.1" };
  const node = await listen(world.service, { host: "127.0.0.1", port: 0, ...proxy });
  onTestFinished(() => node.close());
  const tokens: string[] = [];
  while (tokens.length < 32) {
    const { id: user } = await world.service.admin.users.add({ name: `watcher ${tokens.length}` });
    await world.service.admin.members.add(user, world.calendarId);
    tokens.push((await world.service.admin.tokens.create({ user, readOnly: true })).token);
  }
  const open = (count: number) =>
    openStream({ authorization: `Bearer ${tokens[count % 32]}` }, "changes", `http://${node.address}`);
  const streams: Awaited<ReturnType<typeof open>>[] = [];
  while (streams.length < 1_000)
    streams.push(
      ...(await Promise.all(Array.from({ length: 50 }, (_, index) => open(streams.length + index)))),
    );
  expect(new Set(streams.map(({ response }) => response.statusCode))).toEqual(new Set([200]));
  for (const { next } of streams) await next();
  expect((await open(1_000)).response.statusCode).toBe(503);
  await create("Lunch");
  const received = await Promise.all(streams.map(({ next }) => next()));
  expect(new Set(received.map((message) => titlesOf(message).join()))).toEqual(new Set(["Lunch"]));
});

test("other requests of the user have their turn, and a stop ends streams", async () => {
  const { next, nextBlock } = await openStream();
  await next();
  const response = await fetch(`${listener.baseUrl}/user`, {
    headers: { authorization: `Bearer ${world.token}`, connection: "close" },
  });
  expect(response.status).toBe(200);
  const closed = listener.close();
  expect(await nextBlock()).toBeNull();
  await closed;
});

test("a stream is no request in progress, and not a slow one", async () => {
  const metrics = createMetrics();
  const handle = metrics.observer.requests(world.service.handle);
  const observed = await listen({ ...world.service, handle }, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => observed.close());
  const { next } = await openStream({}, "changes", observed.baseUrl);
  await next();
  const text = await metrics.text();
  expect(text).toContain("calctl_http_requests_in_progress 0");
  expect(text).toMatch(/calctl_http_requests_total\{method="GET",route="\S+\/changes",status="200"\} 1/);
});
