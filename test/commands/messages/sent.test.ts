import { describe, expect, test } from "vitest";
import { textWidth } from "../../../src/output/table/text-width.js";
import { reply } from "../../support/fault-steps.js";
import { NOW } from "../../support/harness.js";
import { failed, QUIET } from "../../support/outcomes.js";
import { createPostWorld, type PostWorld, todayAt } from "../../support/post-world.js";

/** What `post` and `remind` have sent. It is 15:30 in Berlin. */

interface Sent {
  readonly id: string;
  readonly outcome: string;
}

const LOST = [reply({ status: 502, headers: {}, body: "" })];
const REFUSED = [reply({ status: 400, headers: {}, body: "" })];

async function sent(world: PostWorld): Promise<readonly Sent[]> {
  const { exitCode, stdout, stderr } = await world.send("sent", "-o", "json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** The bodies of what was posted, as text. */
function bodies(world: PostWorld): readonly string[] {
  return world.hook.requests.map(({ body }) => body.toString("utf8"));
}

async function worldWithLunch(): Promise<PostWorld> {
  const world = await createPostWorld();
  await world.create("Lunch", ...todayAt("15:40"));
  return world;
}

const JOBS: Readonly<Record<string, readonly string[]>> = {
  "a digest": ["post", "--as", "json", "--once"],
  "a message without --once": ["post", "--as", "json"],
  "a reminder": ["remind", "--before", "15m", "--as", "json"],
};

describe.each(Object.entries(JOBS))("%s without an answer", (name, job) => {
  const title = name === "a reminder" ? "In 10 min: Lunch" : "Today, Sat 21 Nov: 1 event, 15:40 Lunch";

  test("is exit 9 in this run alone, which says what it was and how to go on", async () => {
    const world = await worldWithLunch();
    world.hook.next(LOST);
    const run = await world.send(...job);
    expect(run).toMatchObject({ exitCode: 9, stdout: "" });
    expect(run.stderr).toContain(`the write may have succeeded: “${title}”`);
    expect(run.stderr).toContain(
      "check whether it arrived; to send it again, repeat the command with --again",
    );
    if (name !== "a message without --once") expect(await world.send(...job)).toEqual(QUIET);
    expect(await sent(world)).toMatchObject([
      { command: job[0], target: "CALCTL_WEBHOOK_URL", what: title, outcome: "unknown" },
    ]);
  });

  test("is sent again with --again, and what is refused then stays unknown", async () => {
    const world = await worldWithLunch();
    world.hook.next(LOST, REFUSED);
    for (const exitCode of [9, 11, 0])
      expect(await world.send(...job, ...(exitCode === 9 ? [] : ["--again"]))).toMatchObject({ exitCode });
    expect(bodies(world)).toHaveLength(3);
    const outcomes = (await sent(world)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(name === "a message without --once" ? ["unknown", "failed", "sent"] : ["sent"]);
  });
});

test("lists what went out and what failed, the oldest first, also without --once", async () => {
  const world = await worldWithLunch();
  world.hook.next(REFUSED);
  expect((await world.send("post", "--as", "json", "--title", "First")).exitCode).toBe(11);
  for (const title of ["Second", "Second"])
    expect(await world.send("post", "--as", "json", "--title", title)).toEqual(QUIET);
  const { stdout } = await world.send("sent", "--fields", "what,outcome,at", "-o", "tsv");
  const at = "2026-11-21T14:30:00.000Z";
  expect(stdout).toBe(`First\tfailed\t${at}\nSecond\tsent\t${at}\nSecond\tsent\t${at}\n`);
});

describe("on a terminal", () => {
  async function screen(world: PostWorld, columns: number) {
    const env = { CALCTL_STATE_DIR: `${world.directory}/state`, LC_ALL: "C.UTF-8" };
    const { exitCode, stdout, stderr } = await world.runWith({ columns, env }, "sent", "--color", "never");
    expect(exitCode).toBe(0);
    return { stdout: stdout.replace(/[0-9a-f]{12}/g, "0123456789ab"), stderr };
  }

  test.each([40, 80])("%i columns say that nothing was sent", async (columns) => {
    const world = await createPostWorld();
    const stderr = "nothing was sent in the last 30 days\n";
    expect(await screen(world, columns)).toEqual({ stdout: "", stderr });
  });

  test("a message has two lines, or more where its first line is long, and what is unknown a hint", async () => {
    const world = await worldWithLunch();
    const post = (title: string) => world.send("post", "--as", "json", "--title", title);
    await post("Lunch today");
    world.hook.next(LOST, REFUSED);
    await post("A title of forty columns and some more");
    await post("昼食".repeat(12));
    const next = `check whether unknown ones arrived;
to send one again, repeat the command
with --again
`;
    expect(await screen(world, 80)).toEqual({
      stdout: `Sat 21 Nov 15:30  sent     0123456789ab
  CALCTL_WEBHOOK_URL: Lunch today
Sat 21 Nov 15:30  unknown  0123456789ab
  CALCTL_WEBHOOK_URL: A title of forty columns and some more
Sat 21 Nov 15:30  failed   0123456789ab
  CALCTL_WEBHOOK_URL: ${"昼食".repeat(12)}
`,
      stderr: next,
    });
    const narrow = await screen(world, 40);
    expect(narrow.stdout).toContain(
      "0123456789ab\n  CALCTL_WEBHOOK_URL: A title of forty\n  columns and some more\n",
    );
    expect(`${narrow.stdout}${narrow.stderr}`.split("\n").filter((line) => textWidth(line) > 40)).toEqual([]);
  });
});

test("a digest that failed is one message with the run that sends it", async () => {
  const world = await worldWithLunch();
  world.hook.next(REFUSED, REFUSED);
  const exits = [11, 11, 0];
  for (const exitCode of exits)
    expect(await world.send("post", "--as", "json", "--once")).toMatchObject({ exitCode });
  expect(await sent(world)).toMatchObject([{ outcome: "sent" }]);
});

describe("--again", () => {
  test("of remind announces what is unknown, and nothing else", async () => {
    const world = await worldWithLunch();
    await world.create("Dinner", ...todayAt("15:41"));
    world.hook.next(LOST);
    expect((await world.send("remind", "--before", "15m", "--as", "json")).exitCode).toBe(9);
    expect(await world.send("remind", "--before", "15m", "--as", "json", "--again")).toEqual(QUIET);
    const titles = world.posted<{ readonly title: string }>().map(({ title }) => title);
    expect(titles).toEqual(["In 10 min: Lunch", "In 11 min: Dinner", "In 10 min: Lunch"]);
    expect((await sent(world)).map(({ outcome }) => outcome)).toEqual(["sent", "sent"]);
  });

  test("of post --changes sends what is unknown with what changed since, whatever was sent meanwhile", async () => {
    const world = await worldWithLunch();
    const post = (...flags: readonly string[]) =>
      world.send("post", "--as", "json", "--changes", "news", ...flags);
    expect(await post()).toEqual(QUIET);
    await world.create("Dinner", ...todayAt("19:00"));
    world.hook.next(LOST);
    expect((await post()).exitCode).toBe(9);
    await world.create("Party", ...todayAt("21:00"));
    expect(await post()).toEqual(QUIET);
    await world.create("Brunch", ...todayAt("22:00"));
    for (const _ of [1, 2]) expect(await post("--again")).toEqual(QUIET);
    expect(await post()).toEqual(QUIET);
    const titles = bodies(world).map((body) => body.match(/(?<="title":")(?:Dinner|Party|Brunch)/g));
    expect(titles).toEqual([["Dinner"], ["Party"], ["Dinner", "Party", "Brunch"]]);
  });

  test("of post --changes covers every message that is unknown, and nothing once one has arrived", async () => {
    const world = await worldWithLunch();
    const post = (...flags: readonly string[]) =>
      world.send("post", "--as", "json", "--changes", "news", ...flags);
    expect(await post()).toEqual(QUIET);
    for (const [title, ...flags] of [["Dinner"], ["Party"], ["Brunch", "--again"]]) {
      await world.create(title ?? "", ...todayAt("19:00"));
      world.hook.next(LOST);
      expect((await post(...flags)).exitCode).toBe(9);
    }
    for (const _ of [1, 2]) expect(await post("--again")).toEqual(QUIET);
    expect(bodies(world).map((body) => body.match(/"title":"(?:Dinner|Party|Brunch)"/g)?.length)).toEqual([
      ...[1, 1, 3, 3],
    ]);
  });
});

describe("--at-least-once", () => {
  test("of remind repeats what is unknown at the next run: exit 8, not 9", async () => {
    const world = await worldWithLunch();
    const remind = () => world.send("remind", "--before", "15m", "--as", "json", "--at-least-once");
    world.hook.next(LOST);
    expect(await remind()).toMatchObject(failed(8, "the next run sends it again"));
    for (const _ of [1, 2]) expect(await remind()).toEqual(QUIET);
    expect(bodies(world)).toHaveLength(2);
    expect(await sent(world)).toMatchObject([{ outcome: "sent" }]);
  });

  test("of post --changes repeats it with what changed since", async () => {
    const world = await worldWithLunch();
    const post = () => world.send("post", "--as", "json", "--changes", "news", "--at-least-once");
    expect(await post()).toEqual(QUIET);
    await world.create("Dinner", ...todayAt("19:00"));
    world.hook.next(LOST);
    expect((await post()).exitCode).toBe(8);
    await world.create("Party", ...todayAt("21:00"));
    for (const _ of [1, 2]) expect(await post()).toEqual(QUIET);
    expect(bodies(world).map((body) => body.match(/"title":"(?:Dinner|Party)"/g)?.length)).toEqual([1, 2]);
  });

  test("is refused for a digest", async () => {
    const world = await worldWithLunch();
    expect(await world.send("post", "--as", "json", "--once", "--at-least-once")).toMatchObject(
      failed(2, "--at-least-once: only with --changes"),
    );
  });
});

async function addTarget(world: PostWorld, name: string, path: string, as = "json"): Promise<void> {
  const stdin = `${world.hook.baseUrl}${path}`;
  const flags = ["--as", as, "--insecure-storage", "--replace"];
  expect(await world.runWith({ stdin }, "targets", "add", name, ...flags)).toMatchObject({ exitCode: 0 });
}

describe("several --to", () => {
  async function worldWithTwo(): Promise<PostWorld> {
    const world = await worldWithLunch();
    await addTarget(world, "one", "/one");
    await addTarget(world, "two", "/two");
    world.hook.forget();
    return world;
  }
  const paths = (world: PostWorld) => world.hook.requests.map(({ path }) => path);
  const TWO = ["--to", "one", "--to", "two"];

  test("are several messages, each with a record of its own, and one that is named twice is one", async () => {
    const world = await worldWithTwo();
    expect(await world.send("post", ...TWO, "--to", "one", "--once")).toEqual(QUIET);
    expect(await world.send("post", ...TWO, "--once")).toEqual(QUIET);
    expect(paths(world)).toEqual(["/one", "/two"]);
    expect(await sent(world)).toMatchObject([{ target: "target one" }, { target: "target two" }]);
  });

  test("where one fails, the other gets its message: exit 12, and the next run sends the rest", async () => {
    const world = await worldWithTwo();
    world.hook.next([reply({ status: 429, headers: { "retry-after": "400" }, body: "" })]);
    const partly = await world.send("post", ...TWO, "--once");
    expect(partly).toMatchObject({ exitCode: 12, stdout: "" });
    expect(partly.stderr).toContain("message to target one could not be posted: target one: its rate limit");
    expect(partly.stderr).toContain("1 of 2 messages posted, not: to target one");
    world.setNow(NOW + 400_000);
    expect(await world.send("post", ...TWO, "--once")).toEqual(QUIET);
    expect(paths(world)).toEqual(["/one", "/two", "/one"]);
  });

  test("where the rest was posted before, a run that posts nothing has the code of the failure", async () => {
    const world = await worldWithTwo();
    for (const exitCode of [12, 11]) {
      world.hook.next(REFUSED);
      const { stderr, ...result } = await world.send("post", ...TWO, "--once");
      expect(result).toEqual({ exitCode, stdout: "" });
      expect(stderr.includes("1 of 2 messages posted")).toBe(exitCode === 12);
    }
  });

  test("one that is unknown is exit 9, once", async () => {
    const world = await worldWithTwo();
    world.hook.next(LOST, REFUSED);
    expect(await world.send("post", ...TWO, "--once")).toMatchObject({ exitCode: 9 });
    expect(await world.send("post", ...TWO, "--once")).toEqual(QUIET);
    expect(paths(world)).toEqual(["/one", "/two", "/two"]);
  });

  test("one that there is not is refused before anything is sent", async () => {
    const world = await worldWithTwo();
    expect(await world.send("post", ...TWO, "--to", "three")).toMatchObject({ exitCode: 5 });
    expect(paths(world)).toEqual([]);
  });

  test("--dry-run shows each message", async () => {
    const world = await worldWithTwo();
    const { stdout } = await world.send("post", ...TWO, "--dry-run");
    expect(stdout.match(/"version": 1/g)).toHaveLength(2);
  });

  test("--changes tells each what it has not been told, and nothing twice", async () => {
    const world = await worldWithTwo();
    const post = (...to: readonly string[]) => world.send("post", ...to, "--changes", "news");
    const told = () =>
      world.hook.requests.map(
        ({ path, body }) => `${path} ${body.toString().match(/"title":"(?:Dinner|Party)"/g)?.length}`,
      );
    expect(await post("--to", "one")).toEqual(QUIET);
    await world.create("Dinner", ...todayAt("19:00"));
    world.hook.next(REFUSED);
    expect((await post(...TWO)).exitCode).toBe(12);
    await world.create("Party", ...todayAt("21:00"));
    for (const _ of [1, 2]) expect(await post(...TWO)).toEqual(QUIET);
    expect(told()).toEqual(["/one 1", "/two 1", "/one 2", "/two 1"]);
    expect(await post("--to", "one")).toEqual(QUIET);
    expect(told()).toHaveLength(4);
  });
});

test("--verbose says with the time what was posted already", async () => {
  const world = await worldWithLunch();
  for (const result of ["posted to", "already posted to"]) {
    const { stderr } = await world.send("post", "--as", "json", "--once", "-v");
    expect(stderr).toContain(`2026-11-21T14:30:00.000Z ${result} CALCTL_WEBHOOK_URL`);
    expect(stderr).toMatch(/^2026-11-21T14:30:00.000Z GET /m);
  }
});

test("a message without --once goes out although it cannot be listed", async () => {
  const world = await worldWithLunch();
  const env = {
    CALCTL_PROFILE: "local",
    CALCTL_WEBHOOK_URL: world.hook.baseUrl,
    CALCTL_STATE_DIR: "/dev/null/x",
  };
  expect(await world.runWith({ env }, "post", "--as", "json")).toEqual(QUIET);
  expect(await world.runWith({ env }, "post", "--as", "json", "--once")).toMatchObject({ exitCode: 10 });
});
