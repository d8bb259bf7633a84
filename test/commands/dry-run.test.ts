import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createApi } from "../../src/api/client.js";
import { DEFAULT_RETRY_POLICY } from "../../src/api/sending/retry.js";
import type { PlannedRequest } from "../../src/errors.js";
import { type Harness, type HarnessOptions, harnessesWith, type RunResult } from "../support/harness.js";
import { failed } from "../support/outcomes.js";
import { share } from "../support/shared.js";
import { startWireRecorder, type WireRecorder } from "../support/wire-recorder.js";
import { words } from "../support/words.js";

/** `--dry-run`: every write is printed exactly as it would be sent, and is not sent. */

interface World extends Harness {
  readonly wire: WireRecorder;
  readonly calendarId: string;
  readonly ids: readonly string[];
  send(...argv: readonly string[]): Promise<RunResult>;
  /** The writes that the service received. */
  writes(): readonly PlannedRequest[];
}

const createHarness = harnessesWith(async ({ service: { admin }, json }) => {
  await admin.users.add({ name: "Ben" });
  const calendars: string[] = [];
  for (const name of ["Family", "Work"]) {
    calendars.push((await admin.calendars.add({ name, owner: "ana" })).id);
    await admin.members.add("Ben", name);
  }
  const { token } = await admin.tokens.create({ user: "ana", readOnly: false });
  const ids: string[] = [];
  for (const title of ["Lunch", "Dinner"]) {
    const flags = ["--start", "2026-11-21T12:00", "--duration", "1h", "--description", "Bring\ncake"];
    const create = words`events create -c Family --title ${title}`;
    ids.push((await json<{ readonly id: string }>(...create, ...flags)).id);
  }
  return { token, calendarId: calendars[0] ?? "", ids };
});

async function createWorld(options: HarnessOptions = {}): Promise<World> {
  const { token, ...harness } = await createHarness(options);
  const wire = await startWireRecorder(harness.service);
  const env = { CALCTL_BASE_URL: wire.baseUrl, CALCTL_TOKEN: token };
  const writes = () =>
    wire.requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path, query, body }) => ({ method, path, query, body }));
  return { ...harness, wire, send: (...argv) => harness.runWith({ env }, ...argv), writes };
}

// In a file, which the commands of `service` open, too.
const shared = share(() => createWorld({ database: "local.db" }));
let world: World;

beforeEach(() => {
  world = shared();
  world.wire.requests.splice(0);
});

const CREATE = ["events", "create", "-c", "Family", "--title", "\u001b[31mred & \u202e", "--label", "3"];

describe("prints what the same command sends without it", () => {
  beforeEach(async () => {
    world = await createWorld();
  });

  test.each<[string, (ids: readonly string[]) => readonly string[]]>([
    ["create", () => [...CREATE, "--start", "2026-11-21T15:00", "--duration", "90m", "--attendee", "Ben"]],
    ["create, all-day", () => [...CREATE, "--all-day", "--start", "2026-11-21"]],
    ["update", ([id = ""]) => ["events", "update", id, "-c", "Family", "--start", "2026-11-22T09:00"]],
    ["update, clearing", ([id = ""]) => ["events", "update", id, "-c", "Family", "--clear", "description"]],
    ["delete", ([id = ""]) => ["events", "delete", id, "-c", "Family", "--yes"]],
    ["delete of several", (ids) => ["events", "delete", ...ids, "-c", "Family", "--yes"]],
    ["comment", ([id = ""]) => ["comment", id, "@ben at 8?", "-c", "Family"]],
    ["api", ([id = ""]) => words`api /calendars/${world.calendarId}/events/${id}?x=1 -X DELETE -f "y=a b"`],
  ])("%s", async (_, argv) => {
    const command = argv(world.ids);
    const planned = await world.send(...command, "--dry-run");
    expect(planned).toMatchObject({ exitCode: 0, stderr: "" });
    expect(world.writes()).toEqual([]);
    expect(await world.send(...command)).toMatchObject({ exitCode: 0 });
    const sent = world.writes();
    expect(sent.length).toBeGreaterThan(0);
    expect(JSON.parse(planned.stdout)).toEqual(sent.length === 1 ? sent[0] : sent);
  });

  test.each([2, 3])("undo of a delete of %i events of a series of three", async (count) => {
    const series = words`--title Choir --start 2026-11-23T10:00 --duration 1h --repeat weekly --count 3`;
    await world.send("events", "create", "-c", "Family", ...series);
    const listed = await world.send(...words`events list -c Family --from 2026-11-23 --days 30 --jq .[].id`);
    const ids = listed.stdout.trim().split("\n").slice(0, count);
    await world.send("events", "delete", ...ids, ...words`-c Family --scope this --yes`);
    world.wire.requests.splice(0);
    const planned = await world.send("undo", "--dry-run");
    expect(planned).toMatchObject({ exitCode: 0, stderr: "" });
    expect(world.writes()).toEqual([]);
    expect(await world.send("undo", "--yes")).toMatchObject({ exitCode: 0 });
    const sent = JSON.stringify(world.writes());
    // What is made again has another id then.
    const [, made = ""] = /"PUT","path":"[^"]*events\/(\w{32})/.exec(sent) ?? [];
    expect(world.writes()).toHaveLength(count);
    expect(JSON.parse(planned.stdout)).toEqual(
      JSON.parse(sent.replaceAll(made, ids[0]?.slice(0, made.length) ?? "")),
    );
  });

  test("for a calendar of this machine, too", async () => {
    const flags = ["events", "create", "-c", "Family", "--title", "T", "--category", "keep"];
    const { stdout } = await world.run(...flags, "--dry-run");
    const [calendar] = await world.json<{ id: string }[]>("calendars", "--fields", "id,name");
    expect(JSON.parse(stdout)).toMatchObject({ method: "POST", query: {} });
    expect(JSON.parse(stdout).path).toMatch(/^\/calendars\/[^/]+\/events$/);
    expect(calendar).toBeDefined();
    expect(await world.json("events", "list", "-c", "Family")).toHaveLength(2);
  });
});

