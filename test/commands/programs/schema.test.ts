import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { loadCommandTree } from "../../../src/cli/command-tree.js";
import { commandSchema, programSchema } from "../../../src/cli/help/schema.js";
import { EXIT_CODES, EXIT_EMPTY } from "../../../src/errors.js";
import { FIELD_FLAGS } from "../../../src/events/input/event-flags.js";
import { failed } from "../../support/outcomes.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";

/** That `calctl schema` describes what commands print. */

const SCHEMA = programSchema(await loadCommandTree());

const reading = share(() => createRemoteWorld());

/** Has a database for the commands of the service. None of these disturbs another one. */
const administered = share(async () => {
  const world = await createRemoteWorld();
  for (const user of ["ana", "Ben"]) await world.run("service", "users", "add", user);
  return world;
});

/** A command line for every command that prints JSON of a known shape; some have several. */
function commandLines(world: RemoteWorld): Readonly<Record<string, readonly (readonly string[])[]>> {
  const { eventId } = world;
  const times = ["--start", "2026-11-21T18:00", "--duration", "1h"];
  return {
    whoami: [[]],
    status: [[], ["--offline"]],
    doctor: [[]],
    token: [[]],
    calendars: [[], ["--include", "labels,members"], ["-c", "Personal", "--include", "labels,members"]],
    labels: [[]],
    members: [[]],
    "events list": [[], ["--days", "7"], ["--category", "keep"]],
    "events changes": [
      ["--since-last", "later"],
      ["--since-last", "start", "--from-start", "--dry-run"],
    ],
    "events watch": [["--from-start", "--dry-run"]],
    "events get": [[eventId], [eventId, eventId]],
    "events create": [
      ["--title", "T", ...times, "--attendee", "me"],
      ["--title", "K", "--category", "keep"],
    ],
    "events update": [
      [eventId, "--title", "Other"],
      [eventId, eventId, "--title", "Third"],
    ],
    "events copy": [
      [eventId, "--by", "+1d"],
      [eventId, eventId, "--by", "+1d"],
    ],
    "events move": [[eventId, "--to", "Choir", "--yes"]],
    "events delete": [[eventId, "--yes"]],
    add: [["Lunch", "tomorrow", "12-13", "--yes"]],
    undo: [["--list"]],
    import: [[join(world.directory, "events.json"), "--yes", "--dry-run"]],
    rm: [[eventId, "--yes"]],
    agenda: [[]],
    week: [[]],
    month: [["2026-12"]],
    next: [[], ["-n", "5", "--all-day"]],
    free: [[], ["--on", "tomorrow"]],
    conflicts: [["--days", "7"]],
    comment: [[eventId, "Text"]],
    comments: [[eventId]],
    "feeds add": [["--name", "Phone"]],
    "feeds list": [[]],
    "profiles list": [[]],
    "targets list": [[]],
    sent: [[]],
    "config list": [["-p", "local"]],
    "config get": [["base_url", "-p", "local"]],
    "config path": [[], ["state"]],
    "service users add": [["Caro"]],
    "service users list": [[]],
    "service calendars add": [["Choir", "--owner", "ana"]],
    "service calendars set": [["Personal", "--description", "Text"]],
    "service calendars list": [[]],
    "service members add": [["Ben", "-c", "Personal"]],
    "service members list": [["-c", "Personal"]],
    "service labels set": [["2", "--name", "Text", "-c", "Personal"]],
    "service clients add": [["App", "--redirect-uri", "http://127.0.0.1/callback"]],
    "service clients list": [[]],
    "service check": [[]],
    "service copy": [["--from", join(world.directory, "local.db"), "--to", join(world.directory, "to.db")]],
    "service backup": [[join(world.directory, "backup.db")]],
    "service resync": [[]],
    "service tokens create": [["--user", "ana"]],
    "service tokens list": [[]],
  };
}

