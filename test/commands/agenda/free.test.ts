import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { type Harness, harnessesWith } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";
import { words } from "../../support/words.js";

/** Free times and overlaps of people. Now is Saturday 21 November, 15:30 in Berlin; the current user is ana. */

const createWorld = harnessesWith(async ({ service: { admin }, userId }) => {
  await admin.users.add({ name: "Ben" });
  await admin.users.add({ name: "Bea" });
  await admin.users.add({ name: "Zoe" });
  await admin.calendars.add({ name: "Work", owner: userId });
  await admin.members.add("Ben", "Work");
  await admin.members.add("Bea", "Work");
  await admin.calendars.add({ name: "Theirs", owner: "Zoe" });
});

const empty = share(() => createWorld());
let harness: Harness;
beforeEach(() => {
  harness = empty();
});
const withEvents = () =>
  beforeEach(async () => {
    harness = await createWorld();
  });

async function create(title: string, start: string, ...flags: readonly string[]): Promise<void> {
  const length = flags.includes("--all-day") || flags.includes("--duration") ? [] : ["--duration", "1h"];
  const calendar = flags.includes("-c") ? [] : ["-c", "Work"];
  await harness.json(
    ...words`events create --title ${title} --start ${start}`,
    ...length,
    ...calendar,
    ...flags,
  );
}

interface Span {
  readonly start_local: string;
  readonly end_local: string;
}

/** `22T09:00 22T10:00` each. */
async function free(...flags: readonly string[]): Promise<readonly string[]> {
  const times = await harness.json<readonly Span[]>("free", ...flags);
  return times.map((time) => `${time.start_local.slice(8, 16)} ${time.end_local.slice(8, 16)}`);
}

const SUNDAY = ["--on", "2026-11-22"] as const;

