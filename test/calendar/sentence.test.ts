import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AmbiguousTextError } from "../../src/calendar/dates.js";
import { parseRepeat } from "../../src/calendar/recurrence-input.js";
import { readSentence, type SentenceReading } from "../../src/calendar/sentence.js";
import { readingsOf, type SentenceMoment } from "../../src/calendar/sentence-doubts.js";
import { CliError } from "../../src/errors.js";
import { NOW } from "../support/harness.js";
import { anyInstant, anyZone } from "./fixtures.js";

/** What `calctl add` makes of a sentence: the table, and what holds for every text. */

const BERLIN = { zone: "Europe/Berlin", now: NOW };
const TABLE = readFileSync(new URL("sentences.txt", import.meta.url), "utf8");
const ROWS = [...TABLE.matchAll(/^(.*?) +=> (.*)$/gm)].map(
  ([, text = "", reading = ""]) => [text, reading] as const,
);

/** `Lunch | 2026-11-22 12:00 - 13:00 | at Noodle bar | #visits`. */
function describeReading({
  title,
  start,
  end,
  duration,
  location,
  label,
  allDay,
  repeat,
  until: lastDay,
  count,
}: SentenceReading): string {
  expect(allDay ?? false).toBe(!start.includes("T"));
  const [from, to] = [start, end].map((text) => text?.replace("T", " "));
  const until = to?.startsWith(start.slice(0, 10)) ? to.slice(11) : to;
  const when = [
    from,
    ...(until === undefined ? [] : ["-", until]),
    ...(duration === undefined ? [] : ["for", duration]),
  ];
  const series = [repeat, lastDay && `until ${lastDay}`, count && `${count} times`];
  return [title, when.join(" "), ...series, location && `at ${location}`, label && `#${label}`]
    .filter(Boolean)
    .join(" | ");
}

function outcome(text: string, options: SentenceMoment = BERLIN): SentenceReading | string {
  try {
    return readSentence(text, options);
  } catch (error) {
    if (error instanceof CliError && error.code === "usage")
      return `! ${error.message.replace(/^the text:? /, "")}`;
    throw error;
  }
}

test("the table has more than 300 sentences, each once", () => {
  expect(new Set(ROWS.map(([text]) => text)).size).toBe(ROWS.length);
  expect(ROWS.length).toBeGreaterThan(300);
});

test("a text that is longer than any sentence is refused at once", () => {
  expect(outcome("\u{1f600}".repeat(1_001))).toBe("! is 1001 characters long, at most 1000 are allowed");
});

test.each(ROWS)("%s", (text, expected) => {
  const reading = outcome(text);
  // What create refuses was no reading.
  if (typeof reading !== "string" && reading.repeat) parseRepeat(reading.repeat, "the text");
  expect(typeof reading === "string" ? reading : describeReading(reading)).toBe(expected);
});

/** The same event with its times in ISO 8601, and its texts in quotes. */
function written({
  title,
  start,
  end: last,
  duration,
  location,
  label,
  repeat = "",
  until,
  count,
}: SentenceReading): string {
  // Beside days of a rule there is no other day.
  const isOnDays =
    /\bon\b|weekday|(?:of )?(?:every|each) month$|^every (?:other )?(?:mon(?!th)|tue|wed|thu|fri|sat|sun)/i.test(
      repeat,
    ) && !/^every month$/i.test(repeat);
  const [from, to] = [start, last].map((text) => text?.replace(/(:\d\d):00(?=[+-])/, "$1"));
  const length = duration && `for ${duration}${/ days?$/.test(duration) && repeat !== "" ? " each" : ""}`;
  const clockOf = (text: string | undefined) => text?.slice("YYYY-MM-DDT".length);
  const end = repeat === "" ? to : clockOf(to);
  const times = [isOnDays ? clockOf(from) : from, end && `- ${end}`, length, repeat];
  const ends = [until && `until ${until}`, count && `${count} times`];
  return [`"${title}"`, ...times, ...ends, location && `at "${location}"`, label && `#"${label}"`]
    .filter(Boolean)
    .join(" ");
}

test.each(ROWS.filter(([, reading]) => !reading.startsWith("!")))(
  "%s: its reading in ISO 8601 is the same",
  (text) => {
    const reading = readSentence(text, BERLIN);
    expect(readSentence(written(reading), BERLIN)).toEqual(reading);
  },
);

/** What each text that is offered for an ambiguous one is read as. */
function choicesOf(text: string): readonly string[] {
  try {
    return [describeReading(readSentence(text, BERLIN))];
  } catch (error) {
    if (error instanceof AmbiguousTextError) return readingsOf(text, error);
    throw error;
  }
}

