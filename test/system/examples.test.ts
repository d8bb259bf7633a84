import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { querySql } from "../../service/test/support/database.js";
import type { RunResult } from "../support/harness.js";
import { createInstallation, type Installation } from "../support/spawned.js";
import { describeWithSystem, fixedTime } from "../support/system.js";
import { createExampleWeek } from "./support/example-week.js";

/** Every script in examples, run as it stands on a Saturday afternoon. */

const FOLDER = fileURLToPath(new URL("../../examples/", import.meta.url));
const SCRIPTS = readdirSync(FOLDER).filter((name) => name.endsWith(".sh"));

interface ExampleWorld extends Installation {
  /** Runs a script of the examples. */
  script(name: string, ...args: readonly string[]): Promise<RunResult>;
  /** The JSON of a command. */
  json<T>(...argv: readonly string[]): Promise<T>;
  /** All comments with the titles of their events. */
  comments(): readonly Readonly<Record<string, unknown>>[];
}

async function createExampleWorld(): Promise<ExampleWorld> {
  const { directory } = await createExampleWeek();
  const installation = createInstallation({ CALCTL_DATA_DIR: directory });
  const line = (words: readonly string[]) =>
    `export -f calctl; env ${[...fixedTime("2026-11-21 15:30:00"), ...words].map(quote).join(" ")}`;
  return {
    ...installation,
    // The function `calctl` is one of bash.
    script: (name, ...args) => installation.shell(line(["bash", `${FOLDER}${name}`, ...args])),
    json: async (...argv) => {
      const { stdout } = await installation.shell(
        line(["bash", "-c", 'calctl "$@"', "calctl", ...argv, "-o", "json"]),
      );
      return JSON.parse(stdout);
    },
    comments: () =>
      querySql(
        join(directory, "local.db"),
        "select title, content from activities join events on events.id = event_id order by title",
      ),
  };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly start_local: string;
  readonly end_local: string;
}

test("each has at most twenty lines", () => {
  const lengths = SCRIPTS.map(
    (name) => readFileSync(`${FOLDER}${name}`, "utf8").trimEnd().split("\n").length,
  );
  expect(Math.max(...lengths)).toBeLessThanOrEqual(20);
});

describeWithSystem("faketime", "the example", () => {
  test("label-as-markdown prints tomorrow's events of one label", async () => {
    const { stdout } = await (await createExampleWorld()).script("label-as-markdown.sh", "Visits");
    expect(stdout).toMatchInlineSnapshot(`
      "## Sun 22 Nov 2026

      - **→ all day** Grandma visits (day 3 of 3) \\[Visits\\] – Family
      - **11:00–13:00** Brunch \\[Visits\\] – Family
      "
    `);
  });

  test("week-as-ics prints my events of the week", async () => {
    const { stdout } = await (await createExampleWorld()).script("week-as-ics.sh");
    expect(stdout.match(/^BEGIN:VEVENT/gm)).toHaveLength(13);
    expect(stdout).toContain("SUMMARY:Dinner with the neighbors\r\n");
  });

  test("comment-on-today comments on every event of today", async () => {
    const world = await createExampleWorld();
    expect((await world.script("comment-on-today.sh", "See you")).exitCode).toBe(0);
    expect(world.comments()).toEqual([
      { title: "Birthday party", content: "See you" },
      { title: "Dinner with the neighbors", content: "See you" },
      { title: "Grandma visits", content: "See you" },
      { title: "Swimming lesson", content: "See you" },
    ]);
  });

  test("delete-by-filter deletes what the filter selects, and nothing when it is wrong", async () => {
    const world = await createExampleWorld();
    const titles = async () =>
      (await world.json<readonly Listed[]>("agenda")).map(({ title }) => title).sort();
    const before = await titles();
    expect((await world.script("delete-by-filter.sh", ".title | startswith(")).exitCode).toBe(2);
    expect(await titles()).toEqual(before);
    expect((await world.script("delete-by-filter.sh", '.title | startswith("D")')).exitCode).toBe(0);
    expect(await titles()).toEqual(before.filter((title) => !title.startsWith("D")));
  });

  test("next-month-as-csv prints the events of the next month", async () => {
    const world = await createExampleWorld();
    const create = (title: string, day: string) =>
      world.json("events", "create", "-c", "Work", "--title", title, "--all-day", "--start", day);
    await create("=1+1", "2026-12-31");
    await create("Later", "2027-01-01");
    const { stdout, stderr } = await world.script("next-month-as-csv.sh");
    expect(stderr).toBe("");
    const [header, ...rows] = stdout.trimEnd().split("\r\n");
    expect(header).toContain(",title,");
    expect(rows).toEqual([expect.stringContaining(",'=1+1,")]);
  });

  test("today prints the rest of today", async () => {
    const { stdout } = await (await createExampleWorld()).script("today.sh");
    expect(stdout).toBe("all day  Grandma visits\n15:00  Birthday party\n19:00  Dinner with the neighbors\n");
  });
});
