import { beforeEach, expect, test } from "vitest";
import { runSql } from "../../service/test/support/database.js";
import { createWorld, NOW, type World } from "../../service/test/support/world.js";
import { type FaultServer, startFaultServer } from "../support/fault-server.js";
import { byService, hang, reply } from "../support/fault-steps.js";
import { createInstallation, type Installation } from "../support/spawned.js";

/** 100,000 events over a real socket: printed as they come, in little memory, and only as far as they are read. */

const COUNT = 100_000;
const PAGE = 500;
/** A heap that holds a fifth of them at most (MiB). */
const HEAP = 64;

let world: World;
let server: FaultServer;
let installation: Installation;
/** Called before each page is sent, with its number from 1. */
let onPage: (page: number) => Promise<void>;

beforeEach(async () => {
  world = await createWorld({ stored: true, rateLimit: null });
  server = await startFaultServer();
  onPage = async () => undefined;
  const answer = byService(world.service);
  server.otherwise([
    reply(async (request) => {
      await onPage(server.count(`GET ${request.path}`));
      return answer(request);
    }),
  ]);
  installation = createInstallation({ CALCTL_BASE_URL: server.baseUrl, CALCTL_TOKEN: world.token });
  return () => world.close();
});

/** One each ten minutes, with a long description. */
function addEvents(count: number): void {
  runSql(
    world.database,
    `insert into events (id, calendar_id, category, title, all_day, start_at, start_timezone, end_at, end_timezone,
        description, location, url, label_number, creator_id, created_at, updated_at)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select printf('%032x', n), '${world.calendarId}', 'schedule', 'Event ' || n, 0, ${NOW} + n * 600000, 'UTC',
        ${NOW} + n * 600000 + 1000, 'UTC', hex(zeroblob(1000)), '', '', 1, '${world.member.id}', 0, 0
        from numbers`,
  );
}

const LIST = ["events", "list", "-c", "Family", "--from", "2026-11-01", "-o", "ndjson"] as const;
const eventsPath = () => `GET /calendars/${world.calendarId}/events`;

test("no page is read before all but two of those before it are printed, and none is kept", async () => {
  addEvents(COUNT);
  const running = installation.startWith(
    { env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` } },
    ...LIST,
    ...["--fields", "id,title"],
  );
  let printed = 0;
  let wake: () => void = () => undefined;
  running.child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk.toString().split("\n").length - 1;
    wake();
  });
  onPage = async (page) => {
    while (printed < (page - 1 - 2) * PAGE)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  const { exitCode, stdout, stderr } = await running.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const ids = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => Number.parseInt(JSON.parse(line).id, 16));
  expect(ids).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
  expect(server.count(eventsPath())).toBe(COUNT / PAGE);
});

test("a reader that has enough ends it quietly", async () => {
  addEvents(20 * PAGE);
  const { exitCode, stdout, stderr } = await installation.shell(
    `set -o pipefail; calctl ${LIST.join(" ")} --fields title | head -1`,
  );
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: '{"title":"Event 1"}\n', stderr: "" });
  expect(server.count(eventsPath())).toBeLessThan(10);
});

test("an interruption leaves complete lines", async () => {
  addEvents(20 * PAGE);
  const answer = byService(world.service);
  const pass = [reply(answer)];
  server.on(eventsPath(), pass, pass, [hang]);
  const running = installation.start(...LIST, "--fields", "title");
  await running.stdoutWith('"Event 500"}\n');
  running.child.kill("SIGINT");
  const { exitCode, stdout } = await running.ended;
  expect(exitCode).toBe(130);
  for (const line of stdout.split("\n").slice(0, -1)) expect(JSON.parse(line).title).toMatch(/^Event \d+$/);
});
