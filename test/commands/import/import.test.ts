import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { withImportLock } from "../../../src/state/imported.js";
import { createDeferred, openTestState, processWith } from "../../state/support.js";
import { createHarness, type RunResult } from "../../support/harness.js";
import { failed } from "../../support/outcomes.js";
import { share } from "../../support/shared.js";
import { createUndoWorld, type Event, type UndoWorld } from "../undo/world.js";
import { changeState, icsFile, importText, ndjsonFile, vevent, writeText } from "./world.js";

/** `import`: what it plans, writes and reports. Files of each format are read in `test/import`. */

let world: UndoWorld;

beforeEach(async () => {
  world = await createUndoWorld();
});

interface Line {
  readonly id: string;
  readonly title: string;
  readonly [key: string]: unknown;
}

function line(id: string, title = `Event ${id}`, more: Readonly<Record<string, unknown>> = {}): Line {
  const times = { start_at: "2026-11-23T12:00:00Z", end_at: "2026-11-23T13:00:00Z" };
  return { id, title, ...times, ...more };
}

/** Writes the file club.ndjson. @returns its path */
function file(...lines: readonly (Line | string)[]): string {
  return writeText(world, "club.ndjson", ndjsonFile(lines));
}

const importFile = (path: string, ...flags: readonly string[]): Promise<RunResult> =>
  world.step("import", path, "-c", "Family", "--yes", ...flags);

/** Imports the file club.ndjson. @returns the exit code and the report */
const importLines = (lines: readonly (Line | string)[], ...flags: readonly string[]) =>
  importText(world, "club.ndjson", ndjsonFile(lines), ...flags);

const titles = async () => (await world.list()).map(({ title }) => title).sort();

async function find(title: string): Promise<Event> {
  const found = (await world.list()).find((event) => event.title === title);
  if (found === undefined) throw new Error(`there is no ${title}`);
  return found;
}

const counts = {
  source: "club.ndjson",
  created: 0,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  conflicts: 0,
  rejected: [],
};

