import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { reply } from "../../support/fault-steps.js";
import { createHarness, NOW } from "../../support/harness.js";
import { type RemoteWorld, remoteWorldsWith } from "../../support/remote-world.js";

/** Names of calendars and labels are asked of the service; what is cached of them serves completion alone. */

const TIMES = ["--start", "2026-11-21T16:00", "--duration", "1h"];
const TITLES = ["--fields", "title"];

let world: RemoteWorld;
let work: string;
let eventId: string;

const createWorld = remoteWorldsWith(async ({ service: { admin }, json }) => {
  const { id } = await admin.calendars.add({ name: "Work", owner: "ana" });
  await admin.labels.set(id, 2, { name: "Urgent" });
  const create = ["events", "create", "-c", "Work", "--title", "Standup", "--label", "Urgent", ...TIMES];
  return { work: id, standup: (await json<{ readonly id: string }>(...create)).id };
});

beforeEach(async () => {
  const made = await createWorld();
  world = made;
  [work, eventId] = [made.work, made.standup];
});

/** Runs a command against the socket. @returns its output, and its requests */
async function send(...argv: readonly string[]) {
  world.server.requests.splice(0);
  const result = await world.send(...argv);
  const paths = world.server.requests.map(({ method, path }) => `${method} ${path.replaceAll(work, "WORK")}`);
  return { ...result, paths };
}

const folder = () => join(world.directory, "names");

/** The remote service's file; `local` has one too. */
function cacheFile(): string {
  const name = readdirSync(folder()).find((file) => file.startsWith("%20http"));
  return join(folder(), name ?? "none");
}

describe("a command that reads", () => {
  test.each([
    [
      ["labels", "-c", "Work"],
      ["GET /calendars", "GET /calendars/WORK/labels"],
    ],
    [
      ["members", "-c", "Work"],
      ["GET /calendars", "GET /calendars/WORK/members"],
    ],
    [
      ["calendars", "-c", "Work"],
      ["GET /calendars", "GET /calendars/WORK"],
    ],
    [
      ["events", "list", "-c", "Work"],
      ["GET /calendars", "GET /calendars/WORK/upcoming_events"],
    ],
    [
      ["agenda", "-c", "Work"],
      ["GET /calendars", "GET /calendars/WORK/upcoming_events"],
    ],
    [
      ["events", "get", "EVENT", "-c", "Work"],
      ["GET /calendars", "GET /calendars/WORK/events/EVENT"],
    ],
  ])("%j asks the service for the name each time", async (typed, expected) => {
    const argv = typed.map((word) => (word === "EVENT" ? eventId : word));
    const paths = expected.map((path) => path.replace("EVENT", eventId));
    const first = await send(...argv);
    expect(first).toMatchObject({ exitCode: 0, paths });
    expect(await send(...argv)).toEqual(first);
  });

  test("looks for labels in each calendar", async () => {
    const argv = ["events", "list", "-c", "Work", "--label", "Urgent", ...TITLES];
    const paths = ["GET /calendars", "GET /calendars/WORK/labels", "GET /calendars/WORK/upcoming_events"];
    expect(await send(...argv)).toMatchObject({ stdout: "Standup\n", paths });
  });

  test("of an unknown name asks once, and says what there is", async () => {
    await send("labels", "-c", "Work");
    const { exitCode, stderr, paths } = await send("labels", "-c", "Wrok");
    expect({ exitCode, paths }).toEqual({ exitCode: 5, paths: ["GET /calendars"] });
    expect(stderr).toContain("hint: calendars: Work (");
  });
});

