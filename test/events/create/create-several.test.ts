import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createHarness, type Harness } from "../../support/harness.js";

/** `events create --input` with several events. */

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});

const event = (title: string, more: object = {}) => ({
  title,
  start_at: "2026-11-22T12:00:00Z",
  end_at: "2026-11-22T13:00:00Z",
  ...more,
});
const linesOf = (...values: readonly unknown[]) =>
  values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join("\n");

const create = (stdin: string, ...flags: readonly string[]) =>
  harness.runWith({ stdin }, "events", "create", "--input", "-", ...flags);
const titles = async () =>
  (await harness.json<readonly { readonly title: string }[]>("events", "list", "--days", "7"))
    .map(({ title }) => title)
    .sort();

const LETTERS = [..."abcdefghij"];

test.each([
  ["NDJSON", linesOf(...LETTERS.map((title) => event(title)))],
  [
    "NDJSON with blank lines and CRLF",
    `\uFEFF\r\n${linesOf(...LETTERS.map((title) => event(title)), "").replaceAll("\n", "\r\n\r\n")}`,
  ],
  ["a list", JSON.stringify(LETTERS.map((title) => event(title)))],
  [
    "a list over several lines",
    JSON.stringify(
      LETTERS.map((title) => event(title)),
      null,
      2,
    ),
  ],
])("%s: every event, in its order", async (_, stdin) => {
  expect(await create(stdin, "--fields", "title")).toEqual({
    exitCode: 0,
    stdout: `${LETTERS.join("\n")}\n`,
    stderr: "",
  });
  expect(await titles()).toEqual(LETTERS);
});

test.each([
  ["one line", JSON.stringify(event("one"))],
  ["several lines", JSON.stringify(event("one"), null, 2)],
])("one object on %s is printed as an object, a list of one as a list", async (_, stdin) => {
  expect(JSON.parse((await create(stdin, "-o", "json")).stdout)).toMatchObject({ title: "one" });
  expect(JSON.parse((await create(`[${stdin}]`, "-o", "json")).stdout)).toMatchObject([{ title: "one" }]);
  expect(await create("[]", "-o", "json")).toEqual({ exitCode: 0, stdout: "[]\n", stderr: "" });
});

test("flags win over every event, and are read once", async () => {
  const description = join(harness.directory, "description");
  writeFileSync(description, "Bring a cake\n");
  const input = linesOf(event("a", { location: "Here" }), event("b"));
  const flags = ["--location", "There", "--description-file", description, "-o", "ndjson"];
  const { stdout } = await create(input, ...flags);
  for (const line of stdout.trim().split("\n"))
    expect(JSON.parse(line)).toMatchObject({ location: "There", description: "Bring a cake" });
});

test("what cannot be read is named with its line and title; the others are made", async () => {
  const input = linesOf(
    event("a"),
    "{oops",
    event("t".repeat(51)),
    "",
    { ...event("no start"), start_at: null },
    event("b", { colour: "red" }),
    event("c", { label: "nobody" }),
    event("d", { key: "smörgås" }),
    event("e"),
    event(""),
    event("f", { title: 5 }),
  );
  const { exitCode, stdout, stderr } = await create(input, "--fields", "title");
  expect({ exitCode, stdout }).toEqual({ exitCode: 12, stdout: "a\ne\n" });
  const reasons = [
    "event at line 2 could not be created: it is not valid JSON at character 2",
    `event at line 3 (${"t".repeat(51)}) could not be created: --input: title is 51 characters long, at most 50 are allowed`,
    "event at line 5 (no start) could not be created: missing --start",
    'event at line 6 (b) could not be created: --input: an event has no "colour"',
    "event at line 7 (c) could not be created: --input: label:",
    "event at line 8 (d) could not be created: --input: key: invalid idempotency key",
    "event at line 10 could not be created: --input: title is empty",
    "event at line 11 could not be created: --input: title must be text",
  ];
  for (const reason of reasons) expect(stderr).toContain(reason);
  expect(stderr).toContain("2 of 10 events created, not: at line 2, at line 3");
  expect(await titles()).toEqual(["a", "e"]);
  const failed = (await create(input, "-o", "ndjson")).stderr.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(failed).error.details.failed[1]).toMatchObject({ id: "line 3", code: "usage" });
});

