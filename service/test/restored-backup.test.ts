import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { openService, type Service } from "../service.js";
import { backUp } from "../store/sqlite/backup.js";
import { eventBody, SCHEDULE } from "./support/event-bodies.js";
import { changeCalendar, request } from "./support/send.js";
import { createWorld, NOW } from "./support/world.js";

test("clients of a restored backup read again what they have read of the original since", async () => {
  const world = await createWorld();
  onTestFinished(() => world.close());
  const folder = temporaryFolder();
  const read = (service: Service, path: string, tag = "") =>
    request({ ...world, service }, `GET /calendars/${world.calendarId}/${path}`, {
      headers: { "if-none-match": tag },
    });
  const createEvent = (service: Service) =>
    changeCalendar({ ...world, service }, "POST", "events", eventBody(SCHEDULE));

  await createEvent(world.service);
  const file = join(folder, "copy.db");
  const { signal } = new AbortController();
  await backUp(world.database, file, { signal, now: NOW, onProgress: () => undefined });
  await createEvent(world.service);
  const { headers } = await read(world.service, "upcoming_events");
  const restored = await openService({ database: file, now: () => NOW, rateLimit: null });
  onTestFinished(() => restored.close());
  // As many as were written to the original: another event, which would have the same revision.
  await createEvent(restored);
  expect((await read(restored, "upcoming_events", headers["etag"])).status).toBe(200);
  await createEvent(restored);
  expect((await read(restored, `changes?since=${headers["calendar-revision"]}`)).status).toBe(410);
});
