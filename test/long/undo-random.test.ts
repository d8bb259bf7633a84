import fc from "fast-check";
import { expect, test } from "vitest";
import { createUndoWorld, type Event } from "../commands/undo/world.js";

/** Random writes, taken back one after the other. */

/** Everything about events that a person can write; an empty text is no text. */
function contentOf(events: readonly Event[]): readonly string[] {
  const times = ["category", "all_day", "start_at", "start_timezone", "end_at", "end_timezone"];
  const keys = ["calendar_name", "title", ...times, "description", "location", "url"];
  return events
    .map((event) => {
      const { label, attendees } = event as unknown as { label: Event; attendees: Event[] };
      const values = keys.map((key) => event[key] || "");
      return JSON.stringify([...values, label.id, attendees.map(({ id }) => id).sort()]);
    })
    .sort();
}

const TITLE = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }).map((text) => `T${text}`);
const DAY = fc.integer({ min: 1, max: 28 }).map((date) => `2027-03-${String(date).padStart(2, "0")}`);

const CHANGE = fc.oneof(
  TITLE.map((text) => ["--title", text]),
  fc.string({ maxLength: 30 }).map((text) => ["--description", text]),
  fc.constantFrom("Home", "Noodle bar", "").map((text) => ["--location", text]),
  fc.integer({ min: 1, max: 10 }).map((label) => ["--label", String(label)]),
  DAY.map((date) => ["--start", date]),
  fc.constantFrom("description", "location", "url", "attendees").map((field) => ["--clear", field]),
  fc.constantFrom("+1w", "-2d", "+5d").map((by) => ["--by", by]),
  fc.constantFrom(["--attendee", "Ben"], ["--add-attendee", "me"], ["--url", "https://a.example/"]),
  fc.constantFrom(["--all-day"], ["--category", "keep"], ["--start-timezone", "Asia/Tokyo"]),
);

const STEP = fc.record({
  command: fc.constantFrom("create", "create", "update", "update", "update", "delete", "copy", "move"),
  title: TITLE,
  day: DAY,
  change: CHANGE,
  calendar: fc.constantFrom("Family", "Work"),
  one: fc.nat(),
  other: fc.nat(),
});

type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never;

/** A command line for the events there are. */
function commandLine(step: Step, events: readonly Event[]): readonly string[] {
  const { command, title, day, change, calendar, one, other } = step;
  const event = events[one % events.length];
  const another = events[other % events.length];
  if (command === "create" || event === undefined || another === undefined) {
    const times = ["--start", `${day}T09:00`, "--duration", "90m", "--attendee", "me"];
    return ["events", "create", "-c", calendar, "--title", title, ...times];
  }
  const elsewhere = event.calendar_name === "Family" ? "Work" : "Family";
  switch (command) {
    case "update":
      return ["events", "update", event.id, another.id, ...change];
    case "delete":
      return ["events", "delete", event.id, another.id, "--yes"];
    case "copy":
      return ["events", "copy", event.id, another.id, "--to", calendar];
    default:
      return ["events", "move", event.id, "--to", elsewhere, "--yes"];
  }
}

test("200 writes undone in reverse give every event back", async () => {
  const world = await createUndoWorld();
  const seed = Date.now();
  const before: (readonly string[])[] = [];
  for (const step of fc.sample(STEP, { numRuns: 300, seed })) {
    if (before.length === 200) break;
    const events = await world.list();
    const { exitCode } = await world.step(...commandLine(step, events));
    // A change that does not fit the events writes nothing.
    if (exitCode === 0) before.push(contentOf(events));
    else
      expect({ seed, step, exitCode, events: contentOf(await world.list()) }).toMatchObject({ exitCode: 2 });
  }
  expect({ seed, writes: before.length }).toEqual({ seed, writes: 200 });
  for (const [number, events] of [...before.entries()].reverse()) {
    const { exitCode, stderr } = await world.step("undo", "--yes");
    expect({ seed, number, failure: exitCode === 0 ? "" : stderr }).toEqual({ seed, number, failure: "" });
    expect({ seed, number, events: contentOf(await world.list()) }).toEqual({ seed, number, events });
  }
  expect(await world.undoable()).toEqual([]);
});
