import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.js";
import { querySql } from "../support/database.js";
import { buildChild, runTogether } from "../support/processes.js";

/** Several processes that use one SQLite file at the same time. */

async function openStage() {
  const folder = temporaryFolder();
  return { program: await buildChild(folder), database: join(folder, "data", "calendar.db") };
}

test("twelve that open a new database at once create one user and one calendar", async () => {
  const { program, database } = await openStage();
  const results = await runTogether(program, { processes: 12, database, events: 0 });
  expect(new Set(results.map(({ userId }) => userId)).size).toBe(1);
  expect(results.filter(({ created }) => created)).toHaveLength(1);
  expect(results.map(({ calendars }) => calendars)).toEqual(Array(12).fill(1));
  expect(statSync(database).mode & 0o777).toBe(0o600);
  expect(querySql(database, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
});

test("four that write at the same time lose nothing", async () => {
  const { program, database } = await openStage();
  const results = await runTogether(program, { processes: 4, database, events: 50 });
  expect(results.flatMap(({ statuses }) => statuses)).toEqual(Array(200).fill(201));
  expect(querySql(database, "select count(*) as events from events")).toEqual([{ events: 200 }]);
});

test("four that create with the same keys at the same time make each event once", async () => {
  const { program, database } = await openStage();
  const results = await runTogether(program, { processes: 4, database, events: 25, keyed: true });
  expect(results.flatMap(({ statuses }) => statuses)).toEqual(Array(100).fill(201));
  expect(querySql(database, "select count(*) as events from events")).toEqual([{ events: 25 }]);
});
