import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { PlannedRequest } from "../../src/api/dry-run.js";
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
    expect(planned.exitCode).toBe(0);
    expect(world.writes()).toEqual([]);
    const { exitCode, stderr } = await world.send(...command);
    expect(exitCode).toBe(0);
    expect(planned.stderr).toBe(stderr.replaceAll("\n", " (dry run)\n"));
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
    await expectSameUndo(count);
  });

  test("undo of a delete of a series with an event that was changed on its own", async () => {
    const series = words`--title Choir --start 2026-11-23T10:00 --duration 1h --repeat weekly --count 3`;
    await world.send("events", "create", "-c", "Family", ...series);
    const listed = await world.send(...words`events list -c Family --from 2026-11-23 --days 30 --jq .[].id`);
    const [, second = ""] = listed.stdout.split("\n");
    await world.send("events", "update", second, ...words`-c Family --scope this --title Concert`);
    await world.send("events", "delete", second, ...words`-c Family --scope all --yes`);
    await expectSameUndo(2);
  });

  /** Undoes the last command, with and without it. What is created again has another id each time. */
  async function expectSameUndo(count: number): Promise<void> {
    world.wire.requests.splice(0);
    const planned = await world.send("undo", "--dry-run", "-o", "ndjson");
    expect(planned).toMatchObject({ exitCode: 0 });
    expect(world.writes()).toEqual([]);
    const undone = await world.send("undo", "--yes");
    expect(undone.exitCode).toBe(0);
    expect(planned.stderr).toBe(undone.stderr.replaceAll("\n", " (dry run)\n"));
    const sent = world.writes().map((request) => JSON.stringify(request));
    expect(sent).toHaveLength(count);
    const madeIn = (lines: string) => /"PUT","path":"[^"]*events\/(\w{32})/.exec(lines)?.[1] ?? "";
    const [real, recorded] = [madeIn(sent.join("\n")), madeIn(planned.stdout)];
    const same = planned.stdout.trimEnd().replaceAll(recorded, real).split("\n");
    expect(same.map((line) => JSON.parse(line))).toEqual(sent.map((line) => JSON.parse(line)));
  }

  test("keeps nothing of what would be written", async () => {
    const terminal = { columns: 80, env: { CALCTL_CACHE_DIR: join(world.directory, "cache") } };
    const create = [...CREATE, "--start", "2026-11-21T15:00", "--duration", "90m"];
    expect(await world.runWith(terminal, ...create, "--dry-run")).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(world.directory, "cache"))).toBe(false);
    expect(await world.runWith(terminal, ...create)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(world.directory, "cache", "events"))).toBe(true);
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
    expect(stderr).toContain("1 of 2 events deleted, not: gone");
    expect(world.writes()).toEqual([]);
  });

  test("a --jq that fails for the requests does not hide why the command failed", async () => {
    const [id = ""] = world.ids;
    const jq = ["--jq", 'error("jq")'];
    const { exitCode, stderr } = await world.send("events", "delete", id, "gone", "--dry-run", ...jq);
    expect(exitCode).toBe(12);
    expect(stderr).toContain("not: gone");
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
