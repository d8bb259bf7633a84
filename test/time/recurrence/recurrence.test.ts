import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../contract/date-time.js";
import {
  checkRecurrence,
  expandRecurrence,
  openRecurrence,
} from "../../../src/time/recurrence/recurrence.js";
import { readRule } from "../../../src/time/recurrence/rule.js";
import { formatLocal } from "../../../src/time/zoned-time.js";
import { words } from "../../support/words.js";

const BERLIN = "Europe/Berlin";

function starts(
  lines: readonly string[],
  start: string,
  timezone: string | null = BERLIN,
  count = 5,
): readonly string[] {
  const found: string[] = [];
  for (const instant of expandRecurrence({ lines, start, timezone })) {
    found.push(
      timezone === null ? new Date(instant).toISOString().slice(0, 10) : formatLocal(instant, timezone),
    );
    if (found.length === count) break;
  }
  return found;
}

const MINUTES = Array.from({ length: 60 }, (_, minute) => minute).join(",");

describe("clock changes in Berlin", () => {
  test.each([
    [
      "the clock of the zone counts, whatever its offset",
      "RRULE:FREQ=WEEKLY;COUNT=3",
      words`2027-03-21T10:00:00+01:00 2027-03-28T10:00:00+02:00 2027-04-04T10:00:00+02:00`,
    ],
    [
      "a skipped start is read with the offset before it",
      "RRULE:FREQ=DAILY;COUNT=3",
      words`2027-03-27T02:30:00+01:00 2027-03-28T03:30:00+02:00 2027-03-29T02:30:00+02:00`,
    ],
    [
      "of a repeated start the earlier is meant",
      "RRULE:FREQ=DAILY;COUNT=2",
      words`2027-10-30T02:30:00+02:00 2027-10-31T02:30:00+02:00`,
    ],
  ])("%s", (_, rule, expected) => {
    expect(starts([rule], expected[0]?.slice(0, 19) ?? "")).toEqual(expected);
  });

  test("what is skipped and what the clock shows then are one start, in order", () => {
    const lines = ["RRULE:FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30;COUNT=5"];
    expect(starts(lines, "2027-03-28T02:00:00", BERLIN)).toEqual(
      words`2027-03-28T03:00:00+02:00 2027-03-28T03:30:00+02:00 2027-03-29T02:00:00+02:00`,
    );
  });
});

describe("days that some months do not have are left out", () => {
  test.each([
    ["RRULE:FREQ=MONTHLY", "2027-01-31", ["2027-01-31", "2027-03-31", "2027-05-31"]],
    ["RRULE:FREQ=YEARLY", "2028-02-29", ["2028-02-29", "2032-02-29", "2036-02-29"]],
    [
      "RRULE:FREQ=DAILY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=29",
      "2028-02-29",
      ["2028-02-29", "2056-02-29", "2084-02-29"],
    ],
  ])("%s", (rule, start, expected) => {
    expect(starts([rule], start, null, 3)).toEqual(expected);
  });
});

test.each([
  ["FREQ=YEARLY;INTERVAL=2", "2027-03-01", words`2027-03-01 2029-03-01 2031-03-01`],
  ["FREQ=MONTHLY;BYDAY=2TU,-1FR", "2027-01-01", words`2027-01-12 2027-01-29 2027-02-09`],
  ["FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2027-01-01", words`2027-11-25 2028-11-23 2029-11-22`],
  ["FREQ=YEARLY;BYDAY=20MO,-1FR", "2027-01-01", words`2027-05-17 2027-12-31 2028-05-15`],
  ["FREQ=YEARLY;BYDAY=MO;BYSETPOS=-1", "2027-01-01", words`2027-12-27 2028-12-25 2029-12-31`],
  ["FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1;BYDAY=MO", "2024-01-01", words`2024-01-01 2025-12-29 2028-01-03`],
  ["FREQ=YEARLY;INTERVAL=3;BYWEEKNO=53;BYDAY=MO", "2026-12-28", words`2026-12-28 2032-12-27 2065-12-28`],
])("%s counts days, weeks and years", (rule, start, expected) => {
  expect(starts([`RRULE:${rule}`], start, null, 3)).toEqual(expected);
});

