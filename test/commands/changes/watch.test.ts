import { describe, expect, test } from "vitest";
import { CliError } from "../../../src/errors.js";
import { byService, reply } from "../../support/fault-steps.js";
import { createHarness, type Harness, type HarnessOptions } from "../../support/harness.js";
import { createRemoteWorld } from "../../support/remote-world.js";
import { problem } from "./world.js";

interface Line {
  readonly id: string;
  readonly change: string;
  readonly event: { readonly id: string; readonly title: string };
  readonly before: { readonly title: string } | null;
}

const linesOf = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

const titlesOf = (stdout: string) =>
  linesOf(stdout).map(({ change, event, before }) =>
    before === null ? `${change} ${event.title}` : `${change} ${before.title} to ${event.title}`,
  );

type Step = (harness: Harness) => Promise<unknown> | undefined;

/** Passes while the watch pauses: one step in each pause, then an interruption. */
function duringPauses(steps: readonly Step[]) {
  const left = [...steps];
  let harness: Harness | undefined;
  return {
    options: {
      async duringPause() {
        const step = left.shift();
        if (step === undefined) throw new CliError("interrupted", "interrupted");
        if (harness !== undefined) await step(harness);
      },
    } satisfies HarnessOptions,
    of(created: Harness) {
      harness = created;
    },
    /** For the next run. */
    next: (...more: readonly Step[]) => void left.push(...more),
  };
}

async function createWorld(...steps: readonly Step[]) {
  const pauses = duringPauses(steps);
  const harness = await createHarness(pauses.options);
  pauses.of(harness);
  const watch = (...flags: readonly string[]) => harness.run("events", "watch", "-p", "local", ...flags);
  return { harness, watch, next: pauses.next };
}

const create =
  (title: string): Step =>
  (harness) =>
    harness.json("events", "create", "-p", "local", "--title", title, "--start", "2026-11-22T10:00");

const rename =
  (from: string, to: string): Step =>
  async (harness) =>
    harness.run("events", "update", await idOf(harness, from), "-p", "local", "--title", to);

const remove =
  (title: string): Step =>
  async (harness) =>
    harness.run("events", "delete", await idOf(harness, title), "-p", "local", "--yes");

async function idOf(harness: Harness, title: string): Promise<string> {
  const argv = ["events", "list", "-p", "local", "--days", "7", "--search", title];
  const [event] = await harness.json<readonly { readonly id: string }[]>(...argv);
  return event?.id ?? "";
}

describe("each change is one line", () => {
  test("of what is written after the start, until an interruption", async () => {
    const { harness, watch } = await createWorld(
      create("Lunch"),
      rename("Lunch", "Brunch"),
      () => undefined,
      remove("Brunch"),
    );
    await create("Old")(harness);
    const { exitCode, stdout } = await watch();
    expect(exitCode).toBe(130);
    expect(titlesOf(stdout)).toEqual(["added Lunch", "changed Lunch to Brunch", "removed Brunch to Brunch"]);
    expect(Object.keys(linesOf(stdout)[0] ?? {})).toEqual(["id", "change", "event", "before"]);
    expect(new Set(linesOf(stdout).map(({ id }) => id)).size).toBe(3);
  });

  test("of the calendars and events that the flags choose", async () => {
    const { watch } = await createWorld(create("Lunch"), create("Dinner"));
    const { stdout } = await watch("--from-start", "--jq", ".event.title", "--category", "schedule");
    expect(stdout).toBe("Lunch\nDinner\n");
  });

  test("a format of lists is refused", async () => {
    const { watch } = await createWorld();
    const { exitCode, stderr } = await watch("-o", "table");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: --output: this command has no format "table"\nhint: formats: json, ndjson\n',
    });
  });
});

test("a program that is missing after -- is refused", async () => {
  const { watch } = await createWorld();
  expect(await watch("--")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "error: the program is missing after --\nhint: leave -- out to print the changes\n",
  });
});

describe("--since-last", () => {
  test("goes on where the last run ended", async () => {
    const { harness, watch, next } = await createWorld(create("Lunch"));
    expect(titlesOf((await watch("--since-last", "desk")).stdout)).toEqual(["added Lunch"]);
    await rename("Lunch", "Brunch")(harness);
    const second = await watch("--since-last", "desk");
    expect(titlesOf(second.stdout)).toEqual(["changed Lunch to Brunch"]);
    next(create("Dinner"));
    await remove("Brunch")(harness);
    next(() => undefined);
    const third = await watch("--since-last", "desk");
    expect(titlesOf(third.stdout)).toEqual(["removed Brunch to Brunch", "added Dinner"]);
  });

  test("a change that was not remembered comes again with the same id", async () => {
    const { harness, watch } = await createWorld();
    await watch("--since-last", "desk");
    await create("Lunch")(harness);
    const dry = await watch("--since-last", "desk", "--dry-run");
    const again = await watch("--since-last", "desk");
    expect(titlesOf(again.stdout)).toEqual(["added Lunch"]);
    expect(linesOf(again.stdout)).toEqual(linesOf(dry.stdout));
    expect((await watch("--since-last", "desk")).stdout).toBe("");
  });
});

