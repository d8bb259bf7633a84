import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { NOW } from "../../support/harness.js";
import { failed, QUIET } from "../../support/outcomes.js";
import { createPostWorld, type PostWorld, todayAt } from "../../support/post-world.js";
import { words } from "../../support/words.js";

/** `remind`: each start is announced once, to a program or a webhook. It is 15:30 in Berlin. */

const MINUTE = 60_000;

let world: PostWorld;

beforeEach(async () => {
  world = await createPostWorld();
});

/** Runs a job that posts reminders, and returns the titles of the messages that it has sent. */
async function remind(...flags: readonly string[]): Promise<readonly string[]> {
  world.hook.forget();
  expect(await world.send("remind", "--before", "15m", "--as", "json", ...flags)).toEqual(QUIET);
  return world.posted<{ readonly title: string }>().map(({ title }) => title);
}

describe("posting", () => {
  test("announces each start once, also one that runs have missed", async () => {
    await world.create("Soon", ...todayAt("15:45"));
    await world.create("Missed", ...todayAt("14:45"));
    await world.create("Long ago", ...todayAt("14:30"));
    await world.create("Later", ...todayAt("15:46"));
    expect(await remind()).toEqual(["Started 45 min ago: Missed", "In 15 min: Soon"]);
    expect(await remind()).toEqual([]);
    world.setNow(NOW + MINUTE);
    expect(await remind()).toEqual(["In 15 min: Later"]);
  });

  test("an event with a link to an address announces, and holds up no other", async () => {
    await world.create("Router", ...todayAt("15:40"), "--url", "http://[fd00::1]/");
    await world.create("Wiki", ...todayAt("15:41"), "--url", "http://intranet/wiki");
    await world.create("Lunch", ...todayAt("15:42"));
    expect(await remind()).toEqual(["In 10 min: Router", "In 11 min: Wiki", "In 12 min: Lunch"]);
  });

  test("gives the ids of events that failed to programs", async () => {
    const [lost, other] = [
      await world.create("Lost", ...todayAt("15:42")),
      await world.create("Other", ...todayAt("15:43")),
    ];
    world.hook.otherwise([reply({ status: 400, headers: {}, body: "" })]);
    const { stderr } = await world.send("remind", "--before", "15m", "--as", "json", "-o", "json");
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      error: { details: { failed: [{ id: lost }, { id: other }] } },
    });
  });

  test("announces an event that moves anew, and a job with another --before too", async () => {
    const id = await world.create("Soon", ...todayAt("15:45"));
    expect(await remind()).toEqual(["In 15 min: Soon"]);
    await world.run("events", "update", id, "--title", "Renamed");
    expect(await remind()).toEqual([]);
    await world.run("events", "update", id, "--start", "2026-11-21T15:40");
    expect(await remind()).toEqual(["In 10 min: Renamed"]);
    expect((await world.send("remind", "--before", "1h", "--as", "json")).exitCode).toBe(0);
    expect(world.hook.requests).toHaveLength(2);
  });

  test("announces over midnight what began yesterday", async () => {
    await world.create("Night", "--start", "2026-11-21T23:50", "--duration", "1h");
    world.setNow(Date.parse("2026-11-21T23:20:00Z"));
    expect(await remind()).toEqual(["Started 30 min ago: Night"]);
  });

  test("takes the filters of events list", async () => {
    await world.create("Dentist", ...todayAt("15:40"), "--label", "2");
    await world.create("Lunch", ...todayAt("15:35"), "--category", "keep");
    expect(await remind("--label", "2")).toEqual(["In 10 min: Dentist"]);
    expect(await remind("--category", "keep")).toEqual(["In 5 min: Lunch"]);
    expect(await remind("--search", "nothing")).toEqual([]);
  });

  test("announces all-day events only with --all-day-at, at that time in the zone", async () => {
    await world.create("Fair", "--start", "2026-11-22", "--all-day");
    expect(await remind()).toEqual([]);
    world.setNow(Date.parse("2026-11-22T06:50:00Z"));
    expect(await remind("--all-day-at", "08:00")).toEqual(["Today: Fair"]);
    expect(await remind("--all-day-at", "08:00", "--timezone", "Asia/Tokyo")).toEqual([]);
  });

  test("a certain failure is tried again, an unknown one is reported once", async () => {
    await world.create("Refused", ...todayAt("15:40"));
    await world.create("Lost", ...todayAt("15:41"));
    world.hook.next(
      [reply({ status: 400, headers: {}, body: "" })],
      [reply({ status: 502, headers: {}, body: "" })],
    );
    const first = await world.send("remind", "--before", "15m", "--as", "json");
    expect(first).toMatchObject({ exitCode: 9, stdout: "" });
    expect(first.stderr).toContain("may have");
    expect(await remind()).toEqual(["In 10 min: Refused"]);
  });

  test("what earlier runs announced does not count: a failure keeps its own exit code", async () => {
    await world.create("Soon", ...todayAt("15:40"));
    expect(await remind()).toEqual(["In 10 min: Soon"]);
    const refused = await world.create("Refused", ...todayAt("15:41"));
    world.hook.next([reply({ status: 400, headers: {}, body: "" })]);
    const { exitCode, stderr } = await world.send("remind", "--before", "15m", "--as", "json");
    expect(exitCode).toBe(11);
    expect(stderr).toContain(
      `event Refused (Sat 21 Nov 15:41, Personal, ${refused}) could not be announced: `,
    );
    expect(stderr).not.toContain("of 2 events");
  });

  test("on a terminal, says how many were announced before only where there are some", async () => {
    await world.create("Soon", ...todayAt("15:40"));
    const flags = ["remind", "-p", "local", "--before", "15m", "--", "true"];
    const notes = async () => (await world.runWith({ columns: 80 }, ...flags)).stderr;
    expect(await notes()).toBe("announced 1 of 1 events\n");
    await world.create("Next", ...todayAt("15:41"));
    expect(await notes()).toBe("announced 1 of 2 events, 1 already announced\n");
  });

  test("an unknown outcome is exit 9 although others worked, and names its event", async () => {
    const lost = await world.create("Lost", ...todayAt("15:40"));
    await world.create("Fine", ...todayAt("15:41"));
    world.hook.next([reply({ status: 502, headers: {}, body: "" })]);
    const partly = await world.send("remind", "--before", "15m", "--as", "json");
    expect(partly.exitCode).toBe(9);
    expect(partly.stderr).toContain(
      `1 of 2 events announced, not: Lost (Sat 21 Nov 15:40, Personal, ${lost})`,
    );
    const alone = await world.create("Alone", ...todayAt("15:44"));
    world.hook.next([reply({ status: 502, headers: {}, body: "" })]);
    const later = await world.send("remind", "--before", "15m", "--as", "json", "--search", "Alone");
    expect(later).toMatchObject(
      failed(9, `error: event Alone (Sat 21 Nov 15:44, Personal, ${alone}): CALCTL_WEBHOOK_URL: `),
    );
    expect(later.stderr).not.toContain("could not be announced");
    expect(await remind()).toEqual([]);
  });

  test("--dry-run shows the messages, and posts none", async () => {
    await world.create("Soon", ...todayAt("15:40"));
    const { exitCode, stdout } = await world.send("remind", "--before", "15m", "--as", "json", "--dry-run");
    expect({ exitCode, message: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      message: { title: "In 10 min: Soon", days: [{ entries: [{ time: "15:40–16:40" }] }] },
    });
    expect(await remind()).toEqual(["In 10 min: Soon"]);
  });

  test("events that start at the same time are one message, without those that were announced before", async () => {
    await world.create("Early", ...todayAt("15:40"));
    expect(await remind()).toEqual(["In 10 min: Early"]);
    for (const title of ["Dentist", "Lunch"]) await world.create(title, ...todayAt("15:40"));
    await world.create("Later", ...todayAt("15:41"));
    expect(await remind()).toEqual(["In 10 min: Dentist, Lunch", "In 11 min: Later"]);
    expect(world.posted()[0]).toMatchObject({ days: [{ entries: [{ event: { title: "Dentist" } }, {}] }] });
    for (const count of [1, 2, 3, 4]) await world.create(`Talk ${count}`, ...todayAt("15:42"));
    expect(await remind()).toEqual(["In 12 min: Talk 1, Talk 2 and 2 more"]);
    expect(await remind()).toEqual([]);
  });
});