describe("a file again", () => {
  test("writes nothing if nothing changed, and reads no event", async () => {
    await importLines([line("a"), line("b")]);
    world.wire.requests.length = 0;
    const { token } = await world.service.admin.tokens.create({ user: "ana", readOnly: false });
    const env = { CALCTL_BASE_URL: world.wire.baseUrl, CALCTL_TOKEN: token };
    const remote = (...flags: string[]) =>
      world.runWith({ env }, "import", file(line("a"), line("b")), "-c", "Family", "--yes", ...flags);
    expect(await remote()).toMatchObject({ exitCode: 0, stdout: "club.ndjson\t2\t0\t0\t0\t0\t0\n" });
    const written = world.wire.requests.filter(({ method }) => method !== "GET").length;
    world.wire.requests.length = 0;
    expect(await remote()).toMatchObject({
      exitCode: 0,
      stdout: "club.ndjson\t0\t0\t2\t0\t0\t0\n",
      stderr: "",
    });
    expect(written).toBe(2);
    expect(world.wire.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /calendars"]);
  });

  test("changes what changed in it", async () => {
    expect(await importLines([line("a"), line("b")])).toEqual({
      exitCode: 0,
      stderr: "",
      ...counts,
      created: 2,
    });
    const { id } = await find("Event a");
    const changed = await importLines([line("a", "Other", { location: "Home" }), line("b")]);
    expect(changed).toMatchObject({ exitCode: 0, created: 0, updated: 1, unchanged: 1 });
    expect(await world.read(id)).toMatchObject({ title: "Other", location: "Home" });
    await importLines([line("a"), line("b")]);
    expect(await world.read(id)).toMatchObject({ title: "Event a", location: "" });
  });

  test("deletes what is no longer in it with --prune alone", async () => {
    await importLines([line("a"), line("b"), line("c")]);
    const kept = await importLines([line("a"), line("b")]);
    expect(kept).toMatchObject({ exitCode: 0, deleted: 0, unchanged: 2 });
    expect(kept.stderr).toContain("1 event no longer in");
    expect(await importLines([line("a"), line("b")], "--prune")).toMatchObject({ exitCode: 0, deleted: 1 });
    expect(await titles()).toEqual(["Event a", "Event b"]);
    expect(await importLines([line("a"), line("b"), line("c")])).toMatchObject({ exitCode: 0, created: 1 });
    expect(await titles()).toEqual(["Event a", "Event b", "Event c"]);
  });
});

describe("what somebody changed in the calendar", () => {
  test("stays if the file has not changed, or has changed, too: a conflict", async () => {
    await importLines([line("a"), line("b")]);
    const { id } = await find("Event a");
    await world.step("events", "update", id, "--location", "Home");
    expect(await importLines([line("a"), line("b")])).toMatchObject({ unchanged: 2, conflicts: 0 });
    const conflict = await importLines([line("a", "Other"), line("b")]);
    expect(conflict).toMatchObject({
      exitCode: 0,
      stderr: "changed or deleted in the calendar, and left alone: Other\n",
      conflicts: 1,
    });
    const plan = await importFile(file(line("a", "Other"), line("b")), "--dry-run", "-o", "table");
    expect(plan.stdout).toBe("  1 unchanged\n  1 conflict   Other\n");
    expect(await world.read(id)).toMatchObject({ title: "Event a", location: "Home" });
    const overwritten = await importLines([line("a", "Other"), line("b")], "--overwrite");
    expect(overwritten).toMatchObject({ exitCode: 0, updated: 1, conflicts: 0 });
    expect(await world.read(id)).toMatchObject({ title: "Other", location: "" });
  });

  test("is not pruned", async () => {
    await importLines([line("a"), line("b"), line("c")]);
    await world.step("events", "update", (await find("Event c")).id, "--location", "Home");
    const report = await importLines([line("a"), line("b")], "--prune", "--overwrite");
    expect(report).toMatchObject({ exitCode: 0, deleted: 0, conflicts: 1 });
    expect(await titles()).toHaveLength(3);
  });

  test("stays deleted, whatever the file says", async () => {
    await importLines([line("a"), line("b")]);
    await world.step("events", "delete", (await find("Event a")).id, "--yes");
    expect(await importLines([line("a"), line("b")])).toMatchObject({ unchanged: 2 });
    const flags = ["--overwrite", "--prune"];
    expect(await importLines([line("a", "Other"), line("b")], ...flags)).toMatchObject({ conflicts: 1 });
    await importLines([line("b")], ...flags);
    expect(await importLines([line("a", "Third"), line("b")], ...flags)).toMatchObject({ conflicts: 1 });
    expect(await titles()).toEqual(["Event b"]);
  });

  test("is no conflict if it says what the file says now", async () => {
    await importLines([line("a")]);
    await world.step("events", "update", (await find("Event a")).id, "--title", "Other");
    expect(await importLines([line("a", "Other")])).toMatchObject({ unchanged: 1, conflicts: 0 });
    expect(await importLines([line("a", "Third")])).toMatchObject({ updated: 1 });
  });
});

test("many events that changed are read from the list, since a service limits the rate of requests", async () => {
  const many = (title: string) => Array.from({ length: 100 }, (_, index) => line(`${index}`, title));
  await importLines(many("Before"));
  const { handle } = world.service;
  const targets: string[] = [];
  const count: typeof handle = (request, peer) => {
    targets.push(`${request.method} ${request.target.replace(/\?.*/, "")}`);
    return handle(request, peer);
  };
  Object.assign(world.service, { handle: count });
  expect(await importLines(many("After"), "--dry-run")).toMatchObject({ exitCode: 0, updated: 100 });
  expect(targets.filter((target) => /events/.test(target))).toEqual([
    `GET /calendars/${world.family}/events`,
  ]);
});

describe("--prune", () => {
  const six = Array.from("abcdef", (id) => line(id));

  test("of most needs --prune=all where nobody can be asked", async () => {
    await importLines(six);
    const few = await importLines(six.slice(0, 2), "--prune");
    expect(few).toMatchObject({ exitCode: 2 });
    expect(few.stderr).toContain("fewer than half of the 6 events");
    expect(await titles()).toHaveLength(6);
    expect(await importLines(six.slice(0, 2), "--prune=all")).toMatchObject({ exitCode: 0, deleted: 4 });
  });

  test("of another file with the name of the first needs it, too", async () => {
    await importLines(six);
    const others = Array.from("klmnop", (id) => line(id));
    expect(await importLines(others, "--prune")).toMatchObject({ exitCode: 2 });
    expect(await titles()).toHaveLength(6);
    expect(await importLines(others, "--prune=all")).toMatchObject({ exitCode: 0, created: 6, deleted: 6 });
    await importLines(six.slice(0, 3), "--source", "new");
    const none = await importLines(others.slice(0, 3), "--source", "new", "--prune");
    expect(none).toMatchObject({ exitCode: 2 });
    expect(none.stderr).toContain("none of the 3 events imported earlier from new");
    expect(await importLines([line("a"), ...others.slice(0, 2)], "--source", "new", "--prune")).toMatchObject(
      {
        deleted: 2,
      },
    );
  });

  test("of an email asks for nothing, since it deletes only what the email cancels", async () => {
    await importLines(six, "--source", "mail");
    const cancelled = icsFile(["METHOD:CANCEL", vevent("c", "Event c", "DTSTART:20261123T120000Z")]);
    const report = await importText(world, "c.ics", cancelled, "--source", "mail", "--prune");
    expect(report).toMatchObject({ exitCode: 12, deleted: 1 });
    expect(await titles()).toHaveLength(5);
  });

  test("does not take what is rejected for what is missing", async () => {
    await importLines(six);
    const long = (id: string) => line(id, "x".repeat(51));
    const half = [...six.slice(0, 2), long("c")];
    expect(await importLines(half, "--prune")).toMatchObject({ exitCode: 12, deleted: 3 });
  });

  test("takes no value that is a file", async () => {
    await importLines(six);
    const path = file(...six.slice(0, 5));
    const { exitCode, stdout } = await world.step("import", "-c", "Family", "--yes", "--prune", path);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "club.ndjson\t0\t0\t5\t1\t0\t0\n" });
    expect(await world.step("import", "--yes", "--prune", path, path)).toMatchObject({ exitCode: 2 });
  });

  test("deletes nothing of a file that is cut, or has no events, or what of it cannot be read", async () => {
    await importLines(six);
    const cut = `{"id": "k", "title":`;
    const path = join(world.directory, "club.ndjson");
    file(...six.slice(0, 4));
    writeFileSync(path, `${readFileSync(path, "utf8")}${cut}`);
    expect(await importFile(path, "--prune")).toMatchObject({ exitCode: 12 });
    expect(await importLines([...six.slice(0, 4), "{}}"], "--prune")).toMatchObject({ exitCode: 12 });
    const long = await importLines([...six.slice(0, 5), line("f", "x".repeat(51))], "--prune");
    expect(long).toMatchObject({ exitCode: 12, deleted: 0, rejected: [{ line: 6 }] });
    expect(await titles()).toHaveLength(6);
  });
});

