import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness, type RunResult } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { words } from "../../support/words.js";

/** `events create --repeat RULE --copies`. It is Saturday, 21 November 2026, in Berlin. */

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness({ timeZone: "Europe/Berlin" });
});

const MEETING = ["--title", "Meeting", "--start", "2026-11-23T10:00", "--duration", "90m"];
const create = (...flags: readonly string[]): Promise<RunResult> =>
  harness.run("events", "create", ...flags, "--fields", "start_local,end_local");
const repeat = (rule: string, ...flags: readonly string[]) =>
  create(...MEETING, "--repeat", rule, "--copies", ...flags);
const listed = async () =>
  (await harness.run(...words`events list --from 2026-01-01 --to 2028-12-31 --fields start_local`)).stdout;
const ends = (local: string) => `${local}\t${local.replace("T10:00", "T11:30")}\n`;

test("single events are made by rule, in order, and the reading is on stderr", async () => {
  const result = await repeat("every 2 weeks on mon,thu", "--count", "4");
  const days = ["2026-11-23", "2026-11-26", "2026-12-07", "2026-12-10"];
  const reading =
    "every 2 weeks on Monday and Thursday, 4 times: Mon 2026-11-23, Thu 2026-11-26, Mon 2026-12-07, …";
  expect(result).toEqual({
    exitCode: 0,
    stdout: days.map((day) => ends(`${day}T10:00:00+01:00`)).join(""),
    stderr: `repeat: ${reading}\n`,
  });
  expect(await listed()).toBe(days.map((day) => `${day}T10:00:00+01:00\n`).join(""));
});

test("they keep their time of day and their length over a clock change", async () => {
  const result = await create(
    ...["--title", "Night shift", "--start", "2027-03-27T22:00", "--duration", "8h"],
    ...["--repeat", "daily", "--count", "2", "--copies", "-q"],
  );
  expect(result.stdout).toBe(
    "2027-03-27T22:00:00+01:00\t2027-03-28T07:00:00+02:00\n2027-03-28T22:00:00+02:00\t2027-03-29T06:00:00+02:00\n",
  );
});

test("the rule runs in the zone of the event", async () => {
  const result = await create(
    ...["--title", "Call", "--start", "2026-11-23T08:00", "--start-timezone", "Asia/Tokyo"],
    ...["--repeat", "weekly on mon", "--until", "2026-11-30", "--copies"],
  );
  expect(result).toMatchObject({
    stdout:
      "2026-11-23T00:00:00+01:00\t2026-11-23T01:00:00+01:00\n2026-11-30T00:00:00+01:00\t2026-11-30T01:00:00+01:00\n",
    stderr: "repeat: every week on Monday, until 30 Nov 2026: Mon 2026-11-23, Mon 2026-11-30\n",
  });
});

test("--until includes its day, --except leaves days out; both may be words", async () => {
  const result = await repeat("daily", "--until", "fri 27 nov", "--except", "wed", "--except", "2026-11-24");
  expect(result).toMatchObject({
    exitCode: 0,
    stdout: ["23", "26", "27"].map((day) => ends(`2026-11-${day}T10:00:00+01:00`)).join(""),
    stderr:
      "until: Fri 2026-11-27\nexcept: Wed 2026-11-25\n" +
      "repeat: every day, until 27 Nov 2026: Mon 2026-11-23, Thu 2026-11-26, Fri 2026-11-27\n",
  });
});

test("all-day events repeat by their days, and a month without the day is left out", async () => {
  const times = ["--title", "Rent", "--all-day", "--start", "2026-12-31", "--end", "2027-01-01"];
  const flags = ["--repeat", "monthly", "--until", "2027-03-31", "--copies", "-q"];
  expect((await create(...times, ...flags)).stdout).toBe(
    "2026-12-31\t2027-01-01\n2027-01-31\t2027-02-01\n2027-03-31\t2027-04-01\n",
  );
});

