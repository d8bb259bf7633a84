import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createCacheFile } from "../../src/cache/cache-file.js";
import { createRateLimitStore, type LimitedAccount, limitName } from "../../src/cache/rate-limits.js";
import { bundleChild, runTogether } from "../support/child-program.js";
import { createHarness } from "../support/harness.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const HOUR = 3_600_000;
const PAUSE = { until: NOW + 60_000, observedAt: NOW - 1_000 };

let root: string;
let cache: string;

beforeEach(() => {
  root = temporaryFolder();
  cache = join(root, "calctl");
});

function store(changes: Partial<LimitedAccount> = {}, directory = () => cache) {
  const account = { token: "a-secret-token", origin: "https://work.example", ...changes };
  const now = () => NOW;
  const name = () => limitName(account);
  return createRateLimitStore(createCacheFile({ directory, kind: "rate-limits", name, now }), now);
}

const folder = () => join(cache, "rate-limits");

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
    for (const made of [cache, folder()]) expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(basename(path)).toMatch(/^[0-9a-f]{8}%20https%3A%2F%2Fwork\.example\.json$/);
    const { version: _, name, ...pause } = JSON.parse(readFileSync(path, "utf8"));
    expect(name).toMatch(/^[0-9a-f]{8} https:\/\/work\.example$/);
    expect(pause).toEqual(PAUSE);
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
    '"until":1',
    `"until":"${NOW + 1}","observedAt":${NOW}`,
    `"until":${NOW + 1},"observedAt":null`,
    `"until":1e999,"observedAt":${NOW}`,
    `"until":${NOW + 1},"observedAt":NaN`,
    `"until":${NOW + 2},"observedAt":${NOW + 1}`,
  ])("%s is ignored, and replaced", async (members) => {
    await store().save(PAUSE);
    const text = readFileSync(onlyFile(), "utf8");
    writeFileSync(onlyFile(), text.replace(/"until".*(?=\})/, members));
    expect(await store().load()).toBeNull();
    await store().save(PAUSE);
    expect(await store().load()).toEqual(PAUSE);
  });

  test.each([
    ["cannot be made", () => writeFileSync(cache, "")],
    ["is a file", () => mkdirSync(cache) ?? writeFileSync(folder(), "")],
  ])("a folder that %s does not fail", async (_, arrange) => {
    arrange();
    await store().save(PAUSE);
    expect(await store().load()).toBeNull();
  });

  test("without a folder nothing is saved, and nothing fails", async () => {
    const withoutFolder = store({}, () => {
      throw new Error("no home");
    });
    await withoutFolder.save(PAUSE);
    expect(await withoutFolder.load()).toBeNull();
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
  const program = await bundleChild("test/cache/support/rate-limit-main.ts", root);
  const first = Date.now() - 2_000;
  const runs = Array.from({ length: 10 }, (_, index) => [cache, String(first + index), "20", "10"]);
  const ends = await runTogether<number>(program, runs);
  expect(ends).toEqual(runs.map(() => ({ exitCode: 0, result: 0 })));
  const { until, observedAt } = JSON.parse(readFileSync(onlyFile(), "utf8"));
  expect(until).toBe(observedAt + 10_000_000);
  expect(Array.from({ length: 200 }, (_, index) => first + index)).toContain(observedAt);
});

test("the profile local leaves no rate limit, and nothing in the state folder", async () => {
  const harness = await createHarness();
  const state = join(root, "state");
  const env = { CALCTL_STATE_DIR: state, CALCTL_CACHE_DIR: cache };
  for (const argv of [["whoami"], ["events", "list"], ["calendars"]]) {
    expect((await harness.runWith({ env }, ...argv)).exitCode).toBe(0);
  }
  expect(existsSync(state)).toBe(false);
  expect(existsSync(folder())).toBe(false);
});