describe("bad input", () => {
  const shared = share(createHarness);

  test("a title that is too long is rejected by its line, and the rest imported", async () => {
    const long = "x".repeat(51);
    const report = await importLines([line("a"), line("b", long), line("c")]);
    const rejected = [{ line: 2, reason: expect.stringContaining("51 characters"), title: long }];
    expect(report).toMatchObject({ ...counts, exitCode: 12, created: 2, rejected });
    expect(report.stderr).toContain(`line 2: "${long}": `);
  });

  test("--rejects has what was rejected, to be imported again, and never replaces the file", async () => {
    const rejects = join(world.directory, "rejects.ndjson");
    const long = line("b", "x".repeat(51));
    const flags = ["--rejects", rejects];
    await importLines([line("a"), long], "--dry-run", ...flags);
    expect(readdirSync(world.directory)).not.toContain("rejects.ndjson");
    await importLines([line("a"), long], ...flags);
    expect(readFileSync(rejects, "utf8")).toBe(`${JSON.stringify(long)}\n`);
    expect(await importFile(rejects, "--truncate")).toMatchObject({ exitCode: 0 });
    await importLines([line("a")], ...flags);
    expect(readFileSync(rejects, "utf8")).toBe("");
    expect(await importLines([long], ...flags)).toMatchObject({ exitCode: 11 });
    expect(readFileSync(rejects, "utf8")).toBe(`${JSON.stringify(long)}\n`);
    const path = file(line("a"), long);
    expect(await importFile(path, "--rejects", path)).toMatchObject({ exitCode: 2 });
    expect(await titles()).toHaveLength(2);
  });

  test.each(["ics", "ndjson"])(
    "--rejects has the bytes of what is not UTF-8, as they were: %s",
    async (as) => {
      const path = join(world.directory, "latin1");
      const rejects = join(world.directory, "rejects");
      const start = "DTSTART:20261201T120000Z";
      const odd = (title: string) =>
        as === "ics" ? vevent("a", title, start) : JSON.stringify(line("a", title));
      const other = as === "ics" ? vevent("b", "Größe 🎂", start) : JSON.stringify(line("b", "Größe 🎂"));
      const whole = (parts: readonly string[]) => (as === "ics" ? icsFile(parts) : `${parts.join("\n")}\n`);
      const bytesOf = (text: string) => {
        const [before = "", after = ""] = text.split("DAMAGE");
        return Buffer.concat([Buffer.from(before), Buffer.from([0xdc, 0xe2, 0x82]), Buffer.from(after)]);
      };
      // What is damaged has a text in UTF-8 as well.
      const damaged = odd("DAMAGEbung für 🎂");
      writeFileSync(path, bytesOf(whole([damaged, other])));
      const { exitCode, stdout } = await importFile(path, "--rejects", rejects, "-o", "json");
      const rejected = [{ title: "\ufffd\ufffd\ufffdbung für 🎂", reason: "it is not UTF-8" }];
      expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 12, created: 1, rejected });
      expect(readFileSync(rejects)).toEqual(bytesOf(whole([damaged])));
      expect(await titles()).toEqual(["Größe 🎂"]);
    },
  );

  test("a file that does not exist is named before --yes is", async () => {
    const missing = join(world.directory, "none.ics");
    expect(await world.run("import", missing, "-c", "Family")).toMatchObject({
      exitCode: 2,
      stderr: `error: FILE: ${missing} cannot be read (no such file or directory)\n`,
    });
    expect(await world.run("import", file(line("a")), "-c", "Family")).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--yes is required"),
    });
    expect(await titles()).toEqual([]);
  });

  test("--rejects where no file can be made is exit 2, before anything is written", async () => {
    const rejects = join(world.directory, "none", "rejects.ndjson");
    const { exitCode, stderr } = await importLines([line("a"), "{}"], "--rejects", rejects);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("(no such file or directory)"),
    });
    expect(await titles()).toEqual([]);
  });

  test.each([
    ["a folder", ["."], ". cannot be read (is a directory)"],
    ["no file", [], "missing FILE\nhint: calctl import -h"],
    ["stdin without a name", ["-"], "missing --source"],
    ["an empty name", ["x", "--source", ""], "--source is empty"],
    ["rejects to stdout", ["x", "--rejects", "-"], "--rejects: - is not a file"],
    ["days in the wrong order", ["x", "--from", "2026-12-01", "--to", "2026-11-30"], "--to"],
  ])("%s is exit 2", async (_name, flags, message) => {
    const result = await shared().run("import", "-c", "Personal", "--yes", ...flags);
    expect(result).toMatchObject(failed(2, message));
  });

  test("names 20 of many events that are rejected", async () => {
    const { stderr } = await importLines(Array.from({ length: 25 }, () => "{}"));
    expect(stderr.match(/^line /gm)).toHaveLength(20);
    expect(stderr).toContain("and 5 more");
  });

  test.each([
    ["an empty file", "", [], "stdin is empty\n"],
    ["another format", "%PDF-1.7", [], "stdin is not an iCalendar, CSV or NDJSON file\n"],
    [
      "a page of an error, whatever --as says",
      "<html>\n",
      ["--as", "ics"],
      "stdin is not an iCalendar file\n",
    ],
    ["nothing that can be read", '{"title": 1}', [], "nothing of stdin can be imported"],
  ])("%s is exit 11", async (_name, stdin, flags, message) => {
    const argv = ["import", "-", "--source", "club", "-c", "Personal", "--yes", ...flags];
    expect(await shared().runWith({ stdin }, ...argv)).toMatchObject(failed(11, message));
  });
});

