import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayWindow } from "../day-window.js";

const HOUR = 3_600_000;

const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
const instants = fc.integer({ min: Date.parse("2000-01-01Z"), max: Date.parse("2040-01-01Z") });
const lengths = fc.integer({ min: 1, max: 7 });

describe("the window of several days", () => {
  test.each([
    ["UTC", "2026-11-21T10:00:00Z", 1, "2026-11-21T00:00Z", "2026-11-22T00:00Z"],
    ["UTC", "2026-11-21T00:00:00Z", 7, "2026-11-21T00:00Z", "2026-11-28T00:00Z"],
    ["UTC", "2026-11-21T23:59:59.999Z", 1, "2026-11-21T00:00Z", "2026-11-22T00:00Z"],
    ["Asia/Tokyo", "2026-11-21T15:00:00Z", 1, "2026-11-21T15:00Z", "2026-11-22T15:00Z"],
    ["Asia/Tokyo", "2026-11-21T14:59:59Z", 1, "2026-11-20T15:00Z", "2026-11-21T15:00Z"],
    ["Asia/Kathmandu", "2026-11-21T10:00:00Z", 1, "2026-11-20T18:15Z", "2026-11-21T18:15Z"],
    ["Etc/GMT+12", "2026-11-21T10:00:00Z", 1, "2026-11-20T12:00Z", "2026-11-21T12:00Z"],
    ["Pacific/Kiritimati", "2026-11-21T10:00:00Z", 1, "2026-11-21T10:00Z", "2026-11-22T10:00Z"],
    // 23 and 25 hours
    ["Europe/Berlin", "2026-03-29T10:00:00Z", 1, "2026-03-28T23:00Z", "2026-03-29T22:00Z"],
    ["Europe/Berlin", "2026-10-25T10:00:00Z", 1, "2026-10-24T22:00Z", "2026-10-25T23:00Z"],
    ["America/New_York", "2026-03-06T12:00:00Z", 7, "2026-03-06T05:00Z", "2026-03-13T04:00Z"],
    ["Australia/Lord_Howe", "2026-10-04T01:00:00Z", 1, "2026-10-03T13:30Z", "2026-10-04T13:00Z"],
    // midnight does not exist
    ["Africa/Cairo", "2026-04-24T12:00:00Z", 1, "2026-04-23T22:00Z", "2026-04-24T21:00Z"],
    // midnight occurs twice
    ["America/Havana", "2026-11-01T15:00:00Z", 1, "2026-11-01T04:00Z", "2026-11-02T05:00Z"],
    ["America/Havana", "2026-10-31T15:00:00Z", 1, "2026-10-31T04:00Z", "2026-11-01T04:00Z"],
  ])("in %s at %s for %i days", (timezone, now, days, start, end) => {
    const { window } = dayWindow(Date.parse(now), { timezone, days });
    expect([window.start, window.end].map((instant) => new Date(instant).toISOString())).toEqual(
      [start, end].map((text) => new Date(text).toISOString()),
    );
  });

  test("contains now, and its dates are those of its days", () => {
    fc.assert(
      fc.property(zones, instants, lengths, (timezone, now, days) => {
        const { start, end, firstDate, endDate } = dayWindow(now, { timezone, days }).window;
        expect(start).toBeLessThanOrEqual(now);
        expect(end).toBeGreaterThan(now);
        expect(endDate - firstDate).toBe(days * 24 * HOUR);
        expect(Math.abs(end - start - days * 24 * HOUR)).toBeLessThanOrEqual(24 * HOUR);
        // The next window begins where this one ends.
        expect(dayWindow(end, { timezone, days: 1 }).window.start).toBe(end);
      }),
    );
  });
});
