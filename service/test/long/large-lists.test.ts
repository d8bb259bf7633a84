import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import { runSql } from "../support/database.js";
import { request } from "../support/send.js";
import { createWorld, NOW, type World } from "../support/world.js";

/** What one request for a list takes, however many events and comments there are. */

let world: World;
beforeEach(async () => {
  world = await createWorld({ stored: true, rateLimit: null });
});
afterEach(() => world.close());

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
  readonly bytes: number;
}

async function readPage(path: string): Promise<Page> {
  const response = await request(world, `GET /calendars/${world.calendarId}/${path}`);
  expect(response.status).toBe(200);
  const { data, links } = response.json;
  return {
    ids: data.map(({ id }: { readonly id: string }) => id),
    next: links.next,
    bytes: response.body.byteLength,
  };
}

async function readPages(path: string): Promise<readonly Page[]> {
  const pages = [await readPage(path)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
    pages.push(await readPage(path.replace(/\?.*|$/, next)));
  }
  return pages;
}

/** Adds events `event-1`, `event-2` and so on, a minute after each other. */
function addEvents(count: number, { description = "''", minutes = 1 } = {}): void {
  runSql(
    world.database,
    `insert into events (id, calendar_id, category, title, all_day, start_at, start_timezone, end_at, end_timezone,
        description, location, url, label_number, creator_id, created_at, updated_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select 'event-' || n, '${world.calendarId}', 'schedule', 'Event ' || n, 0, ${NOW} + n * 60000 * ${minutes},
        'UTC', ${NOW} + n * 60000 * ${minutes} + 1000, 'UTC', ${description}, '', '', 1, '${world.member.id}', 0, 0
      from numbers`,
  );
}

describe("100,000 events", () => {
  beforeEach(() => addEvents(100_000), 60_000);

  test("are pages of 500, each once", async () => {
    const pages = await readPages("events");
    expect(pages.map(({ ids }) => ids.length)).toEqual(Array(200).fill(500));
    expect(new Set(pages.flatMap(({ ids }) => ids)).size).toBe(100_000);
  });

  test("are searched about 4,100 at a time, 4 MiB: a page may be empty and have a next one", async () => {
    const pages = await readPages("events?search=event%20100000");
    expect(pages.map(({ ids }) => ids.length)).toEqual([...Array(24).fill(0), 1]);
    expect(pages.flatMap(({ ids }) => ids)).toEqual(["event-100000"]);
  });
});

test("events that are large make small pages, below what clients read", async () => {
  addEvents(200, { description: "replace(hex(zeroblob(5000)), '0', char(1))" });
  const pages = await readPages("events");
  expect(pages.flatMap(({ ids }) => ids)).toHaveLength(200);
  for (const { bytes } of pages) expect(bytes).toBeLessThan(8 * 1024 * 1024);
  expect(pages.length).toBeLessThan(6);
  // 4 MiB are 69 events of this size.
  const searched = await readPages("events?search=no%20such%20text");
  expect(searched.map(({ ids }) => ids.length)).toEqual([0, 0, 0]);
});

test("a search goes through fewer events that take long to compare, and not fewer of others", async () => {
  // Each of these characters is a sentence of 18 letters, which are what is compared.
  addEvents(60, { description: "replace(hex(zeroblob(2500)), '0', char(0xfdfa))" });
  const slow = await readPages("events?search=no%20such%20text");
  expect(slow.map(({ ids }) => ids.length)).toEqual([0, 0, 0, 0, 0]);
  runSql(world.database, "delete from events");
  addEvents(2_600, { description: `'${"今日は家族で公園に行きます。".repeat(14)}'` });
  expect(await readPages("events?search=no%20other%20text")).toHaveLength(1);
});

test("a search lets other requests in between", async () => {
  addEvents(60, { description: "replace(hex(zeroblob(5000)), '0', char(0x315, 0x316))" });
  const order: string[] = [];
  const searched = readPage("events?search=no%20such%20text").then(() => order.push("search"));
  // When the event loop gets its first turn.
  await new Promise((resolve) => setImmediate(resolve));
  await request(world, "GET /healthz");
  order.push("health");
  await searched;
  expect(order).toEqual(["health", "search"]);
});

test("days with few events among many are one page", async () => {
  addEvents(100_000, { minutes: 10 });
  const day = new Date(NOW + 300 * DAY_MS).toISOString().slice(0, 10);
  const [page, ...more] = await readPages(`events?from=${day}&to=${day}`);
  expect(page?.ids).toHaveLength(144);
  expect(more).toEqual([]);
});