test("each event of a file is counted once: twice in it, of an older version, or cancelled and not there is unchanged", async () => {
  const of = (uid: string, title: string, ...lines: readonly string[]) =>
    vevent(uid, title, "DTSTART:20261123T120000Z", "DURATION:PT1H", ...lines);
  const file = icsFile([
    ...[of("a", "A"), of("a", "A"), of("b", "Old", "SEQUENCE:1"), of("b", "B", "SEQUENCE:2")],
    ...[of("c", "Off", "STATUS:CANCELLED"), of("d", "x".repeat(51))],
  ]);
  const report = { unchanged: 3, deleted: 0, conflicts: 0, rejected: [{ line: 36 }] };
  expect(await importText(world, "all.ics", file)).toMatchObject({ ...report, created: 2, updated: 0 });
  expect(await importText(world, "all.ics", file)).toMatchObject({ ...report, created: 0, unchanged: 5 });
});

test("a file of cancelled and rejected events alone says what becomes of each", async () => {
  const cancelled = vevent("c", "Off", "DTSTART:20261123T120000Z", "STATUS:CANCELLED");
  const file = icsFile([cancelled, vevent("d", "No start")]);
  const report = await importText(world, "off.ics", file);
  expect(report).toMatchObject({ exitCode: 12, unchanged: 1, rejected: [{ title: "No start" }] });
});

