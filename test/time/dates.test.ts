import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DateInputOptions,
  parseDateInput,
  parseDays,
  parseDuration,
  parseInstant,
  parseTimeZone,
  parseUpcomingDays,
} from "../../src/time/dates.js";
import { formatLocal, localDate } from "../../src/time/zoned-time.js";
import { anyDate, anyInstant, anyZone, failureOf } from "../events/fixtures.js";

const TOKYO = { source: "--start", zone: "Asia/Tokyo" };
const NEW_YORK = { source: "--start", zone: "America/New_York" };

/** What the zone's clock shows at the time that was read. */
function shown(text: string, options: DateInputOptions): string {
  const input = parseDateInput(text, options);
  return input.kind === "date" ? input.date : formatLocal(input.instant, options.zone).slice(0, 16);
}

/** The two alternatives to a time that a clock change skips or repeats; null when it is read. */
function offeredFor(text: string, options: DateInputOptions): readonly string[] | null {
  try {
    parseDateInput(text, options);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    return message.match(/\d{4}-\S+[+-]\d\d:\d\d/g) ?? [];
  }
}

describe("parseDateInput", () => {
  test.each([
    ["2026-11-21T15:00", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21 15:00", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21t15:00:30", "2026-11-21T06:00:30.000Z"],
    ["2026-11-21T15:00:30.25", "2026-11-21T06:00:30.250Z"],
    ["2026-11-21T15:00:30,25", "2026-11-21T06:00:30.250Z"],
    ["  2026-11-21T15:00\n", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21T15:00Z", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T15:00z", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T15:00-05:00", "2026-11-21T20:00:00.000Z"],
    ["2026-11-21 15:00:00+0530", "2026-11-21T09:30:00.000Z"],
    ["2026-11-21T15:00+02", "2026-11-21T13:00:00.000Z"],
    ["2024-02-29T00:00", "2024-02-28T15:00:00.000Z"],
  ])("reads %j", (text, instant) => {
    expect(parseDateInput(text, TOKYO)).toMatchObject({ kind: "date-time", instant: Date.parse(instant) });
  });

  test("a date without a time stays a date", () => {
    expect(parseDateInput("2026-11-21", NEW_YORK)).toEqual({
      kind: "date",
      text: "2026-11-21",
      date: "2026-11-21",
    });
  });

  test.each([
    ["", "--start is empty"],
    ["  ", "--start is empty"],
    ["tomorrow 3pm", '--start: "tomorrow 3pm" is not an ISO 8601 date or time'],
    ["21.11.2026", '--start: "21.11.2026" is not an ISO 8601 date or time'],
    ["2026-11-21T", '--start: "2026-11-21T" is not an ISO 8601 date or time'],
    ["2026-11-21T9:30", '--start: "2026-11-21T9:30" is not an ISO 8601 date or time'],
    ["2026-11-21+09:00", '--start: "2026-11-21+09:00" is not an ISO 8601 date or time'],
    ["2026-02-30", "--start: the date 2026-02-30 does not exist"],
    ["2026-02-29T10:00", "--start: the date 2026-02-29 does not exist"],
    ["2026-13-01", "--start: the date 2026-13-01 does not exist"],
    ["2026-11-21T25:00", "--start: the time 25:00 does not exist"],
    ["2026-11-21T24:00", "--start: the time 24:00 does not exist"],
    ["2026-11-21T10:60", "--start: the time 10:60 does not exist"],
    ["2026-11-21T10:00+25:00", "--start: the offset +25:00 does not exist"],
  ])("rejects %j", (text, message) => {
    expect(failureOf(() => parseDateInput(text, TOKYO))).toMatchObject({ code: "usage", message });
  });

  test("has a hint with a valid form", () => {
    expect(failureOf(() => parseDateInput("soon", TOKYO)).hint).toContain("YYYY-MM-DDTHH:MM");
  });

  test.each([
    [
      "2026-11-01 01:30",
      "America/New_York",
      "2026-11-01T01:30 occurs twice in America/New_York: write 2026-11-01T01:30-04:00 or 2026-11-01T01:30-05:00",
    ],
    [
      "2026-03-08T02:30",
      "America/New_York",
      "2026-03-08T02:30 is skipped in America/New_York: write 2026-03-08T02:30-05:00 or 2026-03-08T02:30-04:00",
    ],
    [
      "2026-10-04T02:15",
      "Australia/Lord_Howe",
      "2026-10-04T02:15 is skipped in Australia/Lord_Howe: write 2026-10-04T02:15+10:30 or 2026-10-04T02:15+11:00",
    ],
    [
      "2011-12-30T12:00",
      "Pacific/Apia",
      "2011-12-30T12:00 is skipped in Pacific/Apia: write 2011-12-30T12:00-10:00 or 2011-12-30T12:00+14:00",
    ],
  ])("offers the offsets for %s in %s", (text, zone, message) => {
    const failure = failureOf(() => parseDateInput(text, { source: "--start", zone }));
    expect(failure).toMatchObject({ code: "usage", message: `--start: ${message}` });
  });

  test.each(["2026-11-01T00:59", "2026-11-01T02:00", "2026-03-08T01:59", "2026-03-08T03:00"])(
    "reads %s next to a clock change",
    (text) => {
      expect(shown(text, NEW_YORK)).toBe(text);
    },
  );

  test("a time with its offset is the same in every zone", () => {
    fc.assert(
      fc.property(anyInstant, anyZone, anyZone, (instant, zone, other) => {
        const text = formatLocal(instant, zone);
        const input = parseDateInput(text, { source: "--start", zone: other });
        expect(input).toEqual({ kind: "date-time", text, instant: Math.floor(instant / 1000) * 1000 });
      }),
    );
  });

  test("a local time is what the zone's clock shows, or is rejected with two alternatives", () => {
    fc.assert(
      fc.property(anyDate, fc.nat({ max: 1439 }), anyZone, (date, minutes, zone) => {
        const clock = new Date(minutes * 60_000).toISOString().slice(11, 16);
        const local = `${date}T${clock}`;
        const options = { source: "--start", zone };
        const offered = offeredFor(local, options);
        if (offered === null) {
          expect(shown(local, options)).toBe(local);
        } else {
          const [early, late] = offered.map((text) => parseDateInput(text, options));
          expect(early).not.toEqual(late);
        }
      }),
    );
  });

  test("throws only usage errors", () => {
    const nearly = fc.stringMatching(
      /^\d{4}-[01]\d-[0-3]\d([Tt ][0-2]\d:[0-6]\d(:[0-6]\d)?([zZ]|[+-]\d\d(:?\d\d)?)?)?$/,
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), anyZone, (text, zone) => {
        try {
          parseDateInput(text, { source: "--start", zone });
        } catch (error) {
          expect(error).toMatchObject({ name: "CliError", code: "usage" });
        }
      }),
    );
  });
});

