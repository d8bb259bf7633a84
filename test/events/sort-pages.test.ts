import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../../contract/shapes.js";
import { mergeSorted, sortEvents, sortPages } from "../../src/events/order.js";
import { allDayOf, anyZone, eventOf } from "./fixtures.js";

const START = Date.parse("2026-03-01T00:00:00.000Z");
const HOUR = 3_600_000;

/** Events of some weeks, several at once, in which clocks change. */
const anyEvent = fc
  .record({
    hours: fc.integer({ min: 0, max: 24 * 50 }),
    allDay: fc.boolean(),
    title: fc.string({ maxLength: 2 }),
  })
  .map(({ hours, allDay, title }) => {
    const start = START + (allDay ? Math.floor(hours / 24) * 24 : hours) * HOUR;
    const times = {
      start_at: new Date(start).toISOString(),
      end_at: new Date(start + 24 * HOUR).toISOString(),
    };
    return allDay ? allDayOf({ title, ...times }) : eventOf({ title, ...times });
  });

/** The events of one calendar as a service lists them. */
async function* pagesOf(events: readonly Event[], size: number) {
  const startOf = ({ start_at, id }: Event) => `${start_at} ${id}`;
  const sorted = events.toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1));
  for (let at = 0; at < sorted.length; at += size) yield sorted.slice(at, at + size);
}

test("pages of several calendars become the list that sorting everything gives, in any zone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyEvent, { maxLength: 30 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
      anyZone,
      fc.constantFrom(null, "2026-03-05"),
      async (calendars, size, zone, firstDay) => {
        const options = { zone, firstDay };
        const named = calendars.map((events, calendar) =>
          events.map((event, index) => ({ ...event, id: `${calendar}-${index}` })),
        );
        const sources = named.map((events) => sortPages(pagesOf(events, size), options));
        const merged = await mergeSorted(sources, (read, all) => Promise.all(all.map(read)));
        const listed: Event[] = [];
        for await (const batch of merged) listed.push(...batch);
        expect(listed.map(({ id }) => id)).toEqual(sortEvents(named.flat(), options).map(({ id }) => id));
      },
    ),
  );
});