test("of events that start at the same time, one that a target refuses does not hold up the others", async () => {
  const odd = await world.create("Dentist", ...todayAt("15:40"));
  for (const title of ["Lunch", "Talk"]) await world.create(title, ...todayAt("15:40"));
  const refused = [reply({ status: 400, headers: {}, body: "no such URL" })];
  world.hook.next(refused, refused);
  const { exitCode, stderr } = await world.send("remind", "--before", "15m", "--as", "json");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 12,
    stderr: expect.stringContaining(`Dentist (Sat 21 Nov 15:40, Personal, ${odd}) could not be announced`),
  });
  expect(stderr).not.toMatch(/Lunch|Talk/);
  expect(world.posted().map(({ title }) => title)).toEqual([
    "In 10 min: Dentist, Lunch, Talk",
    "In 10 min: Dentist",
    "In 10 min: Lunch",
    "In 10 min: Talk",
  ]);
  expect(await remind()).toEqual(["In 10 min: Dentist"]);
});

describe("starts that were missed beyond the grace", () => {
  const run = (...flags: readonly string[]) =>
    world.send("remind", "--before", "15m", "--as", "json", ...flags);

  test("are one line on stderr, once", async () => {
    const [lunch, dinner] = [
      await world.create("Lunch", ...todayAt("16:00")),
      await world.create("Dinner", ...todayAt("16:30")),
    ];
    expect(await run()).toEqual(QUIET);
    world.setNow(Date.parse("2026-11-21T19:00:00Z"));
    const { stderr } = await run();
    expect(stderr).toBe(
      `2 starts were missed, and not announced within --grace: Lunch (Sat 21 Nov 16:00, Personal, ${lunch}), Dinner (Sat 21 Nov 16:30, Personal, ${dinner})\n`,
    );
    expect(await run()).toEqual(QUIET);
    const tea = await world.create("Tea", ...todayAt("22:00"));
    world.setNow(Date.parse("2026-11-22T05:00:00Z"));
    expect((await run()).stderr).toBe(
      `1 start was missed, and not announced within --grace: Tea (Sat 21 Nov 22:00, Personal, ${tea})\n`,
    );
    expect(world.hook.requests).toEqual([]);
  });

  test("are not those before the first run of the job, nor those entered too late", async () => {
    world.setNow(Date.parse("2026-11-21T05:00:00Z"));
    await world.create("Before", ...todayAt("09:00"));
    world.setNow(Date.parse("2026-11-21T12:00:00Z"));
    expect(await run()).toEqual(QUIET);
    world.setNow(Date.parse("2026-11-21T19:00:00Z"));
    await world.create("Entered late", ...todayAt("15:00"));
    expect(await run()).toEqual(QUIET);
  });

  test("are not those of a series that was moved since", async () => {
    const series = await world.create("Sync", ...todayAt("16:00"), "--repeat", "daily", "--count", "5");
    expect(await run()).toEqual(QUIET);
    world.setNow(Date.parse("2026-11-21T15:50:00Z"));
    expect((await run()).exitCode).toBe(0);
    world.hook.forget();
    world.setNow(Date.parse("2026-11-21T19:00:00Z"));
    await world.json("events", "update", series, "--scope", "all", "--start", "2026-11-21T17:00");
    expect(await run()).toEqual(QUIET);
    expect(world.hook.requests).toEqual([]);
  });

  test.each([["--exclude-label", "3"], ["--attendee", "me"], ["--remaining"]])(
    "are not those before the first run of a job with other filters: %j",
    async (...filter) => {
      const times = ["--start", "2026-11-21T16:00", "--duration", "8h"];
      await world.create("Night shift", "--attendee", "me", "--label", "2", ...times);
      const jobs = [[], filter];
      for (const [index, flags] of jobs.entries()) {
        world.setNow(Date.parse(`2026-11-21T1${4 + 5 * index}:00:00Z`));
        expect(await run(...flags)).toEqual(QUIET);
      }
    },
  );
});

