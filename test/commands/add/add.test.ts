import { beforeEach, describe, expect, test } from "vitest";
import { withoutExtensions } from "../../support/contract-service.js";
import { byService, reply } from "../../support/fault-steps.js";
import { createHarness, type Harness } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";
import { words } from "../../support/words.js";

/** `calctl add` without a terminal; test/cli/prompts.test.ts has its questions, test/commands/add/sentences.txt the grammar. */

let harness: Harness;

const LUNCH = "Lunch with Ana tomorrow 12-13 at Noodle bar".split(" ");
const READING = "  Lunch with Ana\n  Sun 22 Nov 2026 12:00–13:00 Europe/Berlin\n  at Noodle bar\n";

async function events(): Promise<readonly unknown[]> {
  return harness.json<readonly unknown[]>("events", "list", "--days", "7", "--all-calendars");
}

describe("a text", () => {
  beforeEach(async () => {
    harness = await createHarness();
  });

  test.each([
    ["several words", LUNCH],
    ["one", [LUNCH.join(" ")]],
  ])("makes the event, and says how it was read: %s", async (_, words) => {
    const { exitCode, stdout, stderr } = await harness.run("add", ...words, "--yes", "-o", "json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: READING });
    const made = { title: "Lunch with Ana", location: "Noodle bar", label: { number: 1 }, all_day: false };
    expect(JSON.parse(stdout)).toMatchObject({
      ...made,
      start_local: "2026-11-22T12:00:00+01:00",
      end_local: "2026-11-22T13:00:00+01:00",
    });
    expect(await events()).toMatchObject([made]);
  });

  test.each([
    ["Camp mon-wed", "2026-11-23\t2026-11-25\ttrue"],
    ["Camp fri 9:30", "2026-11-27T09:30:00+01:00\t2026-11-27T10:15:00+01:00\tfalse"],
  ])("%s", async (text, columns) => {
    await harness.run("config", "set", "duration", "45m");
    const argv = ["add", text, "-y", "-q", "--fields", "start_local,end_local,all_day"];
    expect(await harness.run(...argv)).toEqual({ exitCode: 0, stdout: `${columns}\n`, stderr: "" });
  });

  test("a time that a clock change repeats is read and shown with its offset", async () => {
    const { stdout, stderr } = await harness.run(
      ...words`add "Party 31 oct 2027 02:30+01:00" --yes -o table`,
    );
    expect(stderr).toContain("Sun 31 Oct 2027 02:30+01:00–03:30 Europe/Berlin");
    expect(stdout).toContain("02:30+01:00–03:30");
  });

  test.each([
    ["x 9999-12-31 23:30", "the event ends after the year 9999"],
    ["x 29 feb 2027", "the last day of that month is 2027-02-28"],
  ])("%s: %s", async (text, message) => {
    const { exitCode, stderr } = await harness.run("add", text, "--timezone", "UTC", "--yes");
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain("--");
  });

  test("on a terminal that shows only ASCII, the reading has no dash", async () => {
    const shown = async (LANG: string) =>
      (await harness.runWith({ columns: 80, env: { LANG } }, "add", "Camp mon 12-13", "--yes")).stderr;
    expect(await shown("C")).toContain("12:00-13:00");
    expect(await shown("C.UTF-8")).toContain("12:00–13:00");
  });

  test("--dry-run prints the request, and needs no --yes", async () => {
    const { exitCode, stdout } = await harness.run("add", ...LUNCH, "--dry-run");
    expect({ exitCode, request: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      request: { method: "POST", body: { data: { attributes: { title: "Lunch with Ana" } } } },
    });
    expect(await events()).toEqual([]);
  });

  test("the calendar is that of -c or for writing, the label that of #name", async () => {
    await harness.service.admin.calendars.add({ name: "Work", owner: harness.userId });
    await harness.service.admin.labels.set("Work", 3, { name: "Travel plans" });
    expect(await harness.run("add", ...LUNCH, "--yes")).toMatchObject(
      failed(2, "there are several calendars"),
    );
    const add = (...argv: string[]) => harness.run("add", "-y", "-q", "--fields", "label,title", ...argv);
    expect((await add("-c", "Work", ...LUNCH, '#"travel plans"')).stdout).toBe(
      "Travel plans\tLunch with Ana\n",
    );
    expect((await add("Lunch", "-c", "Work", "#3", "tomorrow")).stdout).toBe("Travel plans\tLunch\n");
    await harness.run("config", "set", "write_calendar", "Work");
    const unknown = await add("#travel Lunch tomorrow");
    expect(unknown).toMatchObject(
      failed(5, `the text (quote "#travel" to keep it in the title): there is no label "travel"`),
    );
    expect((await add("Lunch tomorrow")).exitCode).toBe(0);
    expect(await events()).toHaveLength(3);
  });

  test("an event that repeats is a series, which begins with the first date of its rule", async () => {
    const { exitCode, stdout, stderr } = await harness.run(
      ...words`add "Standup every monday 9:00 for 15m" --yes -o json`,
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        "  Standup\n  Mon 23 Nov 2026 09:00–09:15 Europe/Berlin\n" +
        "repeat: every week on Monday: Mon 2026-11-23, Mon 2026-11-30, Mon 2026-12-07, …\n",
    });
    expect(JSON.parse(stdout)).toMatchObject({
      title: "Standup",
      start_local: "2026-11-23T09:00:00+01:00",
      recurrences: ["RRULE:FREQ=WEEKLY;BYDAY=MO"],
    });
  });

  test.each([
    ["Standup every monday 9:00 until 18 dec", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20261218T225959Z", "2026-11-23"],
    ["Standup weekdays 9:00 for six times", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=6", "2026-11-23"],
  ])("%s is a series with its end", async (text, rule, first) => {
    const { exitCode, stdout } = await harness.run("add", text, "-y", "-q", "-o", "json");
    expect({ exitCode, made: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      made: { recurrences: [`RRULE:${rule}`], start_local: expect.stringContaining(first) },
    });
  });

  test("where no series is stored, an event that repeats is refused before anything is written", async () => {
    const world = await createRemoteWorld();
    world.server.otherwise([reply(byService(withoutExtensions(world.service)))]);
    expect(await world.send("add", "Standup daily 9:00", "--yes")).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining("this service does not store repeating events\nhint: --copies"),
    });
    expect(world.server.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

describe("what is refused", () => {
  const shared = share(createHarness);
  beforeEach(() => {
    harness = shared();
  });

  test.each([
    ["two readings of a number", ["Lunch fri 11"], '"11" in "fri 11" may be a time, a day of a month'],
    [
      "a series that ends before its first date",
      ["Gym every monday 9:00 until tomorrow"],
      "the event stops repeating before its first date, Mon 2026-11-23\nhint: write a later day",
    ],
    ["what a shell drops", ["Lunch"], "a shell ignores what follows # outside of quotes"],
    [
      "a number after #",
      ["Pay bill #1234 tomorrow"],
      `in quotes for the title, and those in quotes for the shell: '"#1234"'`,
    ],
    ["nothing", [""], "the text names no day and no time"],
    ["a title that is too long", [`${"x".repeat(51)} tomorrow`], "the text: title is 51 characters long"],
    ["a place that is too long", [`Lunch tomorrow at ${"x".repeat(101)}`], "the text: location is 101"],
    ["--strict-dates", ["Lunch tomorrow", "--strict-dates"], "--strict-dates"],
    [
      "several days",
      ["Lunch tue and thu 18:00"],
      "hint: add each by itself, write every mon and wed for a series,",
    ],
    ["several times", ["Breakfast tomorrow 9:00 and 10:00"], "hint: write a day or a time,"],
    ["days with a time", ["Standup mon-fri 9:00"], "or a rule such as weekdays 9:00\n"],
    ["days with times", ["Standup mon-fri 9:00-9:15"], "or a rule such as weekdays 9:00-9:15\n"],
    ["a format", ["Lunch tomorrow", "-o", "yaml"], "yaml"],
  ])("exit 2, and nothing is written: %s", async (_, argv, problem) => {
    expect(await harness.run("add", ...argv, "--yes")).toMatchObject(failed(2, problem));
    expect(await events()).toEqual([]);
  });

  test("without a terminal, a text and --yes are required", async () => {
    expect(await harness.run("add")).toMatchObject(failed(2, "TEXT"));
    expect(await harness.run("add", ...LUNCH)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "error: --yes is required where calctl cannot prompt\nhint: add --yes to skip the confirmation\n",
    });
    expect(await events()).toEqual([]);
  });
});