test("a dry run prints the plan and leaves nothing behind", async () => {
  const plan = await importLines([line("a"), line("b")], "--dry-run");
  expect(plan).toEqual({ exitCode: 0, stderr: "", ...counts, created: 2 });
  expect(await titles()).toEqual([]);
  expect(readdirSync(world.directory)).not.toContain("state.db");
});

test("the plan says when a single event is, and several by their titles", async () => {
  const plan = async (...lines: readonly Line[]) =>
    (await importFile(file(...lines), "--dry-run", "-o", "table")).stdout;
  expect(await plan(line("a"))).toBe("  1 created    Event a  Mon 23 Nov 2026 13:00–14:00\n");
  await importLines([line("a")]);
  const holiday = line("a", "Holiday", { all_day: true, start_at: "2026-12-24T00:00:00Z", end_at: null });
  expect(await plan(holiday, line("b"), line("c"))).toBe(
    "  2 created    Event b, Event c\n  1 updated    Holiday  Thu 24 Dec 2026 all day\n",
  );
});

describe("an undo", () => {
  test("takes back what an import created, and a repetition creates it again", async () => {
    await importLines([line("a"), line("b")]);
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await titles()).toEqual([]);
    expect(await importLines([line("a"), line("b")])).toMatchObject({ created: 2, conflicts: 0 });
    expect(await titles()).toEqual(["Event a", "Event b"]);
  });

  test("names the first 20 events", async () => {
    await importLines(Array.from({ length: 22 }, (_, index) => line(String(index))));
    const { exitCode, stderr, stdout: table } = await world.step("undo", "--yes", "-o", "table");
    expect({ exitCode, lines: stderr.trimEnd().split("\n") }).toEqual({
      exitCode: 0,
      lines: [...Array(20).fill(expect.stringMatching(/^Event \d+: deleted$/)), "and 2 more"],
    });
    expect(table).toMatch(/^Events +Event 21, .*Event 2 and 2 more$/m);
  });

  test("takes back what it changed and deleted, and a repetition does it again", async () => {
    const before = [line("a"), line("b"), line("c")];
    const after = [line("a", "Other"), line("b")];
    await importLines(before);
    for (const _time of [1, 2]) {
      expect(await importLines(after, "--prune")).toMatchObject({ exitCode: 0, updated: 1, deleted: 1 });
      expect(await titles()).toEqual(["Event b", "Other"]);
      expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
      expect(await titles()).toEqual(["Event a", "Event b", "Event c"]);
    }
    expect(await importLines(before)).toMatchObject({ updated: 0, unchanged: 3, conflicts: 0, created: 0 });
  });

  /** Runs an undo that ends before or after its first request of a method, and before it notes that. */
  async function undoKilled(order: string, method: string): Promise<void> {
    const { handle } = world.service;
    const endAt: typeof handle = async (request, ...rest) => {
      if (request.method !== method) return handle(request, ...rest);
      const response = order === "after" ? await handle(request, ...rest) : null;
      changeState(
        world,
        "create trigger killed before update on imported begin select raise(abort, 'killed'); end",
      );
      if (response === null) throw new Error("killed");
      return response;
    };
    Object.assign(world.service, { handle: endAt });
    expect((await world.step("undo", "--yes")).exitCode).not.toBe(0);
    Object.assign(world.service, { handle });
    changeState(world, "drop trigger killed");
  }

  test.each(["after", "before"])(
    "that ends %s it deletes an event, and before it notes that, loses no event",
    async (order) => {
      await importLines([line("a")]);
      await undoKilled(order, "DELETE");
      const isDeleted = order === "after";
      expect(await importLines([line("a")])).toMatchObject({
        ...{ exitCode: 0, created: isDeleted ? 1 : 0, unchanged: isDeleted ? 0 : 1, conflicts: 0 },
      });
      expect(await titles()).toEqual(["Event a"]);
      expect(await importLines([line("a")])).toMatchObject({ created: 0, unchanged: 1 });
    },
  );

  test.each(["after", "before"])(
    "that ends %s it restores an event, and before it notes that, is no import of what is not there",
    async (order) => {
      await importLines([line("a")]);
      await importLines([line("a", "Other")]);
      await undoKilled(order, "PUT");
      const isRestored = order === "after";
      expect(await importLines([line("a", "Other")])).toMatchObject({
        ...{ exitCode: 0, updated: 0, unchanged: isRestored ? 0 : 1, conflicts: isRestored ? 1 : 0 },
      });
      expect(await titles()).toEqual([isRestored ? "Event a" : "Other"]);
    },
  );

  test("of what somebody changed leaves a later delete by that person as it is", async () => {
    await importLines([line("a")]);
    const { id } = await find("Event a");
    await world.step("events", "update", id, "--title", "Mine");
    expect(await world.step("undo", "2", "--yes")).toMatchObject({ exitCode: 13 });
    await world.step("events", "delete", id, "--yes");
    expect(await importLines([line("a", "Other")])).toMatchObject({ created: 0, conflicts: 1 });
  });

  test("of a person's delete makes an event again that a new version of the file changes", async () => {
    await importLines([line("a")]);
    const [event] = await world.list();
    await world.step("events", "delete", event?.id ?? "", "--yes");
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await importLines([line("a", "Other")])).toMatchObject({ updated: 1, conflicts: 0, created: 0 });
    expect(await titles()).toEqual(["Other"]);
    for (const _command of ["update", "create"])
      expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await importLines([line("a")])).toMatchObject({ updated: 0, conflicts: 0, created: 1 });
  });
});