describe("running a program", () => {
  /** A program that appends its stdin and some of its variables to a file. */
  function recorder() {
    const path = join(world.directory, "record");
    const script = `cat >> "${path}"; printf '%s|%s|%s\\n' "$CALCTL_EVENT_TITLE" "$CALCTL_EVENT_START_LOCAL" "$1" >> "${path}"`;
    return { program: ["--", "sh", "-c", script, "sh", "a  *  b"], record: () => readFileSync(path, "utf8") };
  }

  test("gives it the event as JSON and as variables, and its arguments without a shell", async () => {
    const title = "Dentist $(touch /x); 'q'";
    await world.create(title, ...todayAt("15:40"));
    const { program, record } = recorder();
    expect(await world.send("remind", "--before", "15m", ...program)).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    const [json = "", variables] = record().split("\n");
    expect(JSON.parse(json)).toMatchObject({
      title,
      start_local: "2026-11-21T15:40:00+01:00",
      attendees: [],
    });
    expect(variables).toBe(`${title}|2026-11-21T15:40:00+01:00|a  *  b`);
    expect((await world.send("remind", "--before", "15m", ...program)).exitCode).toBe(0);
    expect(record().split("\n")).toHaveLength(3);
  });

  test("a program that fails is reported with its event, and runs again", async () => {
    const dentist = await world.create("Dentist", ...todayAt("15:40"));
    await world.create("Lunch", ...todayAt("15:41"));
    const record = join(world.directory, "record");
    const script = `test -e "${record}" || test "$CALCTL_EVENT_TITLE" = Lunch || exit 3; echo "$CALCTL_EVENT_TITLE" >> "${record}"`;
    const argv = ["remind", "--before", "15m", "--", "sh", "-c", script];
    const partly = await world.send(...argv);
    expect(partly.exitCode).toBe(12);
    expect(partly.stderr).toContain(
      `event Dentist (Sat 21 Nov 15:40, Personal, ${dentist}) could not be announced: sh ended with exit code 3`,
    );
    expect(await world.send(...argv)).toEqual(QUIET);
    expect(readFileSync(record, "utf8")).toBe("Lunch\nDentist\n");
  });

  test("an all-day event is named by its day", async () => {
    const fair = await world.create("Fair", "--start", "2026-11-21", "--all-day");
    const argv = ["remind", "--before", "15m", "--all-day-at", "15:40", "--", "false"];
    expect((await world.send(...argv)).stderr).toContain(
      `event Fair (Sat 21 Nov all day, Personal, ${fair}): `,
    );
  });

  test("where every program fails, it is exit 1", async () => {
    await world.create("Dentist", ...todayAt("15:40"));
    expect(await world.send(...words`remind --before 15m -- sh -c "kill -9 $$"`)).toMatchObject(
      failed(1, "a signal"),
    );
  });

  test("a program that cannot be started is exit 1", async () => {
    const id = await world.create("Dentist", ...todayAt("15:40"));
    const { exitCode, stderr } = await world.send("remind", "--before", "15m", "--", "/nosuch/program");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: event Dentist (Sat 21 Nov 15:40, Personal, ${id}): /nosuch/program cannot be started: no such file or directory\nhint: check the path\n`,
    });
    const inPath = await world.send("remind", "--before", "15m", "--", "calctl-nosuch-program");
    expect(inPath.stderr).toContain("hint: not found in PATH: use its full path");
  });
});

test("wrong flags are refused", async () => {
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["--", "true"], "missing --before\n"],
    [[], "missing --before and --post (or a program after --)\n"],
    [["--before", "15m"], "missing --post (or a program after --)\n"],
    [["--before", "15m", "--as", "mail"], "missing --post ADDRESS\n"],
    [["--before", "15m", "--as", "mail", "--post", "ana@"], '--post: "ana@"'],
    [["--before", "15m", "--as", "json", "--", "true"], "either a program or a target"],
    [["--before", "15m", "--", ""], "the program is empty"],
    [["--before", "15m", "--chat", "1", "--", "true"], "--chat: only messages support this flag"],
    [["--before", "soon", "--", "true"], '--before: "soon"'],
    [["--before", "6d", "--", "true"], "--before is longer than 5 days"],
    [["--before", "1h", "--grace", "13h", "--", "true"], "--grace can be at most 12h"],
    [["--before", "1h", "--all-day-at", "24:00", "--", "true"], '--all-day-at: "24:00"'],
    [["--before", "1h", "--search", "", "--", "true"], "--search is empty"],
  ];
  for (const [flags, message] of wrong)
    expect(await world.send("remind", ...flags), flags.join(" ")).toMatchObject(failed(2, message));
});
