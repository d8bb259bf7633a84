import { describe, expect, test } from "vitest";
import { createHarness, type Harness, NOW } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { words } from "../../support/words.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Changes, as `-o json` prints them. */
interface Change {
  readonly change: string;
  readonly event: { readonly id: string; readonly title: string; readonly start_at: string };
}

/** A world in which each run comes a minute after the one before. */
async function createWorld() {
  // Who waits for another run lets it go on.
  const duringPause = () => new Promise<void>((resolve) => setImmediate(resolve));
  const harness = await createHarness({ duringPause });
  let now = NOW;
  const pass = (milliseconds: number) => {
    now += milliseconds;
    harness.setNow(now);
  };
  const run = (...argv: string[]) => {
    pass(60_000);
    return harness.run("-p", "local", ...argv);
  };
  return {
    harness,
    pass,
    run,
    /** Titles with what changed: `added Dentist`. */
    async changes(...flags: string[]): Promise<string[]> {
      const { stdout, stderr, exitCode } = await run(
        ...words`events changes --since-last job -o json`,
        ...flags,
      );
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      return (JSON.parse(stdout) as Change[]).map(({ change, event }) => `${change} ${event.title}`);
    },
    async create(title: string, start: string, ...flags: string[]): Promise<string> {
      pass(60_000);
      const argv = words`events create -p local --title ${title} --start ${start} --duration 1h`;
      return (await harness.json<{ id: string }>(...argv, "--timezone", "UTC", ...flags)).id;
    },
    update: (id: string, ...flags: string[]) =>
      expectDone(run("events", "update", id, "--timezone", "UTC", ...flags)),
    remove: (id: string) => expectDone(run("events", "delete", id, "--yes")),
  };
}

async function expectDone(run: ReturnType<Harness["run"]>): Promise<void> {
  expect(await run).toMatchObject({ exitCode: 0 });
}

