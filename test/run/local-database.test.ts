import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AccessRun, openAdmin } from "../../service/access/admin.js";
import { openLocalDatabase } from "../../service/access/open.js";
import { type ServeOptions, serve } from "../../service/access/serve.js";
import type { Service } from "../../service/service.js";
import { runSql } from "../../service/test/support/database.js";
import { createInProcessTransport, LOCAL_BASE_URL } from "../../src/run/client.js";
import { createResources } from "../../src/run/host.js";
import { createClock } from "../../src/system/clock.js";
import { systemUserName } from "../../src/system/ownership.js";
import { createTextSink, type WritableLike } from "../../src/terminal/text-sink.js";
import { createScreen } from "../support/terminal.js";

/** Messages about the database of the profile `local`. */

const NOW = Date.parse("2026-11-21T14:30:00.000Z");
const SERVING: ServeOptions = {
  database: undefined,
  memory: false,
  sample: false,
  rateLimit: null,
  log: "off",
  publicClient: true,
  metrics: null,
  listen: { host: "127.0.0.1", port: 0 },
  tls: undefined,
  onListening: async () => undefined,
};

let folder: string;
let database: string;
let resources: ReturnType<typeof createResources>;
let machine: AccessRun["machine"];
let notes: string[];
const note = (text: string) => void notes.push(text);
const context = (): AccessRun => ({ machine, flags: { debug: false, dryRun: false, quiet: false } });
const openLocal = () => openLocalDatabase({ machine, note }, { database, rateLimit: null });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "calctl-host-"));
  database = join(folder, "local.db");
  resources = createResources();
  const clock = createClock({ now: () => NOW });
  const screen: WritableLike = {
    ...createScreen(),
    write(text, done) {
      note(String(text).trimEnd());
      done();
      return true;
    },
  };
  const sink = { open: () => screen, name: "stderr", interruption: () => undefined, sleep: clock.sleep };
  machine = {
    process,
    env: {},
    clock,
    resources,
    userId: null,
    database: () => database,
    stderr: createTextSink(sink),
    signal: () => AbortSignal.abort(),
  };
  notes = [];
});
afterEach(async () => {
  await resources.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

test("the first use of the profile local creates and reports it, later ones do not", async () => {
  const first = await openLocal();
  expect(notes).toEqual([`created the calendar database of the profile local: ${database}`]);
  const second = await openLocal();
  expect(second.userId).toBe(first.userId);
  expect(notes).toHaveLength(1);
});

test("the first use adds the local user to a database that already has users", async () => {
  const admin = await openAdmin(context(), database, { create: true });
  await admin.users.add({ name: "Ana" });
  await openLocal();
  expect(notes).toEqual([
    `created the database ${database}`,
    `created the user ${systemUserName()} and the calendar Personal in ${database}`,
  ]);
});

test("service start creates a database and reports it once", async () => {
  await serve(context(), SERVING);
  await serve(context(), SERVING);
  await serve(context(), { ...SERVING, memory: true });
  expect(notes).toEqual([`created the calendar database of the profile local: ${database}`]);
});

test("service start --sample fills a database without the user of local, an explicit one is only made", async () => {
  await serve(context(), { ...SERVING, sample: true });
  const other = join(folder, "other.db");
  await serve(context(), { ...SERVING, database: other });
  expect(notes).toEqual([`created the database ${database}`, `created the database ${other}`]);
  const users = await (await openAdmin(context(), other)).users.list();
  expect(users).toEqual([]);
});

test("of concurrent requests only the failing ones reject, each with its own error", async () => {
  const local = await openLocal();
  const [calendar] = await local.service.admin.calendars.list();
  runSql(database, "drop table events; drop table labels");
  const paths = [
    `calendars/${calendar?.id}/labels`,
    "user",
    `calendars/${calendar?.id}/upcoming_events`,
    "missing",
  ];
  const service = answerTogether(local.service, paths.length);
  const transport = createInProcessTransport({ ...local, service });
  const get = (path: string) =>
    transport({ method: "GET", url: new URL(path, LOCAL_BASE_URL).href, headers: {} });
  const results = await Promise.allSettled(paths.map(get));
  expect(results).toMatchObject([
    { reason: { message: "no such table: labels" } },
    { value: { status: 200 } },
    { reason: { message: "no such table: events" } },
    { value: { status: 404 } },
  ]);
});

/** Delays responses until so many requests are handled, as a store slower than SQLite would. */
function answerTogether(service: Service, requests: number): Service {
  const release: (() => void)[] = [];
  return {
    ...service,
    async handle(request, origin) {
      const response = await service.handle(request, origin);
      await new Promise<void>((resolve) => {
        release.push(resolve);
        if (release.length === requests) for (const go of release) go();
      });
      return response;
    },
  };
}