describe("parseInstant", () => {
  test("reads a timestamp with its offset", () => {
    expect(parseInstant("2026-11-21T15:00:00.123+09:00", "--if-unchanged")).toBe(
      Date.parse("2026-11-21T06:00:00.123Z"),
    );
  });

  test.each(["", "2026-11-21", "2026-11-21T15:00", "yesterday", "2026-02-30T00:00Z"])(
    "rejects %j",
    (text) => {
      const failure = failureOf(() => parseInstant(text, "--if-unchanged"));
      expect(failure.code).toBe("usage");
      expect(failure.message).toContain("--if-unchanged");
    },
  );
});

describe("parseDuration", () => {
  test.each([
    ["90m", 0, 90],
    ["1h", 0, 60],
    ["1h30m", 0, 90],
    ["2d", 2, 0],
    ["1w", 7, 0],
    ["1w1d2h3m", 8, 123],
    ["1.5h", 0, 90],
    ["0.05h", 0, 3],
    ["1h 30m", 0, 90],
    [" 1 hour, 30 minutes ", 0, 90],
    ["2 days and 1 hr", 2, 60],
    ["a week", 7, 0],
    ["AN HOUR and 5 Min", 0, 65],
    ["an hour and a half", 0, 90],
    ["1h and a half", 0, 90],
    ["two and a half hours", 0, 150],
    ["2½ hours", 0, 150],
    ["½ hour", 0, 30],
    ["PT90M", 0, 90],
    ["PT1H30M", 0, 90],
    ["P2D", 2, 0],
    ["P1W", 7, 0],
    ["P1DT12H", 1, 720],
  ])("reads %s", (text, days, minutes) => {
    expect(parseDuration(text, "--duration")).toEqual({ text, days, minutes });
  });

  test.each([
    "",
    " ",
    "0m",
    "0d",
    "90",
    "-1h",
    "1m1h",
    "1h1h",
    "1.5d",
    "1.55.5h",
    "0.01h",
    "1.5m",
    "a week and a half",
    "half an hour and a half",
    "2½ hours and a half",
    "2½ days",
    "an",
    "1h and",
    "1h30",
    "1 mo",
    "1:30",
    "P",
    "PT",
    "P90M",
    "90s",
    "m",
    "999999w",
  ])("rejects %j", (text) => {
    const failure = failureOf(() => parseDuration(text, "--duration"));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain("--duration");
  });
});

describe("parseDays", () => {
  test.each([1, 7, 8, 366])("reads %d", (days) => {
    expect(parseDays(String(days), "--days")).toBe(days);
  });

  test.each(["0", "367", "x", "", "1.5", "-1", "1e0", "99999999999999999999"])("rejects %j", (text) => {
    const failure = failureOf(() => parseDays(text, "--days"));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain("--days");
  });

  test("rejects more than asked for", () => {
    expect(failureOf(() => parseUpcomingDays("8", "--days")).hint).toBe("write a whole number from 1 to 7");
  });
});

describe("parseTimeZone", () => {
  test.each(["UTC", "Asia/Tokyo", "America/Argentina/Buenos_Aires"])("accepts %s", (name) => {
    expect(parseTimeZone(name, "--timezone")).toBe(name);
  });

  test.each(["", "Asia/Tokio", "+09:00", "JST-9", ":Asia/Tokyo"])("rejects %j and names the flag", (name) => {
    const failure = failureOf(() => parseTimeZone(name, "--end-timezone"));
    expect(failure.code).toBe("usage");
    expect(failure.message).toContain("--end-timezone");
  });
});

test("the day of an instant is that of its local time", () => {
  fc.assert(
    fc.property(anyInstant, anyZone, (instant, zone) => {
      expect(formatLocal(instant, zone).slice(0, 10)).toBe(localDate(instant, zone));
    }),
  );
});
