import { describe, expect, test } from "vitest";
import type { TypedTimeFlags } from "../../src/commands/events/date-flags.js";
import { readTimeFlags } from "../../src/commands/events/date-flags.js";
import type { Settings } from "../../src/config/settings.js";

/** Reads flags with Europe/Berlin as the chosen zone. */
async function read(flags: TypedTimeFlags, settings = () => ({ timezone: "Europe/Berlin" }) as Settings) {
  const notes: string[] = [];
  const times = await readTimeFlags({ settings, now: () => 0, note: (text) => notes.push(text) }, flags);
  expect(notes).toEqual([]);
  return times;
}

describe("readTimeFlags", () => {
  test("reads each time in its own zone, and in the chosen one where none is given", async () => {
    const times = await read({
      start: "2026-11-21T10:00",
      end: "2026-11-21T10:00",
      endTimezone: "America/New_York",
    });
    expect(times.start).toMatchObject({ instant: Date.parse("2026-11-21T09:00:00Z") });
    expect(times.end).toMatchObject({ instant: Date.parse("2026-11-21T15:00:00Z") });
  });

  test("leaves undefined what is not given, and reads no configuration for it", async () => {
    const settings = () => {
      throw new Error("the configuration was read");
    };
    const flags = { allDay: false, startTimezone: "Asia/Tokyo", start: "2026-11-21T10:00" };
    expect(await read(flags, settings)).toMatchObject({ allDay: false, end: undefined, duration: undefined });
    expect(await read({ duration: "1h30m" })).toMatchObject({ duration: { days: 0, minutes: 90 } });
  });

  test.each<[TypedTimeFlags, string]>([
    [{ start: "soon" }, '--start: "soon" is not a valid date or time'],
    [{ end: "2026-02-30" }, "--end: the date 2026-02-30 does not exist"],
    [{ duration: "long" }, '--duration: "long" is not a valid duration'],
    [{ endTimezone: "Mars/Phobos" }, '--end-timezone: "Mars/Phobos" is not a valid timezone'],
  ])("names the flag of %o", async (flags, message) => {
    await expect(read(flags)).rejects.toMatchObject({ code: "usage", message });
  });
});
