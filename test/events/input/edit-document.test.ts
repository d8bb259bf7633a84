import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event, Label, User } from "../../../contract/shapes.js";
import { CliError } from "../../../src/errors.js";
import {
  changedKeys,
  describeChanges,
  documentOf,
  type EventDocument,
  parseDocument,
  renderDocument,
} from "../../../src/events/input/edit-document.js";
import { DIRECTION_MARKS, harmfulCodes, hostileText, isRightToLeft } from "../../support/harmful-text.js";
import { numberOfRuns } from "../../support/shared.js";

/** An event as YAML and back. */

const CALENDAR = "cal";

function label(number: number, name: string): Label {
  return { id: `${CALENDAR},${number}`, number, name, color: null };
}

function user(id: string, name: string | null): User {
  return { id: `${CALENDAR},${id}`, type: "user", name, description: null, image_url: null };
}

const MEMBERS = [user("1", "Ana"), user("2", "Ben"), user("3", "ben"), user("4", "me"), user("5", null)];
const LABELS = [label(1, ""), label(2, "modern cyan")];
const EDIT = { zone: "Europe/Berlin", strictDates: false, labels: LABELS, members: MEMBERS };

const EVENT: Event = {
  id: "e",
  calendar_id: CALENDAR,
  category: "schedule",
  title: "Lunch",
  all_day: false,
  start_at: "2026-11-21T12:00:00.000Z",
  start_timezone: "Asia/Tokyo",
  end_at: "2026-11-21T13:00:00.000Z",
  end_timezone: "Asia/Tokyo",
  recurrences: [],
  description: "Bring\ncake",
  location: null,
  url: null,
  created_at: null,
  updated_at: null,
  creator: null,
  label: label(2, "modern cyan"),
  attendees: [user("1", "Ana"), user("2", "Ben")],
  series_id: null,
};

const instant = fc
  .date({ min: new Date("1900-01-01T00:00:00Z"), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());

const text = fc.oneof(
  hostileText,
  fc.string({ unit: "grapheme" }),
  fc.string(),
  fc.constantFrom(
    "yes",
    "null",
    "~",
    "42",
    "2026-11-21",
    "- a",
    "a: b",
    "#1 fan",
    "@x",
    "'",
    '"',
    "|",
    ">",
    "---",
  ),
  fc.constantFrom(
    " a",
    "a ",
    "a\n",
    "\na",
    "a\n\nb\n\n",
    "a\n  b\n",
    "\ta",
    "a\t\nb",
    "&a",
    "*a",
    "!a",
    "%a",
    "`a",
  ),
);

const anyEvent: fc.Arbitrary<Event> = fc
  .record({
    title: fc.option(text),
    description: fc.option(text),
    location: fc.option(text),
    url: fc.option(text),
    category: fc.option(fc.oneof(fc.constantFrom("schedule", "keep"), text)),
    all_day: fc.option(fc.boolean()),
    start_at: fc.option(instant),
    end_at: fc.option(instant),
    start_timezone: fc.option(fc.oneof(fc.constantFrom("UTC", "Asia/Tokyo"), text)),
    label: fc.option(fc.constantFrom(...LABELS, { ...label(0, ""), id: `${CALENDAR},x:y`, number: null })),
    attendees: fc.array(
      fc.oneof(
        fc.constantFrom(...MEMBERS),
        text.map((name) => user("9", name)),
      ),
    ),
  })
  .map((fields) => ({ ...EVENT, ...fields }));

describe("any event", () => {
  test("comes back as it was: nothing has changed", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyEvent,
        fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu"),
        async (event, zone) => {
          const edit = { ...EDIT, zone };
          const before = documentOf(event, edit);
          const blank = Object.fromEntries(Object.keys(before).map((key) => [key, "other"])) as unknown;
          const after = await parseDocument(await renderDocument(before, edit), blank as EventDocument);
          expect(after).toEqual(before);
        },
      ),
      { numRuns: numberOfRuns(25) },
    );
  });

  test("has no character that a terminal may obey, or an editor may change", async () => {
    await fc.assert(
      fc.asyncProperty(anyEvent, text, async (event, name) => {
        const edit = { ...EDIT, labels: [label(3, name)], members: [user("1", name)] };
        const file = await renderDocument(documentOf(event, edit), edit);
        // Of a name that is written from right to left, a mark may come into another line of its comment than the letters.
        const isAllowed = (code: number) =>
          code === 0x0a || (DIRECTION_MARKS.has(code) && isRightToLeft(file));
        expect(harmfulCodes(file).filter((code) => !isAllowed(code))).toEqual([]);
        expect(file).not.toMatch(/[ \t]\n/);
      }),
      { numRuns: numberOfRuns(25) },
    );
  });
});

describe("the file", () => {
  test("is this", async () => {
    expect(await renderDocument(documentOf(EVENT, EDIT), EDIT)).toBe(`\
# Change what should change, save and close. Lines that are left out change
# nothing, an empty value clears a field, an empty file leaves all as it is.
title: Lunch
# schedule or keep
category: schedule
all_day: false
# in Europe/Berlin, or words: tomorrow 3pm; all-day events have days, the last
# one included
start: 2026-11-21T13:00
end: 2026-11-21T14:00
start_timezone: Asia/Tokyo
end_timezone: Asia/Tokyo
# weekly on mon, every 2 weeks, monthly on the last fri or FREQ=…
repeat:
location:
url:
# 1 (default), 2 modern cyan
label: modern cyan
# members: Ana, 2 (Ben), 3 (ben), 4 (me), 5
attendees:
  - Ana
  - 2
description: |-
  Bring
  cake
`);
  });

  test("shows a time that a clock change repeats with its offset, and seconds where there are some", () => {
    const event = { ...EVENT, start_at: "2026-10-25T01:30:00.000Z", end_at: "2026-10-25T03:00:30.000Z" };
    expect(documentOf(event, EDIT)).toMatchObject({
      start: "2026-10-25T02:30:00+01:00",
      end: "2026-10-25T04:00:30",
    });
  });
});