/** A world with what the command lines name. */
async function createFor(command: string): Promise<RemoteWorld> {
  if (command.startsWith("service ")) return administered();
  const world = await createRemoteWorld();
  if (command === "events move") await world.service.admin.calendars.add({ name: "Choir", owner: "ana" });
  if (command === "feeds add") await world.service.admin.noteBaseUrl("https://calendar.example");
  return world;
}

/** One world for all commands that can be repeated and do not disturb each other. */
async function createForAll(): Promise<RemoteWorld> {
  const world = await createFor("feeds add");
  const event = { title: "Lunch", start_at: "2026-11-23T12:00:00Z" };
  writeFileSync(join(world.directory, "events.json"), JSON.stringify(event));
  await world.run("feeds", "add", "--name", "Phone");
  return world;
}

/** This command does not end: test/system/start-up.test.ts has its output. */
const START = "service start";

const described = SCHEMA.commands.filter(({ output }) => output !== null && output.shape !== null);

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
const outputs = described.map(({ name, output }) => [`output-${name.replaceAll(" ", "-")}`, output?.json]);
ajv.addSchema({ $id: "calctl", $defs: { ...SCHEMA.$defs, ...Object.fromEntries(outputs) } });

/** What is wrong with a value of a shape, or of `output-` and a command. */
function problemsOf(name: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`calctl#/$defs/${name.replaceAll(" ", "-")}`);
  if (validate === undefined) throw new Error(`there is no schema of ${name}`);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe("what every command prints", () => {
  test("has a command line in this test", () => {
    const tested = [...Object.keys(commandLines(reading())), START];
    expect(described.map(({ name }) => name).filter((name) => !tested.includes(name))).toEqual([]);
  });

  const commands = described.filter(({ name }) => name !== START);
  /** Each of these runs once, in a world of its own unless it is a command of the service. */
  const writes = commands.filter(({ name }) =>
    / (add|create|update|delete|backup|copy|move)$|^(comment|add|rm)$/.test(name),
  );

  async function print(
    world: RemoteWorld,
    name: string,
    argv: readonly string[],
    format: string,
  ): Promise<string> {
    const line = [...name.split(" "), ...argv, "-o", format];
    const env = name.startsWith("service ") ? {} : world.env;
    const { exitCode, stdout, stderr } = await world.runWith({ env }, ...line);
    const problem = exitCode === 0 ? "" : stderr;
    expect({ line, exitCode, stderr: problem }).toEqual({ line, exitCode: 0, stderr: "" });
    return stdout;
  }

  test.each(writes.map(({ name }) => name))("%s is what its schema says", async (name) => {
    const world = await createFor(name);
    for (const argv of commandLines(world)[name] ?? [])
      expect(problemsOf(`output-${name}`, JSON.parse(await print(world, name, argv, "json")))).toEqual([]);
  });

  test("all others are what their schemas say, in json and ndjson", async () => {
    const own = await createForAll();
    for (const { name, output } of commands.filter((command) => !writes.includes(command))) {
      const world = name.startsWith("service ") ? administered() : own;
      for (const argv of commandLines(world)[name] ?? []) {
        const value: unknown = JSON.parse(await print(world, name, argv, "json"));
        expect({ name, problems: problemsOf(`output-${name}`, value) }).toEqual({ name, problems: [] });
        if (output?.count === "list") expect(value, name).toEqual(expect.any(Array));
        const lines = (await print(world, name, argv, "ndjson")).split("\n").filter((line) => line !== "");
        expect([value].flat(), name).toEqual(lines.map((line) => JSON.parse(line)));
      }
    }
  });

  test("an error is what its schema says", async () => {
    for (const argv of [
      ["events", "get", "nothing"],
      ["labels", "-c", "x"],
      ["events", "list", "--days", "0"],
    ]) {
      const { stderr } = await reading().send(...argv, "-o", "json");
      expect(problemsOf("error", JSON.parse(stderr).error)).toEqual([]);
    }
  });
});