describe("dates beside the rule", () => {
  test("an RDATE is a start more, an EXDATE is none", () => {
    const lines = ["RRULE:FREQ=WEEKLY;COUNT=3", "RDATE;VALUE=DATE:20270107", "EXDATE;VALUE=DATE:20270108"];
    expect(starts(lines, "2027-01-01", null)).toEqual(["2027-01-01", "2027-01-07", "2027-01-15"]);
  });

  test("they may be in UTC, in a zone of their own, or on the clock of the event", () => {
    const lines = [
      "RRULE:FREQ=DAILY;COUNT=4",
      "EXDATE:20270102T090000Z",
      "EXDATE;TZID=America/New_York:20270103T040000",
      "exdate:20270104T100000",
    ];
    expect(starts(lines, "2027-01-01T10:00:00")).toEqual(["2027-01-01T10:00:00+01:00"]);
  });

  test("without a rule the start is the first date", () => {
    expect(starts(["RDATE;VALUE=DATE:20270107,20270105"], "2027-01-01", null)).toEqual([
      "2027-01-01",
      "2027-01-05",
      "2027-01-07",
    ]);
  });

  test.each([
    ["20270103T090000Z", 3],
    ["20270103T085959Z", 2],
    ["20270103", 3],
    ["20270103T100000", 3],
  ])("UNTIL=%s includes its instant or its day", (until, count) => {
    expect(starts([`RRULE:FREQ=DAILY;UNTIL=${until}`], "2027-01-01T10:00:00")).toHaveLength(count);
  });
});

test.each([
  ["2027-01-01", "2426-01-01"],
  ["1900-01-01", "2299-01-01"],
  ["0001-01-01", "2299-01-01"],
  ["9990-01-01", "9999-01-01"],
])("a rule without an end that starts on %s ends on %s, where the calendar has repeated", (start, last) => {
  expect(starts(["RRULE:FREQ=YEARLY"], start, null, 9_999).at(-1)).toBe(last);
});