describe("without what was remembered", () => {
  const forget = () => changeState(world, "delete from imported");

  test("the service knows its events again by their keys, for 30 days", async () => {
    await importLines([line("a"), line("b")]);
    forget();
    await importLines([line("a"), line("b")]);
    expect(await titles()).toEqual(["Event a", "Event b"]);
    expect(await importLines([line("a", "Other"), line("b")])).toMatchObject({ updated: 1, unchanged: 1 });
  });

  test("an undo takes an import back all the same", async () => {
    await importLines([line("a")]);
    forget();
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await titles()).toEqual([]);
  });
});

test("a profile that keeps no journal remembers what it imports, refusals included", async () => {
  await world.run("config", "set", "journal", "off", "-p", "local");
  expect(await importLines([line("a"), line("b")])).toMatchObject({ exitCode: 0, created: 2 });
  expect(await importLines([line("a", "Other")], "--prune")).toMatchObject({ updated: 1, deleted: 1 });
  const { handle } = world.service;
  const refuse: typeof handle = async (request, ...rest) =>
    request.method === "POST"
      ? {
          status: 400,
          headers: { "content-type": "application/json" },
          body: Buffer.from('{"errors":{"title":["must not be odd"]}}'),
        }
      : handle(request, ...rest);
  Object.assign(world.service, { handle: refuse });
  expect((await importLines([line("a", "Other"), line("b")])).exitCode).not.toBe(0);
  Object.assign(world.service, { handle });
  const rest = { unchanged: 1, conflicts: 0 };
  expect(await importLines([line("a", "Other"), line("b", "Third")])).toMatchObject({ created: 1, ...rest });
  expect(await titles()).toEqual(["Other", "Third"]);
  expect(await world.run("undo")).toMatchObject({ exitCode: 10 });
});

