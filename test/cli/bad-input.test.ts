import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { share } from "../support/shared.js";
import { words } from "../support/words.js";

/**
 * Bad input: one sentence that names the flag or field, exit 2 (or 5 with candidates), and nothing is written.
 * test/calendar has what is wrong with texts and times, test/cli/suggestion.test.ts with a command line.
 */

let harness: Harness;

const shared = share(() => createHarness());

/** For tests that write nothing. */
const refuses = () => {
  harness = shared();
};

const writes = async () => {
  harness = await createHarness();
};

const TIMES = ["--start", "2026-11-21T12:00", "--duration", "1h"];
const CREATE = ["events", "create", "--title", "T", ...TIMES];

function twice<T>(...values: readonly T[]): readonly T[] {
  return [...values, ...values];
}

async function events(): Promise<readonly unknown[]> {
  return harness.json<unknown[]>("events", "list", "--days", "7");
}

const WRONG: readonly (readonly [what: string, argv: readonly string[], words: readonly string[]])[] = [
  ["a group alone", ["events"], ["events needs a command"]],
  ["no feed to remove", ["feeds", "remove"], ["calctl feeds remove needs ID"]],
  ["an empty id of a feed", ["feeds", "remove", ""], ["ID"]],
  ["an empty name of a feed", ["feeds", "add", "--name", ""], ["--name is empty"]],
  ["fields of a server of tools", ["mcp", "--fields", "id"], ["--fields: this command prints no data"]],
  ["a dry run that an agent would not see", ["mcp", "--dry-run"], ["--dry-run", "--allow-write"]],
  ["a format of data to test", ["targets", "test", "x", "--jq", "."], ["--jq: this command prints no data"]],
  [
    "an argument too many to set",
    ["config", "set", "timezone", "UTC", "extra"],
    ['does not take the argument "extra"'],
  ],
  ["a zone that is none, where none is needed", ["whoami", "--timezone", "Mars/Phobos"], ["--timezone"]],
  ["a format that is none, where nothing is printed", ["profiles", "use", "local", "-o", "yaml"], ["yaml"]],
  [
    "wrong dates, a wrong duration and no title",
    ["events", "create", "--start", "2026-02-30T12:00", "--duration", "soon"],
    [
      '--start: the date 2026-02-30 does not exist; --duration: "soon" is not a valid duration; missing --title',
    ],
  ],
  [
    "a date without a time, and no title",
    ["events", "create", "--start", "tomorrow"],
    ['--start: "tomorrow" is a date without a time; missing --title\n', "--all-day"],
  ],
  [
    "an end before the start, and no title",
    ["events", "create", "--start", "fri 12:00", "--end", "11:00"],
    ["is not after the start", "; missing --title\n"],
  ],
  [
    "a date in numbers",
    ["events", "create", "--title", "T", "--start", "03/04/2026 12:00", "--duration", "1h"],
    ['--start: "03/04/2026" may be', "2026-03-04 or 2026-04-03"],
  ],
  [
    "the last day of all",
    ["events", "create", "--title", "T", "--all-day", "--start", "9999-12-31"],
    ["ends after", "9999-12-30"],
  ],
  [
    "a title with a line break at its end",
    ["events", "create", "--title", "T\r\n"],
    ["--title ends with a line break"],
  ],
  ["a text that begins with -", ["comment", "abc", "-text"], ["-text", "hint: write -- before"]],
  [
    "a title of 51 characters",
    ["events", "create", ...TIMES, "--title", "x".repeat(51)],
    ["--title", "51", "50"],
  ],
  [
    "a category that is none",
    [...CREATE, "--category", "meeting"],
    ["--category", "meeting", "schedule", "keep"],
  ],
  [
    "all-day with hours",
    ["events", "create", "--title", "T", "--all-day", "--start", "tomorrow", "--duration", "1.5h"],
    ['--duration: "1.5h" has hours or minutes', "2d"],
  ],
  ["an unknown zone", [...CREATE, "--timezone", "Mars/Phobos"], ["--timezone", "Mars/Phobos"]],
  ["an empty calendar", [...CREATE, "-c", ""], ["--calendar", "empty"]],
  ["an empty profile", ["whoami", "-p", ""], ["--profile", "empty"]],
  ["days 0", ["events", "list", "--days", "0"], ["--days", "1", "366"]],
  ["days 367", ["agenda", "--days", "367"], ["--days", "1", "366"]],
  ["an unknown category filter", ["events", "list", "--category", "x"], ["--category"]],
  ["-A with -c", ["events", "list", "-A", "-c", "Personal"], ["--calendar", "--all-calendars"]],
  ["an empty id", ["events", "get", ""], ["ID", "empty"]],
  ["an id that climbs", ["events", "get", ".."], [".."]],
  ["an empty id among others", ["events", "delete", "abc", "", "--yes"], ["ID", "empty"]],
  ["text and file", ["comment", "abc", "x", "--file", "-"], ["--file"]],
  [
    "a file that is not there",
    ["comment", "abc", "--file", "/nowhere/x"],
    ["--file", "/nowhere/x", "cannot be read (no such file or directory)"],
  ],
  ["an unknown format", ["whoami", "-o", "yaml"], ["--output", "yaml", "json"]],
  ["a format to come", ["whoami", "-o", "ics"], ["--output", "ics"]],
  ["an unknown field", ["calendars", "--fields", "id,colour"], ["--fields", "colour", "color"]],
  ["an unknown include", ["calendars", "--include", "events"], ["--include", "events", "labels"]],
  ["a colour choice that is none", ["calendars", "--color", "blue"], ["--color", "blue", "never"]],
  ["a number of seconds that is none", ["whoami", "--timeout", "x"], ["--timeout"]],
  [
    "an unknown category to change to",
    ["events", "update", "abc", "--category", "memo"],
    ["--category", "memo", "schedule", "keep"],
  ],
  [
    "a field that cannot be cleared",
    ["events", "update", "abc", "--clear", "title"],
    ['--clear: "title" cannot be cleared', "description, location, url, attendees, start, end"],
  ],
  [
    "a field that is cleared and given",
    ["events", "update", "abc", "--clear", "url", "--url", "x"],
    ["--clear url: a new value is given too"],
  ],
  [
    "attendees that are cleared and given",
    ["events", "update", "abc", "--clear", "attendees", "--attendee", "me"],
    ["--clear attendees: a new value is given too"],
  ],
  [
    "an end that is cleared, and given by --duration",
    ["events", "update", "abc", "--clear", "end", "--duration", "1h"],
    ["--clear end: a new value is given too"],
  ],
  [
    "a timestamp that is none",
    ["events", "update", "abc", "--title", "x", "--if-unchanged", "yesterday"],
    ["--if-unchanged", "YYYY-MM-DDTHH:MM:SSZ"],
  ],
  ["no --yes where calctl cannot prompt", ["events", "delete", "abc"], ["--yes"]],
];

