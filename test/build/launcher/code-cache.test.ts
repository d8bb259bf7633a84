import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openCodeCache } from "../../../build/launcher/code-cache.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const PROGRAM = "calctl-AAAAAAAA.js";
const SOURCE = "(function () { return 1; })";

/** A flag of V8 that changes nothing here but the tag of its caches. */
const [OTHER_FLAGS, USUAL_FLAGS] = ["--wasm-tier-up-filter=7", "--wasm-tier-up-filter=-1"];

let folder: string;

beforeEach(() => {
  const root = temporaryFolder();
  folder = join(root, "cache", "calctl");
});

function open(env: NodeJS.ProcessEnv = { CALCTL_CACHE_DIR: folder }) {
  return openCodeCache(PROGRAM, { env, platform: "linux", arch: "x64" });
}

/** One run of the program. */
function run({ source = SOURCE, env }: { source?: string; env?: NodeJS.ProcessEnv } = {}) {
  const cache = open(env);
  const cachedData = cache?.data;
  const script = new Script(source, cachedData === undefined ? {} : { cachedData });
  script.runInThisContext();
  return { cache, script };
}

function runAndUpdate(options?: Parameters<typeof run>[0]): void {
  const { cache, script } = run(options);
  cache?.update(script);
}

describe("the next run loads what a run stored", () => {
  test("V8 accepts it", () => {
    expect(open()?.data).toBeUndefined();
    runAndUpdate();
    const { cache, script } = run();
    expect(cache?.data).toBeInstanceOf(Buffer);
    expect(script.cachedDataRejected).toBe(false);
  });

  test("folder and file are accessible only to their owner", () => {
    runAndUpdate();
    const [name = ""] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test("not with other flags of V8, which would reject it", () => {
    runAndUpdate();
    setFlagsFromString(OTHER_FLAGS);
    onTestFinished(() => setFlagsFromString(USUAL_FLAGS));
    expect(open()?.data).toBeUndefined();
    runAndUpdate();
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test("not from a run that changed the flags", () => {
    const { cache, script } = run();
    setFlagsFromString(OTHER_FLAGS);
    onTestFinished(() => setFlagsFromString(USUAL_FLAGS));
    cache?.update(script);
    setFlagsFromString(USUAL_FLAGS);
    expect(open()?.data).toBeUndefined();
  });
});

test("the first eight runs update the file, later ones do not", () => {
  const inodes = Array.from({ length: 10 }, () => {
    runAndUpdate();
    return statSync(join(folder, readdirSync(folder)[0] ?? "")).ino;
  });
  const changed = inodes.filter((inode, index) => inode !== inodes[index - 1]);
  expect(changed).toHaveLength(8);
});

test("functions that a long run discarded stay", () => {
  const functions = Array.from({ length: 50 }, (_, index) => `function f${index}() { return ${index}; }`);
  const calls = functions.map((_, index) => `f${index}();`);
  runAndUpdate({ source: `(function () { ${functions.join("")} ${calls.join("")} })()` });
  const before = open()?.data;
  const { cache } = run();
  cache?.update({ cachedDataRejected: false, createCachedData: () => Buffer.from("less") });
  expect(open()?.data).toEqual(before);
});

test("a cache that V8 rejects is replaced", () => {
  runAndUpdate();
  open()?.update({ cachedDataRejected: true, createCachedData: () => Buffer.from("small") });
  expect(open()?.data?.toString()).toBe("small");
});

test.each<[string, (content: Buffer) => Buffer]>([
  ["empty", () => Buffer.alloc(0)],
  ["cut in the header", (content) => content.subarray(0, 6)],
  ["cut", (content) => content.subarray(0, -1)],
  ["longer", (content) => Buffer.concat([content, Buffer.from([0])])],
  ["changed in one bit", (content) => content.fill(content.readUInt8(100) ^ 1, 100, 101)],
])("a file that is %s is not loaded, and replaced", (_, damage) => {
  runAndUpdate();
  const path = join(folder, readdirSync(folder)[0] ?? "");
  writeFileSync(path, damage(readFileSync(path)));
  expect(open()?.data).toBeUndefined();
  runAndUpdate();
  expect(open()?.data).toBeInstanceOf(Buffer);
});

test("the newest forty files remain; files of other programs stay", () => {
  runAndUpdate();
  const names = readdirSync(folder);
  const foreign = ["notes.txt", "calctl-notes.txt"];
  for (const name of foreign) writeFileSync(join(folder, name), "");
  for (let program = 0; program < 50; program += 1) writeFileSync(join(folder, `calctl-${program}.js.x`), "");
  runAndUpdate();
  const left = readdirSync(folder);
  expect(left).toHaveLength(40 + foreign.length);
  expect(left).toEqual(expect.arrayContaining([...names, ...foreign]));
});

describe("no folder", () => {
  test.each<NodeJS.ProcessEnv>([{ CALCTL_CACHE_DIR: "relative" }, { CALCTL_CACHE_DIR: "./cache" }])(
    "%j would be in any folder that the user is in",
    (env) => {
      expect(open(env)).toBeNull();
    },
  );

  test("one that cannot be created is no error, and nothing is compiled", () => {
    mkdirSync(join(folder, ".."), { recursive: true });
    writeFileSync(folder, "");
    for (const path of [folder, join(folder, "below"), "/proc/calctl"]) {
      const cache = open({ CALCTL_CACHE_DIR: path });
      const createCachedData = () => expect.fail("it was asked for what cannot be stored");
      cache?.update({ createCachedData });
    }
  });
});
