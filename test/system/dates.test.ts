import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createInstallation } from "../support/spawned.js";
import { words } from "../support/words.js";
import { timesRun } from "./support/coverage.js";

/** Dates in words in the built program: when they are loaded, and that the locale does not matter. */

/** Part of a pattern that is made when the words are loaded. */
const WORDS = "thu(?:r(?:s(?:day)?)?)?";

const CREATE = ["events", "create", "--title", "T", "--duration", "1.5h", "--timezone", "UTC"];

test.each<[number, readonly string[]]>([
  [0, ["--help"]],
  [0, ["events", "create", "--help"]],
  [0, ["events", "list", "-o", "json"]],
  [0, [...CREATE, "--start", "2026-11-21T12:00"]],
  [0, [...CREATE, "--start", "tomorrow 12:00", "--strict-dates"]],
  [1, [...CREATE, "--start", "tomorrow 12:00"]],
])("what reads words is loaded %i times by %j", async (count, argv) => {
  const { home, runWith } = createInstallation();
  const folder = join(home, "coverage");
  mkdirSync(folder);
  await runWith({ env: { NODE_V8_COVERAGE: folder } }, ...argv);
  expect(timesRun(folder, WORDS)).toBe(count);
});

test.each([
  { LC_ALL: "C" },
  { LC_ALL: "", LANG: "tr_TR.UTF-8" },
  { LC_ALL: "ar_EG.UTF-8" },
  { LC_ALL: "th_TH.UTF-8", LANG: "th_TH.UTF-8" },
  { LC_ALL: "xx_YY" },
])("the locale %j changes nothing, and TZ is the zone", async (locale) => {
  const { runWith } = createInstallation({ TZ: "Asia/Tokyo", ...locale });
  const argv = words`--title T --start "FRI 21 NOV 2098 3PM" --end Midnight --fields
    start_local,end_local`;
  const { exitCode, stdout, stderr } = await runWith({}, "events", "create", ...argv);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: "2098-11-21T15:00:00+09:00\t2098-11-22T00:00:00+09:00\n",
  });
  expect(stderr).toContain("start: Fri 2098-11-21 15:00 Asia/Tokyo\nend: Sat 2098-11-22 00:00 Asia/Tokyo\n");
});