describe("exit 2, and nothing is written", () => {
  beforeEach(refuses);

  test("names what is wrong", async () => {
    for (const [what, argv, words] of WRONG) {
      const { exitCode, stdout, stderr } = await harness.run(...argv);
      expect({ what, exitCode, stdout }).toEqual({ what, exitCode: 2, stdout: "" });
      expect(stderr, what).toMatch(/^((start|end): .*\n)*error: /);
      for (const word of words) expect(stderr, what).toContain(word);
    }
    expect(await events()).toEqual([]);
  });

  test.each([
    ["--title", ["events", "create", "--title", "T", "--title", "T"]],
    ["--start", [...CREATE, "--start=2026-11-21T12:00"]],
    ["--timezone", ["events", "list", "--timezone", "UTC", "--timezone=UTC"]],
    ["--output", ["-o", "json", "whoami", "-ojson"]],
    ["--profile", ["-p", "local", "events", "-p", "local", "list"]],
    ["--fields", ["events", "--fields", "id", "list", "--fields", "id"]],
    ["--if-unchanged", ["events", "update", "x", ...twice("--if-unchanged", "2026-11-21T12:00Z")]],
  ])("%s twice", async (flag, argv) => {
    expect(await harness.run(...argv)).toMatchObject(failed(2, `${flag} was given twice`));
  });

  test.each([
    ["events", "create", "--title", "T", "--start", "2026-11-21", "--all-day", "--no-all-day"],
    ["events", "update", "x", "--no-all-day", "--title", "T", "--all-day"],
  ])("%s %s with both --all-day and --no-all-day", async (...argv) => {
    expect(await harness.run(...argv)).toMatchObject(failed(2, "--no-all-day"));
  });

  test.each([
    ["config", "set", "timezone", "UTC"],
    ["config", "unset", "timezone"],
    ["profiles", "use", "local"],
    ["profiles", "remove", "x"],
    ["targets", "add", "x", "--as", "json"],
    ["targets", "remove", "x"],
    ["login", "--with-token", "--base-url", "https://calendar.example"],
    ["logout"],
    ["service", "users", "password", "ana"],
    ["service", "users", "disable", "ana"],
    ["service", "users", "enable", "ana"],
    ["service", "users", "unlock", "ana"],
    ["service", "calendars", "remove", "Personal", "--yes"],
    ["service", "members", "remove", "ana", "-c", "Personal"],
    ["service", "clients", "remove", "x"],
    ["service", "tokens", "revoke", "x"],
  ])("--fields with %j, which prints no data", async (...argv) => {
    expect(await harness.runWith({ stdin: "t" }, "--fields", "id", ...argv)).toMatchObject(
      failed(2, "--fields"),
    );
  });

  test.each([
    ["CALCTL_OUTPUT", "yaml", ["whoami"]],
    ["CALCTL_TIMEZONE", "Mars/Phobos", ["events", "list"]],
  ])("an invalid value in %s is reported with its source", async (name, value, argv) => {
    const { exitCode, stderr } = await harness.runWith({ env: { [name]: value } }, ...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${name}`);
    expect(stderr).toContain(value);
  });

  test("a format from the environment is ignored if the command does not have it", async () => {
    const { exitCode, stdout } = await harness.runWith({ env: { CALCTL_OUTPUT: "ics" } }, "whoami");
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${harness.userId}\tana\t\n` });
  });
});