test("nothing is sent that cannot be remembered", async () => {
  await importLines([line("a")]);
  const fail = "begin select raise(abort, 'full'); end";
  changeState(world, `create trigger full before insert on imported ${fail}`);
  expect((await importLines([line("a"), line("b")])).exitCode).not.toBe(0);
  expect(await titles()).toEqual(["Event a"]);
  expect(await world.undoable()).toHaveLength(1);
});

describe("a damaged record", () => {
  const damage = (column: "record" | "pending") =>
    changeState(world, `update imported set ${column} = 'garbage' where identity = 'a'`);

  test("counts as an event that somebody changed, until it is as the file says", async () => {
    await importLines([line("a"), line("b")]);
    damage("record");
    const { id } = await find("Event a");
    const other = [line("a", "Other"), line("b", "Other b")];
    expect(await importLines(other)).toMatchObject({
      ...{ exitCode: 0, updated: 1, conflicts: 1 },
      stderr:
        `the import record of event ${id} is damaged: the event counts as changed in the calendar; --overwrite replaces it\n` +
        "changed or deleted in the calendar, and left alone: Other\n",
    });
    expect(await importLines([line("b")], "--prune=all")).toMatchObject({ deleted: 0, conflicts: 1 });
    expect(await importLines(other, "--overwrite")).toMatchObject({ updated: 2 });
    expect(await importLines(other)).toMatchObject({ ...counts, stderr: "", unchanged: 2 });
  });

  test("of an event that is as the file says is replaced", async () => {
    await importLines([line("a")]);
    damage("record");
    expect(await importLines([line("a")])).toMatchObject({ ...counts, unchanged: 1 });
    expect(await importLines([line("a")])).toMatchObject({ ...counts, stderr: "", unchanged: 1 });
  });

  test("keeps no undo from what it takes back, and a repetition creates the event again", async () => {
    await importLines([line("a"), line("b")]);
    damage("record");
    expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
    expect(await titles()).toEqual([]);
    expect(await importLines([line("a"), line("b")])).toMatchObject({ created: 2, conflicts: 0, stderr: "" });
  });

  test("of a create that may have been done creates nothing", async () => {
    await importLines([line("a"), line("b")]);
    damage("pending");
    const again = await importLines([line("a"), line("b")]);
    expect(again).toMatchObject({ ...counts, exitCode: 0, unchanged: 1, conflicts: 1 });
    expect(again.stderr).toContain(
      "the import record of a is damaged: if its event is missing, create it by hand (imports skip it)\n",
    );
    expect(await titles()).toEqual(["Event a", "Event b"]);
  });
});

test.each([true, false])(
  "a delete that a killed run began is no deletion by somebody (done: %s)",
  async (isDone) => {
    await importLines([line("a"), line("b")]);
    changeState(
      world,
      "update imported set record = json_set(record, '$.deleted', 'begun') where identity = 'a'",
    );
    if (isDone) await world.step("events", "delete", (await find("Event a")).id, "--yes");
    expect(await importLines([line("a"), line("b")])).toMatchObject({
      created: isDone ? 1 : 0,
      conflicts: 0,
    });
    expect(await titles()).toEqual(["Event a", "Event b"]);
    expect(await importLines([line("b")], "--prune")).toMatchObject({ deleted: 1 });
  },
);