test("labels, attendees and texts are those of every copy", async () => {
  const flags = ["--label", "3", "--attendee", "me", "--location", "Hall"];
  const events = await harness.json(
    ...words`events create`,
    ...MEETING,
    ...flags,
    ...words`--repeat daily --count 2 --copies`,
  );
  const event = {
    label: { number: 3 },
    location: "Hall",
    attendees: [{ id: expect.stringContaining(harness.userId) }],
  };
  expect(events).toMatchObject([event, event]);
});

test("an event printed as JSON repeats, too", async () => {
  const event = await harness.json("events", "create", ...MEETING);
  const options = { stdin: JSON.stringify(event) };
  const result = await harness.runWith(
    options,
    ...words`events create --input - --repeat daily --count 3 --copies --fields title`,
  );
  expect(result).toMatchObject({ exitCode: 0, stdout: "Meeting\nMeeting\nMeeting\n" });
});

test("--dry-run prints every request and sends none", async () => {
  const result = await harness.run(
    ...words`events create`,
    ...MEETING,
    ...words`--repeat daily --count 3 --copies --dry-run`,
  );
  const requests = JSON.parse(result.stdout) as readonly { readonly method: string }[];
  expect(requests.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
  expect(await listed()).toBe("");
});

test("one undo takes back all of them", async () => {
  await repeat("daily", "--count", "5");
  expect(await harness.run("undo", "--yes", "-q")).toMatchObject({ exitCode: 0 });
  expect(await listed()).toBe("");
});

test("a key that leaves no room for a start is exit 2, and nothing is made", async () => {
  expect(await repeat("daily", "--count", "2", "--key", "k".repeat(250))).toMatchObject(failed(2, "--key"));
  expect(await listed()).toBe("");
});

test("with a key, a run that is repeated makes nothing twice", async () => {
  await repeat("daily", "--count", "2", "--key", "stand-up");
  const again = await repeat("daily", "--count", "3", "--key", "stand-up");
  expect(again.stderr).toContain("2 of 3 were already created with their keys\n");
  expect((await listed()).trim().split("\n")).toHaveLength(3);
});

describe("nothing is sent", () => {
  test.each([
    [["--repeat", "every fortnight", "--copies"], '--repeat: "every fortnight" is not understood'],
    [["--repeat", "", "--copies"], "--repeat is empty"],
    [["--repeat", "weekly", "--copies"], "missing --until or --count: the rule of --repeat has no end"],
    [["--repeat", "daily", "--until", "2026-12-01", "--count", "3"], "--until and --count are both given"],
    [["--repeat", "FREQ=DAILY;COUNT=2", "--count", "3", "--copies"], "--count: COUNT is given twice"],
    [["--repeat", "daily", "--count", "0", "--copies"], "--count: COUNT=0 is not supported"],
    [["--repeat", "daily", "--count", "many", "--copies"], '--count: "many" is not a whole number'],
    [["--repeat", "FREQ=DAILY;UNTIL=20261201", "--copies"], "--repeat: UNTIL=20261201 is not a time in UTC"],
    [
      ["--repeat", "daily", "--until", "2026-11-01", "--copies"],
      "--until: 2026-11-01 is before the start, 2026-11-23",
    ],
    [["--repeat", "daily", "--until", "15:00", "--copies"], '--until: "15:00" is a time, not a day'],
    [["--repeat", "daily", "--count", "367", "--copies"], "--repeat has more than 366 events"],
    [
      ["--repeat", "weekly", "--count", "3", "--except", "2026-11-24", "--copies"],
      "--except: 2026-11-24 is not a date of --repeat",
    ],
    [
      ["--repeat", "daily", "--count", "1", "--except", "2026-11-23", "--copies"],
      "--except leaves no date of --repeat",
    ],
    [["--copies"], "missing --repeat: --copies has no effect without it"],
    [["--except", "2026-11-24"], "missing --repeat: --except has no effect without it"],
  ])("%j", async (flags, message) => {
    const result = await harness.run("events", "create", ...MEETING, ...flags);
    expect(result).toMatchObject(failed(2, message));
    expect(await listed()).toBe("");
  });

  test("for a keep without times", async () => {
    const flags = words`--title Passport --category keep --repeat daily --count 2 --copies`;
    expect(await create(...flags)).toMatchObject(
      failed(2, "missing --start: --repeat has no effect without it"),
    );
  });
});