describe("formats", () => {
  const command = [...CREATE, "--start", "2026-11-21T15:00", "--duration", "1h", "--dry-run"];

  test.each(["table", "tsv", "csv", "json", "markdown", "text", "ics"])("%s is JSON", async (format) => {
    const { stdout, exitCode } = await world.send(...command, "-o", format);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ method: "POST" });
  });

  test("ndjson has one request per line", async () => {
    const { stdout } = await world.send(
      ...words`events delete`,
      ...world.ids,
      ...words`--dry-run -c Family -o ndjson`,
    );
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).method)).toEqual(["DELETE", "DELETE"]);
  });

  test("--jq reads the request", async () => {
    const { stdout } = await world.send(...command, "--jq", ".method, .body.data.attributes.title");
    expect(stdout).toBe("POST\n\u001b[31mred & \u202e\n");
  });

  test("fields and templates are for what the command prints without it", async () => {
    for (const flags of [
      ["--fields", "id"],
      ["--template", "{{ title }}"],
    ]) {
      const { stdout, exitCode } = await world.send(...command, ...flags);
      expect({ exitCode, method: JSON.parse(stdout).method }).toEqual({ exitCode: 0, method: "POST" });
    }
  });
});

describe("errors", () => {
  test("what is wrong is said as without it", async () => {
    const { exitCode, stdout } = await world.send("events", "create", "--title", "T", "--dry-run");
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    const [id = ""] = world.ids;
    expect((await world.send("comment", id, "x".repeat(1001), "--dry-run")).exitCode).toBe(2);
  });

  test("events that do not exist are named after the requests of the others: exit 12", async () => {
    const [id = ""] = world.ids;
    const { exitCode, stdout, stderr } = await world.send("events", "delete", id, "gone", "--dry-run");
    expect(exitCode).toBe(12);
    expect(JSON.parse(stdout)).toMatchObject({ method: "DELETE" });
    expect(stderr).toContain("1 of 2 events would be deleted, not: gone");
    expect(world.writes()).toEqual([]);
  });

  test("a service that cannot be reached does not matter when nothing must be read", async () => {
    const api = createApi({
      transport: () => Promise.reject(new Error("nothing may be sent")),
      policy: { ...DEFAULT_RETRY_POLICY, retries: 0 },
      limiter: {
        acquire: () => Promise.reject(new Error("no limit counts")),
        observe: async () => undefined,
        waited: () => 0,
      },
      clock: { now: () => 0, sleep: async () => undefined, random: () => 0 },
      onWait: () => undefined,
      signal: new AbortController().signal,
      baseUrl: new URL("https://example.com/api/v1/"),
      mask: (text) => text,
      dryRun: true,
    });
    const address = { calendarId: "a b", eventId: "e" };
    await expect(api.deleteEvent(address)).rejects.toMatchObject({
      requests: [{ method: "DELETE", path: "/calendars/a%20b/events/e", query: {}, body: null }],
    });
  });
});

describe("commands without such a request", () => {
  test.each([
    ["events", "list"],
    ["events", "get", "ID"],
    ["calendars"],
    ["whoami"],
    ["profiles", "list"],
    ["targets", "list"],
    ["config", "list"],
    ["service", "users", "list"],
    ["service", "tokens", "list"],
  ])("%s %s %s reads as always", async (...argv) => {
    const command = argv.flatMap((word) => (word === "ID" ? (world.ids[0] ?? "") : (word ?? [])));
    const plain = await world.run(...command);
    expect(plain.exitCode).toBe(0);
    expect(await world.run(...command, "--dry-run")).toEqual(plain);
  });

  test.each([
    [["login", "--base-url", "https://example.com", "--with-token"]],
    [["logout"]],
    [["config", "set", "timezone", "UTC"]],
    [["config", "unset", "timezone"]],
    [["profiles", "use", "local"]],
    [["targets", "add", "x", "--as", "json"]],
    [["service", "users", "add", "Cem"]],
    [["service", "users", "disable", "Ben"]],
    [["service", "calendars", "remove", "Family", "--yes"]],
    [["service", "calendars", "set", "Family", "--name", "Work"]],
    [["service", "members", "remove", "Ben", "-c", "Family"]],
    [["service", "labels", "set", "1", "--name", "x", "-c", "Family"]],
    [["service", "clients", "add", "x", "--redirect-uri", "http://127.0.0.1/cb"]],
    [["service", "tokens", "create", "--user", "ana"]],
    [["service", "tokens", "revoke", "--user", "ana"]],
    [["service", "start", "--memory"]],
  ])("%j changes nothing and is exit 2", async (argv) => {
    const state = async () => [
      await world.service.admin.users.list(),
      await world.service.admin.calendars.list(),
      await world.service.admin.clients.list(),
      await world.service.admin.tokens.list(),
    ];
    const before = await state();
    expect(await world.runWith({ stdin: "token-text\n" }, ...argv, "--dry-run")).toMatchObject(
      failed(2, "--dry-run: this command changes something without sending a request"),
    );
    expect(await state()).toEqual(before);
    expect(existsSync(join(world.directory, "config.json"))).toBe(false);
  });
});