describe("whether a time is a start", () => {
  const has = (rule: string, time: string) =>
    openRecurrence({ lines: [`RRULE:${rule}`], start: "2027-01-01T10:00:00", timezone: BERLIN }).has(
      Date.parse(time),
    );
  test.each([
    ["FREQ=DAILY", "2426-01-01T09:00:00Z", true],
    ["FREQ=DAILY", "2426-01-01T08:59:59Z", false],
    ["FREQ=DAILY", "3026-01-01T09:00:00Z", false],
    ["FREQ=WEEKLY;COUNT=10000", "2218-08-21T08:00:00Z", true],
    ["FREQ=WEEKLY;COUNT=10000", "2218-08-28T08:00:00Z", false],
    ["FREQ=DAILY;UNTIL=20400101T000000Z", "2040-01-01T09:00:00Z", false],
    ["FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "2400-06-30T08:00:00Z", true],
    ["FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;BYSETPOS=-1", "2027-01-03T09:00:00Z", true],
    ["FREQ=DAILY;INTERVAL=9999;BYMONTH=2;BYMONTHDAY=30", "2400-02-01T09:00:00Z", false],
  ])("%s, %s: %s", (rule, time, expected) => {
    expect(has(rule, time)).toBe(expected);
  });
});

test.each([
  "FREQ=YEARLY;BYWEEKNO=1,2,52,53;BYDAY=MO,TH,SU;BYSETPOS=1,-1",
  "FREQ=YEARLY;WKST=SU;BYWEEKNO=1,53;BYDAY=MO,SA;BYSETPOS=2",
  "FREQ=MONTHLY;INTERVAL=5;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
  "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,SU;BYSETPOS=1",
])("%s has its starts, and no other days, in whatever order they are asked for", (rule) => {
  const open = () =>
    openRecurrence({ lines: [`RRULE:${rule}`], start: "2024-01-01T10:00:00", timezone: "UTC" });
  const [from, to] = [Date.UTC(2024, 0, 1, 10), Date.UTC(2036, 0, 1, 10)];
  const expected = new Set(open().between(from, to));
  expect(expected.size).toBeGreaterThan(10);
  const { has } = open();
  // 4,383 days; 1,999 is prime, so that neighbors are far apart.
  const days = Array.from({ length: 4_383 }, (_, index) => from + ((index * 1_999) % 4_383) * DAY_MS);
  expect(days.filter(has).sort()).toEqual([...expected].sort());
});

test("a week of the year without weekdays is the weekday of the start, in each year", () => {
  expect(starts(["RRULE:FREQ=YEARLY;BYWEEKNO=20"], "2027-05-19", null, 4)).toEqual(
    words`2027-05-19 2028-05-17 2029-05-16 2030-05-15`,
  );
});

test("a start that the rule does not give is none", () => {
  expect(starts(["RRULE:FREQ=WEEKLY;BYDAY=MO"], "2027-01-01", null, 1)).toEqual(["2027-01-04"]);
});

describe("what is refused says what would be right", () => {
  const dates = Array.from({ length: 501 }, (_, day) => new Date(Date.UTC(2027, 0, 1 + day)));
  const many = dates.map((date) => date.toISOString().slice(0, 10).replaceAll("-", ""));
  test.each([
    ["RRULE:FREQ=SECONDLY", "FREQ=SECONDLY is not supported"],
    ["RRULE:FREQ=HOURLY", "FREQ=HOURLY is not supported"],
    ["RRULE:FREQ=MINUTELY;INTERVAL=90", "FREQ=MINUTELY is not supported"],
    ["RRULE:FREQ=DAILY;BYHOUR=9", "BYHOUR is not supported"],
    ["RRULE:FREQ=DAILY;BYMINUTE=0", "BYMINUTE is not supported"],
    ["RRULE:FREQ=DAILY;BYSECOND=0", "BYSECOND is not supported"],
    ["RRULE:FREQ=WEEKLY|RRULE:FREQ=DAILY", "there are several RRULEs"],
    ["EXDATE;VALUE=DATE:20270101", "there is no RRULE"],
    ["RRULE:INTERVAL=2", "the rule has no FREQ"],
    ["RRULE:FREQ=DAILY;FREQ=DAILY", "FREQ is given twice"],
    ["RRULE:FREQ=DAILY;EVERY=2", '"EVERY=2" is not a part of a rule'],
    ["RRULE:weekly on mon", '"WEEKLY ON MON" is not a part of a rule'],
    ["RRULE:FREQ=DAILY;INTERVAL=0", "INTERVAL=0 is not supported"],
    ["RRULE:FREQ=DAILY;INTERVAL=1,2", "INTERVAL=1,2 is not supported"],
    ["RRULE:FREQ=DAILY;BYHOUR=24", "BYHOUR=24 is not supported"],
    ["RRULE:FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY=0 is not supported"],
    ["RRULE:FREQ=DAILY;COUNT=10001", "COUNT=10001 is not supported"],
    ["RRULE:FREQ=DAILY;COUNT=2;UNTIL=20280101", "COUNT and UNTIL are both given"],
    ["RRULE:FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY has no meaning with FREQ=WEEKLY"],
    ["RRULE:FREQ=MONTHLY;BYYEARDAY=1", "BYYEARDAY has no meaning with FREQ=MONTHLY"],
    ["RRULE:FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO has no meaning with FREQ=MONTHLY"],
    ["RRULE:FREQ=WEEKLY;BYDAY=-1FR", "BYDAY=-1FR has no meaning with FREQ=WEEKLY"],
    ["RRULE:FREQ=YEARLY;BYWEEKNO=1;BYDAY=1FR", "BYDAY=1FR has no meaning with BYWEEKNO"],
    ["RRULE:FREQ=YEARLY;BYYEARDAY=1;BYDAY=FR", "BYYEARDAY and BYDAY are not supported together"],
    ["RRULE:FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS is given alone"],
    [`RRULE:FREQ=DAILY;BYHOUR=9,10;BYMINUTE=${MINUTES}`, "the rule names 120 times of a day"],
    ["RRULE:FREQ=DAILY;BYHOUR=9,10;BYSETPOS=3", "BYSETPOS=3 selects nothing"],
    ["RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,32", "BYSETPOS=32 selects nothing"],
    ["RRULE:FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=-3", "BYSETPOS=-3 selects nothing"],
    ["RRULE:FREQ=DAILY|EXDATE:20271301", '"20271301" is not a date or time'],
    ["RRULE:FREQ=DAILY;UNTIL=20270105T100000Z", "UNTIL=20270105T100000Z is a time, but the start is a date"],
    ["RRULE:FREQ=DAILY|EXDATE:20270102T100000Z", "20270102T100000Z is a time, but the start is a date"],
    ["RRULE:FREQ=DAILY|EXDATE;TZID=Nowhere/City:20270102", "Nowhere/City is not a timezone"],
    ["RRULE:FREQ=DAILY|EXRULE:FREQ=DAILY", '"EXRULE:FREQ=DAILY" is not read'],
    ["RRULE:FREQ=WEEKLY|EXDATE;VALUE=DATE:20270102", "the exception 2027-01-02 is not a date of the rule"],
    [`RRULE:FREQ=DAILY|EXDATE;VALUE=DATE:${many.join(",")}`, "there are more than 500 exceptions"],
    ["RRULE:unread|RRULE:FREQ=DAILY", "there are several RRULEs"],
    ["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "the rule gives no date"],
    ["RRULE:FREQ=DAILY;UNTIL=20261231", "the rule gives no date"],
    ["RRULE:FREQ=DAILY;COUNT=1|EXDATE;VALUE=DATE:20270101", "the rule gives no date"],
  ])("%s", (lines, message) => {
    const check = () =>
      checkRecurrence({ lines: lines.split("|"), start: "2027-01-01", timezone: null }, "recurrences");
    expect(check).toThrow(expect.objectContaining({ code: "usage", message: `recurrences: ${message}` }));
    expect(check).toThrow(expect.objectContaining({ hint: expect.stringMatching(/\w/) }));
  });

  test.each([
    ["EXDATE of a line", ["RRULE:FREQ=DAILY", `EXDATE:unread,${many.join(",")}`], "more than 500 exceptions"],
    [
      "RDATE of several",
      ["RRULE:FREQ=DAILY", ...Array(501).fill("RDATE:unread")],
      "more than 500 exceptions",
    ],
    ["values of a part", [`RRULE:FREQ=YEARLY;BYDAY=${Array(1_001).fill("MO").join(",")}`], "1001 values"],
  ])("too many %s are counted before they are read", (_, lines, message) => {
    const recurrence = { lines, start: "2027-01-01", timezone: null };
    expect(() => checkRecurrence(recurrence, "--repeat")).toThrow(message);
  });

  test.each(["0001-01-01", "1899-12-31", "2200-01-01"])("a start on %s", (start) => {
    const lines = ["RRULE:FREQ=DAILY;COUNT=2"];
    const check = () => checkRecurrence({ lines, start, timezone: null }, "--repeat");
    expect(check).toThrow(`--repeat: the series would start in ${Number(start.slice(0, 4))}`);
  });

  test.each([
    ["RRULE:FREQ=DAILY;UNTIL=20270105", "UNTIL=20270105 is not a time in UTC"],
    ["RRULE:FREQ=DAILY;UNTIL=20270105T100000", "UNTIL=20270105T100000 is not a time in UTC"],
    ["RRULE:FREQ=DAILY|RDATE;VALUE=DATE:20270102", "20270102 is a date, but the start is a time"],
    [
      "RRULE:FREQ=DAILY|EXDATE:20270102T100000Z",
      "the exception 2027-01-02T10:00:00Z is not a date of the rule",
    ],
    [
      "RRULE:FREQ=DAILY|RDATE:20270101T085959Z",
      "RDATE 2027-01-01T08:59:59Z is before the first date of the rule",
    ],
    [
      "RRULE:FREQ=WEEKLY;BYDAY=MO|RDATE:20270102T090000Z",
      "RDATE 2027-01-02T09:00:00Z is before the first date of the rule",
    ],
  ])("%s with a time", (lines, message) => {
    const recurrence = { lines: lines.split("|"), start: "2027-01-01T10:00:00", timezone: BERLIN };
    expect(() => checkRecurrence(recurrence, "--repeat")).toThrow(`--repeat: ${message}`);
  });

  test("what is right passes", () => {
    const lines = [
      "rrule:freq=weekly;byday=mo,th;until=20280101t000000z",
      "EXDATE;TZID=Europe/Berlin:20270107T100000",
    ];
    checkRecurrence({ lines, start: "2027-01-01T10:00:00", timezone: BERLIN }, "recurrences");
  });
});

test("a number of a part counts once, however it is written", () => {
  const rule = readRule("FREQ=YEARLY;BYYEARDAY=1,01,+1,-1,-01,10", "--repeat");
  expect(rule.BYYEARDAY).toBe("1,-1,10");
});
