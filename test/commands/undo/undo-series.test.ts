import { describe, expect, test } from "vitest";
import { createHarness, type Harness, harnessesWith } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";

/** `calctl undo` of what was written to series. It is Saturday, 21 November 2026, in Berlin. */

const MEETING = ["--title", "Meeting", "--start", "2026-11-23T10:00", "--duration", "90m"];
const WEEKLY = [...MEETING, "--repeat", "weekly on mon"];

const createOf = (count: number) =>
  harnessesWith(({ run }) => run("events", "create", ...WEEKLY, "--count", `${count}`));
/** By the number of Mondays that the series of the new harness has, from 23 November on. */
const createWith = { 2: createOf(2), 3: createOf(3), 4: createOf(4) };

let harness: Harness;

interface Shown {
  readonly id: string;
  readonly calendar_id: string;
  readonly series_id: string | null;
  readonly title: string;
  readonly start_local: string;
  readonly end_local: string;
  readonly recurrences: readonly string[];
}

const events = () =>
  harness.json<readonly Shown[]>("events", "list", "--from", "2026-11-01", "--to", "2027-01-31");
const rows = async () =>
  (await events()).map(({ id, title, start_local, end_local, recurrences }) => ({
    id,
    title,
    start_local,
    end_local,
    recurrences,
  }));
/** The events without their ids, which a series has anew that is made again. */
const contents = async () => (await rows()).map(({ id: _, ...row }) => row);
/** The series as `events get` has it. */
const seriesOf = async ([event]: readonly { readonly id: string }[]) =>
  harness.json<Shown>("events", "get", event?.id.slice(0, 32) ?? "");
const occurrence = async (day: string): Promise<string> => {
  const found = (await events()).find(({ start_local: start }) => start.startsWith(day));
  return found?.id ?? "";
};
const run = async (...argv: readonly string[]) => {
  const result = await harness.run(...argv);
  expect({ argv, ...result, exitCode: 0 }).toEqual({ argv, ...result });
  return result;
};

/** Series of which something was written before, all of them with four Mondays from 23 November on. */
const SERIES: readonly (readonly [string, readonly string[]])[] = [
  ["with an exception", ["update", "--scope", "this", "--start", "2026-12-15T11:00", "2026-12-14"]],
  ["whose first event was deleted", ["delete", "--scope", "this", "--yes", "2026-11-23"]],
  [
    "whose first event was changed on its own",
    ["update", "--scope", "this", "--title", "Party", "--start", "2026-11-24T11:00", "2026-11-23"],
  ],
];

const WRITES: readonly (readonly [string, readonly string[]])[] = [
  ["a move of one", ["update", "--scope", "this", "--start", "2026-12-08T11:00"]],
  ["a move of all", ["update", "--scope", "all", "--start", "2026-12-07T09:00"]],
  ["another rule", ["update", "--scope", "all", "--repeat", "every 2 weeks on mon", "--count", "2"]],
  ["another day in its rule", ["update", "--scope", "all", "--repeat", "weekly on wed", "--count", "4"]],
  [
    "a move with its rule",
    ["update", "--scope", "all", "--start", "2026-12-08T10:00", "--repeat", "weekly on tue", "--count", "4"],
  ],
  ["a delete of one", ["delete", "--scope", "this", "--yes"]],
  ["a delete of those that follow", ["delete", "--scope", "following", "--yes"]],
];

/** `events` with a command line, the last word of which is the day of the event that is meant. */
const write = async (argv: readonly string[]) => {
  const [command = "", ...flags] = argv.slice(0, -1);
  return run("events", command, await occurrence(argv.at(-1) ?? ""), ...flags);
};

