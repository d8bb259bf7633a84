import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loadCommandTree } from "../../../src/cli/command-tree.js";
import { complete } from "../../../src/cli/completion/candidates.js";
import { type CommandTree, describeTree } from "../../../src/cli/completion/command-tree.js";
import { type KnownValues, readKnownValues } from "../../../src/cli/completion/known-values.js";
import { REPLIES } from "../../../src/cli/completion/reply.js";
import { harmfulCodes, hostileText } from "../../support/harmful-text.js";
import { NOW } from "../../support/harness.js";
import { createRemoteWorld, type RemoteWorld } from "../../support/remote-world.js";
import { share } from "../../support/shared.js";

/** What could stand at the cursor, by what earlier commands of the program have left in its files. */

let tree: CommandTree;
let world: RemoteWorld;

beforeAll(async () => {
  tree = describeTree(await loadCommandTree());
});

async function createWorld(): Promise<RemoteWorld> {
  const world = await createRemoteWorld();
  const { admin } = world.service;
  const { id } = await admin.calendars.add({ name: "Work", owner: "ana" });
  await admin.calendars.add({ name: "Work out", owner: "ana" });
  await admin.labels.set(id, 2, { name: "Urgent" });
  await admin.users.add({ name: "Ben" });
  await admin.members.add("Ben", "Work");
  await world.run("config", "set", "base_url", world.env["CALCTL_BASE_URL"] ?? "", "-p", "office");
  await world.run("targets", "add", "team", "--as", "mail", "--to", "ana@example.org");
  const { CALCTL_BASE_URL: _, ...env } = world.env;
  const office = { env: { ...env, CALCTL_PROFILE: "office" } };
  for (const command of ["labels", "members"]) await world.runWith(office, command, "-c", "Work");
  await world.runWith({ ...office, columns: 80 }, "events", "list");
  return world;
}

const shared = share(createWorld);

/** Shared, but for tests that change what is known. */
beforeEach(() => {
  world = shared();
});

/** The values for a line whose last word ends at the cursor. */
function at(line: readonly string[], env: Readonly<Record<string, string>> = { CALCTL_PROFILE: "office" }) {
  return complete(tree, line, readMachine({ CALCTL_CACHE_DIR: world.directory, ...env }));
}

function readMachine(env: Record<string, string>): KnownValues {
  env["CALCTL_CONFIG_DIR"] = world.directory;
  const userId = process.geteuid?.() ?? null;
  return readKnownValues({ env, platform: "linux", home: () => world.directory, userId, now: () => NOW });
}

function values(...line: readonly string[]): readonly string[] {
  return at(line).candidates.map(({ value }) => value);
}

const NAMES = ["Personal", "Work", "Work out"];

describe("commands and flags", () => {
  test("come from the program itself, with what its help says", () => {
    expect(values("")).toEqual([...tree.commands.map(({ name }) => name), "help"]);
    expect(values("")).toContain("completion");
    expect(at(["events", "upd"]).candidates).toEqual([
      { value: "update", description: expect.stringContaining("update events") },
    ]);
    expect(values("service", "users", "")).toContain("unlock");
    expect(values("help", "events", "d")).toEqual(["delete"]);
    expect(values("help", "fl")).toEqual(["flags"]);
    expect(values("help", "ev")).toEqual(["events"]);
  });

  test("include those of the command and the global ones, as long as they may be given", () => {
    expect(values("events", "create", "--la")).toEqual(["--label"]);
    expect(values("events", "create", "--t")).toEqual(
      ["--title", "--timezone", "--timeout", "--template"].sort(byTree),
    );
    expect(values("events", "create", "--title", "x", "--title")).toEqual([]);
    expect(values("-c", "Work", "events", "list", "--cal")).toEqual(["--calendar"]);
    expect(values("labels", "--help")).toEqual(["--help"]);
    expect(values("labels", "--version")).toEqual([]);
    expect(values("--ver")).toEqual(["--version", "--verbose"].sort(byTree));
  });

  function byTree(one: string, other: string): number {
    const order = [...(tree.commands.find(({ name }) => name === "events")?.commands ?? [])].flatMap(
      ({ flags }) => flags,
    );
    const position = (flag: string) => [...order, ...tree.flags].findIndex(({ long }) => long === flag);
    return position(one) - position(other);
  }
});

