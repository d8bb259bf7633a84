import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createUndoWorld, type Event } from "../commands/undo-world.js";

/** A series, and a feed with one, imported into an empty calendar, give the same events. */

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
    expect(await world.json("import", path, "-c", "Work", "--yes")).toMatchObject({ new: 0, changed: 0 });
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

test.each(
  (["timed", "all-day"] as const).flatMap((rule) =>
    ["ics", "ndjson", "json"].map((format) => [rule, format] as const),
  ),
)("a series that is %s, as %s, without its first event and another one", async (rule, format) => {
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
  expect(await world.importText(text, `choir.${format}`)).toMatchObject({ new: 1, rejected: [] });
  expect(await world.listIn("Work")).toEqual(await world.listIn("Family"));
  expect(await world.listIn("Work")).toHaveLength(occurrences.length - 2);
});

test.each(["ics", "ndjson"])(
  "a list as %s, of a series of which one was moved and one deleted",
  async (format) => {
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
    const text = (await world.run("events", "list", "-c", "Family", ...days, "-o", format)).stdout;
    expect(await world.importText(text, `choir.${format}`)).toMatchObject({ new: 4, rejected: [] });
    expect(await world.listIn("Work")).toEqual(await world.listIn("Family"));
  },
);
