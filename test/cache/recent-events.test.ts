import fc from "fast-check";
import { expect, test } from "vitest";
import type { CacheFile } from "../../src/cache/cache-file.js";
import { createRecentEvents } from "../../src/cache/recent-events.js";

/** The events that a terminal has shown, without a disk. */
async function shown(ids: readonly string[]) {
  const file: CacheFile = { read: () => ({}), write: async () => undefined };
  const events = createRecentEvents(file, () => 0);
  await events.remember(ids.map((id) => ({ id, calendarId: "c", title: "", start: null })));
  return events;
}

/** Few different digits at the beginning, so that ids share much of it. */
const sharedId = fc
  .tuple(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 0, maxLength: 32 }))
  .map(([start]) => start.padEnd(32, "0"));

test("ids are shortened to what no other event shares, at least four digits", () =>
  fc.assert(
    fc.asyncProperty(fc.uniqueArray(sharedId), sharedId, async (ids, unknown) => {
      const events = await shown(ids);
      for (const id of ids) {
        const short = events.shorten(id);
        expect(id.startsWith(short)).toBe(true);
        expect(events.find(short).map((event) => event.id)).toEqual([id]);
        if (short.length > 4) expect(events.find(short.slice(0, -1)).length).toBeGreaterThan(1);
        expect(short.length).toBeGreaterThanOrEqual(4);
      }
      if (!ids.includes(unknown)) expect(events.shorten(unknown)).toBe(unknown);
    }),
  ));

test("an id is whole when another one begins with it, and when it has another form", async () => {
  const id = "a".repeat(32);
  const events = await shown([id, `${id},2`, "short", "B".repeat(32)]);
  for (const each of [id, `${id},2`, "short", "B".repeat(32)]) expect(events.shorten(each)).toBe(each);
});

test("events that are shown later count", async () => {
  const [first, second] = ["abcd1", "abcd2"].map((start) => start.padEnd(32, "0"));
  const events = await shown([first ?? ""]);
  expect(events.shorten(first ?? "")).toBe("abcd");
  await events.remember([{ id: second ?? "", calendarId: "c", title: "", start: null }]);
  expect([first, second].map((id) => events.shorten(id ?? ""))).toEqual(["abcd1", "abcd2"]);
});

test("ids of occurrences are those of their series and their days, with the time where that is needed", async () => {
  const [series, other] = ["a".repeat(32), `${"a".repeat(8)}${"b".repeat(24)}`];
  const ids = [
    `${series}_20261207T080000Z`,
    `${series}_20261214T080000Z`,
    `${series}_20261214T160000Z`,
    `${other}_20261207`,
  ];
  const events = await shown(ids);
  const short = ids.map((id) => events.shorten(id));
  expect(short).toEqual([
    "aaaaaaaaa_20261207",
    "aaaaaaaaa_20261214T080000Z",
    "aaaaaaaaa_20261214T160000Z",
    "aaaaaaaab_20261207",
  ]);
  expect(short.map((each) => events.find(each).map(({ id }) => id))).toEqual(ids.map((id) => [id]));
});
