import { beforeEach, expect, test } from "vitest";
import { withoutExtensions } from "../../support/contract-service.js";
import { apply, byService, reply, reset } from "../../support/fault-steps.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";
import { changeState, icsFile, ndjsonFile, vevent, writeText } from "./world.js";

/** `import` over a connection that loses an answer. */

let world: RemoteWorld;

beforeEach(async () => {
  world = await createRemoteWorld({});
});

const importThree = () => importEvents("a", "b", "c");

function importEvents(...ids: readonly string[]) {
  const events = ids.map((id) => ({ id, title: `Event ${id}`, start_at: "2026-11-23T12:00:00Z" }));
  return importPath(writeText(world, "club.ndjson", ndjsonFile(events)));
}

const importPath = (path: string) =>
  world.send("import", path, "-c", world.calendarId, "--yes", "--quiet", "--fields", "created,unchanged");

const posts = () => world.server.requests.filter(({ method }) => method === "POST").length;

test("a service that keeps keys is asked again, and has each event once", async () => {
  const service = byService(world.service);
  world.server.on(`POST /calendars/${world.calendarId}/events`, [apply(service), reset], [reply(service)]);
  expect(await importThree()).toEqual({ exitCode: 0, stdout: "3\t0\n", stderr: "" });
  expect(await importThree()).toEqual({ exitCode: 0, stdout: "0\t3\n", stderr: "" });
  expect(posts()).toBe(4);
  expect(await world.send("undo", "--yes", "--quiet")).toMatchObject({ exitCode: 0 });
  const left = await world.send(...words`events list --on 2026-11-23 --fields title -c ${world.calendarId}`);
  expect(left).toMatchObject({ exitCode: 0, stdout: "" });
});

test("a service of the contract alone: what is unknown is said once, and not created again", async () => {
  const service = byService(withoutExtensions(world.service));
  world.server.otherwise([reply(service)]);
  world.server.on(`POST /calendars/${world.calendarId}/events`, [apply(service), reset], [reply(service)]);
  const first = await importThree();
  expect(first).toMatchObject({ exitCode: 12, stdout: "2\t0\n" });
  expect(first.stderr).toContain('"Event a": ');
  expect(first.stderr).toContain("unknown whether it was created");
  expect(await importThree()).toEqual({ exitCode: 0, stdout: "0\t3\n", stderr: "" });
  expect(posts()).toBe(3);
  expect(world.server.requests.flatMap(({ headers }) => headers["idempotency-key"] ?? [])).toEqual([]);
});

test("a service of the contract alone: what a killed run may have created is said once, and not created again", async () => {
  const service = byService(withoutExtensions(world.service));
  world.server.otherwise([reply(service)]);
  await importEvents("a");
  const pending = "json_set(record, '$.key', 'a', '$.draft', json_object())";
  changeState(world, `update imported set event_id = null, record = null, pending = ${pending}`);
  const again = await importEvents("a");
  expect(again).toMatchObject({
    exitCode: 9,
    stderr: expect.stringContaining("unknown whether it was created"),
  });
  expect(await importEvents("a")).toEqual({ exitCode: 0, stdout: "0\t1\n", stderr: "" });
  expect(posts()).toBe(1);
});

test("a service that goes away is not asked for each of the rest, and the same command goes on", async () => {
  const service = byService(world.service);
  const away = [reply({ status: 503, headers: {}, body: "" })];
  const ids = Array.from("abcdefghijklmnopqrst");
  world.server.on(`POST /calendars/${world.calendarId}/events`, [reply(service)], [reply(service)], away);
  const first = await importEvents(...ids);
  expect(first).toMatchObject({ exitCode: 12, stdout: "2\t0\n" });
  expect(first.stderr).toContain("2 of 20 changes were written: ");
  const tried = new Set(world.server.requests.map(({ headers }) => headers["idempotency-key"]));
  expect(tried.size).toBeLessThan(12);
  world.server.on(`POST /calendars/${world.calendarId}/events`, [reply(service)]);
  expect(await importEvents(...ids)).toMatchObject({ exitCode: 0, stdout: "18\t2\n" });
});

test("a series that the service refuses: its changes fail with it, and the rest is imported", async () => {
  const body = '{"errors":{"recurrences":["must not be daily"]}}';
  const refusal = { status: 400, headers: { "content-type": "application/json" }, body };
  const service = byService(world.service);
  world.server.on(`POST /calendars/${world.calendarId}/events`, [reply(refusal)], [reply(service)]);
  const events = [
    vevent("run", "Run", "DTSTART:20261201T180000Z", "RRULE:FREQ=DAILY;COUNT=4"),
    vevent("run", "Moved", "RECURRENCE-ID:20261202T180000Z", "DTSTART:20261202T190000Z"),
    vevent("other", "Other", "DTSTART:20261205T180000Z"),
  ];
  const path = writeText(world, "run.ics", icsFile(events));
  const first = await importPath(path);
  expect(first).toMatchObject({ exitCode: 12, stdout: "1\t0\n" });
  expect(first.stderr).toContain("the service refused the request (400): recurrences: must not be daily");
  expect(first.stderr).toContain('"Moved": its series is not in the calendar');
  expect(first.stderr).toContain("2 of 3 changes failed");
  expect(await importPath(path)).toMatchObject({ exitCode: 0, stdout: "2\t1\n" });
});