test.each([
  ["Lunch fri 11", ["Lunch fri 11:00", "Lunch fri 11 dec", 'Lunch fri "11"']],
  ["Lunch mon 10", ["Lunch mon 10:00", "Lunch mon 10 may 2027", 'Lunch mon "10"']],
  ["Lunch fri, 11", ["Lunch fri 11:00", "Lunch fri 11 dec", 'Lunch fri "11"']],
  ["Lunch fri 3", ["Lunch fri at 3", "Lunch fri 3 sep 2027", 'Lunch fri "3"']],
  ["Lunch fri 30", ["Lunch fri 30 apr 2027", 'Lunch fri "30"']],
  ["Lunch 12 tomorrow", ["Lunch at 12 tomorrow", 'Lunch "12" tomorrow']],
  ["Lunch tomorrow 1500", ["Lunch tomorrow 15:00", 'Lunch tomorrow "1500"']],
  ["Lunch 3/12 12:00", ["Lunch 3 dec 12:00", "Lunch 12 mar 12:00", 'Lunch "3/12" 12:00']],
  [
    "Haircut at 8 with Ana fri",
    ["8 in the morning", "8 in the evening"].map((at) => `Haircut at ${at} with Ana fri`),
  ],
  [
    "Dinner at Eleven Madison Park fri",
    ["Dinner at 11:00 Madison Park fri", 'Dinner "at Eleven" Madison Park fri'],
  ],
  ["3-4 kids tomorrow 3-4", []],
])("%s may be %j", (text, texts) => {
  expect(choicesOf(text)).toEqual(texts);
});

test.each(["Party fri midnight - sat 3am", "Party fri midnight-3am", "Party thu 20:00 - fri midnight"])(
  "%s: no end is lost by a choice",
  (text) => {
    expect(() => choicesOf(text)).toThrow(
      "may be the beginning or the end of the day: write 2026-11-27T00:00",
    );
  },
);

test.each([
  [
    "Meet at the park at Noodle bar mon 10:00",
    [
      "Meet | 2026-11-23 10:00 | at the park at Noodle bar",
      "Meet at the park | 2026-11-23 10:00 | at Noodle bar",
    ],
  ],
  [
    "Meet at the park, mon at 10:00 at Noodle bar",
    [
      "Meet at Noodle bar | 2026-11-23 10:00 | at the park",
      "Meet at the park | 2026-11-23 10:00 | at Noodle bar",
    ],
  ],
  [
    "Lunch at Noodle bar tomorrow 12-13 with Ana #2",
    [
      "Lunch with Ana | 2026-11-22 12:00 - 13:00 | at Noodle bar | #2",
      "Lunch at Noodle bar with Ana | 2026-11-22 12:00 - 13:00 | #2",
    ],
  ],
  [
    "Standup daily 9:00 for 3 days",
    [
      "Standup | 2026-11-22 09:00 | daily | until 2026-11-24",
      "Standup | 2026-11-22 09:00 for 3 days | daily",
    ],
  ],
  [
    "Lunch mon-wed daily",
    ["Lunch | 2026-11-23 | daily | until 2026-11-25", "Lunch | 2026-11-23 for 3d | daily"],
  ],
  [
    "Retreat fri 18:00 - sun 12:30 every week",
    [
      "Retreat | 2026-11-27 18:00 - 2026-11-28 12:30 | every week | until 2026-11-29",
      "Retreat | 2026-11-27 18:00 for 1d 18h 30m | every week",
    ],
  ],
])("%s is read as what is chosen", (text, readings) => {
  expect(choicesOf(text).flatMap(choicesOf)).toEqual(readings);
});

test("so it is at any time in any zone", () => {
  let read = 0;
  fc.assert(
    fc.property(fc.constantFrom(...ROWS), anyInstant, anyZone, ([text], now, zone) => {
      const reading = outcome(text, { now, zone });
      if (typeof reading === "string") return;
      read += 1;
      expect(outcome(written(reading), { now, zone })).toEqual(reading);
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(1000);
});

test("of any words, no word of a title is lost, and only usage errors are thrown", () => {
  const words = ROWS.flatMap(([text]) => text.split(" "));
  let read = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 }), (chosen) => {
      const reading = outcome(`Zebra ${chosen.join(" ")}`);
      if (typeof reading === "string") return;
      read += 1;
      expect(`${reading.title} ${reading.location ?? ""}`).toContain("Zebra");
      expect(outcome(`"Zebra" ${chosen.join(" ")}`)).toEqual(reading);
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(100);
});

test("any text in quotes is the title", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      const title = text.replace(/["“”\s,;:–—-]/gu, "");
      fc.pre(title !== "" && !title.includes("\u0001"));
      expect(readSentence(`"${title}" tomorrow 12-13`, BERLIN).title).toBe(title);
    }),
  );
});
