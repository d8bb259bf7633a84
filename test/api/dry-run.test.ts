import { expect, test } from "vitest";
import { EXTENSIONS_HEADER } from "../../contract/extensions.js";
import { createApi } from "../../src/api/client.js";
import { type PlannedRequest, withDryRun } from "../../src/api/dry-run.js";
import { DEFAULT_RETRY_POLICY } from "../../src/api/sending/retry.js";
import type { HttpRequest, HttpResponse } from "../../src/api/transport.js";

/** `--dry-run`: what the client does with writes that are recorded. */

const BASE_URL = new URL("https://example.com/api/v1/");
const NO_TIMES = { all_day: undefined, start_at: undefined, end_at: undefined } as const;
const NO_ZONES = { start_timezone: undefined, end_timezone: undefined } as const;
const NO_TEXTS = { description: undefined, location: undefined, url: undefined } as const;
const REST = { ...NO_TIMES, ...NO_ZONES, ...NO_TEXTS, recurrences: undefined, attendees: undefined } as const;
const LUNCH = { ...REST, title: "Lunch", category: "event", label: "3" } as const;
const FIRST = `${"0".repeat(31)}1`;

function json(document: unknown): HttpResponse {
  const headers = { [EXTENSIONS_HEADER]: "keys" };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(document)) };
}

function createWorld(answer: (request: HttpRequest) => HttpResponse | Error = () => new Error("unexpected")) {
  const planned: PlannedRequest[] = [];
  const sent: string[] = [];
  const api = createApi({
    async transport(request) {
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      const response = answer(request);
      if (response instanceof Error) throw response;
      return response;
    },
    policy: { ...DEFAULT_RETRY_POLICY, retries: 0 },
    limiter: { acquire: async () => null, observe: async () => undefined, waited: () => 0 },
    clock: { now: () => 0, sleep: async () => undefined, random: () => 0 },
    onWait: () => undefined,
    signal: new AbortController().signal,
    baseUrl: BASE_URL,
    mask: (text) => text,
    withDryRun: (send) => withDryRun(send, BASE_URL, planned),
  });
  return { api, planned, sent };
}

test("a service that cannot be reached does not matter when nothing must be read", async () => {
  const { api, planned, sent } = createWorld();
  const address = { calendarId: "a b", eventId: "e" };
  await api.deleteEvent(address);
  expect(planned).toEqual([{ method: "DELETE", path: "/calendars/a%20b/events/e", query: {}, body: null }]);
  await expect(api.getEvent(address)).rejects.toMatchObject({ code: "not_found" });
  await expect(api.updateEvent(address, LUNCH)).rejects.toMatchObject({ code: "not_found" });
  expect(sent).toEqual([]);
});

test("the same create with the same key is one event, any other is another one", async () => {
  const calendar = { id: "c", type: "calendar", attributes: { name: "Family" } };
  const { api, planned } = createWorld(() => json({ data: calendar }));
  const first = await api.createEvent("c", LUNCH, "k");
  expect(await api.createEvent("c", LUNCH, "k")).toEqual({ ...first, isRepeat: true });
  expect((await api.createEvent("c", LUNCH, "l")).created.id).not.toBe(first.created.id);
  expect(planned.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
});

test("what is created can be read, changed and deleted under its id", async () => {
  const calendar = { id: "c", type: "calendar", attributes: { name: "Family" } };
  const { api, planned, sent } = createWorld(() => json({ data: calendar }));
  expect(await api.hasExtension("keys", "c")).toBe(true);
  const { created, isRepeat } = await api.createEvent("c", LUNCH, "k");
  expect({ id: created.id, isRepeat }).toEqual({ id: FIRST, isRepeat: false });
  const address = { calendarId: "c", eventId: created.id };
  expect(await api.getEvent(address)).toEqual(created);
  const { event, kept } = await api.updateEvent(address, { ...LUNCH, title: "Dinner" });
  expect({ event, kept }).toEqual({ event: { ...created, title: "Dinner" }, kept: 0 });
  expect((await api.createActivity(address, "Cake?")).created).toMatchObject({ content: "Cake?" });
  expect((await api.createEvent("c", LUNCH)).created.id).not.toBe(created.id);
  await api.deleteEvent(address);
  await expect(api.getEvent(address)).rejects.toMatchObject({ code: "not_found" });
  expect(planned.map(({ method }) => method)).toEqual(["POST", "PUT", "POST", "POST", "DELETE"]);
  // The service has the extension that it named.
  expect(await api.hasExtension("keys", "c")).toBe(true);
  expect(sent).toEqual(["GET /api/v1/calendars/c"]);
});

test("what is changed keeps what the request does not say", async () => {
  const data = {
    id: "e",
    type: "event",
    attributes: {
      title: "Lunch",
      category: "event",
      location: "Home",
      recurring_uuid: "s",
      updated_at: "2026-11-20T10:00:00Z",
    },
    relationships: { label: { data: { id: "c,1", type: "label" } } },
  };
  const included = [{ id: "c,1", type: "label", attributes: { name: "Blue" }, relationships: {} }];
  const { api } = createWorld(() => json({ data, included, meta: { kept: 2 } }));
  const address = { calendarId: "c", eventId: "e" };
  const before = await api.getEvent(address);
  expect(before.label).toMatchObject({ name: "Blue" });
  const dinner = { ...REST, title: "Dinner", category: "event", label: "1" };
  const updated = await api.updateEvent(address, dinner);
  expect(updated).toEqual({ event: { ...before, title: "Dinner" }, kept: 0 });
});

test("a new feed has an address", async () => {
  const { api } = createWorld();
  const feed = { name: "Phone", calendarIds: ["c"], busyOnly: true, timezone: "UTC", isLocal: false };
  expect(await api.createFeed(feed)).toMatchObject({ id: FIRST, name: "Phone", calendars: [{ id: "c" }] });
});