test("another import of the same source at the same time is exit 8, and so is an undo", async () => {
  await importLines([line("a")]);
  const { state, close } = await openTestState(join(world.directory, "state.db"), {
    process: processWith(process.ppid),
  });
  const finished = createDeferred();
  const held = createDeferred();
  const [{ source = "" } = {}] = await state.read((db) => db.all("select source from imported"));
  const holding = withImportLock(state, String(source), async () => {
    held.resolve();
    await finished.promise;
  });
  await held.promise;
  const doing = "importing from the same source, or undoing such an import";
  const message = `another calctl (process ${process.ppid}) is still ${doing}`;
  const { exitCode, stderr } = await importLines([line("b")]);
  const [note, error = ""] = stderr.split("\n");
  expect(note).toBe(`waiting for another calctl (process ${process.ppid}), which is ${doing}`);
  expect({ exitCode, ...JSON.parse(error).error }).toMatchObject({ exitCode: 8, message });
  expect(await world.step("undo", "--yes")).toMatchObject({
    exitCode: 8,
    stderr: expect.stringContaining(message),
  });
  finished.resolve();
  await holding;
  close();
  expect(await world.step("undo", "--yes")).toMatchObject({ exitCode: 0 });
  expect(await titles()).toEqual([]);
});

test("a keep that repeats without times is rejected", async () => {
  const keep = {
    id: "k",
    series_id: "k",
    title: "Idea",
    category: "keep",
    recurrences: ["RRULE:FREQ=DAILY"],
  };
  expect(await importLines([line("a"), keep])).toMatchObject({
    exitCode: 12,
    created: 1,
    rejected: [{ line: 2 }],
  });
});

test("each source and each calendar has its own events", async () => {
  await importLines([line("a")]);
  await importLines([line("a")], "--source", "other");
  await world.step("import", file(line("a")), "-c", "Work", "--yes");
  expect(await titles()).toEqual(["Event a", "Event a", "Event a"]);
  await importLines([line("b")], "--source", "other", "--prune=all");
  expect(await titles()).toEqual(["Event a", "Event a", "Event b"]);
});

test("labels and members are found by name; what is missing is said once", async () => {
  const other = { label: "Sport", attendees: ["ana", "Eve"] };
  const report = await importLines([
    line("a", "A", other),
    line("b", "B", other),
    line("c", "C", { label: "2" }),
  ]);
  expect(report.stderr).toBe(
    "Family has no label Sport: these events get the default one\nleft out, as no members of Family: Eve\n",
  );
  expect(await find("A")).toMatchObject({ label: { number: 1 }, attendees: [{ name: "ana" }] });
  expect(await find("C")).toMatchObject({ label: { number: 2 } });
  const lines = [line("d", "D"), line("e", "E", { label: "Sport" })];
  const given = await importLines(lines, "--label", "3", "--source", "other");
  expect(given.stderr).toBe("Family has no label Sport: these events get that of --label\n");
  expect(await find("E")).toMatchObject({ label: { number: 3 } });
  expect(await find("D")).toMatchObject({ label: { number: 3 } });
});

test("a table says its columns and the order of its dates", async () => {
  const stdin = "What;When;From;Where\nTraining;24.11.2026;19:00;Gym\n";
  const flags = ["--source", "club", "-c", "Family", "--yes"];
  const columns = ["--columns", "title=What,start=When,start_time=From,location=Where"];
  const importTable = (...more: string[]) =>
    world.runWith({ stdin }, "import", "-", ...flags, ...columns, ...more);
  expect(await importTable()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--dates dmy") });
  expect(await importTable("--dates", "dmy")).toMatchObject({ exitCode: 0 });
  expect(await find("Training")).toMatchObject({ start_local: "2026-11-24T19:00:00+01:00", location: "Gym" });
});