describe("events changes", () => {
  test("prints nothing first, then what is added, changed and removed, each once", async () => {
    const world = await createWorld();
    await world.create("Standing", "2026-11-23T10:00");
    const dentist = await world.create("Dentist", "2026-11-24T10:00");
    const lunch = await world.create("Lunch", "2026-11-25T12:00");
    expect(await world.changes()).toEqual([]);
    expect(await world.changes()).toEqual([]);
    await world.create("Concert", "2026-11-26T20:00");
    await world.update(dentist, "--title", "Dentist, new");
    await world.remove(lunch);
    expect(await world.changes()).toEqual(["changed Dentist, new", "removed Lunch", "added Concert"]);
    expect(await world.changes()).toEqual([]);
  });

  test("--from-start prints what there is as added, in the first run alone", async () => {
    const world = await createWorld();
    await world.create("Dentist", "2026-11-24T10:00");
    expect(await world.changes("--from-start")).toEqual(["added Dentist"]);
    expect(await world.changes("--from-start")).toEqual([]);
  });

  test("an event that moves beyond the window is changed, and no change when it comes into view", async () => {
    const world = await createWorld();
    const dentist = await world.create("Dentist", "2026-11-24T10:00");
    await world.changes();
    await world.update(dentist, "--start", "2026-12-03T10:00");
    expect(await world.changes()).toEqual(["changed Dentist"]);
    expect(await world.changes()).toEqual([]);
    world.pass(8 * DAY);
    expect(await world.changes()).toEqual([]);
    await world.remove(dentist);
    expect(await world.changes()).toEqual(["removed Dentist"]);
  });

  test("what is over and what comes into view as days pass is no change, unless it was written since", async () => {
    const world = await createWorld();
    await world.create("Today", "2026-11-21T18:00");
    await world.create("Next month", "2026-12-05T10:00");
    const later = await world.create("Later", "2026-12-06T10:00");
    await world.changes();
    world.pass(10 * DAY);
    await world.update(later, "--location", "Hall 2");
    expect(await world.changes()).toEqual(["changed Later"]);
    world.pass(3 * DAY);
    await world.create("New", "2026-12-06T12:00");
    expect(await world.changes()).toEqual(["added New"]);
  });

  test("an event that is not among those of the filters any more is changed", async () => {
    const world = await createWorld();
    const dentist = await world.create("Dentist", "2026-11-24T10:00", "--label", "3");
    await world.create("Other", "2026-11-24T10:00");
    expect(await world.changes("--label", "3", "--from-start")).toEqual(["added Dentist"]);
    await world.update(dentist, "--label", "4");
    expect(await world.changes("--label", "3")).toEqual(["changed Dentist"]);
    await world.update(dentist, "--title", "Still other");
    expect(await world.changes("--label", "3")).toEqual([]);
  });

  test.each([
    ["days", ["--days", "3"], "7 days"],
    ["a filter", ["--label", "3"], "any label"],
    ["a calendar", ["-c", "Personal"], "all calendars"],
    ["--mine", ["--mine"], "events of all members"],
  ])("a name is refused for other %s", async (_, flags, bound) => {
    const world = await createWorld();
    await world.changes();
    const refused = await world.run("events", "changes", "--since-last", "job", ...flags);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain(`the name "job" is bound to ${bound}`);
    expect(await world.changes()).toEqual([]);
  });

  test("names are independent of each other", async () => {
    const world = await createWorld();
    await world.changes();
    await world.create("Dentist", "2026-11-24T10:00");
    const other = await world.run("events", "changes", "--since-last", "other");
    expect(other).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(await world.changes()).toEqual(["added Dentist"]);
  });

  test("of runs at the same time one prints the changes, and the others wait for it", async () => {
    const world = await createWorld();
    await world.changes();
    await world.create("Dentist", "2026-11-24T10:00");
    const argv = ["events", "changes", "--since-last", "job", "--fields", "change,title"];
    const runs = await Promise.all(Array.from({ length: 4 }, () => world.run(...argv)));
    expect(runs.map(({ stdout }) => stdout).sort()).toEqual(["", "", "", "added\tDentist\n"]);
    expect(runs.map(({ exitCode, stderr }) => `${exitCode}${stderr}`)).toEqual(["0", "0", "0", "0"]);
  });

  test("--dry-run prints the changes and remembers nothing", async () => {
    const world = await createWorld();
    await world.changes("--dry-run");
    await world.changes();
    await world.create("Dentist", "2026-11-24T10:00");
    expect(await world.changes("--dry-run")).toEqual(["added Dentist"]);
    expect(await world.changes()).toEqual(["added Dentist"]);
  });

  test("needs a name, and a service that was chosen", async () => {
    const { harness } = await createWorld();
    expect(await harness.run("events", "changes", "-p", "local")).toMatchObject(
      failed(2, "missing --since-last"),
    );
    expect(await harness.run("events", "changes", "-p", "local", "--since-last", "")).toMatchObject({
      exitCode: 2,
    });
    expect(await harness.run("events", "changes", "--since-last", "job")).toMatchObject(
      failed(10, "no service was chosen"),
    );
  });

  test("prints change first in columns, and whole events in JSON", async () => {
    const world = await createWorld();
    const id = await world.create("Dentist", "2026-11-24T10:00");
    const tsv = await world.run("events", "changes", "--since-last", "a", "--from-start");
    expect(tsv.stdout).toMatch(new RegExp(`^added\t${id}\t.*\tDentist\t\n$`));
    const json = await world.run("events", "changes", "--since-last", "b", "--from-start", "-o", "ndjson");
    const [event] = await world.harness.json<unknown[]>("events", "list", "-p", "local", "--days", "7");
    expect(JSON.parse(json.stdout)).toEqual({ change: "added", event, before: null });
    const fields = ["--fields", "change,title"];
    const chosen = await world.run("events", "changes", "--since-last", "c", "--from-start", ...fields);
    expect(chosen.stdout).toBe("added\tDentist\n");
  });

  test("tells what an event was before", async () => {
    const world = await createWorld();
    const moved = await world.create("Dentist", "2026-11-24T10:00", "--location", "Room 1");
    const removed = await world.create("Lunch", "2026-11-25T12:00");
    const utc = ["--timezone", "UTC"];
    const list = () => world.harness.json<object[]>("events", "list", "-p", "local", "--days", "7", ...utc);
    const [dentist, lunch] = await list();
    await world.changes();
    await world.update(moved, "--start", "2026-11-25T16:00", "--location", "Room 2");
    await world.remove(removed);
    await world.create("Concert", "2026-11-26T20:00");
    const [later, concert] = await list();
    const changes = (...flags: string[]) =>
      world.run("events", "changes", "--since-last", "job", "--dry-run", ...utc, ...flags);
    expect(JSON.parse((await changes("-o", "json")).stdout)).toEqual([
      { change: "removed", event: lunch, before: lunch },
      { change: "changed", event: later, before: dentist },
      { change: "added", event: concert, before: null },
    ]);
    const jq = await changes("--jq", '.[] | select(.change == "changed") | .before.location');
    expect(jq.stdout).toBe("Room 1\n");
    const lines = await changes("--template", "{{ event.title }}, was at {{ before.location }}");
    expect(lines.stdout).toContain("Dentist, was at Room 1\n");
    const fields = await changes("--fields", "change,before", "-o", "json");
    expect(JSON.parse(fields.stdout)[1]).toEqual({ change: "changed", before: dentist });
    expect((await changes("-o", "text")).stdout).toContain(
      "16:00–17:00  Dentist (was Tue 10:00–11:00, was at Room 1)  Room 2\n",
    );
    expect((await changes("-o", "markdown")).stdout).toContain(
      "- **16:00–17:00** Dentist (was Tue 10:00–11:00, was at Room 1) (Room 2)\n",
    );
  });
});
