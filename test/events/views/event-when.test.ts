import { describe, expect, test } from "vitest";
import { describeWhen } from "../../../src/events/views/event-when.js";

describe("describeWhen", () => {
  test.each([
    ["a time of day", "2026-11-21T15:00:00+09:00", "2026-11-21T16:00:00+09:00", "Sat 21 Nov 15:00–16:00"],
    ["a moment", "2026-11-21T15:00:00Z", "2026-11-21T15:00:00Z", "Sat 21 Nov 15:00"],
    ["no end", "2026-11-21T15:00:00+09:00", null, "Sat 21 Nov 15:00"],
    [
      "the hour that a clock change repeats",
      "2026-10-25T02:30:00+02:00",
      "2026-10-25T02:30:00+01:00",
      "Sun 25 Oct 02:30–02:30",
    ],
    [
      "over midnight",
      "2026-11-21T22:00:00+09:00",
      "2026-11-22T02:00:00+09:00",
      "Sat 21 Nov 22:00 – Sun 02:00",
    ],
    ["six days", "2026-11-21T09:00:00+09:00", "2026-11-27T10:00:00+09:00", "Sat 21 Nov 09:00 – Fri 10:00"],
    [
      "a week",
      "2026-11-21T09:00:00+09:00",
      "2026-11-28T10:00:00+09:00",
      "Sat 21 Nov 09:00 – Sat 28 Nov 10:00",
    ],
    [
      "over a new year",
      "2026-12-20T09:00:00Z",
      "2027-01-03T10:00:00Z",
      "Sun 20 Dec 2026 09:00 – Sun 3 Jan 2027 10:00",
    ],
    [
      "an end before the start",
      "2026-11-21T09:00:00Z",
      "2026-11-20T08:00:00Z",
      "Sat 21 Nov 09:00 – Fri 20 Nov 08:00",
    ],
    ["a whole day", "2026-11-21", "2026-11-21", "Sat 21 Nov  all day"],
    ["a whole day without an end", "2026-11-21", null, "Sat 21 Nov  all day"],
    ["days", "2026-11-21", "2026-11-22", "Sat 21 – Sun 22 Nov"],
    ["days of two months", "2026-11-30", "2026-12-01", "Mon 30 Nov – Tue 1 Dec"],
    ["days of two years", "2026-12-31", "2027-01-01", "Thu 31 Dec 2026 – Fri 1 Jan 2027"],
    ["a leap day", "2028-02-29", "2028-02-29", "Tue 29 Feb  all day"],
    ["no times", null, null, ""],
    ["a text that is no time", "soon", null, "soon"],
  ])("%s", (_, start_local, end_local, expected) => {
    expect(describeWhen({ start_local, end_local }, { year: false })).toBe(expected);
  });

  test("a time that a clock change repeats has its offset", () => {
    const [start_local, end_local] = ["2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+01:00"];
    const options = { year: false, zone: "Europe/Berlin" };
    expect(describeWhen({ start_local, end_local }, options)).toBe("Sun 25 Oct 01:30–02:30+01:00");
    expect(describeWhen({ start_local: end_local, end_local: null }, options)).toBe("Sun 25 Oct 02:30+01:00");
  });

  test.each([
    ["2026-11-21T15:00:00+09:00", "2026-11-21T16:00:00+09:00", "Sat 21 Nov 2026 15:00–16:00"],
    ["2026-11-21T22:00:00+09:00", "2026-11-22T02:00:00+09:00", "Sat 21 Nov 2026 22:00 – Sun 02:00"],
    ["2026-11-21", "2026-11-21", "Sat 21 Nov 2026  all day"],
    ["2026-11-30", "2026-12-01", "Mon 30 Nov – Tue 1 Dec 2026"],
  ])("%s to %s with the year", (start_local, end_local, expected) => {
    expect(describeWhen({ start_local, end_local }, { year: true })).toBe(expected);
  });
});