describe("a command that writes", () => {
  test.each([
    ["create", ["events", "create", "--title", "T", "--label", "Urgent", ...TIMES]],
    ["comment", ["comment", "EVENT", "text"]],
    ["update", ["events", "update", "EVENT", "--label", "Urgent"]],
    ["delete", ["events", "delete", "EVENT", "--yes"]],
  ])(
    "%s looks names up each time, so that it never reaches a calendar that was renamed",
    async (_, typed) => {
      const argv = [...typed.map((word) => (word === "EVENT" ? eventId : word)), "-c", "Work"];
      await send("events", "list", "-c", "Work", "--label", "Urgent");
      await world.service.admin.calendars.set(work, { name: "Old" });
      const { id } = await world.service.admin.calendars.add({ name: "Work", owner: "ana" });
      const { exitCode, paths } = await send(...argv);
      expect(exitCode).toBe(5);
      expect(paths[0]).toBe("GET /calendars");
      expect(paths.filter((path) => path.includes("WORK"))).toEqual([]);
      expect(paths.at(-1)).toContain(id);
    },
  );

  test("looks a label up each time", async () => {
    await send("events", "list", "-c", "Work", "--label", "Urgent");
    await world.service.admin.labels.set(work, 2, { name: "Old" });
    await world.service.admin.labels.set(work, 3, { name: "Urgent" });
    const argv = ["events", "update", eventId, "-c", "Work", "--label", "Urgent", "--jq", ".label.number"];
    expect(await send(...argv)).toMatchObject({ exitCode: 0, stdout: "3\n" });
  });
});

describe("the file", () => {
  test.each([
    ["is damaged", (file: string) => writeFileSync(file, "{")],
    ["is empty", (file: string) => writeFileSync(file, "")],
    ["has another format", (file: string) => writeFileSync(file, '{"version":9,"lists":{"calendars":7}}')],
    [
      "has other lists",
      (file: string) => {
        const content = JSON.parse(readFileSync(file, "utf8"));
        writeFileSync(
          file,
          JSON.stringify({ ...content, lists: { calendars: { readAt: NOW, items: [{ id: 7 }] } } }),
        );
      },
    ],
    [
      "is a folder",
      (file: string) => {
        rmSync(file);
        mkdirSync(join(file, "full"), { recursive: true });
      },
    ],
    [
      "is in a folder that is a file",
      (file: string) => {
        rmSync(join(file, ".."), { recursive: true });
        writeFileSync(join(file, ".."), "");
      },
    ],
    ["cannot be read", (file: string) => chmodSync(file, 0)],
  ])("that %s is not an error, and changes nothing", async (_, damage) => {
    const first = await send("labels", "-c", "Work");
    damage(cacheFile());
    expect(await send("labels", "-c", "Work")).toEqual(first);
  });

  test("with false names changes nothing", async () => {
    const first = await send("labels", "-c", "Work");
    const content = readFileSync(cacheFile(), "utf8");
    writeFileSync(cacheFile(), content.replaceAll(work, world.calendarId));
    expect(await send("labels", "-c", "Work")).toEqual(first);
  });

  test("is private to its owner, and replaced as a whole", async () => {
    await send("labels", "-c", "Work");
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder()).filter((name) => !name.endsWith(".json"))).toEqual([]);
    const text = readFileSync(cacheFile(), "utf8");
    expect(text).toContain("Urgent");
    expect(text).not.toContain(world.env["CALCTL_TOKEN"]);
  });

  test("needs the token only once, although a program prints it", async () => {
    const { CALCTL_BASE_URL: url = "", CALCTL_TOKEN: token = "" } = world.env;
    const [program, calls] = [join(world.directory, "print-token"), join(world.directory, "calls")];
    writeFileSync(program, `#!/bin/sh\necho called >> "${calls}"\necho ${token}\n`, { mode: 0o700 });
    await world.run("config", "set", "base_url", url, "-p", "office");
    await world.run("config", "set", "token_command", program, "-p", "office");
    expect(await world.run("labels", "-c", "Work", "-p", "office")).toMatchObject({ exitCode: 0 });
    expect(readFileSync(calls, "utf8")).toBe("called\n");
  });

  test("is not written again while nothing changes", async () => {
    await send("labels", "-c", "Work");
    const past = new Date(NOW - 1_000);
    utimesSync(cacheFile(), past, past);
    await send("labels", "-c", "Work");
    expect(statSync(cacheFile()).mtimeMs).toBe(past.getTime());
  });

  test("of a list that is too long is not cached, rather than a part of it", async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => ({
      ...{ id: `c${index}`, type: "calendar" },
      attributes: { name: `Calendar ${index}` },
    }));
    world.server.on("GET /calendars", [reply({ status: 200, body: JSON.stringify({ data: names }) })]);
    expect(await send("calendars", "-c", "Calendar 7")).toMatchObject({ exitCode: 5 });
    expect(existsSync(folder()) ? readFileSync(cacheFile(), "utf8") : "").not.toContain("Calendar 7");
  });

  test("that nobody used for 90 days is removed, and so are lists of 30 days", async () => {
    await send("labels", "-c", "Work");
    const other = join(folder(), "other%20http.json");
    writeFileSync(other, "{}");
    const old = new Date(NOW - 91 * 86_400_000);
    utimesSync(other, old, old);
    world.setNow(NOW + 31 * 86_400_000);
    await send("calendars");
    expect(existsSync(other)).toBe(false);
    const { lists } = JSON.parse(readFileSync(cacheFile(), "utf8"));
    expect(Object.keys(lists)).toEqual(["calendars"]);
  });
});

