import { describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.js";
import { createRateLimiter } from "../../src/api/sending/rate-limit.js";
import { DEFAULT_RETRY_POLICY } from "../../src/api/sending/retry.js";
import type { HttpRequest } from "../../src/api/transport.js";
import type { CliError } from "../../src/errors.js";

/** What services really send, also when they fail. The transport is replaced. */

interface Canned {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Neither repeats nor waits. */
function impatient() {
  const clock = { now: () => NOW, sleep: async () => undefined, random: () => 0 };
  const onWait = () => undefined;
  return {
    policy: { ...DEFAULT_RETRY_POLICY, retries: 0 },
    limiter: createRateLimiter({ maxWait: 0, maxSleep: 1000, clock, store: undefined, onWait }),
    clock,
    onWait,
    signal: new AbortController().signal,
    mask: (text: string) => text,
  };
}

function clientOf(answer: Canned | ((request: number) => Canned)) {
  const requests: HttpRequest[] = [];
  const api = createApi({
    baseUrl: new URL("https://calendar.example/api"),
    ...impatient(),
    transport: async (request) => {
      requests.push(request);
      const {
        status = 200,
        headers = {},
        body,
      } = typeof answer === "function" ? answer(requests.length) : answer;
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return { status, headers, body: new TextEncoder().encode(text) };
    },
  });
  return { api, requests };
}

const NOW = Date.parse("2026-11-21T14:30:00.000Z");

const ADDRESS = { calendarId: "cal", eventId: "e1" };

async function readEvent(event: unknown, included?: unknown) {
  return clientOf({ body: { data: event, included } }).api.getEvent(ADDRESS);
}

describe("events as services send them", () => {
  test("a bare event reads as nulls and empty lists", async () => {
    expect(await readEvent({ id: "e1", type: "event" })).toEqual({
      id: "e1",
      calendar_id: "cal",
      category: null,
      title: null,
      all_day: null,
      start_at: null,
      start_timezone: null,
      end_at: null,
      end_timezone: null,
      recurrences: [],
      description: null,
      location: null,
      url: null,
      created_at: null,
      updated_at: null,
      creator: null,
      label: null,
      attendees: [],
      series_id: null,
    });
  });

  test.each([
    ["0123456789abcdef", "0123456789abcdef"],
    ["", null],
    [null, null],
    [7, null],
  ])("the series of an occurrence is recurring_uuid: %j", async (recurring_uuid, series_id) => {
    const event = { id: "e1", type: "event", attributes: { title: "T", recurring_uuid } };
    expect(await readEvent(event, [])).toMatchObject({ series_id });
  });

  test("unknown attributes, relationships, types and members are ignored", async () => {
    const event = {
      id: "e1",
      type: "event",
      attributes: { title: "T", recurring_uuid: null, location_lat: 1.5 },
      relationships: { rooms: { data: { id: "r", type: "room" } }, label: {}, attendees: { data: null } },
      meta: {},
    };
    expect(await readEvent(event, [{ id: "r", type: "room" }])).toMatchObject({
      title: "T",
      label: null,
      attendees: [],
    });
  });

  test.each([
    ["x"],
    [null],
    [[]],
    [{ room: "x" }],
    [{ room: { data: "s" } }],
    [{ room: { data: [null, 5] } }],
    [{ label: "x", creator: null, attendees: [] }],
    [{ label: { data: { id: null, type: "label" } }, creator: { data: "s" }, attendees: { data: [null] } }],
    [{ label: { data: {} }, creator: { links: {} }, attendees: { data: [{ type: "user" }, { id: "" }] } }],
  ])("relationships %j identify nothing", async (relationships) => {
    expect(await readEvent({ id: "e1", type: "event", relationships })).toMatchObject({
      label: null,
      creator: null,
      attendees: [],
    });
  });

  test("the valid part of a relationship is read, and its name gives missing types", async () => {
    const relationships = {
      label: { data: { id: "3" } },
      author: { data: { id: "7", type: null } },
      attendees: { data: [null, { id: "8" }, "s", { id: 9, type: "user" }] },
    };
    const included = [{ id: "cal,8", type: "user", attributes: { name: "Ana" } }];
    expect(await readEvent({ id: "e1", type: "event", relationships }, included)).toMatchObject({
      label: { id: "cal,3", number: 3 },
      creator: { id: "cal,7", type: "user" },
      attendees: [
        { id: "cal,8", type: "user", name: "Ana" },
        { id: "cal,9", type: "user", name: null },
      ],
    });
  });

  test.each([[null], ["x"], [{}], [[null, "x", { type: "room" }, { id: "r" }, { id: {}, type: "room" }]]])(
    "included %j does no harm",
    async (included) => {
      expect(await readEvent({ id: "e1", type: "event" }, included)).toMatchObject({ id: "e1" });
    },
  );

  test("invalid objects in included do not hide the others", async () => {
    const event = { id: "e1", type: "event", relationships: { label: { data: { id: "3", type: "label" } } } };
    const included = [{ type: "room" }, { id: "cal,3", type: "label", attributes: { name: "Blue" } }];
    expect((await readEvent(event, included)).label).toMatchObject({ id: "cal,3", name: "Blue" });
  });

  test("a calendar's labels and members", async () => {
    const calendar = {
      id: "cal",
      type: "calendar",
      relationships: { labels: { data: [null, { id: "1" }] }, members: { data: { id: "9", type: "user" } } },
    };
    const { api } = clientOf({ body: { data: [calendar] } });
    expect(await api.listCalendars()).toMatchObject([
      { labels: [{ id: "cal,1", number: 1 }], members: [{ id: "cal,9", type: "user" }] },
    ]);
  });

  test.each([
    [{ recurrences: ["RRULE:FREQ=DAILY"] }, ["RRULE:FREQ=DAILY"]],
    [
      { recurrence: ["RRULE:FREQ=DAILY", "EXDATE:20200624T030000Z"] },
      ["RRULE:FREQ=DAILY", "EXDATE:20200624T030000Z"],
    ],
    [{ recurrences: [], recurrence: ["RRULE:FREQ=DAILY"] }, ["RRULE:FREQ=DAILY"]],
    [{ recurrences: ["RRULE:FREQ=DAILY"], recurrence: ["RRULE:FREQ=WEEKLY"] }, ["RRULE:FREQ=DAILY"]],
    [{ recurrences: [null, "RRULE:FREQ=DAILY", {}] }, ["RRULE:FREQ=DAILY"]],
    [{ recurrence: null }, []],
    [{ recurrences: null }, []],
    [{}, []],
  ])("recurrences of %j", async (attributes, expected) => {
    expect((await readEvent({ id: "e1", type: "event", attributes })).recurrences).toEqual(expected);
  });

  test.each(["creator", "author"])(
    "the %s is the creator, an application too, by composite and by plain id",
    async (name) => {
      for (const id of ["cal,77", "77"]) {
        const event = {
          id: "e1",
          type: "event",
          relationships: { [name]: { data: { id, type: "application" } } },
        };
        const app = { id: "77", type: "application", attributes: { name: "Robot" } };
        expect((await readEvent(event, [app])).creator).toMatchObject({
          id: "cal,77",
          type: "application",
          name: "Robot",
        });
      }
    },
  );

  test("labels and attendees are found in included by type and id, in either form of ids", async () => {
    const event = {
      id: "e1",
      type: "event",
      relationships: {
        label: { data: { id: "3", type: "label" } },
        attendees: {
          data: [
            { id: "cal,9", type: "user" },
            { id: "8", type: "user" },
          ],
        },
      },
    };
    const included = [
      { id: "cal,3", type: "label", attributes: { name: "Blue", color: "#0000ff" } },
      { id: "9", type: "user", attributes: { name: "Ana" } },
      { id: "other,8", type: "user", attributes: { name: "Somebody else" } },
    ];
    expect(await readEvent(event, included)).toMatchObject({
      label: { id: "cal,3", number: 3, name: "Blue", color: "#0000ff" },
      attendees: [
        { id: "cal,9", name: "Ana" },
        { id: "cal,8", name: null },
      ],
    });
  });

  test.each([
    ["2026-11-21T15:00:00+09:00", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21T06:00:00Z", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21T06:00:00.123456Z", "2026-11-21T06:00:00.123Z"],
    ["2026-11-21 06:00Z", "2026-11-21T06:00:00.000Z"],
    ["20261121T150000+0900", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21T24:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["2026-11-21", "2026-11-21T00:00:00.000Z"],
    ["", null],
  ])("a time %j reads as %j", async (text, expected) => {
    const { start_at } = await readEvent({
      id: "e1",
      type: "event",
      attributes: { start_at: text, all_day: false },
    });
    expect(start_at).toBe(expected);
  });

  test("an all-day time is the date as written, whatever the offset", async () => {
    const attributes = {
      all_day: true,
      start_at: "2026-11-21T00:00:00+09:00",
      end_at: "2026-11-22T00:00:00-05:00",
    };
    expect(await readEvent({ id: "e1", type: "event", attributes })).toMatchObject({
      start_at: "2026-11-21T00:00:00.000Z",
      end_at: "2026-11-22T00:00:00.000Z",
    });
  });

  test("an all-day time may be only a date", async () => {
    const attributes = { all_day: true, start_at: "2026-11-21", end_at: "20261121T24" };
    expect(await readEvent({ id: "e1", type: "event", attributes })).toMatchObject({
      start_at: "2026-11-21T00:00:00.000Z",
      end_at: "2026-11-22T00:00:00.000Z",
    });
  });

  test.each(["", "soon", "2026-13-01T00:00:00Z"])("created and updated at %j: null", async (text) => {
    const attributes = { created_at: text, updated_at: text };
    expect(await readEvent({ id: "e1", type: "event", attributes })).toMatchObject({
      created_at: null,
      updated_at: null,
    });
  });

  test.each(["start_at", "end_at"])(
    "an unreadable %s in a list is reported by the event's id",
    async (name) => {
      const data = [
        { id: "e1", type: "event" },
        { id: "e2", type: "event", attributes: { [name]: "soon" } },
      ];
      const { api } = clientOf({ body: { data } });
      await expect(
        api.listUpcomingEvents({ calendarId: "cal", timezone: "UTC", days: 1 }),
      ).rejects.toMatchObject({
        exitCode: 11,
        message: expect.stringContaining(`event e2: ${name} "soon" is not a valid ISO 8601 date-time`),
      });
    },
  );

  test.each([
    ["url", { attributes: { url: 5 } }, "event e2: attributes.url: expected String but received 5"],
    ["member", { attributes: 5 }, "data.1.attributes of event e2: expected Object but received 5"],
    [
      "name of a label",
      { relationships: { label: { data: { id: "3", type: "label" } } } },
      "event e2: label 3: attributes.name: expected String but received 7",
    ],
  ])("a wrong %s in a list is reported by the event's id", async (_, event, message) => {
    const data = [
      { id: "e1", type: "event" },
      { id: "e2", type: "event", ...event },
    ];
    const included = [{ id: "3", type: "label", attributes: { name: 7 } }];
    const { api } = clientOf({ body: { data, included } });
    await expect(
      api.listUpcomingEvents({ calendarId: "cal", timezone: "UTC", days: 1 }),
    ).rejects.toMatchObject({ exitCode: 11, message: expect.stringContaining(message) });
  });

  test("an id that is an exact number is read as text", async () => {
    expect((await readEvent({ id: 42, type: "event" })).id).toBe("42");
  });
});

describe("failures", () => {
  const failure = (answer: Canned) =>
    clientOf(answer)
      .api.getEvent(ADDRESS)
      .then(
        () => Promise.reject(new Error("it succeeded")),
        (error: CliError) => error,
      );

  test("the details of a 400 are kept", async () => {
    const body = {
      type: "about:blank",
      status: 400,
      title: "Bad Request",
      errors: { title: ["must not be empty"] },
    };
    expect((await failure({ status: 400, body })).details).toEqual({ title: ["must not be empty"] });
  });

  test.each([
    [{ "x-ratelimit-reset": "1795272000" }, "try again in 600 seconds, or wait for it with --max-wait 600"],
    [
      { "x-ratelimit-reset": "1795272000", "retry-after": "30" },
      "try again in 30 seconds, or wait for it with --max-wait 30",
    ],
    [{ "retry-after": "1" }, "try again in 1 second, or wait for it with --max-wait 1"],
    [{ "x-ratelimit-reset": "soon" }, "try again later; the service does not say when"],
    [{ "x-ratelimit-reset": "8640000000000001" }, "try again later; the service does not say when"],
    [{ "retry-after": "315360000" }, "the service asks to wait 3650 days, which may be a mistake"],
    [{}, "try again later; the service does not say when"],
  ])("a 429 with %j: %s", async (headers, hint) => {
    expect((await failure({ status: 429, headers, body: "" })).hint).toBe(hint);
  });
});

test("after 1,000 pages in a row without an event, the list is an error", async () => {
  const { api, requests } = clientOf((request) => ({
    body: { data: request === 1 ? [{ id: "e1", type: "event" }] : [], links: { next: `?cursor=${request}` } },
  }));
  const window = { calendarId: "cal", timezone: "UTC", from: "2026-12-01", to: null, search: null };
  const list = await api.listEvents(window);
  const readAll = async () => {
    for await (const _ of list?.pages ?? []);
  };
  await expect(readAll()).rejects.toMatchObject({
    exitCode: 11,
    message: expect.stringContaining("1000 pages in a row are empty"),
  });
  expect(requests).toHaveLength(1_002);
});

describe("requests", () => {
  test("ids cannot leave their path segment", async () => {
    const { api, requests } = clientOf({ body: { data: { id: "x", type: "event" } } });
    await api.getEvent({ calendarId: "a/b", eventId: "../?x#" });
    expect(requests[0]?.url).toBe(
      "https://calendar.example/api/calendars/a%2Fb/events/..%2F%3Fx%23?include=creator,label,attendees",
    );
    await expect(api.getEvent({ calendarId: "cal", eventId: ".." })).rejects.toMatchObject({ code: "usage" });
    expect(requests).toHaveLength(1);
  });

  test("the headers of the last response", async () => {
    const headers = {
      "x-ratelimit-limit": "600",
      "x-ratelimit-remaining": "17",
      "x-ratelimit-reset": "1795272000",
      date: "Sat, 21 Nov 2026 14:30:00 GMT",
      "calendar-extensions": "events,keys , new",
    };
    const { api } = clientOf({ headers, body: { data: { id: "u", type: "user" } } });
    expect(api.lastResponse()).toBeNull();
    await api.getCurrentUser();
    expect(api.lastResponse()).toEqual({
      rateLimit: { limit: 600, remaining: 17, reset: 1_795_272_000 },
      serverTime: Date.parse("2026-11-21T14:30:00Z"),
      clockOffset: 0,
      extensions: ["events", "keys", "new"],
    });
  });

  test.each([{ date: "1" }, { date: "2026-11-21" }, { date: "Sat, 21 Nov 2026 14:30:00 GMT", age: "60" }])(
    "%j tells no time",
    async (headers) => {
      const { api } = clientOf({ headers, body: { data: { id: "u", type: "user" } } });
      await api.getCurrentUser();
      expect(api.lastResponse()?.serverTime).toBeNull();
    },
  );
});
