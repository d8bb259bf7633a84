import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Feed } from "../../../contract/shapes.js";
import { withoutExtensions } from "../../support/contract-service.js";
import { byService, reply } from "../../support/fault-steps.js";
import { createHarness } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { words } from "../../support/words.js";

/** Feeds: made, listed and ended, at a service that has them and at one that does not. */

let world: RemoteWorld;
beforeEach(async () => {
  world = await createRemoteWorld();
});

async function send<T>(...argv: readonly string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await world.send(...argv, "-o", "json");
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

const personal = () => ({ id: world.calendarId, name: "Personal" });

describe("feeds add", () => {
  test("prints the address, from which everybody gets the events", async () => {
    const feed = await send<Feed>("feeds", "add");
    expect(feed).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: "Personal",
      calendars: [personal()],
      busy_only: false,
      created_at: "2026-11-21T14:30:00.000Z",
      last_used_at: null,
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/feeds\/[\w-]{43}$/),
    });
    const response = await fetch(`${feed.address}.ics`);
    expect(await response.text()).toContain("SUMMARY:Lunch");
    expect(await send("feeds", "list")).toEqual([
      { ...feed, address: undefined, last_used_at: "2026-11-21T00:00:00.000Z" },
    ]);
  });

  test("takes several calendars, a name and a zone, and says who sees them", async () => {
    await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    const flags = ["-c", "Work", "-c", "Personal", "--name", "Busy Ana", "--busy-only"];
    const added = await world.send("feeds", "add", ...flags, "--timezone", "Asia/Tokyo");
    const [, name, calendars, busyOnly] = added.stdout.split("\t");
    expect([name, calendars, busyOnly]).toEqual(["Busy Ana", "Work, Personal", "true"]);
    expect(added.stderr).toContain("anyone with the address can see the feed");
    expect(`${world.server.requests.at(-1)?.body}`).toContain('"timezone":"Asia/Tokyo"');
  });

  test("without a calendar takes the default one, and asks for one where there are several", async () => {
    const work = await world.service.admin.calendars.add({ name: "Work", owner: world.userId });
    expect(await world.send("feeds", "add")).toMatchObject(
      failed(2, "there are several calendars: choose one with --calendar"),
    );
    const env = { ...world.env, CALCTL_CALENDAR: "Work" };
    const { stdout } = await world.runWith({ env }, "feeds", "add", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ calendars: [{ id: work.id, name: "Work" }] });
  });

  test("with --dry-run sends nothing", async () => {
    const planned = await send("feeds", "add", "--name", "Phone", "--dry-run");
    expect(planned).toEqual({
      method: "POST",
      path: "/feeds",
      query: {},
      body: {
        data: {
          attributes: { name: "Phone", busy_only: false, timezone: "Europe/Berlin" },
          relationships: { calendars: { data: [{ id: world.calendarId, type: "calendar" }] } },
        },
      },
    });
    expect(await send("feeds", "list")).toEqual([]);
  });

  test("shows its secret nowhere but on stdout", async () => {
    const { stdout, stderr } = await world.send(...words`feeds add --debug --verbose --fields address`);
    const secret = stdout.trim().split("/").at(-1) ?? "";
    expect(secret).toHaveLength(43);
    expect(stderr).not.toContain(secret);
  });

  test("whose answer is lost may have been done, and says how to look", async () => {
    world.server.on("POST /feeds", [reply({ status: 502, body: "" })]);
    expect(await world.send("feeds", "add")).toMatchObject(failed(9, "calctl feeds list"));
  });
});

describe("of the profile local", () => {
  test("a feed has the address at which the database is served", async () => {
    const { json, service, run } = await createHarness();
    expect(await run("feeds", "add")).toMatchObject(failed(11, "calctl service start"));
    await service.admin.noteBaseUrl("https://calendar.example/cal");
    const { address } = await json<Feed>("feeds", "add");
    expect(address).toMatch(/^https:\/\/calendar\.example\/cal\/feeds\/[\w-]{43}$/);
    await service.admin.noteBaseUrl("http://127.0.0.1:8787");
    expect((await run("feeds", "add")).stderr).toContain("the address is one of this machine");
  });
});

describe("feeds list and remove", () => {
  test("name calendars that can still be seen, and end a feed", async () => {
    const { calendars } = world.service.admin;
    await calendars.add({ name: "Work", owner: world.userId });
    const { id, address } = await send<Feed>("feeds", "add", "-c", "Work", "-c", "Personal");
    await calendars.remove("Work");
    const listed = await world.send("feeds", "list", "--jq", ".[].calendars[].name");
    expect(listed.stdout).toBe("null\nPersonal\n");
    expect(await world.send("feeds", "remove", id)).toEqual({
      exitCode: 0,
      stdout: "",
      stderr: `removed feed ${id}\n`,
    });
    const folder = join(world.directory, "names");
    for (const file of readdirSync(folder))
      expect(readFileSync(join(folder, file), "utf8")).not.toContain(id);
    expect(await send("feeds", "list")).toEqual([]);
    expect((await fetch(`${address}.ics`)).status).toBe(410);
    expect(await world.send("feeds", "remove", id)).toMatchObject(failed(5, `there is no feed "${id}"`));
  });

  test("show in a table when a feed was used last", async () => {
    await send("feeds", "add", "--name", "Phone");
    const options = { env: { ...world.env, NO_COLOR: "1" }, columns: 120 };
    const { stdout } = await world.runWith(options, "feeds", "list");
    expect(stdout).toMatch(/Name +Calendars +Busy only +Last used +Id/i);
    expect(stdout).toMatch(/Phone +Personal +(?:no|false) +never/);
  });
});

test("a service that does not name feeds gets no request for one", async () => {
  world.server.otherwise([reply(byService(withoutExtensions(world.service)))]);
  for (const more of [[], ["--dry-run"]])
    expect(await world.send("feeds", "add", ...more)).toMatchObject(failed(11, "this service has no feeds"));
  expect(world.server.requests.map(({ method }) => method)).not.toContain("POST");
});

test("the address is below the base URL in use, whatever the service answers", async () => {
  const { handle } = world.service;
  const lying = async (...asked: Parameters<typeof handle>) => {
    const response = await handle(...asked);
    if (response.status !== 201) return response;
    const document = JSON.parse(new TextDecoder().decode(response.body));
    const changed = JSON.stringify({ ...document, meta: { base_url: "https://evil.example" } });
    return { ...response, body: new TextEncoder().encode(changed) };
  };
  world.server.otherwise([reply(byService({ handle: lying }))]);
  const { address } = await send<Feed>("feeds", "add");
  expect(address).toContain(`${world.server.baseUrl}/feeds/`);
});

test("a service without feeds is exit 11 with each of them", async () => {
  for (const status of [404, 405]) {
    for (const method of ["GET", "POST"])
      world.server.on(`${method} /feeds`, [reply({ status, body: "{}" })]);
    for (const argv of [["add"], ["list"], ["remove", "x"]]) {
      expect(await world.send("feeds", ...argv)).toMatchObject(failed(11, "this service has no feeds"));
    }
  }
});
