import { beforeEach, describe, expect, test } from "vitest";
import { byService, reply } from "../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../support/remote-world.js";

/** Series, with a service that stores them. It is Saturday, 21 November 2026, in Berlin. */

let world: RemoteWorld;
/** Of which its event is one. */
let seriesId: string | null;
beforeEach(async () => {
  seriesId = null;
  world = await createRemoteWorld();
  const { service } = world;
  const handle: typeof service.handle = async (request, peer) => {
    const { body, headers, ...response } = await service.handle(request, peer);
    const marked = new TextDecoder()
      .decode(body)
      .replace('"attributes":{', `"attributes":{"recurring_uuid":"${seriesId}",`);
    return {
      ...response,
      body: seriesId === null ? body : new TextEncoder().encode(marked),
      headers: { ...headers, "calendar-extensions": "keys, recurrences" },
    };
  };
  world.server.otherwise([reply(byService({ handle }))]);
});

const MEETING = ["--title", "Meeting", "--start", "2026-11-23T10:00", "--duration", "90m"];

describe("the request of --repeat", () => {
  const planned = async (...flags: readonly string[]) => {
    const { stdout, stderr } = await world.send("events", "create", ...MEETING, ...flags, "--dry-run");
    const { recurrences, start_at, end_at } = JSON.parse(stdout).body.data.attributes;
    return { recurrences, start_at, end_at, stderr };
  };

  test("has the rule, and the reading is on stderr with the next three dates", async () => {
    expect(await planned("--repeat", "every 2 weeks on mon,thu")).toEqual({
      recurrences: ["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH"],
      start_at: "2026-11-23T09:00:00.000Z",
      end_at: "2026-11-23T10:30:00.000Z",
      stderr:
        "repeat: every 2 weeks on Monday and Thursday: Mon 2026-11-23, Thu 2026-11-26, Mon 2026-12-07, …\n",
    });
  });

  test("begins where the rule does", async () => {
    expect(await planned("--repeat", "weekly on wed", "--until", "2026-12-02")).toEqual({
      recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=WE;UNTIL=20261202T225959Z"],
      start_at: "2026-11-25T09:00:00.000Z",
      end_at: "2026-11-25T10:30:00.000Z",
      stderr: "repeat: every week on Wednesday, until 2 Dec 2026: Wed 2026-11-25, Wed 2026-12-02\n",
    });
  });

  test("leaves days out, over a clock change too", async () => {
    const except = ["--except", "2026-11-30", "--except", "2027-03-29"];
    expect(await planned("--repeat", "weekly on mon", ...except)).toMatchObject({
      recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=MO", "EXDATE:20261130T090000Z,20270329T080000Z"],
      stderr: "repeat: every week on Monday: Mon 2026-11-23, Mon 2026-12-07, Mon 2026-12-14, …\n",
    });
  });

  test("has dates for whole days", async () => {
    const { stdout } = await world.send(
      ...["events", "create", "--title", "Bins", "--all-day", "--start", "2026-11-24"],
      ...["--repeat", "weekly", "--count", "3", "--except", "2026-12-01", "--dry-run", "-q"],
    );
    expect(JSON.parse(stdout).body.data.attributes).toMatchObject({
      start_at: "2026-11-24T00:00:00.000Z",
      end_at: "2026-11-25T00:00:00.000Z",
      recurrences: ["RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE;VALUE=DATE:20261201"],
    });
  });
});

describe("--repeat refuses", () => {
  test.each([
    [["--except", "2026-11-24"], "--except: 2026-11-24 is no day of --repeat"],
    [["--count", "1", "--except", "2026-11-23"], "--except leaves no day of --repeat"],
    [["--until", "2026-11-22"], "--repeat: the rule gives no date"],
  ])("%j", async (flags, message) => {
    const result = await world.send("events", "create", ...MEETING, "--repeat", "weekly on mon", ...flags);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  });
});

describe("--scope", () => {
  const update = (...flags: readonly string[]) =>
    world.send("events", "update", world.eventId, "--title", "Brunch", "--dry-run", ...flags);
  const remove = (...flags: readonly string[]) =>
    world.send("events", "delete", world.eventId, "--dry-run", ...flags);

  test.each(["this", "following", "all"])("%s goes with the request", async (scope) => {
    seriesId = "other";
    for (const run of [update, remove]) {
      const { stdout } = await run("--scope", scope);
      expect(JSON.parse(stdout)).toMatchObject({ query: { scope } });
    }
  });

  test.each<[string, string | null, readonly string[], string]>([
    [
      "must be said of an event that repeats",
      "other",
      [],
      "give --scope this, --scope following or --scope all",
    ],
    ["must be said of a series", "itself", [], "give --scope all"],
    [
      "of a series is not this",
      "itself",
      ["--scope", "this"],
      "give the id of one of its events, as lists have it",
    ],
    ["is for events that repeat", null, ["--scope", "all"], "leave it out"],
    ["is one of three", "other", ["--scope", "some"], "choose from this, following, all"],
  ])("%s", async (_, series, flags, hint) => {
    seriesId = series === "itself" ? world.eventId : series;
    for (const run of [update, remove]) {
      const result = await run(...flags);
      expect(result).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(hint) });
    }
  });
});
