import { describe, expect, test } from "vitest";
import { parseRepeat } from "../../../src/time/recurrence/input.js";
import { readRule } from "../../../src/time/recurrence/rule.js";
import { describeRecurrences, describeRule } from "../../../src/time/recurrence/words.js";

describe("words, and what is read back", () => {
  test.each([
    ["daily", "FREQ=DAILY", "every day"],
    ["every 3 days", "FREQ=DAILY;INTERVAL=3", "every 3 days"],
    ["weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"],
    ["Every Weekday", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday"],
    ["weekly", "FREQ=WEEKLY", "every week"],
    ["weekly on mon", "FREQ=WEEKLY;BYDAY=MO", "every week on Monday"],
    ["every tuesday and thursday", "FREQ=WEEKLY;BYDAY=TU,TH", "every week on Tuesday and Thursday"],
    ["every mon, wed & fri", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "every week on Monday, Wednesday and Friday"],
    [
      "every week on mon, wed, and fri",
      "FREQ=WEEKLY;BYDAY=MO,WE,FR",
      "every week on Monday, Wednesday and Friday",
    ],
    [
      "every 2 weeks on mon,thu",
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH",
      "every 2 weeks on Monday and Thursday",
    ],
    ["every other week", "FREQ=WEEKLY;INTERVAL=2", "every 2 weeks"],
    ["every other mon and thu", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every 2 weeks on Monday and Thursday"],
    ["monthly", "FREQ=MONTHLY", "every month"],
    ["every month", "FREQ=MONTHLY", "every month"],
    ["every month on the first sat", "FREQ=MONTHLY;BYDAY=1SA", "every month on the first Saturday"],
    ["monthly on 1st mon", "FREQ=MONTHLY;BYDAY=1MO", "every month on the first Monday"],
    ["monthly on 1st", "FREQ=MONTHLY;BYMONTHDAY=1", "every month on the 1st"],
    ["monthly on the last fri", "FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday"],
    [
      "every 3 months on the 2nd monday",
      "FREQ=MONTHLY;INTERVAL=3;BYDAY=2MO",
      "every 3 months on the second Monday",
    ],
    ["monthly on the 15th", "FREQ=MONTHLY;BYMONTHDAY=15", "every month on the 15th"],
    ["monthly on the 22nd", "FREQ=MONTHLY;BYMONTHDAY=22", "every month on the 22nd"],
    ["monthly on the last day", "FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"],
    ["yearly", "FREQ=YEARLY", "every year"],
    [
      "rrule:freq=weekly;byday=mo;count=10",
      "FREQ=WEEKLY;BYDAY=MO;COUNT=10",
      "every week on Monday, 10 times",
    ],
    ["FREQ=DAILY;COUNT=1", "FREQ=DAILY;COUNT=1", "every day, once"],
    [
      "FREQ=DAILY;UNTIL=20270630T215959Z",
      "FREQ=DAILY;UNTIL=20270630T215959Z",
      "every day, until 30 Jun 2027",
    ],
    ["FREQ=DAILY;UNTIL=20270630", "FREQ=DAILY;UNTIL=20270630", "every day, until 30 Jun 2027"],
    ["FREQ=WEEKLY;WKST=SU;BYDAY=MO", "FREQ=WEEKLY;WKST=SU;BYDAY=MO", "every week on Monday"],
    [
      "FREQ=MONTHLY;BYDAY=1MO,3MO",
      "FREQ=MONTHLY;BYDAY=1MO,3MO",
      "every month on the first Monday and the third Monday",
    ],
  ])("%s", (text, rule, words) => {
    expect(parseRepeat(text, "--repeat")).toBe(rule);
    expect(describeRule(readRule(rule, "--repeat"), "Europe/Berlin")).toBe(words);
  });

  test.each([
    "FREQ=MONTHLY;BYDAY=FR",
    "FREQ=MONTHLY;BYDAY=-2FR",
    "FREQ=MONTHLY;BYMONTHDAY=-3",
    "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR",
    "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
    "FREQ=YEARLY;BYMONTHDAY=1",
    "FREQ=HOURLY;COUNT=3",
  ])("%s has no words", (rule) => {
    expect(describeRule(readRule(rule, "--repeat"), "UTC")).toBe(rule);
  });

  test("the day of the end is that of the zone", () => {
    const rule = readRule("FREQ=DAILY;UNTIL=20270630T215959Z", "--repeat");
    expect(describeRule(rule, "Asia/Tokyo")).toBe("every day, until 1 Jul 2027");
  });
});

describe("recurrences as a service may send them", () => {
  test.each<[string, readonly string[]]>([
    ["every week", ["RRULE:FREQ=WEEKLY"]],
    ["every day, 3 times, except 22 Nov 2026", ["RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20261121T230000Z"]],
    [
      "every day, except 2 Jan 2027 and 3 Jan 2027",
      ["EXDATE;VALUE=DATE:20270102,20270103", "RRULE:FREQ=DAILY"],
    ],
    [
      "every day, also on 2 Jan 2027, except 4 dates",
      [
        "RRULE:FREQ=DAILY",
        "RDATE:20270102T100000",
        "EXDATE:20270103T100000,20270104T100000",
        "EXDATE:20270105T100000,20270106T100000",
      ],
    ],
    ["FREQ=SECONDLY, X-OWN:1", ["RRULE:FREQ=SECONDLY", "X-OWN:1"]],
    ["every day, except never", ["RRULE:FREQ=DAILY", "EXDATE:never"]],
    ["", []],
  ])("%s", (words, lines) => {
    expect(describeRecurrences(lines, "Europe/Berlin")).toBe(words);
  });

  test("in a zone that nobody knows", () => {
    expect(describeRecurrences(["RRULE:FREQ=DAILY;UNTIL=20270630T215959Z"], "Mars/Base")).toBe(
      "every day, until 30 Jun 2027",
    );
  });
});

test.each([
  "every fortnight",
  "daily on mon",
  "weekly on the 15th",
  "monthly on mon",
  "yearly on the last fri",
  "weekly on mon foo",
  "every",
  "on mon",
  "monthly on the 6th fri",
  "every mon and then tue",
])("%s is not understood", (text) => {
  expect(() => parseRepeat(text, "--repeat")).toThrow(`--repeat: "${text}" is not understood`);
});

test.each([
  ["", "--repeat is empty"],
  ["every 0 weeks", "--repeat: INTERVAL=0 is not supported"],
  ["monthly on the 32nd", "--repeat: BYMONTHDAY=32 is not supported"],
  ["freq=secondly", "--repeat: FREQ=SECONDLY is not supported"],
])("%j is refused", (text, message) => {
  expect(() => parseRepeat(text, "--repeat")).toThrow(message);
});