describe("values", () => {
  const rows = [
    ["after the flag", ["labels", "-c", ""], NAMES],
    ["after its long name", ["labels", "--calendar", "W"], ["Work", "Work out"]],
    ["attached", ["labels", "--calendar=W"], ["--calendar=Work", "--calendar=Work out"]],
    ["attached to the short one", ["labels", "-cP"], ["-cPersonal"]],
    ["attached with =", ["labels", "-c=P"], ["-c=Personal"]],
    ["before the command", ["-c", "P"], ["Personal"]],
    ["with switches before it", ["labels", "-qc", "P"], ["Personal"]],
    ["the only one in another case", ["labels", "-c", "pers"], ["Personal"]],
    ["several in another case", ["labels", "-c", "wo"], []],
    ["that nothing begins with", ["labels", "-c", "x"], []],
    ["of a switch", ["events", "list", "--mine="], []],
    ["formats", ["labels", "-o", "m"], ["markdown"]],
    ["choices", ["labels", "--color=a"], ["--color=auto", "--color=always"]],
    ["categories", ["events", "list", "--category", ""], ["schedule", "keep"]],
    ["fields to clear", ["events", "update", "x", "--clear", "u", "--clear", "a"], ["attendees"]],
    ["an optional value, only attached", ["labels", "--fields", ""], []],
    ["profiles", ["labels", "-p", ""], ["local", "office"]],
    ["targets as arguments", ["targets", "remove", "t"], ["team"]],
    ["targets to test", ["targets", "test", "t"], ["team"]],
    ["kinds of targets", ["targets", "add", "x", "--as", "te"], ["teams", "telegram"]],
    ["profiles as arguments", ["profiles", "use", "of"], ["office"]],
    ["shells", ["completion", ""], ["bash", "zsh", "fish", "powershell"]],
    ["keys", ["config", "set", "base"], ["base_url"]],
    ["the value of a key", ["config", "set", "calendar", "P"], ["Personal"]],
    ["the words of a key", ["config", "set", "week_start", "s"], ["sunday", "saturday"]],
    ["zones", ["labels", "--timezone", "Asia/Tok"], ["Asia/Tokyo"]],
    ["the zone without a place", ["labels", "--timezone", "U"], ["UTC"]],
    ["text", ["events", "create", "--title", ""], []],
    ["too many arguments", ["profiles", "use", "office", ""], []],
  ] as const;

  test("are those that fit, wherever they stand", () => {
    for (const [what, line, expected] of rows)
      expect({ what, values: values(...line) }).toEqual({ what, values: expected });
  });

  test("feeds that were listed, by name", async () => {
    world = await createWorld();
    await world.send("feeds", "add", "-c", "Work", "--name", "Phone");
    const { stdout } = await world.send("feeds", "list", "--fields", "id");
    const { candidates } = at(["feeds", "remove", ""], world.env);
    expect(candidates).toEqual([{ value: stdout.trim(), description: "Phone" }]);
  });

  test("of some flags are files", () => {
    for (const line of [
      ["events", "create", "--input", ""],
      ["comment", "abcd", "--file=not"],
      ["events", "update", "--description-file", "x"],
      ["service", "start", "--tls-cert", ""],
    ])
      expect({ line, ...at(line) }).toEqual({ line, candidates: [], files: true });
  });
});

describe("labels and members", () => {
  test("are those of -c, of the environment, or of every calendar that was seen", () => {
    expect(at(["events", "list", "-c", "Work", "--label", "U"]).candidates).toEqual([
      { value: "Urgent", description: "label 2" },
    ]);
    expect(values("events", "list", "-c", "Personal", "--label", "U")).toEqual([]);
    expect(values("events", "list", "--label", "U")).toEqual(["Urgent"]);
    const env = { CALCTL_PROFILE: "office", CALCTL_CALENDAR: "Personal" };
    expect(at(["events", "list", "--label", "U"], env).candidates).toEqual([]);
    expect(values("events", "create", "-c", "work", "--attendee", "")).toEqual(["me", "ana", "Ben"]);
    expect(values("events", "update", "abcd", "-c", "Work", "--remove-attendee=B")).toEqual([
      "--remove-attendee=Ben",
    ]);
  });

  test("are completed by number, too, and nameless ones only so", () => {
    expect(at(["events", "list", "-c", "Work", "--label", "2"]).candidates).toEqual([
      { value: "2", description: "Urgent" },
    ]);
    expect(values("events", "list", "-c", "Work", "--label", "")).toContain("1");
  });
});

/** The event of the world begins today, by the clock of the machine. */
const WHEN_AND_TITLE = expect.stringMatching(
  /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) \d+ [A-Z][a-z]{2} \d\d:\d\d Lunch$/,
);

describe("ids of events", () => {
  test("that were deleted are left out", async () => {
    world = await createWorld();
    const { CALCTL_BASE_URL: _, ...env } = world.env;
    expect(values("events", "get", "")).toHaveLength(1);
    const office = { env: { ...env, CALCTL_PROFILE: "office" }, columns: 80 };
    expect((await world.runWith(office, "events", "delete", "--yes", world.eventId)).exitCode).toBe(0);
    expect(values("events", "get", "")).toEqual([]);
  });

  test("are as short as lists show them, with titles, and whole if more was typed", () => {
    const short = world.eventId.slice(0, 4);
    for (const line of [
      ["events", "get"],
      ["events", "update"],
      ["events", "delete", "--"],
      ["rm"],
      ["comment"],
    ]) {
      expect(at([...line, short.slice(0, 2)]).candidates).toEqual([
        { value: short, description: WHEN_AND_TITLE },
      ]);
    }
    expect(values("events", "get", world.eventId.slice(0, 6))).toEqual([world.eventId]);
    expect(values("events", "get", short, "")).toEqual([]);
    expect(values("events", "get", "-c", "Work", "")).toEqual([]);
    expect(values("events", "get", "-c", "Personal", "")).toEqual([short]);
  });
});