describe("what is written", () => {
  const before = documentOf(EVENT, EDIT);

  test.each([
    ["title: yes", { title: "yes" }],
    ["title: 007", { title: "007" }],
    ['title: "\\e[31m\\u202e"', { title: "\u001b[31m\u202e" }],
    ["title:", { title: "" }],
    ["attendees:", { attendees: [] }],
    ["attendees: []", { attendees: [] }],
    ["attendees: [Ana, Ben]", { attendees: ["Ana", "Ben"] }],
    ["description: |\n  a\n  b\n", { description: "a\nb\n" }],
    ["title: a\r\nlocation: b\r\n", { title: "a", location: "b" }],
  ])("%j", async (saved, changed) => {
    expect(await parseDocument(saved, before)).toEqual({ ...before, ...changed });
  });

  test.each(["", "\n\n", "# only comments\n", "---\n", "...\n"])("%j is an empty file", async (saved) => {
    expect(await parseDocument(saved, before)).toBeNull();
  });

  test.each([
    ["title: x\nlocation:a", /^not valid YAML: location:a \(/],
    ["title: a: b", /^not valid YAML: title: a: b \(Nested mappings/],
    ["title: a\ntitle: b", /^not valid YAML: title: b \(Map keys must be unique\)$/],
    ["title: @a", /^not valid YAML: /],
    ["title: 'a", /^not valid YAML: /],
    ["colour: red", /^an event has no "colour" here$/],
    ["__proto__: x", /^an event has no "__proto__" here$/],
    ["just text", /^this is not an event$/],
    ["- a\n- b", /^this is not an event$/],
    ["title: [a]", /^title must be one text/],
    ["title: {a: b}", /^title must be one text/],
    ["attendees: Ana", /^attendees must be a list/],
    ["attendees: [[Ana]]", /^attendees must be a list/],
    ["a: &a [x]\nb: *a", /an event has no "a"/],
  ])("%j is an error", async (saved, message) => {
    const error = await parseDocument(saved, before).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ code: "usage", message: expect.stringMatching(message) });
  });
});

describe("changes are the lines that differ", () => {
  const before = documentOf(EVENT, EDIT);

  test("of several values, without what a terminal may obey", async () => {
    const after = { ...before, title: "\u001b[31m", description: "Bring\ncake and tea", location: "Here" };
    expect(changedKeys(before, after)).toEqual(["title", "location", "description"]);
    expect(await describeChanges(before, after)).toEqual([
      "- title: Lunch",
      '+ title: "\\u001b[31m"',
      "- location:",
      "+ location: Here",
      "  description: |-",
      "-   cake",
      "+   cake and tea",
    ]);
  });

  test.each([
    ["in another order", "a\nb\nc", "a\nc\nb", ["-   b", "-   c", "+   c", "+   b"]],
    ["that are repeated", "a\nb", "a\na\nb", ["+   a"]],
    ["that are no longer repeated", "a\na\nb", "a\nb", ["-   a"]],
    ["between equal ones", "a\nb\nc", "a\nx\nc", ["-   b", "+   x"]],
  ])("also lines %s", async (_, old, current, lines) => {
    const changes = await describeChanges(
      { ...before, description: old },
      { ...before, description: current },
    );
    expect(changes).toEqual(["  description: |-", ...lines]);
  });

  test("also of attendees in another order", async () => {
    expect(await describeChanges(before, { ...before, attendees: ["2", "Ana"] })).toEqual([
      "  attendees:",
      "-   - Ana",
      "-   - 2",
      "+   - 2",
      "+   - Ana",
    ]);
  });

  test("and turn the old text into the new one, whatever the texts", async () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 }).map((all) => all.join("\n"));
    const linesOf = async (event: EventDocument) => {
      const file = await renderDocument(event, EDIT);
      return file
        .slice(file.indexOf("\ndescription:") + 1)
        .trimEnd()
        .split("\n");
    };
    await fc.assert(
      fc.asyncProperty(text, text, async (old, current) => {
        fc.pre(old !== current);
        const [one, other] = [
          { ...before, description: old },
          { ...before, description: current },
        ];
        const changes = await describeChanges(one, other);
        const ofMark = (mark: string) =>
          changes.filter((line) => line.startsWith(mark)).map((line) => line.slice(2));
        const [oldLines, newLines, removed, added] = [
          await linesOf(one),
          await linesOf(other),
          ofMark("- "),
          ofMark("+ "),
        ];
        const starts = oldLines.map((_, start) =>
          oldLines.toSpliced(start, removed.length, ...added).join("\n"),
        );
        expect([...starts, [...oldLines, ...added].join("\n")]).toContain(newLines.join("\n"));
      }),
      { numRuns: numberOfRuns(25) },
    );
  });
});
