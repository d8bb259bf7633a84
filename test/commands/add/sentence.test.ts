import { expect, test } from "vitest";
import { readSentence, type SentenceReading } from "../../../src/commands/add/sentence.js";
import { readingsOf } from "../../../src/commands/add/sentence-doubts.js";
import { AmbiguousTextError } from "../../../src/time/dates.js";
import { parseRepeat } from "../../../src/time/recurrence/input.js";
import { BERLIN, outcome, ROWS, SECTIONS, written } from "./sentences.js";

/** What `calctl add` makes of a sentence. */

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

test("the table has more than 300 sentences, each once", () => {
  expect(new Set(ROWS.map(([text]) => text)).size).toBe(ROWS.length);
  expect(ROWS.length).toBeGreaterThan(300);
});

test("a text that is longer than any sentence is refused at once", () => {
  expect(outcome("\u{1f600}".repeat(1_001))).toBe("! is 1001 characters long, at most 1000 are allowed");
});

test.each(SECTIONS)("%s", (_, rows) => {
  const readings = rows.map(([text]) => [text, outcome(text)] as const);
  const described = readings.map(([text, reading]) => [
    text,
    typeof reading === "string" ? reading : describeReading(reading),
  ]);
  expect(described).toEqual(rows);
  for (const [text, reading] of readings) {
    if (typeof reading === "string") continue;
    // What create refuses was no reading.
    if (reading.repeat) parseRepeat(reading.repeat, "the text");
    expect(readSentence(written(reading), BERLIN), text).toEqual(reading);
  }
});

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
  [
    "Lunch daily with Ana fri 12:00",
    ["Lunch every day with Ana fri 12:00", 'Lunch "daily" with Ana fri 12:00'],
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
