import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openService } from "../service.js";
import { querySql } from "./support/database.js";
import { request } from "./support/send.js";
import { NOW } from "./support/world.js";

/** Written by libsql 0.5.29 (SQLite 3.45.1) and killed: one event is in the file, one in its write-ahead log. */
const FIXTURE = new URL("fixtures/libsql.db", import.meta.url);

test("a database of the driver before opens unchanged, with what its log has", async () => {
  const folder = temporaryFolder();
  const database = join(folder, "calendar.db");
  for (const suffix of ["", "-wal"]) {
    const content = readFileSync(new URL(`${FIXTURE.href}${suffix}.gz`));
    writeFileSync(`${database}${suffix}`, gunzipSync(content));
  }
  const service = await openService({ database, create: false, now: () => NOW, rateLimit: null });
  const users = await service.admin.users.list();
  expect(users.map(({ name, login }) => [name, login])).toEqual([
    ["Ana", "ana@example.org"],
    ["Ben", "Ben"],
  ]);
  const [calendar] = await service.admin.calendars.list();
  expect(calendar).toMatchObject({ name: "Family", members: [{ name: "Ana" }, { name: "Ben" }] });
  expect(calendar?.labels).toHaveLength(10);
  const route = `GET /calendars/${calendar?.id}/upcoming_events?timezone=UTC`;
  const source = { kind: "local", userId: users[0]?.id ?? "" } as const;
  const { status, json } = await request({ service }, route, { source });
  expect(status).toBe(200);
  const attributes = { description: "Ünïcode 🗓", category: "schedule" };
  expect(json.data).toMatchObject([
    { attributes: { ...attributes, title: "In the file", start_at: "2026-11-21T12:00:00.000Z" } },
    { attributes: { ...attributes, title: "In the log", start_at: "2026-11-21T14:00:00.000Z" } },
  ]);
  await service.close();
  // Its schema had no revisions.
  expect(querySql(database, "select revision from events")).toEqual([{ revision: 1 }, { revision: 1 }]);
  expect(querySql(database, "select revision, changes_from from calendars")).toEqual([
    { revision: 1, changes_from: 1 },
  ]);
  expect(querySql(database, "select content from activities")).toEqual([{ content: "A comment in the log" }]);
  expect(querySql(database, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
});
