import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { HandledRequest } from "../../service/request-handler.js";
import { formatLogLine } from "../../service/request-log.js";
import { openService, type Service } from "../../service/service.js";
import { querySql } from "../../service/test/support/database.js";
import { eventBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { changeCalendar, sendInProcess } from "../../service/test/support/send.js";
import { createWorld, type World } from "../../service/test/support/world.js";
import { blocksBelow, readPage } from "../support/docs-pages.js";
import { createInstallation } from "../support/spawned.js";

/** What docs/service/operating.md shows. The unit and the proxy are tested in systemd.test.ts and nginx.test.ts. */

const page = readPage("docs/service/operating.md");

test.each([
  ["Start it with systemd", "ini", "examples/calctl.service"],
  ["Put nginx in front", "nginx", "examples/nginx.conf"],
])("%s: the page shows the file", (heading, language, file) => {
  const shown = blocksBelow(page, heading).filter((block) => block.language === language);
  expect(shown).toEqual([{ language, text: readPage(file) }]);
});

test("the page shows lines of the log as they are written", () => {
  const request: HandledRequest = {
    id: "0a52b7c9d1e3f486",
    address: "198.51.100.7",
    method: "GET",
    path: "/user",
    status: 200,
    time: Date.parse("2026-11-21T10:00:00.000Z"),
    duration: 2,
  };
  const failed: HandledRequest = {
    ...request,
    id: "5d0e8b6f2a9c4173",
    method: "POST",
    path: "/calendars/x/events",
    status: 503,
    duration: 10_004,
    failure: new Error("the database /var/lib/calctl/calendar.db is locked by another process"),
  };
  const shown = blocksBelow(page, "Logs").filter(({ language }) => language === "text");
  expect(shown.map(({ text }) => text.trim())).toEqual([
    formatLogLine(request, "json"),
    formatLogLine(request, "text"),
    formatLogLine(failed, "off"),
  ]);
});

test("the backup has every event that was written before it began, while others are written", async () => {
  const world = await createWorld({ stored: true, rateLimit: null });
  onTestFinished(() => world.close());
  for (let count = 0; count < EVENTS_BEFORE; count += 1) await createEvent(world);
  let written = EVENTS_BEFORE;
  const backup = startBackup(world);
  let ended = false;
  const end = () => {
    ended = true;
  };
  void backup.then(end, end);
  while (!ended) {
    await createEvent(world);
    written += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const copy = await backup;
  expect(written).toBeGreaterThan(EVENTS_BEFORE);
  expect(querySql(copy, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  const copied = await openService({ database: copy, now: () => world.clock.now, rateLimit: null });
  onTestFinished(() => copied.close());
  const found = await countEvents(copied, world);
  expect(found).toBeGreaterThanOrEqual(EVENTS_BEFORE);
  expect(found).toBeLessThanOrEqual(written);
  expect(await countEvents(world.service, world)).toBe(written);
});

const EVENTS_BEFORE = 100;

const createEvent = (world: World) => changeCalendar(world, "POST", "events", eventBody(SCHEDULE));

async function countEvents(service: Service, { calendarId, token }: World): Promise<number> {
  const { body } = await sendInProcess(service)({
    method: "GET",
    target: `/calendars/${calendarId}/upcoming_events`,
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(),
  });
  return JSON.parse(new TextDecoder().decode(body)).data.length;
}

/** Runs the commands of the page as the owner of the database. Resolves with the path of the copy. */
async function startBackup({ database }: World): Promise<string> {
  const [block] = blocksBelow(page, "Back up");
  const commands = (block?.text ?? "").replaceAll("/var/lib/calctl", dirname(database));
  const { exitCode, stdout, stderr } = await createInstallation().shell(
    `set -e; sudo() { shift 2; "$@"; }; ${commands}\necho "$backup"`,
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout.trim().split("\n").at(-1) ?? "";
}