describe("forgetting", () => {
  test.each([
    ["logout", ["logout", "-p", "office"]],
    ["profiles remove", ["profiles", "remove", "office"]],
  ])("%s removes what is cached for the profile, and for no other", async (_, argv) => {
    const { CALCTL_BASE_URL: url = "", ...env } = world.env;
    for (const name of ["office", "office2"]) {
      await world.run("config", "set", "base_url", url, "-p", name);
      const options = { env: { ...env, CALCTL_PROFILE: name } };
      expect((await world.runWith(options, "events", "list")).exitCode).toBe(0);
      await world.runWith({ ...options, columns: 80 }, "events", "list");
    }
    const files = () =>
      ["events", "names"]
        .flatMap((kind) => readdirSync(join(world.directory, kind)))
        .filter((name) => name.startsWith("office"));
    expect(files()).toHaveLength(4);
    const foreign = join(folder(), "office%20plan.txt");
    writeFileSync(foreign, "not of this program");
    expect((await world.run(...argv)).exitCode).toBe(0);
    expect(existsSync(foreign)).toBe(true);
    rmSync(foreign);
    expect(files()).toHaveLength(2);
    for (const file of files()) expect(file).toMatch(/^office2%20/);
  });

  test("completion does not offer events that a script deleted, nor the other events of their series", async () => {
    const { run, runWith, json, directory } = await createHarness();
    const create = (...flags: readonly string[]) =>
      json<{ readonly id: string }>(
        "events",
        "create",
        "--title",
        "T",
        "--start",
        "2026-11-22T12:00",
        "-q",
        ...flags,
      );
    const single = await create();
    const series = await create("--repeat", "daily", "--count", "9");
    const kept = await create();
    await runWith({ columns: 80 }, "events", "list", "--days", "4");
    const cached = (kind: string) => readFileSync(join(directory, kind, "local%20.json"), "utf8");
    expect(cached("events")).toContain(series.id);
    await run("events", "delete", single.id, "--yes");
    const { id } = (
      await json<{ readonly id: string; readonly series_id: string | null }[]>(
        "events",
        "list",
        "--days",
        "3",
      )
    ).findLast(({ series_id }) => series_id !== null) ?? { id: "" };
    await run("events", "delete", id, "--scope", "following", "--yes");
    expect(cached("events")).not.toContain(single.id);
    expect(cached("events").match(/_202611\d\d/g)).toEqual(["_20261122"]);
    await run("events", "delete", series.id, "--scope", "all", "--yes");
    expect(JSON.parse(cached("events")).events.map((event: { readonly id: string }) => event.id)).toEqual([
      kept.id,
    ]);
  });

  test("service calendars remove removes what is cached for local, since its events are gone, too", async () => {
    const { run, service, userId, directory } = await createHarness({ database: "local.db" });
    const { admin } = service;
    for (const name of ["Here", "There"]) await admin.calendars.add({ name, owner: userId });
    await run("calendars");
    const file = join(directory, "names", "local%20.json");
    const elsewhere = `sqlite:${join(directory, "other.db")}`;
    await run("service", "users", "add", "Ana", "--db", elsewhere);
    await run("service", "calendars", "add", "There", "--db", elsewhere);
    expect(readFileSync(file, "utf8")).toContain("There");
    await run("service", "calendars", "remove", "There", "--yes", "--db", elsewhere);
    expect(existsSync(file)).toBe(true);
    expect((await run("service", "calendars", "remove", "There", "--yes")).exitCode).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});
