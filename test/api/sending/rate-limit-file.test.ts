import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createRateLimitFile, type RateLimitFileOptions } from "../../../src/api/sending/rate-limit-file.js";
import { bundleChild, runTogether } from "../../support/child-program.js";
import { createHarness } from "../../support/harness.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const HOUR = 3_600_000;
const PAUSE = { until: NOW + 60_000, observedAt: NOW - 1_000 };

let root: string;
let state: string;

beforeEach(() => {
  root = temporaryFolder();
  state = join(root, "calctl");
});

function store(changes: Partial<RateLimitFileOptions> = {}) {
  return createRateLimitFile({
    stateDirectory: () => state,
    clock: { now: () => NOW },
    token: "a-secret-token",
    origin: "https://work.example",
    ...changes,
  });
}

const folder = () => join(state, "rate-limits");

function onlyFile(): string {
  const names = readdirSync(folder());
  expect(names).toHaveLength(1);
  return join(folder(), names[0] ?? "");
}

describe("the file of a rate limit", () => {
  test("is missing at first, and reading does not create it", async () => {
    expect(await store().load()).toBeNull();
    expect(readdirSync(root)).toEqual([]);
  });

  test("returns what was saved, only for the same token and origin", async () => {
    await store().save(PAUSE);
    expect(await store().load()).toEqual(PAUSE);
    expect(await store({ token: "another" }).load()).toBeNull();
    expect(await store({ origin: "https://work.example:8443" }).load()).toBeNull();
  });

  test("is readable only for its owner, and does not reveal the token", async () => {
    await store().save(PAUSE);
    const path = onlyFile();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const made of [state, folder()]) expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(path).toMatch(/[0-9a-f]{8}\.json$/);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(PAUSE);
  });

  test.each([
    ["observed later", { until: NOW + 5, observedAt: PAUSE.observedAt + 1 }, true],
    ["observed earlier", { until: NOW + 90_000, observedAt: PAUSE.observedAt - 1 }, false],
    ["observed at once and longer", { until: PAUSE.until + 1, observedAt: PAUSE.observedAt }, true],
    ["observed at once and shorter", { until: PAUSE.until - 1, observedAt: PAUSE.observedAt }, false],
  ])("a pause %s replaces the one before: %j %s", async (_, pause, replaces) => {
    await store().save(PAUSE);
    await store().save(pause);
    expect(await store().load()).toEqual(replaces ? pause : PAUSE);
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"until":1}',
    `{"until":"${NOW + 1}","observedAt":${NOW}}`,
    `{"until":${NOW + 1},"observedAt":null}`,
    `{"until":1e999,"observedAt":${NOW}}`,
    `{"until":${NOW + 1},"observedAt":NaN}`,
    `{"until":${NOW + 2},"observedAt":${NOW + 1}}`,
  ])("%j is ignored, and replaced", async (text) => {
    await store().save(PAUSE);
    writeFileSync(onlyFile(), text);
    expect(await store().load()).toBeNull();
    await store().save(PAUSE);
    expect(await store().load()).toEqual(PAUSE);
  });

  test("an expired pause is kept, a long expired one is removed when it is read", async () => {
    await store().save(PAUSE);
    const later = (now: number) => store({ clock: { now: () => now } });
    expect(await later(PAUSE.until + HOUR).load()).toEqual(PAUSE);
    expect(readdirSync(folder())).toHaveLength(1);
    expect(await later(PAUSE.until + HOUR + 1).load()).toBeNull();
    expect(readdirSync(folder())).toEqual([]);
  });

  test("saving removes long expired pauses of other tokens, and leaves other files", async () => {
    await store({ token: "old" }).save({ until: NOW - HOUR - 1, observedAt: NOW - 2 * HOUR });
    await store({ token: "current" }).save(PAUSE);
    writeFileSync(join(folder(), "notes.json"), "{");
    await store().save(PAUSE);
    expect(readdirSync(folder())).toHaveLength(3);
    expect(await store({ token: "current" }).load()).toEqual(PAUSE);
    expect(existsSync(join(folder(), "notes.json"))).toBe(true);
  });

  test.each([
    ["cannot be made", () => writeFileSync(state, "")],
    ["is a file", () => mkdirSync(state) ?? writeFileSync(folder(), "")],
  ])("a folder that %s does not fail", async (_, arrange) => {
    arrange();
    await store().save(PAUSE);
    expect(await store().load()).toBeNull();
  });

  test("without a folder nothing is saved, and nothing fails", async () => {
    const stateDirectory = () => {
      throw new Error("no home");
    };
    await store({ stateDirectory }).save(PAUSE);
    expect(await store({ stateDirectory }).load()).toBeNull();
  });

  test("links and files of other names stay", async () => {
    await store().save(PAUSE);
    const own = basename(onlyFile());
    writeFileSync(join(root, "target"), "{}");
    symlinkSync(join(root, "target"), join(folder(), "01234567.json"));
    writeFileSync(join(folder(), "notes.json"), "{}");
    const pause = { until: NOW + 49 * HOUR, observedAt: NOW + 48 * HOUR };
    await store({ clock: { now: () => NOW + 48 * HOUR } }).save(pause);
    expect(readdirSync(folder()).sort()).toEqual([own, "01234567.json", "notes.json"].sort());
  });

  test("temporary files of killed processes are removed by the next save", async () => {
    await store().save(PAUSE);
    const draft = join(folder(), `.${basename(onlyFile())}.0123456789abcdef`);
    writeFileSync(draft, "{");
    const old = new Date(Date.now() - HOUR);
    utimesSync(draft, old, old);
    await store().save({ ...PAUSE, observedAt: NOW });
    expect(await store().load()).toEqual({ ...PAUSE, observedAt: NOW });
    onlyFile();
  });
});

test("ten processes that save at once read only complete pauses, and leave one of the saved ones", async () => {
  const program = await bundleChild("test/api/sending/support/rate-limit-main.ts", root);
  const first = Date.now() - 2_000;
  const runs = Array.from({ length: 10 }, (_, index) => [state, String(first + index), "20", "10"]);
  const ends = await runTogether<number>(program, runs);
  expect(ends).toEqual(runs.map(() => ({ exitCode: 0, result: 0 })));
  const { until, observedAt } = JSON.parse(readFileSync(onlyFile(), "utf8"));
  expect(until).toBe(observedAt + 10_000_000);
  expect(Array.from({ length: 200 }, (_, index) => first + index)).toContain(observedAt);
});

test("the profile local leaves nothing in the folder", async () => {
  const harness = await createHarness();
  const env = { CALCTL_STATE_DIR: state };
  for (const argv of [["whoami"], ["events", "list"], ["calendars"]]) {
    expect((await harness.runWith({ env }, ...argv)).exitCode).toBe(0);
  }
  expect(existsSync(state)).toBe(false);
});