describe("exit 0 for what may be given several times", () => {
  beforeEach(writes);

  test.each([
    ["a switch", ["-v", "-v", "whoami", "--verbose", "-q"]],
    ["--calendar", ["-c", "Personal", "events", "list", "-c", "Personal", "-c", "Personal"]],
    ["--attendee", [...CREATE, "--attendee", "me", "--attendee", "ana"]],
  ])("%s", async (_, argv) => {
    expect((await harness.run(...argv)).exitCode).toBe(0);
  });

  test("--no-input says nothing of --input", async () => {
    const stdin = JSON.stringify({ title: "T", all_day: true, start_at: "2026-11-21T00:00:00Z" });
    const { exitCode } = await harness.runWith({ stdin }, "--no-input", "events", "create", "--input", "-");
    expect(exitCode).toBe(0);
  });
});

describe("--input", () => {
  beforeEach(refuses);

  const VALID = {
    title: "T",
    all_day: false,
    start_at: "2026-11-21T12:00:00Z",
    end_at: "2026-11-21T13:00:00Z",
  };

  // test/events/json.test.ts has what is wrong with one event.
  const BROKEN = [
    ["malformed JSON", '{"title": "T",\n  "start_at": oops}', ["--input", "line 2", "column 15"]],
    ["JSON that ends too early", '{"title": "T"', ["--input", "too early"]],
    ["nothing", "", ["--input", "empty"]],
    ["a list in a list", "[[]]", ["--input", "object"]],
    [
      "an end before the start",
      JSON.stringify({ ...VALID, end_at: "2026-11-21T11:00:00Z" }),
      ["end", "after"],
    ],
  ] as const;

  test("that is wrong is exit 2 with the position", async () => {
    for (const [what, stdin, words] of BROKEN) {
      const { exitCode, stdout, stderr } = await harness.runWith(
        { stdin },
        "events",
        "create",
        "--input",
        "-",
      );
      expect({ what, exitCode, stdout }).toEqual({ what, exitCode: 2, stdout: "" });
      for (const word of words) expect(stderr, what).toContain(word);
    }
    expect(await events()).toEqual([]);
  });

  test("stdin cannot be read twice", async () => {
    expect(await harness.run(...words`events create --input - --description-file -`)).toMatchObject(
      failed(2, "stdin"),
    );
  });
});

