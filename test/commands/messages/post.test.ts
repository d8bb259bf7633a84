import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readDatabase } from "../../../service/test/support/database.js";
import { reply } from "../../support/fault-steps.js";
import { createHarness, NOW } from "../../support/harness.js";
import { failed, QUIET } from "../../support/outcomes.js";
import { createPostWorld, type PostWorld, todayAt } from "../../support/post-world.js";
import { words } from "../../support/words.js";

/** `post`: which events are sent, when nothing is, and that a digest is sent once. The message is test/messages' subject. */

interface Posted {
  readonly title: string;
  readonly days: readonly { readonly entries: readonly { readonly event: { readonly title: string } }[] }[];
}

const JSON_TARGET = ["--as", "json"];

async function titlesOf(world: PostWorld): Promise<readonly (readonly string[])[]> {
  return world
    .posted<Posted>()
    .map(({ days }) => days.flatMap(({ entries }) => entries.map(({ event }) => event.title)));
}

test("sends the events of today as one message, and prints nothing", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  await world.create("Dinner", ...todayAt("19:00"));
  await world.create("Next week", "--start", "2026-11-24", "--all-day");
  expect(await world.send("post", ...JSON_TARGET)).toEqual(QUIET);
  expect(await titlesOf(world)).toEqual([["Lunch", "Dinner"]]);
  expect(world.posted<Posted>()[0]?.title).toBe("Today, Sat 21 Nov: 2 events, first 12:00 Lunch");
});

test("takes the filters of events list", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  await world.create("Dinner", ...todayAt("19:00"));
  await world.create("Next week", "--start", "2026-11-24", "--all-day");
  await world.create("In ten days", "--start", "2026-12-01", "--all-day");
  const cases: readonly (readonly [readonly string[], string, readonly string[]])[] = [
    [
      ["--days", "7"],
      "Sat 21 – Fri 27 Nov: 3 events, first today 12:00 Lunch",
      ["Lunch", "Dinner", "Next week"],
    ],
    [
      ["--days", "14"],
      "Sat 21 Nov – Fri 4 Dec: 4 events, first today 12:00 Lunch",
      ["Lunch", "Dinner", "Next week", "In ten days"],
    ],
    [["--on", "tuesday"], "Tue 24 Nov: 1 event, all day Next week", ["Next week"]],
    [["--remaining"], "Today, Sat 21 Nov: 1 event, 19:00 Dinner (remaining)", ["Dinner"]],
    [["--from", "2026-11-22", "--days", "3", "--title", "Ahead"], "Ahead", ["Next week"]],
    [
      ["-c", "Personal", "--mine"],
      "Today, Sat 21 Nov: 2 events, first 12:00 Lunch (Personal, mine)",
      ["Lunch", "Dinner"],
    ],
    [["--search", "dinn"], '1 event, today 19:00 Dinner ("dinn")', ["Dinner"]],
  ];
  for (const [flags, title, titles] of cases) {
    world.hook.forget();
    expect(await world.send("post", ...JSON_TARGET, ...flags)).toEqual(QUIET);
    expect(await titlesOf(world)).toEqual([titles]);
    expect(world.posted<Posted>()[0]?.title).toBe(title);
  }
});

test("--template renders each event in one's own words, and an error of it posts nothing", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  await world.create("Dinner", ...todayAt("19:00"));
  const template = '{{ start_local | date: "%H:%M" }} {{ title }}';
  expect((await world.send("post", ...JSON_TARGET, "--template", template)).exitCode).toBe(0);
  expect(world.posted()).toMatchObject([{ text: "12:00 Lunch\n19:00 Dinner" }]);
  const wrong = await world.send("post", ...JSON_TARGET, "--template", "{{ nosuch }}");
  expect(wrong).toMatchObject(failed(2, 'no field "nosuch"'));
  expect(world.hook.requests).toHaveLength(1);
});

test("without events sends nothing, and prints nothing, unless --if-empty says so", async () => {
  const world = await createPostWorld();
  for (const flags of [[], ["--if-empty", "skip"]])
    expect(await world.send("post", ...JSON_TARGET, ...flags)).toEqual(QUIET);
  expect(world.hook.requests).toEqual([]);
  for (const flags of [[], ["--template", "{{ title }}"]])
    expect(await world.send("post", ...JSON_TARGET, "--if-empty", "say", ...flags)).toEqual(QUIET);
  expect(world.posted()).toMatchObject([{ text: "No events" }, { text: "No events" }]);
});

