import { expect, test } from "vitest";
import { type ImportOptions, readImportFile } from "../../../src/commands/import/read.js";

const START = "2026-11-21T06:00:00.000Z";
const END = "2026-11-21T07:00:00.000Z";
const REVIEW = { id: "a1", title: "Review", start_at: START, end_at: END };

function read(text: string, options: Partial<ImportOptions> = {}) {
  return readImportFile(Buffer.from(text), { name: "events", zone: "Asia/Tokyo", ...options });
}

function lines(...values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === "string" ? value : JSON.stringify(value)}\n`).join("");
}

test("an event of NDJSON is known by its id", async () => {
  const file = await read(lines(REVIEW));
  expect(file).toMatchObject({ format: "ndjson", isComplete: true, notes: [] });
  expect(file.items).toMatchObject([
    { kind: "event", line: 1, identity: "a1", title: "Review", cancelled: false, recurrences: [] },
  ]);
  expect(file.items[0]).toMatchObject({
    content: { start_at: START, end_at: END },
    text: lines(REVIEW).trim(),
  });
});

test("without an id it is known by its text", async () => {
  const { id: _, ...review } = REVIEW;
  const [first, second] = (await read(lines(review, { ...review, title: "Other" }, review))).items;
  const again = (await read(lines("", review))).items[0];
  expect(first).toMatchObject({ kind: "event", title: "Review" });
  expect(again).toMatchObject({ line: 2, identity: Object(first).identity });
  expect(Object(second).identity).not.toBe(Object(first).identity);
});

test("a list and an object of -o json are read, with the lines where events begin", async () => {
  const file = await read(JSON.stringify([REVIEW, { ...REVIEW, id: "a2" }], null, 2));
  expect(file.items).toMatchObject([
    { line: 2, identity: "a1" },
    { line: 8, identity: "a2" },
  ]);
  expect((await read(JSON.stringify(REVIEW, null, 2))).items).toMatchObject([{ line: 1, identity: "a1" }]);
});

test.each<[string, unknown, string]>([
  ["not JSON", '{"title": Review}', "it is not JSON at character 11"],
  ["no event", 5, "a number is not an event"],
  ["an unknown key", { ...REVIEW, when: "now" }, 'an event has no "when"'],
  ["no title", { start_at: START }, "missing title"],
  ["a blank title", { ...REVIEW, title: " " }, "title is blank"],
  [
    "a long title",
    { ...REVIEW, title: "x".repeat(51) },
    "title is 51 characters long, at most 50 are allowed",
  ],
  ["no start", { title: "Review" }, "missing start"],
  ["a time of a day", { ...REVIEW, all_day: true }, "^start_at 2026-11-21T06:00:00.000Z has a clock time"],
  ["an end before its start", { ...REVIEW, end_at: "2026-11-21T05:00:00Z" }, "is not after the start"],
  ["a zone that nobody knows", { ...REVIEW, start_timezone: "Mars/Base" }, '"Mars/Base" is not a time zone'],
])("%s is rejected by its line, the rest is read", async (_, value, reason) => {
  const { items } = await read(lines(REVIEW, value, { ...REVIEW, id: "a3" }));
  expect(items.map(({ kind }) => kind)).toEqual(["event", "rejected", "event"]);
  expect(items[1]).toMatchObject({ line: 2, reason: expect.stringMatching(reason) });
});

test("--truncate cuts texts at a character, and counts the events", async () => {
  const long = { ...REVIEW, title: "🎉".repeat(51), location: "x".repeat(101) };
  const file = await read(lines(long, { ...REVIEW, id: "a2" }), { truncate: true });
  expect(file.items[0]).toMatchObject({
    title: `${"🎉".repeat(49)}…`,
    content: { location: `${"x".repeat(99)}…` },
  });
  expect(file.notes).toEqual(["1 event too long for the calendar: truncated (line 1)"]);
});

test("a timed event without an end lasts an hour, with a note", async () => {
  const file = await read(lines({ title: "Review", start_at: START }));
  expect(file.items[0]).toMatchObject({ content: { end_at: END } });
  expect(file.notes).toEqual(["1 event without an end: an hour long (line 1)"]);
});

test("an event that is twice in the file is read once, another one with its id is rejected", async () => {
  const file = await read(lines(REVIEW, REVIEW, { ...REVIEW, title: "Other" }));
  expect(file.items).toMatchObject([
    { kind: "event", line: 1 },
    { kind: "rejected", line: 3, reason: "it has the UID or id of line 1, and neither is newer" },
  ]);
  expect(file.notes).toEqual(["1 event more than once in the file: read once (line 2)"]);
});

test("an occurrence of a series has no rule of its own, also where the service does not tell its series", async () => {
  const recurrences = ["RRULE:FREQ=DAILY"];
  const series = { ...REVIEW, recurrences, series_id: "a1" };
  const occurrences = [
    { ...series, id: "a1_20261122" },
    { ...series, id: "b", series_id: null },
  ];
  const { items, notes } = await read(
    lines(series, ...occurrences, { ...series, id: null, series_id: null }),
  );
  expect(items).toMatchObject([{ recurrences }, { recurrences: [] }, { recurrences: [] }, { recurrences }]);
  expect(notes).toEqual(["2 events of a series imported as single ones, without its rule (lines 2, 3)"]);
});

test("a cut file is known to be cut, what comes before is read", async () => {
  const file = await read(lines(REVIEW, { ...REVIEW, id: "a2" }).slice(0, -20));
  expect(file.isComplete).toBe(false);
  expect(file.items.map(({ kind }) => kind)).toEqual(["event", "rejected"]);
});

test("a file that is cut after an object is known to be cut", async () => {
  const file = await read(lines(REVIEW, { ...REVIEW, id: "a2" }).trimEnd());
  expect(file.isComplete).toBe(false);
  expect(file.items.map(({ kind }) => kind)).toEqual(["event", "event"]);
});

test("a list that is cut or broken is refused, with the place", async () => {
  const list = JSON.stringify([REVIEW], null, 2);
  await expect(read(list.slice(0, -2))).rejects.toMatchObject({
    code: "rejected",
    message: expect.stringMatching(/^the file is not JSON: it ends too early at line 7, column \d+ /),
  });
});

test("a rejected item of a list is one line", async () => {
  const { items } = await read(JSON.stringify([{ title: "Two  words" }, REVIEW], null, 2));
  expect(items).toMatchObject([{ kind: "rejected", text: '{"title": "Two  words"}' }, { kind: "event" }]);
});

test.each([
  ["an object", '{"a":', "}", 'an event has no "a"'],
  ["a list", "[", "]", "a list is not an event"],
])("%s that is nested deeply is rejected", async (_, open, close, reason) => {
  const { items } = await read(`[${open.repeat(100_000)}1${close.repeat(100_000)}]`);
  expect(items).toMatchObject([{ kind: "rejected", line: 1, reason }]);
});

test("a file of more than 64 MiB is refused", async () => {
  const bytes = new Uint8Array(64 * 1024 * 1024 + 1);
  await expect(readImportFile(bytes, { name: "all.ics", zone: "UTC" })).rejects.toMatchObject({
    code: "rejected",
    message: "all.ics is larger than 64 MiB",
  });
});
