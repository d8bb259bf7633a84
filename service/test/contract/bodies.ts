import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { activityBody, type EventBodyOptions, eventBody, KEEP, SCHEDULE } from "../support/event-bodies.js";
import type { Stage } from "./stage.js";

const keep = (attributes: object, options?: EventBodyOptions) =>
  eventBody({ ...KEEP, ...attributes }, options);
const schedule = (attributes: object) => eventBody({ ...SCHEDULE, ...attributes });
const labelled = (data: unknown) => ({ data: { attributes: KEEP, relationships: { label: { data } } } });

/** What is wrong, the body, and what is said of its fields. */
const WRONG_EVENTS: readonly (readonly [string, unknown, ...string[]])[] = [
  ["no object", 5, "data: must be an object with data"],
  ["a list", [], "data: must be an object with data"],
  ["an empty object", {}, "data: is required"],
  ["data that is a list", { data: [] }, "data: must be an object"],
  [
    "lists for objects",
    { data: { attributes: [], relationships: { label: { data: [] }, attendees: { data: [[]] } } } },
    ...[
      "attributes: must be an object",
      "label: must be {data: {id, type}}",
      "attendees: must be {id, type}",
    ],
  ],
  [
    "relationships that are a list",
    { data: { attributes: KEEP, relationships: [] } },
    "relationships: must be an object with a label",
  ],
  ["empty data", { data: {} }, "attributes: is required", "relationships: is required"],
  [
    "nothing in attributes and relationships",
    { data: { attributes: {}, relationships: {} } },
    ...["title: is required", "category: is required", "label: is required"],
  ],
  ["an empty title", keep({ title: "" }), "title: must not be empty"],
  ["a title of 51", keep({ title: "😀".repeat(51) }), "title: must be at most 50 characters"],
  ["a title that is no text", keep({ title: 5 }), "title: must be text"],
  ["a title of null", keep({ title: null }), "title: must be text"],
  ["NUL in a title", keep({ title: "a\0b" }), "title: must not contain NUL or unpaired surrogates"],
  ["half an emoji", keep({ url: "https://\ud83d" }), "url: must not contain NUL or unpaired surrogates"],
  [
    "a description of 10001",
    keep({ description: "x".repeat(10_001) }),
    "description: must be at most 10000 characters",
  ],
  ["a location of 101", keep({ location: "x".repeat(101) }), "location: must be at most 100 characters"],
  ["another category", keep({ category: "task" }), "category: must be schedule or keep"],
  [
    "a schedule without times",
    keep({ category: "schedule" }),
    ...["all_day", "start_at", "end_at"].map((field) => `${field}: is required for a schedule`),
  ],
  [
    "a keep with one time",
    keep({ start_at: SCHEDULE.start_at }),
    "end_at: is required when start_at is given",
  ],
  ["an end that is its start", schedule({ end_at: SCHEDULE.start_at }), "end_at: must be after start_at"],
  [
    "an all-day event by the clock",
    schedule({ all_day: true }),
    "start_at: must be at 00:00:00 for an all-day event",
    "end_at: must be at 00:00:00 for an all-day event",
    "end_at: must be after start_at",
  ],
  [
    "a day that does not exist",
    schedule({ start_at: "2026-02-30T12:00:00Z" }),
    "start_at: must be an ISO 8601 date-time that exists",
  ],
  [
    "times beyond what can be written",
    schedule({ start_at: "0000-01-01T00:00:00+14:00", end_at: "9999-12-31T23:59:59-12:00" }),
    "start_at: must be an ISO 8601 date-time that exists",
    "end_at: must be an ISO 8601 date-time that exists",
  ],
  [
    "an unknown zone",
    schedule({ start_timezone: "Mars/Olympus" }),
    "start_timezone: must be a timezone name such as Asia/Tokyo",
  ],
  ["label 11", keep({}, { label: "11" }), 'label: "11" is not a label of this calendar'],
  ["label 01", keep({}, { label: "01" }), 'label: "01" is not a label of this calendar'],
  [
    "another calendar's label",
    keep({}, { label: "AAAAAAAAAAAA,1" }),
    'label: "AAAAAAAAAAAA,1" is not a label of this calendar',
  ],
  ["a label of another type", labelled({ id: "1", type: "user" }), "label: must be of type label"],
  ["an unknown attendee", keep({}, { attendees: ["1"] }), 'attendees: "1" is not a member of this calendar'],
  [
    "everything at once",
    eventBody(
      { title: "x".repeat(51), category: "schedule", start_at: "soon", end_at: SCHEDULE.end_at, url: 1 },
      { label: "0", attendees: ["1", "2"] },
    ),
    "title: must be at most 50 characters",
    "all_day: is required for a schedule",
    "start_at: must be an ISO 8601 date-time that exists",
    "url: must be text",
    'label: "0" is not a label of this calendar',
    ...["1", "2"].map((id) => `attendees: "${id}" is not a member of this calendar`),
  ],
];

