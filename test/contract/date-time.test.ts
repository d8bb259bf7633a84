import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatWireDateTime,
  isTimeZone,
  normalizeDateTime,
  parseLenientDateTime,
  parseWireDateTime,
} from "../../contract/date-time.js";

const FOUR_DIGIT_YEARS = {
  min: new Date("0000-01-01T00:00:00.000Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
};
const instants = fc.date({ ...FOUR_DIGIT_YEARS, noInvalidDate: true }).map((date) => date.getTime());

describe("an ISO 8601 date-time", () => {
  test.each([
    ["2026-11-21T15:00:00.000Z", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T15:00Z", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21 15:00:00", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21t15:00:00,5z", "2026-11-21T15:00:00.500Z"],
    ["2026-11-21T15:00:00.123456789012Z", "2026-11-21T15:00:00.123Z"],
    ["2026-11-21T15:00:00+09:00", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21T15:00:00-0330", "2026-11-21T18:30:00.000Z"],
    ["2026-11-21T15:00:00+09", "2026-11-21T06:00:00.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ])("%s is %s, in requests and responses", (text, expected) => {
    const time = parseWireDateTime(text);
    expect(time === null ? null : formatWireDateTime(time.instant)).toBe(expected);
    expect(parseLenientDateTime(text)).toEqual(time);
  });

  test("every instant with a four-digit year survives a round trip", () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const text = formatWireDateTime(instant);
        expect(parseWireDateTime(text)).toMatchObject({ instant, date: text.slice(0, 10) });
      }),
    );
  });

  test("the basic format has the same meaning as the extended one", () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const text = formatWireDateTime(instant);
        expect(parseLenientDateTime(text.replaceAll(/[-:]/g, ""))).toEqual(parseWireDateTime(text));
      }),
    );
  });
});

describe("the date and the clock time as written", () => {
  test.each([
    ["2026-11-21T00:00:00+09:00", { date: "2026-11-21", midnight: true }],
    ["2026-11-21T00:00:00.000Z", { date: "2026-11-21", midnight: true }],
    ["2026-11-21T00:00:00.0001Z", { date: "2026-11-21", midnight: false }],
    ["2026-11-21T09:00:00+09:00", { date: "2026-11-21", midnight: false }],
    ["20261121", { date: "2026-11-21", midnight: true }],
    ["2026-12-31T24:00:00+09:00", { date: "2027-01-01", midnight: true }],
  ])("%s", (text, expected) => {
    expect(parseLenientDateTime(text)).toMatchObject(expected);
  });
});

describe("valid in responses only", () => {
  test.each([
    ["2026-11-21", "2026-11-21T00:00:00.000Z"],
    ["20261121", "2026-11-21T00:00:00.000Z"],
    ["20261121T150000Z", "2026-11-21T15:00:00.000Z"],
    ["20261121T150000.25+0900", "2026-11-21T06:00:00.250Z"],
    ["20261121T1500", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T15Z", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T15+09:00", "2026-11-21T06:00:00.000Z"],
    ["2026-11-21T24:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["2026-11-21T24:00:00.000+09:00", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T24Z", "2026-11-22T00:00:00.000Z"],
  ])("%s is read as %s", (text, expected) => {
    const time = parseLenientDateTime(text);
    expect(time === null ? null : formatWireDateTime(time.instant)).toBe(expected);
    expect(parseWireDateTime(text)).toBeNull();
  });
});

describe("not a date-time", () => {
  test.each([
    [""],
    ["soon"],
    ["1795272000"],
    ["2026"],
    ["2026-11"],
    ["2026-1121"],
    ["202611-21"],
    ["2026-11-21Z"],
    ["2026-11-21T"],
    ["2026-11-21T15:00:00Zulu"],
    [" 2026-11-21T15:00:00Z"],
    ["2026-02-30"],
    ["2026-13-01T00:00:00Z"],
    ["2026-11-21T24:00:01Z"],
    ["2026-11-21T24:30Z"],
    ["2026-11-21T24:00:00.001Z"],
    ["2026-11-21T25:00:00Z"],
    ["2026-11-21T15:60:00Z"],
    ["2026-11-21T15:00:60Z"],
    ["2026-11-21T15:00:00+24:00"],
    ["2026-11-21T15:00:00+09:60"],
    ["2026-11-21T15:00:00+09:"],
    ["9999-12-31T24:00:00Z"],
    ["9999-12-31T24:00:00+09:00"],
    ["9999-12-31T23:00:00-09:00"],
    ["0000-01-01T00:00:00+09:00"],
  ])("%j", (text) => {
    expect(parseWireDateTime(text)).toBeNull();
    expect(parseLenientDateTime(text)).toBeNull();
  });

  test("no text makes the parsers throw", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseWireDateTime(text)?.instant ?? 0).not.toBeNaN();
        expect(parseLenientDateTime(text)?.instant ?? 0).not.toBeNaN();
      }),
    );
  });
});

describe("the name of a time zone", () => {
  test("is valid in upper and lower case, also the second time", () => {
    for (const name of [...Intl.supportedValuesOf("timeZone"), "UTC", "utc", "Asia/Kolkata", "Etc/GMT+12"]) {
      for (const spelled of [name, name.toUpperCase(), name.toLowerCase(), name]) {
        expect(isTimeZone(spelled), spelled).toBe(true);
      }
    }
  });

  test.each(["", "+09:00", "Asia/Atlantis", "Asia/To\u212ayo", "Asia/Tokyo ", "Asia/Tokyo\n"])(
    "is not %j",
    (name) => {
      expect(isTimeZone("Asia/Tokyo")).toBe(true);
      expect(isTimeZone(name)).toBe(false);
    },
  );
});

describe("a date-time in the contract's form", () => {
  test("is that of its instant, for every instant", () => {
    fc.assert(
      fc.property(instants, (instant) => {
        const text = formatWireDateTime(instant);
        expect(normalizeDateTime(text)).toBe(text);
        expect(parseWireDateTime(text)?.instant).toBe(instant);
      }),
    );
  });

  test.each([
    ["2026-11-21T15:00:00+09:00", "2026-11-21T06:00:00.000Z"],
    ["20261121T150000Z", "2026-11-21T15:00:00.000Z"],
    ["2026-11-21T24:00:00.000Z", "2026-11-22T00:00:00.000Z"],
    ["2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"],
    ["2026-02-29T00:00:00.000Z", null],
    ["2026-00-10T00:00:00.000Z", null],
    ["2026-04-31T00:00:00.000Z", null],
    ["2026-11-00T00:00:00.000Z", null],
    ["2026-11-21T15:60:00.000Z", null],
  ])("of %s is %j", (text, normalized) => {
    expect(normalizeDateTime(text)).toBe(normalized);
  });
});