describe("text from a file or stdin loses a byte order mark and one last newline, and nothing else", () => {
  beforeEach(writes);

  test.each([
    ["two\nlines\n", "two\nlines"],
    ["\uFEFFtext\r\n", "text"],
    ["text\n\n", "text\n"],
    ["\ufeff text \r\n\r\n", " text \r\n"],
    ["text\r", "text\r"],
    ["text", "text"],
  ])("%j", async (content, text) => {
    const file = join(harness.directory, "text");
    writeFileSync(file, content);
    const { id, description } = await harness.json<Record<string, string>>(
      ...[...CREATE, "--description-file", file],
    );
    expect(description).toBe(text);
    expect(await harness.json("comment", id ?? "", "--file", file)).toMatchObject({ content: text });
    const typed = await harness.runWith({ stdin: content }, "comment", id ?? "", "--fields", "content");
    expect(typed.stdout).toBe(`${JSON.stringify(text).slice(1, -1)}\n`);
  });
});

describe("unknown names are exit 5 with the candidates", () => {
  beforeEach(writes);

  test.each([
    ["a calendar", [...CREATE, "-c", "Famly"], ["--calendar", "Famly", "Personal"]],
    ["a label", [...CREATE, "--label", "purple"], ["--label", "purple", "apple red"]],
    ["a number no label has", [...CREATE, "--label", "11"], ["--label", "11"]],
    ["a label of another calendar", [...CREATE, "--label", "other,1"], ["--label", "other,1"]],
    ["a member", [...CREATE, "--attendee", "Bob"], ["--attendee", "Bob", "ana"]],
    ["a label to filter by", ["events", "list", "--label", "purple"], ["--label", "purple"]],
    ["an event", ["events", "get", "0123456789abcdef0123456789abcdef"], ["not found"]],
  ])("%s", async (_, argv, words) => {
    const { exitCode, stdout, stderr } = await harness.run(...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: "" });
    for (const word of words) expect(stderr).toContain(word);
    expect(await events()).toEqual([]);
  });

  test("an empty --label is one error, not one for each calendar", async () => {
    await harness.service.admin.calendars.add({ name: "Work", owner: "ana" });
    const { exitCode, stderr } = await harness.run("events", "list", "--label", "");
    expect(exitCode).toBe(2);
    expect(stderr).toBe("error: --label is empty\nhint: is a variable of the script unset?\n");
  });

  test("a prefix of two calendars is exit 2 with both", async () => {
    await harness.service.admin.calendars.add({ name: "Perseids", owner: "ana" });
    const { exitCode, stderr } = await harness.run("labels", "-c", "per");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Personal");
    expect(stderr).toContain("Perseids");
  });

  test("with several calendars and no --calendar, exit 2 lists them", async () => {
    await harness.service.admin.calendars.add({ name: "Work", owner: "ana" });
    const { exitCode, stderr } = await harness.run("labels");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--calendar");
    expect(stderr).toContain("Personal");
    expect(stderr).toContain("Work");
    const json = await harness.run("labels", "-o", "json");
    expect(JSON.parse(json.stderr).error.details.candidates).toMatchObject([
      { name: "Personal" },
      { name: "Work" },
    ]);
  });
});