/** One line for each problem of each field. */
const linesOf = (errors: unknown) =>
  Object.entries(errors as Readonly<Record<string, readonly string[]>>).flatMap(([field, problems]) =>
    problems.map((problem) => `${field}: ${problem}`),
  );

export function describeBodies(stage: () => Stage, isWhole: boolean): void {
  describe("bodies", () => {
    test.each([
      ["no JSON", "{", "application/json"],
      ["nothing", "", "application/json"],
      ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]), "application/json"],
      ["another type", JSON.stringify(eventBody(KEEP)), "text/plain"],
      ["a form", "title=x", "application/x-www-form-urlencoded"],
      ["another charset", JSON.stringify(eventBody(KEEP)), "application/json; charset=latin1"],
      ["no type", JSON.stringify(eventBody(KEEP)), ""],
    ])("%s is 400", async (_, body, type) => {
      const { client, calendar } = stage();
      const answer = await client.request("POST", `${calendar}/events`, {
        body: Buffer.from(body),
        headers: { "content-type": type },
      });
      expect(answer).toMatchObject({ status: 400, errors: expect.any(String) });
    });

    test.each(["gzip", "br", "identity, gzip"])("content encoding %s is 400", async (encoding) => {
      const { client, calendar } = stage();
      const headers = { "content-encoding": encoding };
      const answer = await client.request("POST", `${calendar}/events`, { body: eventBody(KEEP), headers });
      expect(answer).toMatchObject({ status: 400, errors: expect.stringContaining("content encoding") });
    });

    test("content encoding identity is allowed", async () => {
      const { client, path } = stage();
      await client.call("createEvent", {
        path,
        body: eventBody(KEEP),
        headers: { "content-encoding": "Identity" },
      });
    });

    test("charset=utf-8 is allowed", async () => {
      const { client, path } = stage();
      const headers = { "content-type": 'Application/JSON; Charset="UTF-8"' };
      await client.call("createEvent", { path, body: eventBody(KEEP), headers });
    });

    test.each([
      ["a little more than 1 MiB", 1024 * 1024 + 1],
      ["several MiB", 5 * 1024 * 1024],
    ])("%s is 413, and the next request is answered", async (_, size) => {
      const { client, calendar } = stage();
      const answer = await client.request("POST", `${calendar}/events`, { body: randomBytes(size) });
      expect(answer).toMatchObject({ status: 413 });
      await client.call("getCurrentUser");
    });

    test("1 MiB is read", async () => {
      const { client, path } = stage();
      const body = JSON.stringify(eventBody(KEEP)).padEnd(1024 * 1024, " ");
      await client.call("createEvent", { path, body: Buffer.from(body) });
    });

    if (!isWhole) return;

    test.each(WRONG_EVENTS)("an event with %s is 400 and names the fields", async (_, body, ...problems) => {
      const { client, calendar, create } = stage();
      const { id } = await create();
      for (const [method, target] of [
        ["POST", `${calendar}/events`],
        ["PUT", `${calendar}/events/${id}`],
      ] as const) {
        const answer = await client.request(method, target, { body });
        expect(answer).toMatchObject({ status: 400 });
        expect(linesOf(answer.errors).sort()).toEqual(problems.toSorted());
      }
    });

    test("an attendee who is not a member is rejected", async () => {
      const { client, world, calendar } = stage();
      const body = eventBody(KEEP, { attendees: [world.member.id, world.outsider.id] });
      const answer = await client.request("POST", `${calendar}/events`, { body });
      expect(answer.errors).toEqual({
        attendees: [`"${world.outsider.id}" is not a member of this calendar`],
      });
    });

    test("a comment with lists for objects is 400", async () => {
      const { client, calendar, create } = stage();
      const { id } = await create();
      for (const [body, field] of [
        [{ data: [] }, "data"],
        [{ data: { attributes: [] } }, "attributes"],
      ] as const) {
        const answer = await client.request("POST", `${calendar}/events/${id}/activities`, { body });
        expect(answer).toMatchObject({ status: 400, errors: { [field]: ["must be an object"] } });
      }
    });

    test.each([
      ["", "must not be empty"],
      ["x".repeat(1_001), "must be at most 1000 characters"],
      [5, "must be text"],
      [undefined, "is required"],
      ["\0", "must not contain NUL or unpaired surrogates"],
    ])("a comment of %j is 400", async (content, message) => {
      const { client, calendar, create } = stage();
      const { id } = await create();
      const body = activityBody(content);
      const answer = await client.request("POST", `${calendar}/events/${id}/activities`, { body });
      expect(answer).toMatchObject({ status: 400, errors: { content: [message] } });
    });
  });
}
