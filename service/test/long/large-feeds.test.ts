import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../contract/date-time.js";
import { eventBody, feedBody, SCHEDULE } from "../support/event-bodies.js";
import { createMany } from "../support/many-events.js";
import { changeCalendar, request } from "../support/send.js";
import { createWorld, NOW, type World } from "../support/world.js";

let world: World;
beforeEach(async () => {
  world = await createWorld({ rateLimit: null });
});
afterEach(() => world.close());

/** An event some days from now. */
const inDays = (days: number, title = `in ${days} days`) => ({
  ...SCHEDULE,
  title,
  start_at: new Date(NOW + days * DAY_MS).toISOString(),
  end_at: new Date(NOW + days * DAY_MS + HOUR_MS).toISOString(),
});

test("a calendar file has 5,000 events at most: those to come, then the latest past ones, and says so", async () => {
  await createMany(world, 2_500, inDays(10));
  await createMany(world, 2_500, inDays(-1));
  const more = [inDays(-2), { ...inDays(-20, "Series"), recurrences: ["RRULE:FREQ=DAILY;COUNT=60"] }];
  for (const event of more) await changeCalendar(world, "POST", "events", eventBody(event));
  const { json } = await request(world, "POST /feeds", { body: feedBody([world.calendarId]) });
  const { text } = await request(world, `GET /feeds/${json.data.attributes.secret}.ics`, { token: null });
  const count = (title: string) => text.split(`SUMMARY:${title}\r\n`).length - 1;
  expect(text.match(/^SUMMARY:/gm)).toHaveLength(5_000);
  expect(["Series", "in 10 days", "in -1 days"].map(count)).toEqual([1, 2_500, 2_499]);
  const says = "Not all events fit: some up to 2026-11-20 are missing.";
  for (const name of ["DESCRIPTION", "X-WR-CALDESC"]) expect(text).toContain(`\r\n${name}:${says}\r\n`);
});
