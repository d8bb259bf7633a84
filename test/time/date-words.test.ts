import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DateWordOptions, parseDateWords } from "../../src/time/date-words.js";
import { parseDateInput } from "../../src/time/dates.js";
import { addDays, localDate, wallClockAt } from "../../src/time/zoned-time.js";
import { anyInstant, anyZone, failureOf } from "../events/fixtures.js";
import { unicodeText } from "../support/any-text.js";
import { numberOfRuns } from "../support/shared.js";

/** docs/dates.md has the readings; here are the limits of the grammar, and what holds for every text. */

/** A Saturday, 15:30:20 in Berlin. */
const NOW = Date.parse("2026-11-21T14:30:20.500Z");
const BERLIN = { source: "--start", zone: "Europe/Berlin", now: NOW, from: null };

function at(local: string): DateWordOptions {
  const input = parseDateInput(local, BERLIN);
  return { ...BERLIN, now: input.kind === "date-time" ? input.instant : Number.NaN };
}

describe("parseDateWords", () => {
  test.each([
    ["  TOMORROW,  3PM ", "Sun 2026-11-22 15:00 Europe/Berlin"],
    ["12am", "Sat 2026-11-21 00:00 Europe/Berlin"],
    ["12:30pm", "Sat 2026-11-21 12:30 Europe/Berlin"],
    ["sat 15:30", "Sat 2026-11-28 15:30 Europe/Berlin"],
    ["sat 15:31", "Sat 2026-11-21 15:31 Europe/Berlin"],
    ["nov 20", "Sat 2027-11-20"],
    ["nov 21", "Sat 2026-11-21"],
    ["last saturday", "Sat 2026-11-14"],
    ["in an hour and 5 minutes", "Sat 2026-11-21 16:35 Europe/Berlin"],
    ["+1d2h", "Sun 2026-11-22 17:30 Europe/Berlin"],
    ["+0.25h", "Sat 2026-11-21 15:45 Europe/Berlin"],
    ["on 1 sept. 2027", "Wed 2027-09-01"],
    ["at 10", "Sat 2026-11-21 10:00 Europe/Berlin"],
    ["tonight at 8", "Sat 2026-11-21 20:00 Europe/Berlin"],
    ["at 9 in the morning, tomorrow", "Sun 2026-11-22 09:00 Europe/Berlin"],
    ["on the 24th of dec", "Thu 2026-12-24"],
    ["tonight at 9:30", "Sat 2026-11-21 21:30 Europe/Berlin"],
    ["tomorrow evening at half past 7", "Sun 2026-11-22 19:30 Europe/Berlin"],
    ["14.30", "Sat 2026-11-21 14:30 Europe/Berlin"],
    ["tomorrow 8.05am", "Sun 2026-11-22 08:05 Europe/Berlin"],
    ["midday", "Sat 2026-11-21 12:00 Europe/Berlin"],
    ["coming friday", "Fri 2026-11-27"],
    ["next week wed 9:30", "Wed 2026-11-25 09:30 Europe/Berlin"],
    ["monday this week", "Mon 2026-11-16"],
    ["31 oct 2027 02:30+01:00", "Sun 2027-10-31 02:30+01:00 Europe/Berlin"],
    ["tomorrow 15:00z", "Sun 2026-11-22 16:00 Europe/Berlin"],
    ["tomorrow 15:00:00", "Sun 2026-11-22 15:00 Europe/Berlin"],
    ["in half an hour", "Sat 2026-11-21 16:00 Europe/Berlin"],
  ])("reads %j as %s", (text, description) => {
    expect(parseDateWords(text, BERLIN).description).toBe(description);
  });

  test.each([
    ["", "--start is empty"],
    ["soon", '"soon" is not a valid date or time'],
    ["tomorrow 3pm foo", '"foo" in "tomorrow 3pm foo" is not understood'],
    ["foo tomorrow, 3pm", '"foo" in "foo tomorrow, 3pm" is not understood'],
    ["tomorrow 15", '"15" in "tomorrow 15" is not understood'],
    ["tomorrow 3pm-4pm", '"3pm-4pm" in "tomorrow 3pm-4pm" is not understood'],
    ["tomorrow 3pm CET", '"CET" in "tomorrow 3pm CET" is not understood'],
    ["monday next month", '"month" in "monday next month" is not understood'],
    ["on monday next month", '"month" in "on monday next month" is not understood'],
    ["next month", '"month" in "next month" is not understood'],
    ["friday at 11x", '"11x" in "friday at 11x" is not understood'],
    ["in thirteen weeks", '"thirteen" in "in thirteen weeks" is not understood'],
    ["at thirteen", '"thirteen" in "at thirteen" is not understood'],
    ["fri 25", '"25" in "fri 25" is not understood'],
    ["next week", '"next week" is several days, 2026-11-23 to 2026-11-29'],
    ["this weekend 9:00", '"this weekend 9:00" is several days, 2026-11-21 to 2026-11-22'],
    ["sat this weekend", '"sat this weekend" names more than one day'],
    ["next week fri sun", '"next week fri sun" names more than one day'],
    ["at 8", '"at 8" may be 8:00 or 20:00'],
    ["tomorrow at 3", '"tomorrow at 3" may be 3:00 or 15:00'],
    ["tonight 12:30", '"tonight 12:30": the time is not in that part of the day'],
    ["half past 3", '"half past 3" may be 3:30 or 15:30'],
    ["12.11", '"12.11" is not a valid date or time'],
    ["at 25", "the time 25:00 does not exist"],
    ["tonight", '"tonight" names a part of a day'],
    ["tomorrow morning", '"tomorrow morning" names a part of a day'],
    ["tonight 8am", '"tonight 8am": the time is not in that part of the day'],
    ["fri morning 15:00", '"fri morning 15:00": the time is not in that part of the day'],
    ["at 11 12:00", '"at 11 12:00" names more than one time'],
    ["tonight +2h", '"tonight +2h" names more than one time'],
    ["fri 11", '"fri 11" may be 11:00 on that day or day 11 of a month'],
    ["tomorrow at", '"at" in "tomorrow at" is not understood'],
    ["nov 21 1500", '"1500" in "nov 21 1500" is not understood'],
    ["tomorrowfoo", '"tomorrowfoo" is not a valid date or time'],
    ["+2", '"+2" is not a valid date or time'],
    ["+1mo", '"+1mo" is not a valid date or time'],
    ["+0h", '"+0h" is not a valid date or time'],
    ["+1.5d", '"+1.5d" is not a valid date or time'],
    ["1h 30m", '"1h 30m" is a duration'],
    ["fri sun", '"fri sun" names more than one day'],
    ["tomorrow next friday", '"tomorrow next friday" names more than one day'],
    ["3pm 4pm", '"3pm 4pm" names more than one time'],
    ["+2h tomorrow", '"+2h tomorrow" names more than one time'],
    ["tomorrow +2h", '"tomorrow +2h" names more than one time'],
    ["now 3pm", '"now 3pm" names more than one time'],
    ["tomorrow 25:00", "the time 25:00 does not exist"],
    ["fri 24:00", "the time 24:00 does not exist"],
    ["12:60", "the time 12:60 does not exist"],
    ["13pm", "the time 13pm does not exist"],
    ["0:30am", "the time 0:30am does not exist"],
    ["31 feb", "the date 2027-02-31 does not exist"],
    ["feb 29", "the date 2027-02-29 does not exist"],
    ["0 nov 2026", "the date 2026-11-00 does not exist"],
    ["2026-02-30 3pm", "the date 2026-02-30 does not exist"],
    ["fri 13 nov", "2027-11-13 is a Saturday, not a Friday"],
    ["03/04/2026", '"03/04/2026" may be either of two dates: write 2026-03-04 or 2026-04-03'],
    ["4-4-2026", '"4-4-2026" is not a valid date: write 2026-04-04'],
    ["21.11.2026 15:00", '"21.11.2026" is not a valid date: write 2026-11-21'],
    ["2026/11/21", '"2026/11/21" is not a valid date: write 2026-11-21'],
    ["3/4", '"3/4" may be either of two dates: write 3 apr or 4 mar'],
    ["24.12.", '"24.12." is not a valid date: write 24 dec'],
    ["45/3", '"45/3" is not a valid date: write YYYY-MM-DD or 24 dec'],
    [
      "fri midnight",
      '"fri midnight" may be the beginning or the end of the day: write 2026-11-27T00:00 or 2026-11-28T00:00',
    ],
    [
      "28 mar 2:30",
      "2027-03-28T02:30 is skipped in Europe/Berlin: write 2027-03-28T02:30+01:00 or 2027-03-28T02:30+02:00",
    ],
    [
      "31 oct 2027 2:30",
      "2027-10-31T02:30 occurs twice in Europe/Berlin: write 2027-10-31T02:30+02:00 or 2027-10-31T02:30+01:00",
    ],
  ])("rejects %j: %s", (text, message) => {
    const failure = failureOf(() => parseDateWords(text, BERLIN));
    expect(failure.code).toBe("usage");
    expect(failure.message).toBe(text === "" ? message : `--start: ${message}`);
  });

  test.each([
    ["2026-11-25T12:00", "this week", "Wed 2026-11-25 to Sun 2026-11-29"],
    ["2026-11-25T12:00", "this weekend", "Sat 2026-11-28 to Sun 2026-11-29"],
    ["2026-11-25T12:00", "last weekend", "Sat 2026-11-21 to Sun 2026-11-22"],
    ["2026-11-22T12:00", "this weekend", "Sun 2026-11-22"],
    ["2026-11-22T12:00", "next week", "Mon 2026-11-23 to Sun 2026-11-29"],
    ["2026-11-23T12:00", "last week", "Mon 2026-11-16 to Sun 2026-11-22"],
    ["2026-12-30T12:00", "next week", "Mon 2027-01-04 to Sun 2027-01-10"],
  ])("of several days, at %s %j is %s", (now, text, description) => {
    expect(parseDateWords(text, { ...at(now), edge: "first" }).description).toBe(description);
    const { input } = parseDateWords(text, { ...at(now), edge: "last" });
    expect(input).toMatchObject({ kind: "date", date: description.slice(-10) });
  });

  test.each([
    ["2026-11-26T12:00", "next fri", "Fri 2026-11-27"],
    ["2026-11-27T12:00", "next fri", "Fri 2026-12-04"],
    ["2026-11-26T12:00", "next weekend", "Sat 2026-11-28 to Sun 2026-11-29"],
    ["2026-11-28T12:00", "next weekend", "Sat 2026-12-05 to Sun 2026-12-06"],
    ["2026-11-29T12:00", "next weekend", "Sat 2026-12-05 to Sun 2026-12-06"],
    ["2026-11-26T12:00", "next week", "Mon 2026-11-30 to Sun 2026-12-06"],
  ])("next is the first that begins after today: at %s %j is %s", (now, text, description) => {
    expect(parseDateWords(text, { ...at(now), edge: "first" }).description).toBe(description);
  });

  test.each([
    ["tomorrow 1:00", "Sun 2026-10-25 01:00 Europe/Berlin"],
    ["+12h", "Sun 2026-10-25 02:30+02:00 Europe/Berlin"],
    ["+13h", "Sun 2026-10-25 02:30+01:00 Europe/Berlin"],
    ["+14h", "Sun 2026-10-25 03:30 Europe/Berlin"],
    ["+1d 14:30", "Sun 2026-10-25 14:30 Europe/Berlin"],
    ["+24h", "Sun 2026-10-25 13:30 Europe/Berlin"],
  ])("on the eve of a clock change %j is %s", (text, description) => {
    expect(parseDateWords(text, at("2026-10-24T14:30")).description).toBe(description);
  });

  test("the day is that of the zone", () => {
    const today = (zone: string) => parseDateWords("today", { ...BERLIN, zone }).description;
    expect([today("Pacific/Kiritimati"), today("Pacific/Pago_Pago")]).toEqual([
      "Sun 2026-11-22",
      "Sat 2026-11-21",
    ]);
  });

  test.each([
    ["16:00", "2028-03-03T16:00"],
    ["midnight", "2028-03-04T00:00"],
    ["fri 9:00", "2028-03-03T09:00"],
    ["sun 9:00", "2028-03-05T09:00"],
    ["next fri 9:00", "2028-03-10T09:00"],
    ["5 mar 9:00", "2028-03-05T09:00"],
    ["2 mar 9:00", "2029-03-02T09:00"],
    ["today 16:00", "2026-11-21T16:00"],
    ["tomorrow 16:00", "2026-11-22T16:00"],
    ["+2d 16:00", "2026-11-23T16:00"],
  ])("counted from Friday, 2028-03-03, %j is %s", (text, local) => {
    const { input } = parseDateWords(text, { ...BERLIN, from: "2028-03-03" });
    expect(input).toEqual({ ...parseDateInput(local, BERLIN), text });
  });
});

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Years 1970 to 2100. */
const anyDay = fc
  .date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("2100-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const anyMinute = fc.nat({ max: 1439 });
const anyChoice = fc.nat();

function pick<T>(choices: readonly [T, ...T[]], choice: number): T {
  return choices[choice % choices.length] ?? choices[0];
}

function clockIn(minute: number, choice: number): string {
  const [hour, rest] = [Math.floor(minute / 60), String(minute % 60).padStart(2, "0")];
  const half = `${((hour + 11) % 12) + 1}:${rest}${hour < 12 ? "am" : " PM"}`;
  return pick([`${hour}:${rest}`, `at ${String(hour).padStart(2, "0")}:${rest}`, half], choice);
}

function dayIn(date: string, choice: number): string {
  const [year = "", month = "", day = ""] = date.split("-");
  const name = MONTHS[Number(month) - 1] ?? "";
  const weekday = WEEKDAYS[new Date(date).getUTCDay()] ?? "";
  const [short, number] = [name.slice(0, 3).toLowerCase(), Number(day)];
  const forms = [
    `${number} ${short} ${year}`,
    `${name} ${number}, ${year}`,
    `${weekday}, ${number}th of ${name} ${year}`,
  ] as const;
  return pick([...forms, `${weekday.slice(0, 3)} ${date}`, date], choice);
}

/** What words and ISO 8601 say, errors included. */
function outcome(read: () => { readonly kind: string; readonly instant?: number; readonly date?: string }) {
  try {
    const { kind, instant, date } = read();
    return { kind, instant, date };
  } catch (error) {
    expect(error).toMatchObject({ name: "CliError", code: "usage" });
    return { message: (error as Error).message };
  }
}

function expectSame(text: string, local: string, options: DateWordOptions): void {
  expect(
    outcome(() => parseDateWords(text, options).input),
    text,
  ).toEqual(outcome(() => parseDateInput(local, options)));
}

describe("in every zone and year", () => {
  test("a date and time in words is the same as in ISO 8601", () => {
    fc.assert(
      fc.property(anyDay, anyMinute, anyZone, anyChoice, anyInstant, (date, minute, zone, choice, now) => {
        const clock = new Date(minute * 60_000).toISOString().slice(11, 16);
        const parts = [dayIn(date, choice), clockIn(minute, choice)];
        const text = (choice % 2 === 0 ? parts : parts.reverse()).join(" ");
        expectSame(text, `${date}T${clock}`, { ...BERLIN, zone, now });
        expectSame(dayIn(`${date}`, choice % 4), date, { ...BERLIN, zone, now });
      }),
      { numRuns: numberOfRuns(50) },
    );
  });

  test("a day relative to now is the same as in ISO 8601", () => {
    fc.assert(
      fc.property(anyInstant, anyMinute, anyZone, anyChoice, (now, minute, zone, choice) => {
        const options = { ...BERLIN, zone, now };
        const today = localDate(now, zone);
        const clock = new Date(minute * 60_000).toISOString().slice(11, 16);
        const isOver = minute * 60_000 < wallClockAt(now, zone) % 86_400_000;
        const weekday = (days: number) => WEEKDAYS[new Date(addDays(today, days)).getUTCDay()] ?? "";
        const ahead = choice % 7;
        for (const [text, days] of [
          [clock, 0],
          [`today ${clock}`, 0],
          [`tomorrow ${clockIn(minute, choice)}`, 1],
          [`${clock} yesterday`, -1],
          [`in ${ahead + 1} days at ${clock}`, ahead + 1],
          [`+${ahead + 1}w ${clock}`, 7 * ahead + 7],
          [`${weekday(ahead)} ${clock}`, ahead === 0 && isOver ? 7 : ahead],
          [`next ${weekday(ahead)} ${clock}`, ahead === 0 ? 7 : ahead],
          [`last ${weekday(ahead)} ${clock}`, ahead - 7],
        ] as const) {
          expectSame(text, `${addDays(today, days)}T${clock}`, options);
        }
      }),
      { numRuns: numberOfRuns(25) },
    );
  });

  test("time from now is time that passes, from the beginning of this minute", () => {
    fc.assert(
      fc.property(anyInstant, fc.integer({ min: 1, max: 99_999 }), anyZone, (now, minutes, zone) => {
        const { input } = parseDateWords(`+${minutes}m`, { ...BERLIN, zone, now });
        expect(input).toMatchObject({ instant: Math.floor(now / 60_000) * 60_000 + minutes * 60_000 });
      }),
    );
  });

  const anyWords = fc
    .array(
      fc.constantFrom(
        ...[
          "now",
          "today",
          "tomorrow",
          "yesterday",
          "fri",
          "next sun",
          "last mon",
          "12:00",
          "3pm",
          "2:30",
          "noon",
        ],
        ...[
          "midnight",
          "+2h",
          "in 3 days",
          "+1d 2h",
          "+90m",
          "29 feb",
          "next week",
          "this weekend",
          "at 11",
          "at 8",
          "tonight",
          "in two weeks",
          "day after tomorrow",
          "fri evening",
          "28 mar",
          "oct 25 2026",
          "2026-03-29",
          "at",
          ",",
        ],
        ...[
          "03/04/2026",
          "31.12.",
          "in a week",
          "9999-12-31",
          "0000-01-01",
          "+99999w",
          "+99999h",
          "1.5h",
          "of",
          "2100",
        ],
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map((words) => words.join(" "));

  test("what is echoed is the same in ISO 8601, and only usage errors are thrown", () => {
    const anyText = fc.oneof(
      { weight: 4, arbitrary: anyWords },
      fc.string(),
      unicodeText(),
      fc.tuple(anyWords, fc.string({ maxLength: 3 })).map((parts) => parts.join("")),
    );
    const anyFrom = fc.option(fc.oneof(anyDay, fc.constantFrom("9999-12-31", "0000-01-01")));
    let read = 0;
    fc.assert(
      fc.property(anyText, anyInstant, anyZone, anyFrom, (text, now, zone, from) => {
        const options = { ...BERLIN, zone, now, from };
        outcome(() => {
          const { input, description } = parseDateWords(text, options);
          const iso = description.replace(` ${zone}`, "").slice("Sat ".length);
          const again = parseDateInput(iso, options);
          // In the offsets of long ago, which have seconds, an echo by the minute is not exact.
          const isRounded = again.kind === "date-time" && again.instant % 60_000 !== 0;
          if (isRounded && input.kind === "date-time")
            expect(Math.abs(again.instant - input.instant)).toBeLessThan(60_000);
          else expect(again).toEqual({ ...input, text: iso });
          read += 1;
          return input;
        });
      }),
      { numRuns: numberOfRuns(150) },
    );
    expect(read).toBeGreaterThan(3);
  });
});