describe("calctl schema", () => {
  const print = async (...argv: readonly string[]) =>
    JSON.parse((await reading().run("schema", ...argv)).stdout);

  test("has each flag about an event at create or at update", async () => {
    const commands = SCHEMA.commands.filter(({ name }) => /^events (?:create|update)$/.test(name));
    const declared = commands.flatMap(({ flags }) => flags.map(({ name }) => name));
    expect(declared).toEqual(expect.arrayContaining(Object.values(FIELD_FLAGS)));
  });

  test("alone describes everything", async () => {
    expect(await print()).toEqual(JSON.parse(JSON.stringify(SCHEMA)));
    expect(SCHEMA.commands.length).toBeGreaterThan(40);
    expect(new Set(SCHEMA.exit_codes.map(({ exit_code }) => exit_code))).toEqual(
      new Set([0, EXIT_EMPTY, 129, 143, ...Object.values(EXIT_CODES)]),
    );
    expect(SCHEMA.error_codes).toEqual(Object.keys(EXIT_CODES));
  });

  test("of a command has its flags, choices, defaults, output and what is inside", async () => {
    const list = await print("events", "list");
    expect(list).toEqual(await print("events list"));
    expect(list.flags).toContainEqual({
      name: "--days",
      short: null,
      value: "1-366",
      type: { type: "integer", minimum: 1, maximum: 366 },
      description: "number of days from today or --from",
      default: "1",
      environment: [],
      required: false,
      repeatable: false,
    });
    expect(list.flags.find(({ name }: { name: string }) => name === "--category").type).toEqual({
      type: "string",
      enum: ["schedule", "keep"],
    });
    expect(list.output.formats).toContain("ics");
    expect(Object.keys(list.$defs)).toEqual(["event", "user", "label"]);
  });

  test("of a flag that takes several of some values has them", async () => {
    const { flags } = await print("events", "update");
    expect(flags.find(({ name }: { name: string }) => name === "--clear")).toMatchObject({
      type: { type: "string", enum: ["description", "location", "url", "attendees", "start", "end"] },
      repeatable: true,
    });
  });

  test("of a group has all its commands", async () => {
    const { commands } = await print("service", "users");
    expect(commands.map(({ name }: { name: string }) => name)).toContain("service users add");
  });

  test("of a shape is JSON Schema on its own", async () => {
    const schema = await print("event");
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const [event] = await reading().json<readonly unknown[]>("events", "list");
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
    expect(validate(event)).toBe(true);
    expect(validate({ ...(event as object), more: 1 })).toBe(false);
  });

  test.each([
    ["evnt", "did you mean event?"],
    ["evnts list", "did you mean events list"],
    ["events lst", "did you mean events list"],
    ["calender", "did you mean calendar"],
    ["xyzzy", "shapes: event, "],
  ])("%s is exit 2 with the nearest ones", async (name, hint) => {
    expect(await reading().run("schema", ...name.split(" "))).toMatchObject(failed(2, hint));
  });

  test("sends nothing and reads no configuration", async () => {
    const env = { CALCTL_BASE_URL: "", CALCTL_TOKEN: "", CALCTL_CONFIG_DIR: "/nonexistent" };
    expect((await reading().runWith({ env }, "schema", "--jq", ".version")).exitCode).toBe(0);
  });
});

describe("the facts about a flag", () => {
  const flags = [...SCHEMA.global_flags, ...SCHEMA.commands.flatMap((command) => command.flags)];

  test("are not left in its description", () => {
    expect(flags.filter(({ description }) => /CALCTL_|default:|env:/.test(description))).toEqual([]);
  });

  test("name variables that are described", () => {
    const names = SCHEMA.environment.map(({ name }) => name);
    expect(flags.flatMap(({ environment }) => environment).filter((name) => !names.includes(name))).toEqual(
      [],
    );
  });
});

test("every command has one to three examples", async () => {
  const counts = SCHEMA.commands.map(({ name, examples }) => ({ name, count: examples.length }));
  expect(counts.filter(({ count }) => count < 1 || count > 3)).toEqual([]);
  expect(commandSchema((await loadCommandTree()).commands[0] ?? (await loadCommandTree())).name).toBe(
    "agenda",
  );
});