test("--dry-run prints what would be sent, needs no target, and sends nothing", async () => {
  const { json, runWith } = await createHarness();
  await json("events", "create", "--title", "Lunch", ...todayAt("12:00"));
  const { exitCode, stdout } = await runWith({}, ...words`post -p local --as slack --dry-run --once`);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ blocks: expect.any(Array) });
  expect(stdout).toContain("Lunch");
});

test("a state database that opens and then cannot be written keeps only what is sent once from being sent", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  await world.send("post", ...JSON_TARGET, "--once");
  const state = `${world.directory}/state/state.db`;
  writeFileSync(state, readDatabase(state).fill(0xff, 4_096));
  expect(await world.send("post", ...JSON_TARGET, "--once")).toMatchObject({ exitCode: 10 });
  expect(await world.send("post", ...JSON_TARGET)).toEqual(QUIET);
  expect(world.hook.requests).toHaveLength(2);
});

describe("--once", () => {
  test("sends the same digest once, and another one too", async () => {
    const world = await createPostWorld();
    await world.create("Lunch", ...todayAt("12:00"), "--label", "2");
    const post = async (...flags: readonly string[]) => {
      expect(await world.send("post", ...JSON_TARGET, "--once", ...flags)).toEqual(QUIET);
      return world.hook.requests.length;
    };
    expect(await post()).toBe(1);
    // The message is not what counts: what is new meanwhile does not make it another digest.
    await world.create("Dinner", ...todayAt("19:00"));
    expect(await post()).toBe(1);
    expect(await post("--title", "Other")).toBe(1);
    expect(await post("-c", "Personal")).toBe(2);
    expect(await post("--days", "2")).toBe(3);
    expect(await post("--label", "2")).toBe(4);
    expect(await post("--timezone", "Asia/Tokyo")).toBe(5);
    expect(await post("--again")).toBe(6);
    world.setNow(NOW + 86_400_000);
    expect(await post("--if-empty", "say")).toBe(7);
  });

  test("a search of any day is a digest of its own each day", async () => {
    const world = await createPostWorld();
    await world.create("Lunch", "--start", "2026-12-24T12:00", "--duration", "1h");
    const post = () => world.send("post", ...JSON_TARGET, "--once", "--search", "lunch");
    for (const run of [post, post]) expect((await run()).exitCode).toBe(0);
    expect(world.hook.requests).toHaveLength(1);
    world.setNow(NOW + 86_400_000);
    expect((await post()).exitCode).toBe(0);
    expect(world.hook.requests).toHaveLength(2);
  });
});

test("where a calendar cannot be read, nothing is posted, and stderr names it", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  expect(await world.send("post", ...JSON_TARGET, "-c", "Personal", "-c", "nosuch")).toMatchObject(
    failed(5, "nosuch"),
  );
  expect(world.hook.requests).toEqual([]);
});

test("wrong flags are refused, and nothing is sent", async () => {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("12:00"));
  const wrong: readonly (readonly [readonly string[], number, string])[] = [
    [["post"], 2, "CALCTL_WEBHOOK_URL needs --as"],
    [["post", "--to", "nosuch"], 5, 'there is no target "nosuch"'],
    [["post", ...JSON_TARGET, "--days", "367"], 2, "--days"],
    [["post", ...JSON_TARGET, "--changes", "news", "--days", "8"], 2, "from 1 to 7"],
    [["post", ...JSON_TARGET, "--on", "friday", "--days", "2"], 2, "--on"],
    [["post", ...JSON_TARGET, "--title", ""], 2, "--title is empty"],
    [["post", "--to", ""], 2, "the name of the target is empty"],
    [["post", ...JSON_TARGET, "--changes", ""], 2, "--changes is empty"],
    [["post", ...JSON_TARGET, "--changes", "n".repeat(201)], 2, "--changes: the name is longer"],
    [["post", ...JSON_TARGET, "--jq", "."], 2, "--jq"],
    [
      ["post", "--as", "mail", "--to", "ana@example.org", "--chat", "1"],
      2,
      "--chat: only telegram has chats",
    ],
    [["post", ...JSON_TARGET, "--if-empty", "cry"], 2, "--if-empty"],
    ...[["--on", "friday"], ["--from", "friday"], ["--search", "x"], ["--once"]].map(
      (flags) => [["post", ...JSON_TARGET, "--changes", "team", ...flags], 2, "--changes"] as const,
    ),
  ];
  for (const [argv, exitCode, message] of wrong)
    expect(await world.send(...argv), argv.join(" ")).toMatchObject(failed(exitCode, message));
  expect(world.hook.requests).toEqual([]);
});

