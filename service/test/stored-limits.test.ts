import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStage, type Stage } from "./contract/stage.js";
import { runSql } from "./support/database.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { sendInProcess } from "./support/send.js";

/** Limits of the embedded service on what the contract leaves open, and events that were stored before them. */

let stage: Stage;
beforeAll(async () => {
  const connect = async ({ service }: Stage["world"]) => ({
    send: sendInProcess(service),
    close: async () => undefined,
  });
  stage = await createStage(connect, { rateLimit: { limit: 10_000, windowSeconds: 600 } });
});
afterAll(() => stage.close());

const SCHEME = "must begin with one of http:, https:, mailto:, tel:, sms:, geo:, sip:, sips:";
const CONTROL = "must not contain control characters";
const LENGTH = "must be at most 2000 characters";

describe("the url of an event", () => {
  test.each([
    ["empty", ""],
    ["a page", "https://example.org/menu?a=b#c"],
    ["in capitals", "HTTP://EXAMPLE.ORG"],
    ["with a space", "https://example.org/?q=two words"],
    ["with other letters", "https://例え.jp/ランチ"],
    ["an email address", "mailto:ana@example.org?subject=Lunch"],
    ["a phone number", "tel:+81-3-1234-5678"],
    ["a number for messages", "sms:+15105550101"],
    ["a place", "geo:35.68,139.76"],
    ["a room", "sip:room@example.org"],
    ["a secure room", "sips:room@example.org"],
    ["2000 letters", `https://example.org/${"x".repeat(1_980)}`],
    ["2000 characters", `https://example.org/${"😀".repeat(1_980)}`],
  ])("may be %s", async (_, url) => {
    const { attributes } = await stage.create({ ...KEEP, url });
    expect(attributes.url).toBe(url);
  });

  test.each<[string, string, readonly string[]]>([
    ["too long", `https://example.org/${"x".repeat(1_981)}`, [LENGTH]],
    ["too long and no URL", "x".repeat(2_001), [LENGTH, SCHEME]],
    ...[
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      " javascript:alert(1)",
      "data:text/html,<script>alert(1)</script>",
      "vbscript:msgbox(1)",
      "file:///etc/passwd",
      "blob:https://example.org/1",
      "view-source:https://example.org",
      "intent://scan#Intent;end",
      "example.org/menu",
      "//example.org/menu",
      "/menu",
      "https",
      " https://example.org",
      "https//example.org",
      "see https://example.org",
    ].map((url): [string, string, string[]] => [url, url, [SCHEME]]),
    ...["https://", "https://exa mple.org", "http://[::1", "https://example.org:99999"].map(
      (url): [string, string, string[]] => [url, url, ["must have a valid host and port"]],
    ),
    ["a script in two lines", "java\nscript:alert(1)", [SCHEME, CONTROL]],
    ["a page with a tab", "ht\ttps://example.org", [SCHEME, CONTROL]],
    ["a page with a line break", "https://example.org/\r\nX: y", [CONTROL]],
  ])("must not be %s", async (_, url, problems) => {
    const { client, calendar, create } = stage;
    const { id } = await create();
    const body = eventBody({ ...KEEP, url });
    for (const [method, target] of [
      ["POST", `${calendar}/events`],
      ["PUT", `${calendar}/events/${id}`],
    ] as const) {
      const answer = await client.request(method, target, { body });
      expect(answer).toMatchObject({ status: 400, errors: { url: problems } });
    }
  });

  test.each([
    ["a script", "javascript:alert(1)"],
    ["no URL", "example.org/menu"],
    ["too long", "x".repeat(5_000)],
  ])("that was stored as %s can be read and stays in an update", async (_, url) => {
    const { client, world, path, calendar, create } = stage;
    const { id } = await create(KEEP);
    runSql(world.database, `update events set url = '${url}' where id = '${id}'`);
    const target = { ...path, event_id: id };
    expect((await client.call("getEvent", { path: target })).data.attributes.url).toBe(url);
    const body = eventBody({ ...KEEP, title: "Renamed", url });
    const { data } = await client.call("updateEvent", { path: target, body });
    expect(data.attributes).toMatchObject({ title: "Renamed", url });
    const changed = { body: eventBody({ ...KEEP, url: `${url}x` }) };
    expect(await client.request("PUT", `${calendar}/events/${id}`, changed)).toMatchObject({ status: 400 });
    expect(await client.request("POST", `${calendar}/events`, { body })).toMatchObject({ status: 400 });
  });
});

describe("the attendees of an event", () => {
  /** Ids of so many new members of the calendar. */
  async function addMembers(name: string, count: number): Promise<string[]> {
    const { world } = stage;
    await world.tables.change(
      `create temp table numbers as with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
        select '${name}' || n as id, n from numbers;
      insert into users select id, id, id, id, null, '', '', 0, 1 from numbers;
      insert into members select '${world.calendarId}', id, 0, 100 + n from numbers`,
    );
    return Array.from({ length: count }, (_, number) => `${name}${number}`);
  }

  test("are at most 200 different users", async () => {
    const { client, calendar, create } = stage;
    const ids = await addMembers("guest", 201);
    const first = ids.slice(0, 200);
    const event = await create(KEEP, { attendees: [...first, ...first] });
    expect(event.relationships.attendees.data).toHaveLength(200);
    for (const [method, target] of [
      ["POST", `${calendar}/events`],
      ["PUT", `${calendar}/events/${event.id}`],
    ] as const) {
      const answer = await client.request(method, target, { body: eventBody(KEEP, { attendees: ids }) });
      expect(answer).toMatchObject({ status: 400, errors: { attendees: ["must be at most 200 users"] } });
    }
  });

  test("of an event that has more already can stay or leave, but no one can join", async () => {
    const { client, world, path, calendar, create } = stage;
    const [stranger = "", ...ids] = await addMembers("visitor", 203);
    const { id } = await create(KEEP, { attendees: ids.slice(0, 200) });
    const rows = ids.slice(200).map((user, index) => `('${id}', '${user}', ${200 + index})`);
    runSql(world.database, `insert into attendees (event_id, user_id, position) values ${rows}`);
    const update = (attendees: readonly string[]) =>
      client.call("updateEvent", { path: { ...path, event_id: id }, body: eventBody(KEEP, { attendees }) });
    expect((await update(ids)).data.relationships.attendees.data).toHaveLength(202);
    expect((await update(ids.slice(1))).data.relationships.attendees.data).toHaveLength(201);
    const body = eventBody(KEEP, { attendees: [...ids.slice(1), stranger] });
    const answer = await client.request("PUT", `${calendar}/events/${id}`, { body });
    expect(answer).toMatchObject({ status: 400, errors: { attendees: ["must be at most 200 users"] } });
    expect((await update([stranger])).data.relationships.attendees.data).toHaveLength(1);
  });
});