describe("several ids", () => {
  beforeEach(writes);

  test("some not found: the others are printed, the missing ones reported, exit 12", async () => {
    const { id } = await harness.json<{ id: string }>(...CREATE);
    const { exitCode, stdout, stderr } = await harness.run("events", "get", id, "gone", "-o", "json");
    expect(exitCode).toBe(12);
    expect(JSON.parse(stdout)).toMatchObject([{ id }]);
    const last = stderr.trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({
      error: { code: "partial", exit_code: 12, details: { failed: [{ id: "gone", code: "not_found" }] } },
    });
  });

  test("none found: the code of the first failure, and nothing on stdout", async () => {
    const { exitCode, stdout } = await harness.run("events", "get", "gone", "lost", "-o", "json");
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: "" });
  });

  test("the same id twice: read twice, deleted once", async () => {
    const { id } = await harness.json<{ id: string }>(...CREATE);
    expect(await harness.json("events", "get", id, id)).toMatchObject([{ id }, { id }]);
    expect(await harness.json("events", "delete", id, id, "--yes")).toEqual({ deleted: [id] });
  });

  test("a label that no calendar has: the error is that of the first calendar as asked", async () => {
    const { admin } = harness.service;
    const { id } = await admin.calendars.add({ name: "Work", owner: "ana" });
    const calendars = ["-c", "Work", "-c", "Personal"];
    const { stderr } = await harness.run("events", "list", ...calendars, "--label", "purple", "-o", "json");
    const [candidate] = JSON.parse(stderr).error.details.candidates;
    expect(candidate.id).toBe(`${id},1`);
  });

  test("delete prints the deleted ids", async () => {
    const { id } = await harness.json<{ id: string }>(...CREATE);
    const { exitCode, stdout } = await harness.run("events", "delete", id, "gone", "--yes", "-o", "ndjson");
    expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: `{"deleted":["${id}"]}\n` });
    expect(await events()).toEqual([]);
  });
});

describe("errors as JSON", () => {
  beforeEach(refuses);

  test.each([
    [["-o", "json", "events", "get", "gone"]],
    [["events", "get", "gone", "-ojson"]],
    [["events", "get", "gone", "--output=ndjson"]],
  ])("%j", async (argv) => {
    const { exitCode, stderr } = await harness.run(...argv);
    expect(exitCode).toBe(5);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "not_found",
        exit_code: 5,
        message: expect.stringContaining("gone"),
        hint: null,
        status: 404,
        details: null,
        request: expect.stringMatching(/^GET \/calendars\/[\w-]+\/events\/gone$/),
      },
    });
  });

  test("values of other flags do not select it", async () => {
    const flags = ["--location", "-o tsv", "--description", "--debug", "--label", "purple"];
    const { exitCode, stderr } = await harness.run("-o", "json", ...CREATE, ...flags);
    expect(exitCode).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "not_found" } });
  });

  test("a usage error detected by commander", async () => {
    const { exitCode, stderr } = await harness.run("events", "list", "--dayz", "2", "-o", "json");
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "usage", exit_code: 2, hint: expect.stringContaining("--days") },
    });
  });
});

test("errors and hints break at words at the width of a terminal, and nowhere else", async () => {
  const argv = ["events", "list", "-c", "a calendar that nobody has ever heard of"];
  const piped = await shared().run(...argv);
  const { stderr } = await shared().runWith({ columns: 40, env: { NO_COLOR: "1" } }, ...argv);
  expect(stderr.split("\n").filter((line) => line.length > 40)).toEqual([]);
  expect(stderr).not.toBe(piped.stderr);
  expect(stderr.replaceAll(/\n(?!hint:|$)/g, " ")).toBe(piped.stderr);
});