describe("free", () => {
  withEvents();

  test("is what my events leave of the day, from now on", async () => {
    expect(await free()).toEqual(["21T15:30 28T00:00"]);
    await create("Dinner", "2026-11-21T19:00");
    expect(await free("--on", "today")).toEqual(["21T15:30 21T19:00", "21T20:00 22T00:00"]);
    expect(await free("--days", "1")).toEqual(["21T15:30 21T19:00", "21T20:00 22T00:00"]);
    expect(await free("--to", "2026-11-22", "-n", "2")).toEqual(["21T15:30 21T19:00", "21T20:00 23T00:00"]);
    expect(await free("--on", "2026-11-22", "-n", "9".repeat(12))).toHaveLength(1);
    expect(await free("--from", "2026-11-30", "--to", "2026-11-30")).toEqual(["30T00:00 01T00:00"]);
  });

  test("lasts at least as long as --for, within --between", async () => {
    await create("Brunch", "2026-11-22T10:00");
    await create("Coffee", "2026-11-22T11:20", "--duration", "10m");
    expect(await free(...SUNDAY, "--between", "09:00-12:00")).toEqual([
      "22T09:00 22T10:00",
      "22T11:30 22T12:00",
    ]);
    expect(await free(...SUNDAY, "--between", "09:00-12:00", "--for", "20m")).toHaveLength(3);
    expect(await free(...SUNDAY, "--between", "09:00-12:00", "--for", "1h")).toEqual(["22T09:00 22T10:00"]);
    expect(await free(...SUNDAY, "--between", "9:00-9:30")).toEqual(["22T09:00 22T09:30"]);
    expect(await free(...SUNDAY, "--between", "22:00-06:00")).toEqual([
      "22T00:00 22T06:00",
      "22T22:00 23T00:00",
    ]);
  });

  test("all-day events and keeps do not block, nor what others attend or made", async () => {
    await create("Holiday", "2026-11-22", "--all-day");
    await create("Idea", "2026-11-22T08:00", "--category", "keep");
    await create("Theirs", "2026-11-22T10:00", "--attendee", "Ben");
    const whole = ["22T00:00 23T00:00"];
    expect(await free(...SUNDAY)).toEqual(whole);
    await create("Ours", "2026-11-22T12:00", "--attendee", "Ben", "--attendee", "me");
    expect(await free(...SUNDAY)).toEqual(["22T00:00 22T12:00", "22T13:00 23T00:00"]);
    expect(await free(...SUNDAY, "-c", "Personal")).toEqual(whole);
    // A default is for lists.
    const { stdout } = await harness.runWith({ env: { CALCTL_CALENDAR: "Personal" } }, "free", ...SUNDAY);
    expect(stdout.trim().split("\n")).toHaveLength(2);
  });

  test("--all-day counts all-day events, as days of the chosen zone", async () => {
    await create("Holiday", "2026-11-22", "--all-day");
    await create("Idea", "2026-11-22", "--all-day", "--category", "keep");
    expect(await free("--days", "3", "--all-day")).toEqual(["21T15:30 22T00:00", "23T00:00 24T00:00"]);
    expect(await free("--days", "3", "--all-day", "--timezone", "Asia/Tokyo")).toEqual([
      "21T23:30 22T00:00",
      "23T00:00 24T00:00",
    ]);
  });

  test("--with others is when nobody has an event", async () => {
    await create("Ben's", "2026-11-22T10:00", "--attendee", "Ben");
    await create("Bea's", "2026-11-22T12:00", "--attendee", "Bea");
    await create("Mine", "2026-11-22T14:00");
    const withBen = ["22T00:00 22T10:00", "22T11:00 22T14:00", "22T15:00 23T00:00"];
    expect(await free(...SUNDAY, "--with", "Ben")).toEqual(withBen);
    expect(await free(...SUNDAY, "--with", "ben", "--with", "me")).toEqual(withBen);
    expect(await free(...SUNDAY, "--with", "Ben", "--with", "Bea")).toHaveLength(4);
  });

  test("prints the time with its length on a terminal, and says when there is none", async () => {
    await create("Brunch", "2026-11-22T10:00");
    const env = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };
    const show = (...flags: readonly string[]) =>
      harness.runWith({ columns: 60, env }, "free", ...SUNDAY, ...flags);
    const lines = ["When                          Length", "Sun 22 Nov 00:00–10:00        10h"];
    expect((await show()).stdout).toBe([...lines, "Sun 22 Nov 11:00 – Mon 00:00  13h", ""].join("\n"));
    expect(await show("--for", "20h")).toEqual({ exitCode: 0, stdout: "", stderr: "no free time\n" });
  });
});

describe("free of an empty calendar", () => {
  test("has instants and local times in JSON", async () => {
    expect(await harness.json("free", "--on", "2026-11-22", "--between", "09:00-10:00")).toEqual([
      {
        start_at: "2026-11-22T08:00:00.000Z",
        end_at: "2026-11-22T09:00:00.000Z",
        start_local: "2026-11-22T09:00:00+01:00",
        end_local: "2026-11-22T10:00:00+01:00",
      },
    ]);
  });

  test("the last day of the last year ends a minute early, since its end has no date", async () => {
    const days = ["--from", "9999-12-31", "--to", "9999-12-31"];
    expect(await harness.json("free", ...days)).toMatchObject([
      { end_at: "9999-12-31T22:59:00.000Z", end_local: "9999-12-31T23:59:00+01:00" },
    ]);
    const west = await harness.json("free", ...days, "--timezone", "America/New_York");
    expect(west).toMatchObject([{ end_at: "9999-12-31T23:59:00.000Z" }]);
  });

  test("with a person who shares no calendar is exit 5 with the members", async () => {
    const { exitCode, stdout, stderr } = await harness.run("free", "--with", "Zoe");
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: "" });
    expect(stderr).toMatch(/^error: --with: there is no member "Zoe"\nhint: members: .*ana .*Ben .*Bea/);
    expect(await harness.run("free", "--with", "Be")).toMatchObject({ exitCode: 2, stdout: "" });
  });

  test.each([
    [["--between", "9-5"], '--between: "9-5" may be before or after noon'],
    [["--for", "0m"], '--for: "0m" is not a valid duration'],
    [["--with", ""], "--with is empty"],
    [["-n", "0"], "--limit"],
    [["--on", "yesterday"], "--on: 2026-11-20 is over"],
    [["--from", "2026-11-01", "--to", "2026-11-20"], "--from: 2026-11-20 is over"],
    [["--from", "2026-11-01"], "--from: 2026-11-07 is over"],
    [["--on", "today", "--days", "2"], "use either --on or --days, not both"],
  ])("%j is refused", async (flags, problem) => {
    expect(await harness.run("free", ...flags)).toMatchObject(failed(2, problem));
  });
});