describe("undo", () => {
  describe.each(SERIES)("in a series %s", (_, prepare) => {
    test("of each write leaves everything as it was", async () => {
      harness = await createWith[4]();
      await write(prepare);
      const before = await rows();
      const series = await seriesOf(before);
      const id = await occurrence("2026-12-07");
      for (const [name, [command = "", ...flags]] of WRITES) {
        // If the command wrote nothing, the undo would undo the write before it.
        await run("events", command, id, ...flags);
        await run("undo", "--yes");
        expect(await rows(), name).toEqual(before);
        expect(await seriesOf(before), name).toMatchObject({ recurrences: series.recurrences });
      }
    });

    test("of a delete of all makes it again, with all it had", async () => {
      harness = await createWith[4]();
      await write(prepare);
      const before = await contents();
      for (const scope of ["all", "following"]) {
        await write(["delete", "--scope", scope, "--yes", before[0]?.start_local.slice(0, 10) ?? ""]);
        expect(await rows(), scope).toEqual([]);
        await run("undo", "--yes");
        expect(await contents(), scope).toEqual(before);
      }
    });
  });

  test("of a change from here on leaves everything as it was", async () => {
    harness = await createHarness();
    await run("events", "create", ...WEEKLY, "--count", "4", "--except", "2026-12-07");
    const before = await rows();
    for (const flags of [
      ["--start", "2026-11-30T09:00"],
      ["--repeat", "daily", "--count", "2"],
    ]) {
      await write(["update", "--scope", "following", ...flags, "2026-11-30"]);
      await run("undo", "--yes");
      expect(await rows(), flags.join(" ")).toEqual(before);
    }
  });

  test("of another day in the rule from the first event on leaves everything as it was", async () => {
    harness = await createWith[4]();
    await write(["update", "--scope", "this", "--start", "2026-12-15T11:00", "2026-12-14"]);
    const before = await rows();
    await write(["update", "--scope", "following", "--repeat", "weekly on wed", "2026-11-23"]);
    await run("undo", "--yes");
    expect(await rows()).toEqual(before);
  });

  test("of a delete or an update brings back what had been changed on its own", async () => {
    harness = await createWith[4]();
    await write(["update", "--scope", "this", "--title", "Party", "2026-12-07"]);
    const before = await rows();
    for (const flags of [
      ["delete", "--scope", "this", "--yes"],
      ["delete", "--scope", "following", "--yes"],
      ["update", "--scope", "all", "--location", "Hall"],
      ["update", "--scope", "following", "--location", "Hall"],
    ]) {
      await write([...flags, "2026-12-07"]);
      await run("undo", "--yes");
      expect(await rows(), flags.join(" ")).toEqual(before);
    }
  });

  test("of a delete of the last event makes the series again", async () => {
    harness = await createWith[2]();
    await write(["delete", "--scope", "this", "--yes", "2026-11-23"]);
    const before = await contents();
    await write(["delete", "--scope", "this", "--yes", "2026-11-30"]);
    await run("undo", "--yes");
    expect(await contents()).toEqual(before);
  });

  describe("of older commands, once a series has another id", () => {
    const MONDAYS = ["2026-11-23", "2026-11-30", "2026-12-07"];
    const days = (command: readonly string[]) => MONDAYS.map((day) => [...command, day]);

    test.each<[string, readonly (readonly string[])[]]>([
      ["deletes of each event", days(["delete", "--scope", "this", "--yes"])],
      [
        "a delete of those that follow, and of the rest",
        [
          ["delete", "--scope", "following", "--yes", "2026-11-30"],
          ["delete", "--scope", "all", "--yes", "2026-11-23"],
        ],
      ],
      [
        "a change of one, and of all like it",
        [
          ["update", "--scope", "this", "--title", "Party", "2026-11-30"],
          ["update", "--scope", "all", "--title", "Party", "2026-11-30"],
          ["delete", "--scope", "all", "--yes", "2026-11-23"],
        ],
      ],
      [
        "changes of one, of those that follow and of all, and deletes of all of both",
        [
          ["update", "--scope", "this", "--title", "Party", "--start", "2026-11-24T11:00", "2026-11-23"],
          [
            "update",
            "--scope",
            "following",
            "--title",
            "Review",
            "--start",
            "2026-12-07T09:00",
            "2026-12-07",
          ],
          ["update", "--scope", "all", "--location", "Hall", "2026-11-30"],
          ["delete", "--scope", "all", "--yes", "2026-12-07"],
          ["delete", "--scope", "all", "--yes", "2026-11-30"],
        ],
      ],
    ])("%s", async (_, commands) => {
      harness = await createWith[3]();
      const before: (typeof contents extends () => Promise<infer T> ? T : never)[] = [];
      for (const argv of commands) {
        before.push(await contents());
        await write(argv);
      }
      expect(await rows()).toEqual([]);
      for (const expected of before.reverse()) {
        await run("undo", "--yes");
        expect(await contents()).toEqual(expected);
      }
      await run("undo", "--yes");
      expect(await rows()).toEqual([]);
    });

    test("which one command wrote", async () => {
      harness = await createWith[3]();
      const before = await contents();
      const ids = (await rows()).map(({ id }) => id);
      await run("events", "delete", ...ids, "--scope", "this", "--yes");
      await run("undo", "--yes");
      expect(await contents()).toEqual(before);
      const [command] = await harness.json<readonly { readonly events: unknown }[]>("undo", "--list");
      expect(command?.events).toEqual([(await rows())[0]?.id.slice(0, 32)]);
    });
  });

  test("of a move to another calendar puts an event back where it was in its series", async () => {
    harness = await createWith[3]();
    await write(["update", "--scope", "this", "--title", "Party", "2026-12-07"]);
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    const before = await rows();
    for (const day of ["2026-11-30", "2026-12-07"]) {
      await write(["move", "--to", "Work", "--yes", day]);
      await run("undo", "--yes");
      expect(await rows()).toEqual(before);
    }
  });

  test("asks where events get other ids", async () => {
    harness = await createWith[3]();
    await write(["update", "--scope", "following", "--title", "Review", "2026-11-30"]);
    expect(await harness.run("undo")).toMatchObject(failed(2, "--yes"));
    expect((await run("undo", "--yes")).stderr).toContain("restored (with the previous ids of its events)");
  });

  test("writes nothing where comments would be lost", async () => {
    harness = await createWith[3]();
    await run("comment", await occurrence("2026-12-07"), "See you there");
    await write(["update", "--scope", "following", "--title", "Review", "2026-11-30"]);
    const before = await rows();
    expect(await harness.run("undo", "--yes")).toMatchObject(
      failed(13, "comments on its events would be lost"),
    );
    expect(await rows()).toEqual(before);
  });

  test("of a create deletes all of it", async () => {
    harness = await createWith[3]();
    await run("undo", "--yes");
    expect(await rows()).toEqual([]);
  });

  test("refuses to make a single event of a series", async () => {
    harness = await createHarness();
    const { id } = await harness.json<Shown>("events", "create", ...MEETING);
    await run("events", "update", id, "--repeat", "daily", "--count", "2");
    const before = await rows();
    expect(await harness.run("undo", "--yes")).toMatchObject(
      failed(11, "it cannot be undone: a series cannot become a single event"),
    );
    expect(await rows()).toEqual(before);
  });

  test("refuses what would lose an event that was changed on its own", async () => {
    harness = await createWith[4]();
    const from = await occurrence("2026-11-30");
    await run("events", "update", await occurrence("2026-12-07"), "--scope", "this", "--title", "Party");
    await run("events", "update", from, "--scope", "following", "--start", "2026-11-30T09:00");
    const before = await rows();
    expect(await harness.run("undo", "--yes")).toMatchObject(
      failed(11, "1 of its events was changed on its own, and would be lost"),
    );
    expect(await rows()).toEqual(before);
  });

  test("writes nothing when the series was changed since", async () => {
    harness = await createWith[4]();
    await write(["delete", "--scope", "this", "--yes", "2026-11-30"]);
    const [first] = await events();
    const path = `/calendars/${first?.calendar_id}/events/${first?.series_id}`;
    const { attributes, relationships } = JSON.parse((await run("api", path)).stdout).data;
    const body = { data: { attributes: { ...attributes, title: "Review" }, relationships } };
    await harness.runWith({ stdin: JSON.stringify(body) }, "api", path, "-X", "PUT", "--input", "-");
    const before = await rows();
    expect(before.map(({ title }) => title)).toEqual(["Review", "Review", "Review"]);
    expect(await harness.run("undo", "2", "--yes")).toMatchObject({ exitCode: 13 });
    expect(await rows()).toEqual(before);
  });
});