test("fields that have no effect are said of each event", async () => {
  const rules = { id: "x", recurrences: ["RRULE:FREQ=DAILY"] };
  expect((await create(linesOf(event("a"), event("b", rules)))).stderr).toBe(
    "event at line 2 (b): --input: it is one event of a series, whose recurrences are ignored\n",
  );
});

test("a line that is not UTF-8 is one that failed", async () => {
  const file = join(harness.directory, "events.ndjson");
  const bytes = [JSON.stringify(event("a")), '{"title": "caf\xe9"}', JSON.stringify(event("b"))].join("\n");
  writeFileSync(file, Buffer.from(bytes, "latin1"));
  const { exitCode, stderr } = await harness.run("events", "create", "--input", file);
  expect(exitCode).toBe(12);
  expect(stderr).toContain("event at line 2 could not be created: it is not UTF-8 text");
});

test.each([
  [
    "items of a list by index",
    JSON.stringify([event("a"), 3, event("b")]),
    "event at [1] could not be created",
  ],
  [
    "a broken first line",
    linesOf("{oops", event("a")),
    "event at line 1 could not be created: it is not valid JSON",
  ],
])("%s", async (_, stdin, message) => {
  expect(await create(stdin)).toMatchObject({ exitCode: 12, stderr: expect.stringContaining(message) });
});

describe("nothing is made, with the code of the first failure", () => {
  test.each([
    [
      "every line is broken",
      linesOf(event("a", { colour: 1 }), event("b", { colour: 1 })),
      2,
      "none of 2 events was created: ",
    ],
    [
      "a label that is not there",
      linesOf(event("a", { label: "x" }), event("b", { label: "x" })),
      5,
      "none of 2 events was created: ",
    ],
    ["no JSON at all", "title,start\nLunch,12:00\n", 2, "--input: stdin is not valid JSON"],
    ["nothing", " \n\n", 2, "--input: stdin is empty; it must be JSON"],
    ["a list that is cut", JSON.stringify([event("a")]).slice(0, -1), 2, "it ends too early"],
  ])("%s", async (_, stdin, exitCode, message) => {
    expect(await create(stdin)).toMatchObject({
      exitCode,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
    expect(await titles()).toEqual([]);
  });

  test("--key with several", async () => {
    const { exitCode, stderr } = await create(linesOf(event("a"), event("b")), "--key", "k");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: --key: the input has several events\nhint: set "key" in each event\n',
    });
    expect(await titles()).toEqual([]);
  });
});

test("--dry-run prints the requests of those that can be made", async () => {
  const { exitCode, stdout, stderr } = await create(linesOf(event("a"), "{", event("b")), "--dry-run");
  expect(exitCode).toBe(12);
  expect(
    JSON.parse(stdout).map(
      ({ body }: { body: { data: { attributes: { title: string } } } }) => body.data.attributes.title,
    ),
  ).toEqual(["a", "b"]);
  expect(stderr).toContain("2 of 3 events created, not: at line 2");
  expect(await titles()).toEqual([]);
});

test("undo takes all of them back", async () => {
  await create(linesOf(event("a"), event("b")));
  expect((await harness.run("undo", "--yes")).exitCode).toBe(0);
  expect(await titles()).toEqual([]);
});

test("a terminal shows how many were made, and the list at the end", async () => {
  const input = linesOf(...LETTERS.map((title) => event(title)));
  const argv = ["events", "create", "--input", "-"];
  const { stdout, stderr } = await harness.runWith({ stdin: input, columns: 80 }, ...argv);
  expect(stderr).toContain("events created: 10");
  expect(stdout).toMatch(/Sun 22 Nov/);
  const quiet = await harness.runWith({ stdin: input, columns: 80 }, ...argv, "-q");
  expect(quiet.stderr).not.toContain("events created");
});
