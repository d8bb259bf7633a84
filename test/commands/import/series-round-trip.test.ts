import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createUndoWorld, type Event } from "../undo/world.js";

/** A series, and a list with one, imported into an empty calendar, give the same events. */

type Listed = Event & { readonly label: { readonly number: number } };

const BERLIN = ["--start", "2026-12-07T19:00", "--duration", "90m", "--start-timezone", "Europe/Berlin"];

async function createWorld() {
  const world = await createUndoWorld();
  /** Field by field, but for ids, creator and timestamps. */
  const listIn = async (calendar: string): Promise<readonly unknown[]> => {
    const days = ["--from", "2026-12-01", "--to", "2027-12-31"];
    const events = await world.json<Listed[]>("events", "list", "-c", calendar, ...days);
    return events.map(
      ({ id, series_id, calendar_id, calendar_name, creator, created_at, updated_at, label, ...rest }) => ({
        ...{ ...rest, recurrences: undefined },
        label: label.number,
      }),
    );
  };
  const importText = async (text: string, name: string) => {
    const path = join(world.directory, name);
    writeFileSync(path, text);
    const report = await world.json("import", path, "-c", "Work", "--yes");
    expect(await world.json("import", path, "-c", "Work", "--yes")).toMatchObject({ created: 0, updated: 0 });
    return report;
  };
  return { ...world, listIn, importText };
}

const RULES = {
  timed: [...BERLIN, "--repeat", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "--count", "5", "--location", "Hall"],
  "all-day": [
    "--start",
    "2026-12-29",
    "--all-day",
    "--repeat",
    "FREQ=MONTHLY;BYMONTHDAY=29,31",
    "--count",
    "9",
  ],
};

test.each([
  ["timed", "ics"],
  ["timed", "ndjson"],
  ["timed", "json"],
  ["all-day", "ics"],
  ["all-day", "ndjson"],
] as const)("a series that is %s, as %s, without its first event and another one", async (rule, format) => {
  const world = await createWorld();
  const { id } = await world.json<Event>(
    "events",
    "create",
    "-c",
    "Family",
    "--title",
    "Choir",
    ...RULES[rule],
  );
  const occurrences = await world.list();
  for (const one of [0, 3])
    await world.run("events", "delete", occurrences[one]?.id ?? "", "--scope", "this", "--yes");
  const text = (await world.run("events", "get", id, "-o", format)).stdout;
  expect(await world.importText(text, `choir.${format}`)).toMatchObject({ created: 1, rejected: [] });
  const copied = await world.listIn("Work");
  expect(copied).toEqual(await world.listIn("Family"));
  expect(copied).toHaveLength(occurrences.length - 2);
});

/** The series of a calendar: its rule, its own times, and the events that were changed on their own. */
async function seriesIn(world: Awaited<ReturnType<typeof createWorld>>, calendar: string) {
  const days = ["--from", "2026-12-01", "--to", "2027-12-31"];
  const events = await world.json<Listed[]>("events", "list", "-c", calendar, ...days);
  const seriesId = events.map((event) => event["series_id"]).find((id) => id !== null);
  const { recurrences, start_at } = await world.read(`${seriesId}`);
  const changed = events.filter((event) => `${event["recurrences"]}` === "");
  return { recurrences, start_at, changed: changed.map(({ id, title }) => [id.replace(/.*_/, ""), title]) };
}

// A feed has the same text: test/commands/events/whole-series.test.ts.
test("a list with a series of which some were moved, retitled, deleted and added is the same series elsewhere", async () => {
  const world = await createWorld();
  const path = join(world.directory, "choir.json");
  const choir = {
    title: "Choir",
    label: 3,
    start_timezone: "Europe/Berlin",
    end_timezone: "Europe/Berlin",
  };
  const times = { start_at: "2026-12-07T18:00:00.000Z", end_at: "2026-12-07T19:30:00.000Z" };
  const recurrences = ["RRULE:FREQ=WEEKLY;COUNT=9;BYDAY=MO", "RDATE:20261217T180000Z,20270301T180000Z"];
  writeFileSync(path, JSON.stringify({ ...choir, ...times, recurrences }));
  const { id } = await world.json<Event>("events", "create", "-c", "Family", "--input", path);
  const change = (originalStart: string, ...flags: readonly string[]) =>
    world.json("events", "update", `${id}_${originalStart}`, "--scope", "this", ...flags);
  await change("20261214T180000Z", "--by", "+1d", "--title", "Concert");
  await change("20261217T180000Z", "--location", "Hall");
  await change("20270118T180000Z", "--by", "-20d");
  for (const originalStart of ["20261207T180000Z", "20261228T180000Z"])
    await world.run("events", "delete", `${id}_${originalStart}`, "--scope", "this", "--yes");
  // One week has the whole series.
  const week = ["--from", "2026-12-21", "--to", "2026-12-21"];
  const { stdout } = await world.run("events", "list", "-c", "Family", ...week, "-o", "ics");
  const report = await world.importText(stdout, "choir.ics");
  expect(report).toMatchObject({ created: 4, rejected: [] });
  const copied = await world.listIn("Work");
  expect(copied).toEqual(await world.listIn("Family"));
  expect(await seriesIn(world, "Work")).toEqual(await seriesIn(world, "Family"));
  expect(copied).toHaveLength(9);
});

test("a list as ndjson, of a series of which one was moved and one deleted", async () => {
  const world = await createWorld();
  await world.json("events", "create", "-c", "Family", "--title", "Choir", ...RULES.timed);
  const occurrences = await world.list();
  await world.run("events", "delete", occurrences[1]?.id ?? "", "--scope", "this", "--yes");
  await world.run(
    "events",
    "update",
    occurrences[2]?.id ?? "",
    "--scope",
    "this",
    "--by",
    "+1d",
    "--title",
    "Concert",
  );
  const days = ["--from", "2026-12-01", "--to", "2027-12-31"];
  const text = (await world.run("events", "list", "-c", "Family", ...days, "-o", "ndjson")).stdout;
  expect(await world.importText(text, "choir.ndjson")).toMatchObject({ created: 4, rejected: [] });
  expect(await world.listIn("Work")).toEqual(await world.listIn("Family"));
});
