import { beforeEach, expect, test } from "vitest";
import { type Harness, harnessesWith, NOW } from "../../support/harness.js";

/** What is told of a series: people are told of the events that they go to, not of ids and rules. */

interface Change {
  readonly change: string;
  readonly event: ToldEvent;
  readonly before: ToldEvent | null;
}

interface ToldEvent {
  readonly id: string;
  readonly title: string;
  readonly start_local: string;
}

let harness: Harness;
/** Of an event at noon on 22, 23 and 24 November. */
let series: string;

const CHANGES = ["events", "changes", "--since-last", "choir", "-p", "local"];
const createHarness = harnessesWith(async ({ json, setNow }) => {
  const times = ["--start", "2026-11-22T12:00", "--repeat", "daily", "--count", "3"];
  const { id } = await json<{ readonly id: string }>("events", "create", "--title", "Choir", ...times);
  setNow(Date.parse("2026-11-21T14:45:00Z"));
  await json(...CHANGES);
  setNow(Date.parse("2026-11-21T15:00:00Z"));
  return { id };
});

beforeEach(async () => {
  const made = await createHarness();
  harness = made;
  series = made.id;
});

const changes = () => harness.json<readonly Change[]>(...CHANGES);

/** `changed 22T12:00 to 22T12:30` */
async function told(): Promise<readonly string[]> {
  const short = (time: string) => time.slice("2026-11-".length, "2026-11-22T12:00".length);
  return (await changes()).map(({ change, event, before }) => {
    const from = before === null || change === "removed" ? "" : ` ${short(before.start_local)} to`;
    return `${change}${from} ${short(event.start_local)}`;
  });
}

const occurrence = (day: number) => `${series}_202611${day}T110000Z`;

async function update(id: string, ...flags: readonly string[]): Promise<void> {
  await harness.json("events", "update", id, ...flags);
}

test("one that was moved: each event from when to when", async () => {
  await update(series, "--by", "+30m", "--scope", "all");
  expect(await told()).toEqual([22, 23, 24].map((day) => `changed ${day}T12:00 to ${day}T12:30`));
  expect(await told()).toEqual([]);
});

test("one that was moved from one of its events on: that one and those after it", async () => {
  await update(occurrence(23), "--by", "+30m", "--scope", "following");
  expect(await told()).toEqual([23, 24].map((day) => `changed ${day}T12:00 to ${day}T12:30`));
});

test("one that was cut in two: the events that have another place, and another id", async () => {
  await update(occurrence(24), "--location", "Hall", "--scope", "following");
  const [change, ...others] = await changes();
  expect(others).toEqual([]);
  expect(change).toMatchObject({ change: "changed", event: { location: "Hall" }, before: { location: "" } });
  expect(change?.event.id).not.toBe(change?.before?.id);
});

test("two that were created in the same millisecond: each by itself", async () => {
  harness.setNow(NOW);
  const times = ["--start", "2026-11-22T18:00", "--repeat", "daily", "--count", "3"];
  const run = await harness.json<ToldEvent>("events", "create", "--title", "Run", ...times);
  harness.setNow(Date.parse("2026-11-21T15:15:00Z"));
  await changes();
  harness.setNow(Date.parse("2026-11-21T15:30:00Z"));
  await update(series, "--by", "+7h", "--scope", "all");
  await update(run.id, "--by", "-7h", "--scope", "all");
  const titles = (await changes()).map(({ event, before }) => [before?.title, event.title]);
  expect(titles.sort()).toEqual(
    ["Choir", "Choir", "Choir", "Run", "Run", "Run"].map((title) => [title, title]),
  );
});

test.each<[string, (id: string) => readonly string[], readonly string[]]>([
  ["ends earlier", (id) => ["update", id, "--repeat", "daily", "--count", "2"], ["removed 24T12:00"]],
  [
    "ends later",
    (id) => ["update", id, "--repeat", "daily", "--count", "5"],
    ["added 25T12:00", "added 26T12:00"],
  ],
  [
    "has another title",
    (id) => ["update", id, "--title", "Sing"],
    [22, 23, 24].map((day) => `changed ${day}T12:00 to ${day}T12:00`),
  ],
  ["is a day later", (id) => ["update", id, "--by", "+1d"], ["changed 22T12:00 to 25T12:00"]],
])("one that %s", async (_, argv, expected) => {
  await harness.run("events", ...argv(series), "--scope", "all");
  expect(await told()).toEqual(expected);
});

test("one of whose events some were deleted: only those", async () => {
  await harness.run("events", "delete", occurrence(23), "--scope", "following", "--yes");
  expect(await told()).toEqual(["removed 23T12:00", "removed 24T12:00"]);
});

test.each([
  ["on the day of the last run", "2026-11-21T16:00:00Z"],
  ["before the first run of a day, which reads all", "2026-11-22T08:00:00Z"],
])("one that was made of a single event %s: the events after it", async (_, time) => {
  const { id } = await harness.json<{ readonly id: string }>(
    ...["events", "create", "--title", "Once", "--start", "2026-11-22T18:00"],
  );
  expect(await told()).toEqual(["added 22T18:00"]);
  harness.setNow(Date.parse(time));
  await update(id, "--repeat", "daily", "--count", "2");
  expect(await told()).toEqual(["changed 22T18:00 to 22T18:00", "added 23T18:00"]);
  expect(await told()).toEqual([]);
});

test("what comes into view with a day was not moved there", async () => {
  await update(series, "--repeat", "daily", "--count", "9", "--scope", "all");
  await told();
  harness.setNow(Date.parse("2026-11-22T08:00:00Z"));
  await update(series, "--title", "Sing", "--scope", "all");
  await harness.run("events", "delete", occurrence(24), "--scope", "this", "--yes");
  expect(await told()).toEqual([
    ...[22, 23].map((day) => `changed ${day}T12:00 to ${day}T12:00`),
    "removed 24T12:00",
    ...[25, 26, 27].map((day) => `changed ${day}T12:00 to ${day}T12:00`),
    "changed 28T12:00",
  ]);
});
