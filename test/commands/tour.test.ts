import { beforeEach, describe, expect, test } from "vitest";
import { textWidth } from "../../src/output/table/text-width.js";
import { createHarness, type Harness } from "../support/harness.js";
import { words } from "../support/words.js";

const UTF_8 = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});

/** The commands of a tour, without the `\` that continues a line. */
function commandsIn(tour: string): readonly string[] {
  const lines = tour.replaceAll(" \\\n  ", " ").split("\n");
  return lines.filter((line) => line.startsWith("$ calctl ")).map((line) => line.slice("$ ".length));
}

async function tourAt(columns: number, env: Readonly<Record<string, string>> = UTF_8): Promise<string> {
  const { exitCode, stdout, stderr } = await harness.runWith({ columns, env }, "tour");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

test("shows every step with its output and exits with 0, whatever the profile is; nothing is saved", async () => {
  const { exitCode, stdout, stderr } = await harness.runWith({ env: { CALCTL_PROFILE: "" } }, "tour");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(commandsIn(stdout).map((line) => line.replace(/ (?:-|[0-9a-f]{4,}).*/, ""))).toEqual(
    [
      ...["calendars", "members", "events create", "events list", "events update", "comment"],
      ...["agenda", "agenda", "events list", "events delete", "events list"],
    ].map((command) => `calctl ${command}`),
  );
  expect(await harness.json("events", "list", "--days", "7")).toEqual([]);
});

test("names the event by the short id that its list shows, and its times in words", async () => {
  const tour = await tourAt(100);
  const [, id = ""] =
    /^ {2}12:00–13:00 {2}Lunch with the team \[bright orange\] {2}([0-9a-f]{4,})$/m.exec(tour) ?? [];
  expect(commandsIn(tour)).toEqual(
    expect.arrayContaining([
      `calctl events update ${id} --start "tomorrow 12:30"`,
      `calctl comment ${id} "I have booked a table"`,
      `calctl events delete ${id} --yes`,
    ]),
  );
  expect(tour).toContain('--start "tomorrow noon"');
  expect(tour).toContain(`  12:30–13:30  Lunch with the team [bright orange]  ${id}\n`);
});

test.each([
  [{}, "calctl "],
  [{ npm_lifecycle_event: "start", npm_package_name: "calctl" }, "npm start --silent -- "],
])("ends with commands as they work there (%j)", async (env, program) => {
  const tour = await tourAt(100, { ...UTF_8, ...env });
  const closing = tour.slice(tour.indexOf("That was the tour."));
  const lines = closing.split("\n").filter((line) => line.startsWith(`  ${program}`));
  expect(lines.map((line) => line.slice(2 + program.length))).toEqual([
    "add First event tomorrow 9am --yes",
    "agenda",
    "help",
  ]);
});

test("shows notes where a terminal shows them", async () => {
  expect(await tourAt(80)).toMatch(/"bright orange"\nstart: Sun 2026-11-22 12:00 Europe\/Berlin\nTitle {2}/);
});

describe("looks like the terminal it is shown on", () => {
  test.each([40, 80, 120, 200])("at %i columns, in UTF-8 and in ASCII", async (columns) => {
    const [tour, ascii] = [await tourAt(columns), await tourAt(columns, { NO_COLOR: "1" })];
    expect(tour).toContain("  12:00–13:00  Lunch");
    expect(tour).toContain(" ▌Lunch");
    expect(ascii).toMatch(/^[\x20-\x7e\n]*$/);
    expect(ascii).toContain(" |Lunch");
    // Neither JSON nor notes are wrapped.
    const wrapped = tour.split("\n").filter((line) => !/^(?: {4}"|start: )/.test(line));
    expect(wrapped.filter((line) => textWidth(line) > columns)).toEqual([]);
  });

  test("in color or without", async () => {
    expect(await tourAt(80, { LC_ALL: "C.UTF-8" })).toContain(
      "\u001b[1m# Which calendars can I use?\u001b[22m\n",
    );
    expect(await tourAt(80)).not.toContain("\u001b");
  });

  test("in a pipe without colors", async () => {
    const { stdout } = await harness.runWith({ env: { LC_ALL: "C.UTF-8" } }, "tour");
    expect(stdout).toContain("12:00–13:00  Lunch");
    expect(stdout).not.toContain("\u001b");
  });
});

describe("works at any time", () => {
  // In Berlin, the night to 29 March and the one to 25 October change the clocks.
  const times = words`2026-03-27T23:30Z 2026-03-28T11:00Z 2026-03-28T22:30Z 2026-10-24T12:01Z
    2026-12-31T23:59Z`;
  test.each(["Europe/Berlin", "Pacific/Niue", "Pacific/Kiritimati"])("in %s", async (timeZone) => {
    harness = await createHarness({ timeZone });
    for (const now of times) {
      harness.setNow(Date.parse(now));
      const tour = await tourAt(80);
      expect({ now, list: /tomorrow\n {2}12:00–13:00 {2}Lunch/.test(tour) }).toEqual({ now, list: true });
    }
  });
});