test("an event that was deleted before the next run is told of to its end", async () => {
  const { harness, watch, next } = await createWorld();
  await watch("--since-last", "desk");
  await create("Lunch")(harness);
  await watch("--since-last", "desk", "--", process.execPath, "-e", "process.exitCode = 3");
  await remove("Lunch")(harness);
  next(() => undefined);
  const { stdout } = await watch("--since-last", "desk");
  expect(titlesOf(stdout)).toEqual(["added Lunch", "removed Lunch to Lunch"]);
});

describe("a program", () => {
  const SCRIPT = `
    const { appendFileSync, existsSync, readFileSync } = require("node:fs");
    const { id, change, event } = JSON.parse(readFileSync(0, "utf8"));
    const { CALCTL_CHANGE, CALCTL_CHANGE_ID, CALCTL_EVENT_TITLE } = process.env;
    appendFileSync(process.argv[1], [id === CALCTL_CHANGE_ID, change === CALCTL_CHANGE, CALCTL_EVENT_TITLE].join() + "\\n");
    process.exitCode = event.title === "Bad" && !existsSync(process.argv[1] + ".ok") ? 3 : 0;`;

  test("gets each change, and one on which it failed again", async () => {
    const { readFileSync, writeFileSync } = await import("node:fs");
    const { join } = await import("node:path");
    const { harness, watch } = await createWorld(
      create("Bad"),
      create("Good"),
      async () => writeFileSync(`${path}.ok`, ""),
      () => undefined,
    );
    const path = join(harness.directory, "changes");
    const program = [process.execPath, "-e", SCRIPT, path];
    const { stdout, stderr } = await watch("--since-last", "desk", "--", ...program);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^change [0-9a-f]{32}: .* ended with exit code 3; trying again until it works$/m);
    const titles = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(titles.filter((line) => line === "true,true,Good")).toHaveLength(1);
    expect(titles.filter((line) => line === "true,true,Bad").length).toBeGreaterThan(1);
    expect((await watch("--since-last", "desk")).stdout).toBe("");
  });

  test("that goes on failing is named once, and run again after growing pauses", async () => {
    const idle = () => undefined;
    const { harness, watch } = await createWorld(create("Bad"), idle, idle, idle, idle, idle);
    const { stderr } = await watch("--", process.execPath, "-e", "process.exitCode = 3");
    expect(stderr.match(/trying again until it works/g)).toHaveLength(1);
    expect(harness.pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });
});

describe("--interval", () => {
  test.each([
    ["10s", 10_000],
    ["2m", 120_000],
  ])("%s is the pause, whether or not something has changed", async (text, pause) => {
    const { harness, watch } = await createWorld(create("Lunch"), () => undefined);
    await watch("--interval", text);
    expect(harness.pauses).toEqual([pause, pause, pause]);
  });

  test.each(["0s", "10", "soon", ""])("%j is refused", async (text) => {
    const { watch } = await createWorld();
    const { exitCode, stderr } = await watch("--interval", text);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--interval: "${text}" is not an interval\nhint: write 10s, 2m or 1h`);
  });
});

describe("a service that cannot be read", () => {
  test("is read again, with growing pauses; what was written meanwhile is told", async () => {
    const idle = () => undefined;
    const pauses = duringPauses([idle, create("Dinner"), idle, idle, idle, idle, idle]);
    const world = await createRemoteWorld(pauses.options);
    pauses.of(world);
    const answered = [reply(byService(world.service))];
    const down = [problem(503)];
    world.server.on("GET /user", answered, down, down, down, answered);
    const { exitCode, stdout, stderr } = await world.send("events", "watch", "--retries", "0");
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
    expect({ exitCode, titles: titlesOf(stdout) }).toEqual({ exitCode: 130, titles: ["added Dinner"] });
    expect(stderr.match(/trying again until it works/g)).toHaveLength(1);
    expect(stderr).toContain("the service can be read again");
    expect(world.pauses).toEqual([2_000, 4_000, 8_000, 16_000, 2_000, 4_000, 8_000, 16_000]);
  });

  test("and then can, as by the second attempt, is not worth a line", async () => {
    const idle = () => undefined;
    const pauses = duringPauses([idle, idle, idle]);
    const world = await createRemoteWorld(pauses.options);
    const answered = [reply(byService(world.service))];
    world.server.on("GET /user", answered, [problem(503)], [problem(503)], answered);
    const { stderr } = await world.send("events", "watch");
    expect(world.server.count("GET /user")).toBe(4);
    expect(stderr).toBe("error: interrupted\n");
  });

  test("from the start on is exit 8; a token that is refused later ends the watch with exit 4", async () => {
    const world = await createRemoteWorld();
    const answered = [reply(byService(world.service))];
    world.server.on("GET /user", [problem(503)], answered, [problem(401)]);
    expect((await world.send("events", "watch", "--retries", "0")).exitCode).toBe(8);
    expect((await world.send("events", "watch")).exitCode).toBe(4);
  });
});