describe("with nothing but local", () => {
  test.each([
    ["post", "--as", "json"],
    ["remind", "--before", "1h", "--", "true"],
    ["events", "changes", "--since-last", "job"],
  ])("%s fails, and says how to choose it", async (...argv) => {
    const { run } = await createHarness();
    const result = await run(...argv);
    expect(result).toMatchObject(failed(10, "no service was chosen"));
    expect(result.stderr).toContain("-p local");
    expect(result.stderr).toContain("calctl profiles use local");
  });

  test.each([
    ["post", "--as", "json", "--days", "2"],
    ["remind", "--before", "24h", "--", "true"],
    ["events", "changes", "--since-last", "job", "--from-start", "-o", "json"],
  ])("%s --dry-run shows what it would do", async (...argv) => {
    const { json, runWith } = await createHarness();
    await json("events", "create", "--title", "Dinner", "--start", "2026-11-22T12:00", "--duration", "1h");
    const at = argv.includes("--") ? argv.indexOf("--") : argv.length;
    const dry = [...argv.slice(0, at), "--dry-run", ...argv.slice(at)];
    const env = { CALCTL_WEBHOOK_URL: "https://hook.example/" };
    const { exitCode, stdout } = await runWith({ env }, ...dry);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Dinner");
  });
});

describe("--changes", () => {
  const post = (world: PostWorld, ...flags: readonly string[]) =>
    world.send("post", ...JSON_TARGET, "--changes", "team", ...flags);

  test("posts what is new since the last time, and nothing the first time", async () => {
    const world = await createPostWorld();
    await world.create("Lunch", ...todayAt("12:00"));
    expect(await post(world)).toEqual(QUIET);
    world.setNow(NOW + 60_000);
    const id = await world.create("Dinner", ...todayAt("19:00"));
    expect(await post(world)).toEqual(QUIET);
    expect(await post(world)).toEqual(QUIET);
    world.setNow(NOW + 120_000);
    await world.run("events", "update", id, "--location", "Home");
    expect(await post(world, "--template", "{{ change }} {{ event.title }}")).toEqual(QUIET);
    expect(await titlesOf(world)).toEqual([["Dinner"], []]);
    expect(world.posted()).toMatchObject([
      { title: "New: today 19:00 Dinner", days: [{ entries: [{ change: "added" }] }] },
      { text: "changed Dinner" },
    ]);
  });

  test("what was refused is posted by the next run, what may have been sent is reported once", async () => {
    const world = await createPostWorld();
    await post(world);
    world.setNow(NOW + 60_000);
    await world.create("Dinner", ...todayAt("19:00"));
    world.hook.next(
      [reply({ status: 400, headers: {}, body: "" })],
      [reply({ status: 500, headers: {}, body: "" })],
    );
    expect((await post(world)).exitCode).toBe(11);
    expect((await post(world)).exitCode).toBe(9);
    expect(await post(world)).toEqual(QUIET);
    expect(await titlesOf(world)).toEqual([["Dinner"], ["Dinner"]]);
  });

  test("--dry-run remembers nothing", async () => {
    const world = await createPostWorld();
    await post(world);
    world.setNow(NOW + 60_000);
    await world.create("Dinner", ...todayAt("19:00"));
    expect((await post(world, "--dry-run")).stdout).toContain("Dinner");
    expect(world.hook.requests).toEqual([]);
    expect(await post(world)).toEqual(QUIET);
    expect(await titlesOf(world)).toEqual([["Dinner"]]);
  });

  test("a name that is bound to other days is refused, with the flag that gave it", async () => {
    const world = await createPostWorld();
    await post(world);
    expect(await post(world, "--days", "3")).toMatchObject(
      failed(2, 'error: --changes: the name "team" is bound to 7 days'),
    );
  });
});
