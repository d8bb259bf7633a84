import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type CacheFileOptions, createCacheFile } from "../../src/cache/cache-file.js";
import { requireOwn } from "../../src/system/ownership.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** What the cache may write and remove in a folder that is not its own alone. */

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const OLD = new Date(NOW - 91 * 86_400_000);
const OWN_OLD = "work%20https%3A%2F%2Fwork.example%2Fapi.json";

let root: string;
let cache: string;

beforeEach(() => {
  root = temporaryFolder();
  cache = join(root, "calctl");
});

function open(kind: CacheFileOptions["kind"] = "names") {
  return createCacheFile({
    directory: () =>
      requireOwn({ noun: "folder", path: cache, variable: "CALCTL_CACHE_DIR" }, process.geteuid?.() ?? null),
    kind,
    name: () => "local ",
    now: () => NOW,
  });
}

/** A folder as another program might have left it, with old files, one of which has a name like ours. */
function fillFolder(folder: string): readonly string[] {
  mkdirSync(join(folder, "letters.json"), { recursive: true, mode: 0o700 });
  const foreign = ["notes.txt", "report.json", "50%20percent.txt", "100%2520.json", ".hidden"];
  for (const name of [...foreign, OWN_OLD]) {
    writeFileSync(join(folder, name), "{}");
    utimesSync(join(folder, name), OLD, OLD);
  }
  symlinkSync(join(folder, "notes.txt"), join(folder, "link%20.json"));
  lutimesSync(join(folder, "link%20.json"), OLD, OLD);
  return [...foreign, "letters.json", "link%20.json"].sort();
}

describe.each(["names", "events", "rate-limits"] as const)("the folder %s", (kind) => {
  test("keeps what is not ours, however old it is", async () => {
    const foreign = fillFolder(join(cache, kind));
    await open(kind).write({ lists: {} });
    expect(open(kind).read()).toMatchObject({ lists: {} });
    expect(readdirSync(join(cache, kind)).sort()).toEqual([...foreign, "local%20.json"].sort());
  });
});

test("nothing is read, written or removed where others may write", async () => {
  await open().write({ lists: {} });
  fillFolder(join(cache, "names"));
  const before = readdirSync(join(cache, "names"));
  const { mtimeMs } = lstatSync(join(cache, "names"));
  chmodSync(cache, 0o777);
  expect(open().read()).toEqual({});
  await open().write({ lists: {} });
  expect(readdirSync(join(cache, "names"))).toEqual(before);
  expect(lstatSync(join(cache, "names")).mtimeMs).toBe(mtimeMs);
});
