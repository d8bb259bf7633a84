import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openService } from "../../service/service.js";
import { eventBody, SCHEDULE } from "../../service/test/support/event-bodies.js";
import { createFolder } from "../../service/test/support/world.js";
import { createInstallation, TOMORROW } from "../support/spawned.js";
import { type Disk, describeWithDisk, mountDisk } from "../support/system.js";

/** A database with a user and a calendar, complete in its file, which no process has open. */
async function createDatabase(disk: Disk) {
  const folder = createFolder();
  const made = join(folder.path, "calendar.db");
  const service = await openService({ database: made, now: Date.now, rateLimit: null });
  const { id: owner } = await service.admin.users.add({ name: "Ana" });
  const { id: calendarId } = await service.admin.calendars.add({ name: "Family", owner });
  const { token } = await service.admin.tokens.create({ user: owner, readOnly: false });
  await service.close();
  const path = join(disk.path, "calendar.db");
  copyFileSync(made, path);
  folder.remove();
  return { path, calendarId, token };
}

async function startService({ path, calendarId, token }: Awaited<ReturnType<typeof createDatabase>>) {
  const running = createInstallation().start("service", "start", "--db", path, "--port", "0", "-o", "json");
  const { base_url: url } = JSON.parse(await running.stdoutWith("\n"));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const times = { start_at: `${TOMORROW}T12:00:00.000Z`, end_at: `${TOMORROW}T13:00:00.000Z` };
  const event = eventBody({ ...SCHEDULE, ...times, description: "x".repeat(10_000) });
  return {
    async read() {
      const targets = ["/user", "/calendars", `/calendars/${calendarId}/upcoming_events`];
      const responses = await Promise.all(targets.map((target) => fetch(`${url}${target}`, { headers })));
      return responses.map(({ status }) => status);
    },
    async write() {
      const body = JSON.stringify(event);
      const response = await fetch(`${url}/calendars/${calendarId}/events`, {
        method: "POST",
        headers,
        body,
      });
      return { status: response.status, retryAfter: response.headers.get("retry-after") };
    },
    async events() {
      const target = `${url}/calendars/${calendarId}/upcoming_events?days=7`;
      const { data } = (await (await fetch(target, { headers })).json()) as {
        readonly data: readonly object[];
      };
      return data.length;
    },
    readiness: async () => (await fetch(`${url}/readyz`)).status,
    async stop() {
      running.child.kill("SIGTERM");
      return (await running.ended).exitCode;
    },
  };
}

const READ = [200, 200, 200];
const REFUSED = { status: 503, retryAfter: expect.stringMatching(/^\d+$/) };
const WRITTEN = { status: 201, retryAfter: null };

describeWithDisk("the service", () => {
  test("answers reads and refuses writes on a disk that was full when it started, until there is space", async () => {
    const disk = mountDisk(2);
    const database = await createDatabase(disk);
    disk.fill();
    const service = await startService(database);
    expect(await service.read()).toEqual(READ);
    expect(await service.write()).toEqual(REFUSED);
    expect(await service.read()).toEqual(READ);
    disk.free();
    expect(await service.write()).toEqual(WRITTEN);
    expect(await service.events()).toBe(1);
    expect(await service.stop()).toBe(0);
  });

  test("sees what others write as soon as there is space on a disk that was full when it started", async () => {
    const disk = mountDisk(2);
    const database = await createDatabase(disk);
    disk.fill();
    const service = await startService(database);
    expect([await service.read(), await service.read()]).toEqual([READ, READ]);
    disk.free();
    const other = await openService({ database: database.path, now: Date.now, rateLimit: null });
    for (const { id } of await other.admin.tokens.list()) await other.admin.tokens.revoke(id);
    expect(await service.read()).toEqual([401, 401, 401]);
    await other.close();
    expect(await service.stop()).toBe(0);
  });

  test("answers reads and refuses writes on a disk that becomes full, until there is space", async () => {
    const disk = mountDisk(2);
    const service = await startService(await createDatabase(disk));
    expect(await service.write()).toEqual(WRITTEN);
    disk.fill();
    // What the log has already may be written again.
    let [written, last] = [1, await service.write()];
    for (; last.status === 201 && written < 100; last = await service.write()) written += 1;
    expect(last).toEqual(REFUSED);
    expect(await service.read()).toEqual(READ);
    expect(await service.events()).toBe(written);
    disk.free();
    expect(await service.write()).toEqual(WRITTEN);
    expect(await service.events()).toBe(written + 1);
    expect(await service.stop()).toBe(0);
  });

  test("answers reads and refuses writes on a read-only disk, until it can be written", async () => {
    const disk = mountDisk(2);
    const database = await createDatabase(disk);
    disk.setReadOnly(true);
    const service = await startService(database);
    expect(await service.read()).toEqual(READ);
    expect(await service.write()).toEqual(REFUSED);
    expect(await service.readiness()).toBe(503);
    disk.setReadOnly(false);
    expect(await service.write()).toEqual(WRITTEN);
    await expect.poll(service.readiness).toBe(200);
    expect(await service.events()).toBe(1);
    expect(await service.stop()).toBe(0);
  });
});

describeWithDisk("undo", () => {
  test("has nothing to take back of a change that the full disk refused", async () => {
    const disk = mountDisk(2);
    const { run } = createInstallation({ CALCTL_DATA_DIR: join(disk.path, "data") });
    const argv = ["--title", "Lunch", "--start", `${TOMORROW}T12:00`, "--duration", "1h", "--fields", "id"];
    const id = (await run("events", "create", ...argv)).stdout.trim();
    disk.fill();
    const changes = [
      ["update", id, "--description", "x".repeat(9_000)],
      ["delete", id, "--yes"],
    ];
    for (const change of changes) expect((await run("events", ...change)).exitCode).toBe(10);
    disk.free();
    const { stdout } = await run("undo", "--list", "--jq", ".[].command");
    expect(stdout).toBe("events create\n");
  });
});

describeWithDisk("an import", () => {
  test("ends where it cannot note what it did, and goes on there when there is space", async () => {
    const disk = mountDisk(12);
    const { run, home } = createInstallation({ CALCTL_STATE_DIR: join(disk.path, "state") });
    const event = {
      start_at: `${TOMORROW}T12:00:00Z`,
      end_at: `${TOMORROW}T13:00:00Z`,
      description: "x".repeat(9_000),
    };
    const lines = Array.from(
      { length: 150 },
      (_, id) => `${JSON.stringify({ ...event, id: `${id}`, title: `${id}` })}\n`,
    );
    const file = join(home, "club.ndjson");
    writeFileSync(file, lines.join(""));
    const ballast = join(disk.path, "ballast");
    writeFileSync(ballast, Buffer.alloc(11_000_000));
    const { exitCode, stderr } = await run("import", file, "--yes");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 12,
      stderr: expect.stringMatching(
        /of 150 changes were written: there is no space left to write the state database /,
      ),
    });
    rmSync(ballast);
    expect(await run("import", file, "--yes")).toMatchObject({ exitCode: 0 });
    const { stdout } = await run(
      "events",
      "list",
      "--days",
      "2",
      "--jq",
      "[length, (map(.title) | unique | length)]",
    );
    expect(stdout).toBe("[150,150]\n");
  });
});