describe("names that cannot stand alone", () => {
  beforeEach(async () => {
    world = await createWorld();
  });

  test("have ids instead", () => {
    for (const names of [
      ["Twin", "Twin"],
      ["2027", "3"],
      ["id1", "Other"],
      ["", " "],
      ["a\tb", "."],
      ["\u001b[31mred", "two\nlines", "\u009b2J", "\u007f"],
      ["a\u202eb", "\u2066c", "\u200fd", "\u061ce"],
    ]) {
      writeNames(names);
      expect(at(["labels", "-c", ""], {}).candidates).toEqual(
        names.map((name, index) =>
          name === "Other" ? { value: name, description: "" } : { value: `id${index}`, description: name },
        ),
      );
    }
  });

  test("are shown to no terminal with characters that it may obey, and ids of that kind are not offered", async () => {
    const encoded = Buffer.from(JSON.stringify(["labels", "-c", ""])).toString("base64");
    const questions = {
      bash: ["63", " \n", "80", "calctl labels -c "],
      zsh: ["80", "labels", "-c", ""],
      fish: ["calctl labels -c "],
      powershell: [encoded],
    };
    const ask = async (shell: keyof typeof questions) => {
      const reply = (await REPLIES[shell]?.(questions[shell], (line) => at(line, {}))) ?? "";
      return shell === "powershell" ? textsIn(reply) : reply.split(/[\0\t]/);
    };
    const text = fc.oneof(hostileText, fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { maxLength: 3 }), async (texts) => {
        writeItems(texts.map(([id, name]) => ({ id, name })));
        for (const shell of ["bash", "zsh", "fish", "powershell"] as const)
          for (const shown of await ask(shell)) expect(harmfulCodes(shown)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test("of a thousand, five hundred are offered", () => {
    writeNames(Array.from({ length: 1_000 }, (_, index) => `Team ${index}`));
    expect(at(["labels", "-c", "T"], {}).candidates).toHaveLength(500);
  });

  function writeNames(names: readonly string[]): void {
    writeItems(names.map((name, index) => ({ id: `id${index}`, name })));
  }

  /** The texts that PowerShell gets. */
  function textsIn(reply: string): readonly string[] {
    const { results }: { results: readonly Record<string, string>[] } = JSON.parse(reply);
    return results.flatMap((result) => Object.values(result));
  }

  function writeItems(calendars: readonly { readonly id: string; readonly name: string }[]): void {
    const items = calendars.map((calendar) => ({ ...calendar, number: null, color: null }));
    const lists = { calendars: { readAt: NOW, items } };
    const content = { version: 3, name: "local ", lists };
    writeFileSync(join(world.directory, "names", "local%20.json"), JSON.stringify(content));
  }
});

describe("where", () => {
  test("-p on the line decides, then the environment", () => {
    expect(at(["labels", "-c", "W"], {}).candidates).toEqual([]);
    expect(at(["-p", "office", "labels", "-c", "W"], {}).candidates).toHaveLength(2);
    expect(at(["labels", "--profile=office", "-c", "W"], {}).candidates).toHaveLength(2);
    expect(values("service", "calendars", "remove", "W")).toEqual([]);
  });

  test("a profile that does not exist has neither names nor a calendar", () => {
    expect(values("-p", "gone", "labels", "-c", "")).toEqual([]);
    expect(values("-p", "gone", "events", "list", "--label", "")).toEqual([]);
    expect(values("-p", "gone", "events", "create", "--attendee", "")).toEqual(["me"]);
  });

  test("a configuration that cannot be read leaves what does not depend on it", async () => {
    world = await createWorld();
    writeFileSync(join(world.directory, "config.json"), "{");
    expect(values("ev")).toEqual(["events"]);
    expect(values("labels", "-o", "m")).toEqual(["markdown"]);
    expect(values("labels", "--timezone", "Asia/Tok")).toEqual(["Asia/Tokyo"]);
    expect(values("labels", "-p", "")).toEqual(["local"]);
    expect(values("labels", "-c", "")).toEqual([]);
    expect(values("events", "list", "--label", "")).toEqual([]);
    expect(values("events", "get", "")).toEqual([]);
    expect(values("events", "create", "--attendee", "")).toEqual(["me"]);
  });

  test("the names of a profile are read once, however many calendars it has", () => {
    let reads = 0;
    const env = {
      CALCTL_PROFILE: "office",
      get CALCTL_CACHE_DIR() {
        reads += 1;
        return world.directory;
      },
    };
    const known = readMachine(env);
    const { candidates } = complete(tree, ["events", "list", "--label", "U"], known);
    expect({ candidates, reads }).toEqual({
      candidates: [{ value: "Urgent", description: "label 2" }],
      reads: 1,
    });
  });
});
