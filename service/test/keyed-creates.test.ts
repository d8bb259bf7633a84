import { expect, onTestFinished, test } from "vitest";
import { DAY_MS } from "../../contract/date-time.js";
import { openService } from "../service.js";
import { expectOneEventPerKey } from "./keyed-creates.js";
import { eventBody, KEEP } from "./support/event-bodies.js";
import { request } from "./support/send.js";
import { createWorld, NOW } from "./support/world.js";

test("8 clients with one key at once make one event, at two services on one file", async () => {
  const world = await createWorld({ rateLimit: null });
  onTestFinished(() => world.close());
  const other = await openService({ database: world.database, now: () => NOW, rateLimit: null });
  onTestFinished(() => other.close());
  await expectOneEventPerKey(world, [world.service, other]);
});

test("keys that are too old are deleted a hundred at a time, and those that are kept stay", async () => {
  const world = await createWorld();
  onTestFinished(() => world.close());
  const rows = (count: number, first: number) => `
    with recursive numbers(n) as (select ${first} union all select n + 1 from numbers where n < ${first + count - 1})
    insert into idempotency_keys select '${world.calendarId}', '${world.member.id}', n, 'x', 'x', n from numbers;`;
  await world.tables.change(rows(250, NOW - 31 * DAY_MS) + rows(5, NOW - 29 * DAY_MS));
  const counts: unknown[] = [];
  for (const key of ["a", "b", "c", "d"]) {
    const headers = { "idempotency-key": key };
    await request(world, `POST /calendars/${world.calendarId}/events`, { body: eventBody(KEEP), headers });
    counts.push(...(await world.tables.query("select count(*) as keys from idempotency_keys")));
  }
  expect(counts).toEqual([{ keys: 156 }, { keys: 57 }, { keys: 8 }, { keys: 9 }]);
});
