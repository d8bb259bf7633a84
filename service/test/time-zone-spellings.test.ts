import { IANAZone } from "luxon";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { request } from "./support/send.js";
import { createWorld, type World } from "./support/world.js";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** The name with the letters in upper case whose bits are set. */
function spell(name: string, bits: number): string {
  return [...name].map((letter, index) => ((bits >> index) & 1 ? letter.toUpperCase() : letter)).join("");
}

const upcoming = (timezone: string) =>
  request(
    world,
    `GET /calendars/${world.calendarId}/upcoming_events?timezone=${encodeURIComponent(timezone)}`,
  );

test("every spelling of a time zone is accepted, and one zone is kept for all of them", async () => {
  // Other tests may have used the zone.
  IANAZone.resetCache();
  const created = countFormats();
  await upcoming("america/caracas");
  // Each zone that is kept has a format of its own.
  const kept = created();
  expect(kept).toBeGreaterThan(0);
  for (let bits = 0; bits < 128; bits += 1) {
    expect((await upcoming(spell("america/caracas", bits))).status).toBe(200);
  }
  expect(created()).toBe(kept);
});

test("a name that is longer than any time zone is not looked up", async () => {
  const created = countFormats();
  expect((await upcoming("A/".repeat(5_000))).status).toBe(400);
  expect(created()).toBe(0);
});

/** Counts the formats of Intl from now on, until the end of the test. */
function countFormats(): () => number {
  let count = 0;
  class CountedFormat extends Intl.DateTimeFormat {
    constructor(...options: ConstructorParameters<typeof Intl.DateTimeFormat>) {
      // Also those that fail.
      count += 1;
      super(...options);
    }
  }
  vi.stubGlobal("Intl", Object.create(Intl, { DateTimeFormat: { value: CountedFormat } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => count;
}