test.each(["free", "conflicts"])(
  "%s prints nothing when a calendar cannot be read, and names it",
  async (command) => {
    const world = await createRemoteWorld();
    await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    world.server.on(`GET /calendars/${world.calendarId}/upcoming_events`, [
      reply({ status: 403, body: "{}" }),
    ]);
    expect(await world.send(command)).toMatchObject(
      failed(6, `error: calendar Personal (${world.calendarId}) could not be read: `),
    );
  },
);

describe("conflicts", () => {
  const pairs = async (...flags: readonly string[]) =>
    (await harness.json<readonly Record<"first" | "second", { title: string }>[]>("conflicts", ...flags)).map(
      ({ first, second }) => `${first.title} ${second.title}`,
    );

  const overlapping = share(async () => {
    harness = await createWorld();
    await create("B", "2026-11-22T10:30", "-c", "Personal");
    await create("A", "2026-11-22T10:00");
    await create("C", "2026-11-22T11:00", "--attendee", "me");
    await create("D", "2026-11-22T11:00", "--attendee", "Ben");
    await create("E", "2026-11-22", "--all-day");
    await create("F", "2026-11-22T10:00", "--category", "keep");
    await create("G", "2026-11-24T22:00", "--duration", "8h");
    await create("H", "2026-11-25T05:00");
    return harness;
  });
  beforeEach(() => {
    harness = overlapping();
  });

  test("are the pairs of my timed events that overlap", async () => {
    expect(await pairs()).toEqual(["A B", "B C", "G H"]);
    expect(await pairs("--on", "2026-11-25")).toEqual(["G H"]);
    expect(await pairs("--days", "1")).toEqual([]);
    expect(await pairs("-c", "Work")).toEqual(["G H"]);
  });

  test("are ids in tsv, and titles with short ids on a terminal", async () => {
    expect((await harness.run("conflicts")).stdout).toMatch(/^(?:[0-9a-f]{32}\t[0-9a-f]{32}\n){3}$/);
    const env = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };
    const { stdout } = await harness.runWith({ columns: 80, env }, "conflicts");
    expect(stdout.replaceAll(/[0-9a-f]{4,}/g, "x").replaceAll(/ {2,}/g, "|")).toBe(
      [
        ...["When|First|Second|IDs", "Sun 22 Nov 10:30–11:00|A|B|x x", "Sun 22 Nov 11:00–11:30|B|C|x x"],
        ...["Wed 25 Nov 05:00–06:00|G|H|x x", ""],
      ].join("\n"),
    );
    const none = await harness.runWith({ columns: 80, env }, "conflicts", "--days", "1");
    expect(none).toEqual({ exitCode: 0, stdout: "", stderr: "nothing overlaps\n" });
  });

  test("are those of all-day events, too, with --all-day", async () => {
    await create("I", "2026-11-21", "--all-day", "--end", "2026-11-23", "-c", "Personal");
    expect(await pairs("--all-day")).toEqual([
      "I E",
      "I A",
      "I B",
      "I C",
      "E A",
      "E B",
      "E C",
      "A B",
      "B C",
      "G H",
    ]);
    const env = { LC_ALL: "C.UTF-8", NO_COLOR: "1" };
    const { stdout } = await harness.runWith({ columns: 80, env }, "conflicts", "--all-day");
    expect(stdout).toMatch(/^Sun 22 Nov {2}all day +I +E /m);
    expect(stdout).toMatch(/^Sun 22 Nov 10:00–11:00 +I +A /m);
  });
});
